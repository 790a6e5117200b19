"""The operation watch: the discoveries of a cabling week compared with the plan, one after the other."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue._comparing import ComparingOperation
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import Plan

if TYPE_CHECKING:
    from topoloom.fabric.progress import Progress


@operation
class WatchOperation(ComparingOperation, frozen=True, kw_only=True):
    """Compare the DISCOVERYs of a cabling week (outputs of ibnetdiscover, the oldest first) with the PLAN.

    The output has the number of right cables, new faults and faults that are gone, and the open tasks per rack. -o writes one
    sheet per rack, to print and tick. With --plane, each FILE is a list of the discoveries of one plane, the oldest first, with
    commas between. Exit code 0: everything is as planned; 3: tasks are open.
    """

    group: ClassVar[str] = "watch"
    doing: ClassVar[str] = "comparing"
    functions: ClassVar[tuple[str, ...]] = ("progress", "identify", "compare_fabrics")

    plan: Plan
    discoveries: Annotated[
        tuple[str, ...],
        setting(
            "the cabled fabric, the oldest discovery first", positional=True, metavar="[DISCOVERY...]", names="file"
        ),
    ] = ()

    def validate(self) -> None:
        super().validate()
        if self.plane and self.discoveries:
            raise InputError(
                "`discoveries` and `plane`: name either discoveries of the whole network, or of each plane"
            )
        if not self.plane and not self.discoveries:
            raise InputError("`discoveries`: name at least one")
        if len({files.count(",") for files in self.plane}) > 1:
            raise InputError("`plane`: name as many discoveries of each plane, as in mon-0.net,tue-0.net")

    def run(self, context: RunContext) -> "Progress":
        from topoloom.fabric.diagnosis.diagnose import diagnose
        from topoloom.fabric.diagnosis.evidence import HardwareLimits
        from topoloom.fabric.progress import progress

        network = self.opened_plan(self.plan)
        days = self._days()
        states = [
            self.opposed(
                network, [self.opened(network.fabric, name) for name in files], context, planes=bool(self.plane)
            )
            for _, files in days
        ]
        last = states[-1]
        diagnostics = diagnose(
            *(last.plan, last.actual),
            match=last.match,
            ports=last.exact,
            hosts=not self.skip_hosts,
            facts=last.facts,
            limits=HardwareLimits(rate=self.planned_rate),
            only=_COMPARED,
        )
        return progress(
            [self.compared(state) for state in states], [name for name, _ in days], last.facts.racks, diagnostics
        )

    def _days(self) -> list[tuple[str, list[str]]]:
        """The name of each discovery, and its files: one, or one per plane."""
        if not self.plane:
            return [(name, [name]) for name in self.discoveries]
        per_plane = [files.split(",") for files in self.plane]
        return [(", ".join(files), list(files)) for files in zip(*per_plane, strict=True)]


#: The rules of cables, of nodes and of passive parts, which compare a fabric with its plan.
_COMPARED = ("TL1xx", "TL2xx", "TL601", "TL602", "TL603", "TL604", "TL608", "TL609")
