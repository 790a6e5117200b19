"""The operation verify: the faults of a plan, and of the cabled fabric, by numbered rules."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue._comparing import ComparingOperation, counters_of
from topoloom.operations.catalogue.rules import Ignore, Only
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import DATA_VLS, DataVls, Plan, Radix

if TYPE_CHECKING:
    from topoloom.fabric.diagnosis.diagnostics import Diagnostics


@operation
class VerifyOperation(ComparingOperation, frozen=True, kw_only=True):
    """Find the faults of a network, by numbered rules (topoloom rules lists them).

    PLAN is a spec, a file, or the folder of topoloom layout -o; alone, only the plan is checked. With ACTUAL (the output of
    ibnetdiscover, or any topology file), the cabled fabric is compared with the plan: every wrong, missing, extra, swapped or
    slow cable is listed.

    Exit code 0: no errors or warnings (notes are possible); 3: errors or warnings.
    """

    group: ClassVar[str] = "verify"
    doing: ClassVar[str] = "verifying"
    functions: ClassVar[tuple[str, ...]] = ("diagnose", "RULES", "identify", "compare_fabrics")

    plan: Plan
    actual: (
        Annotated[str, setting("the cabled fabric; only the plan is checked if omitted", positional=True, names="file")]
        | None
    ) = None
    only: Only = ()
    ignore: Ignore = ()
    counters: Annotated[
        tuple[str, ...],
        setting(
            "error counters of ports: output of ibqueryerrors or perfquery, or ibdiagnet's db_csv; shown with cables",
            metavar="FILE",
        ),
    ] = ()
    radix: Radix | None = None
    data_vls: DataVls = DATA_VLS
    taper: Annotated[float, setting("most host ports of a leaf per uplink: 2 is 2:1", above=0, most=1e6)] | None = None
    longest_m: Annotated[float, setting("greatest length of a link's cable", unit="m", above=0, most=1e6)] | None = None
    parts: (
        Annotated[str, setting("the catalogue with the reach of cables; for the folder of a layout", names="file")]
        | None
    ) = None

    def validate(self) -> None:
        from topoloom.fabric.diagnosis.rule import chosen

        super().validate()
        chosen(self.only, self.ignore)
        if self.actual == self.plan == "-":
            raise InputError("standard input (-) holds one network; name a file for the other one")

    def run(self, context: RunContext) -> "Diagnostics":
        from topoloom.fabric.diagnosis.diagnose import diagnose
        from topoloom.fabric.diagnosis.evidence import HardwareLimits
        from topoloom.network.opening import open_network

        if self.actual is None and (self.guids or self.ports or self.match != "auto" or self.counters):
            raise InputError(
                "`match`, `guids`, `ports` and `counters` are for a comparison; name an `actual` after the plan"
            )
        reach = {} if self.parts is None else _reaches(self.parts)
        limits = HardwareLimits(self.radix, self.data_vls, self.longest_m, reach, self.taper, self.planned_rate)
        planned = open_network(self.plan, self.plan_format if self.actual else self.actual_format, lenient=True)
        discovered = None if self.actual is None else self.opened(planned, self.actual, lenient=True)
        match, exact = (None, True) if discovered is None else self.matched(planned, discovered, context)
        if match is not None and match.share < _DOUBTFUL:
            context.note("few links agree: names may match by chance; try `match` shape, or give `guids`")
        return diagnose(
            planned.fabric,
            discovered,
            match=match,
            ports=exact,
            hosts=not self.skip_hosts,
            facts=planned.facts,
            limits=limits,
            counters=counters_of(self.counters),
            only=self.only,
            ignore=self.ignore,
        )


#: A share of agreeing links below which the match itself is in doubt.
_DOUBTFUL = 0.5


def _reaches(name: str) -> dict[str, float]:
    """The greatest length in metres of each cable product of a catalogue; the greater one of two with the same title."""
    from topoloom.cost.parts_files import load_parts

    reach: dict[str, float] = {}
    for product in load_parts(name).cable:
        reach[product.title] = max(reach.get(product.title, 0.0), product.longest_m)
    return reach
