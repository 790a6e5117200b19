"""The operation verify: what is wrong with a plan, and with what is cabled, by numbered rules."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue._comparing import ComparingOperation, counters_of
from topoloom.operations.catalogue.rules import Ignore, Only
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import DATA_VLS, DataLanes, Plan, Radix

if TYPE_CHECKING:
    from topoloom.fabric.diagnosis.diagnostics import Diagnostics


@operation
class VerifyOperation(ComparingOperation, frozen=True, kw_only=True):
    """What is wrong with a network, by numbered rules (topoloom rules lists them).

    PLAN is a spec, a file, or the folder of topoloom layout -o; alone it is looked at by itself. With ACTUAL (what
    ibnetdiscover prints, or any topology file), what is cabled is compared with it: every wrong, missing, extra, swapped or
    slow cable is named.

    Exit code 0: nothing is wrong (there may be notes); 3: there are errors or warnings.
    """

    group: ClassVar[str] = "verify"
    doing: ClassVar[str] = "verifying"
    functions: ClassVar[tuple[str, ...]] = ("diagnose", "RULES", "identify", "compare_fabrics")

    plan: Plan
    actual: (
        Annotated[str, setting("what is cabled; the plan alone if omitted", positional=True, names="file")] | None
    ) = None
    only: Only = ()
    ignore: Ignore = ()
    counters: Annotated[
        tuple[str, ...],
        setting(
            "error counters of ports: what ibqueryerrors or perfquery print, or ibdiagnet's db_csv; shown with cables",
            metavar="FILE",
        ),
    ] = ()
    radix: Radix | None = None
    data_vls: DataLanes = DATA_VLS
    taper: (
        Annotated[float, setting("most host ports of a leaf per link upwards: 2 is 2:1", above=0, most=1e6)] | None
    ) = None
    longest_m: (
        Annotated[float, setting("the longest that a link's cable may be", unit="m", above=0, most=1e6)] | None
    ) = None
    parts: (
        Annotated[str, setting("the catalogue whose cables have a reach; with the folder of a layout", names="file")]
        | None
    ) = None

    def validate(self) -> None:
        from topoloom.fabric.diagnosis.rule import chosen

        super().validate()
        chosen(self.only, self.ignore)
        if self.actual is None:
            compared = (self.guids is not None, self.ports is not None, self.match != "auto", bool(self.counters))
            if any(compared):
                raise InputError(
                    "`match`, `guids`, `ports` and `counters` belong to a comparison; name an `actual` next to the plan"
                )
        if self.actual == self.plan == "-":
            raise InputError("standard input holds one network; name the other one")

    def run(self, context: RunContext) -> "Diagnostics":
        from topoloom.fabric.diagnosis.diagnose import diagnose
        from topoloom.fabric.diagnosis.evidence import HardwareLimits
        from topoloom.network.opening import open_network

        reach = {} if self.parts is None else _reaches(self.parts)
        limits = HardwareLimits(self.radix, self.data_vls, self.longest_m, reach, self.taper, self.planned_rate)
        planned = open_network(self.plan, lenient=True)
        there = None if self.actual is None else self.opened(planned, self.actual, lenient=True)
        match, exact = (None, True) if there is None else self.matched(planned, there)
        if match is not None and match.share < _DOUBTFUL:
            context.note("few links agree: are switches called alike by chance? try `match` shape, or give `guids`")
        return diagnose(
            planned.fabric,
            there,
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
    """The longest that a cable of each product of a catalogue can be; where two have a title, the longer one."""
    from topoloom.cost.parts_files import load_parts

    reach: dict[str, float] = {}
    for product in load_parts(name).cable:
        reach[product.title] = max(reach.get(product.title, 0.0), product.longest_m)
    return reach
