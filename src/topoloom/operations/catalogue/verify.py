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
    error_limit: Annotated[
        tuple[str, ...],
        setting(
            "the greatest normal number of a counter, as in SymbolErrors=100; 10 for the usual ones (docs: cable errors)",
            metavar="COUNTER=N",
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
        for text in self.error_limit:
            from topoloom.fabric.port_counters import counter_limit

            try:
                counter_limit(text)
            except ValueError as error:
                raise InputError(f"`error_limit` {text[:60]!a}: {error}") from None
        if self.actual is not None and self.plane:
            raise InputError("`actual` and `plane`: name either one discovery, or one of each plane")
        if self.actual == self.plan == "-":
            raise InputError("standard input (-) holds one network; name a file for the other one")

    def run(self, context: RunContext) -> "Diagnostics":
        from topoloom.fabric.diagnosis.diagnose import diagnose
        from topoloom.fabric.diagnosis.evidence import HardwareLimits

        compared = self.guids or self.ports or self.match != "auto" or self.counters
        if self.actual is None and not self.plane and compared:
            raise InputError(
                "`match`, `guids`, `ports` and `counters` are for a comparison; name an `actual` after the plan"
            )
        reach = {} if self.parts is None else _reaches(self.parts)
        limits = HardwareLimits(self.radix, self.data_vls, self.longest_m, reach, self.taper, self.planned_rate)
        files = self.plane or (() if self.actual is None else (self.actual,))
        planned = self.opened_plan(self.plan, compared=bool(files), lenient=True)
        opposed = self.opposed(planned, files, context, lenient=True) if files else None
        if opposed is not None and opposed.match.share < _DOUBTFUL:
            context.note("few links agree: names may match by chance; try `match` shape, or give `guids`")
        alone, facts = self.planned(planned) if opposed is None else (opposed.plan, opposed.facts)
        return diagnose(
            alone,
            None if opposed is None else opposed.actual,
            match=None if opposed is None else opposed.match,
            ports=opposed is None or opposed.exact,
            hosts=not self.skip_hosts,
            facts=facts,
            limits=limits,
            counters=counters_of(self.counters, self.error_limit),
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
