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
    sheet per rack, to print and tick. Exit code 0: everything is as planned; 3: tasks are open.
    """

    group: ClassVar[str] = "watch"
    doing: ClassVar[str] = "comparing"
    functions: ClassVar[tuple[str, ...]] = ("progress", "identify", "compare_fabrics")
    studied: ClassVar[bool] = False

    plan: Plan
    discoveries: Annotated[
        tuple[str, ...],
        setting("the cabled fabric, the oldest discovery first", positional=True, metavar="DISCOVERY...", names="file"),
    ]

    def validate(self) -> None:
        super().validate()
        if not self.discoveries:
            raise InputError("`discoveries`: name at least one")

    def run(self, context: RunContext) -> "Progress":
        from topoloom.fabric.diagnosis.diagnose import diagnose
        from topoloom.fabric.diagnosis.evidence import HardwareLimits
        from topoloom.fabric.progress import progress
        from topoloom.network.opening import open_network

        network = open_network(self.plan, self.plan_format)
        comparisons = []
        for name in self.discoveries:
            discovered = self.opened(network, name)
            match, exact = self.matched(network, discovered, context)
            comparisons.append(self.compared(network, discovered, match, exact))
        diagnostics = diagnose(
            *(network.fabric, discovered),
            match=match,
            ports=exact,
            hosts=not self.skip_hosts,
            facts=network.facts,
            limits=HardwareLimits(rate=self.planned_rate),
            only=_COMPARED,
        )
        return progress(comparisons, self.discoveries, network.racks, diagnostics)


#: The rules of cables and of nodes, which compare a fabric with its plan.
_COMPARED = ("TL1xx", "TL2xx")
