"""The operation verify: the faults of a plan, and of the cabled fabric, by numbered rules."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue._comparing import ComparingOperation, counters_of
from topoloom.operations.catalogue.rules import Ignore, Only
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import DATA_VLS, DataVls, Plan, Radix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topoloom.fabric.diagnosis.diagnostics import Diagnostics
    from topoloom.fabric.fabric import Fabric
    from topoloom.machine.discoveries import PlannedDevices
    from topoloom.machine.verifying import MachineDiagnostics
    from topoloom.network import Network


@operation
class VerifyOperation(ComparingOperation, frozen=True, kw_only=True):
    """Find the faults of a network, by numbered rules (topoloom rules lists them).

    PLAN is a spec, a file, or the folder of topoloom layout -o; alone, only the plan is checked. With ACTUAL (the output of
    ibnetdiscover, or any topology file), the cabled fabric is compared with the plan: every wrong, missing, extra, swapped or
    slow cable is listed. Of a plan with panels, links that are wrong because of a cord, trunk or panel are one fault, of that
    part.

    If PLAN is the folder of a machine, ACTUAL is one discovery per network, NETWORK=FILE, or several of its planes. Without
    NETWORK=, the networks are those whose devices FILE shows. A fault that several networks show is also stated once for all.

    Exit code 0: no errors or warnings (notes are possible); 3: errors or warnings.
    """

    group: ClassVar[str] = "verify"
    doing: ClassVar[str] = "verifying"
    functions: ClassVar[tuple[str, ...]] = ("diagnose", "RULES", "identify", "compare_fabrics", "verify_machine")

    plan: Plan
    actual: Annotated[
        tuple[str, ...],
        setting(
            "the cabled fabric; of a machine NETWORK=FILE, once per network; only the plan is checked if omitted",
            positional=True,
            metavar="[ACTUAL...]",
            names="file",
        ),
    ] = ()
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
    connectors: (
        Annotated[int, setting("most mated connector pairs that a link passes in panels", least=1, most=1000)] | None
    ) = None
    parts: (
        Annotated[
            str,
            setting(
                "the catalogue with the reach of cables, the loss of passive parts and what transceivers allow; for the folder"
                " of a layout",
                names="file",
            ),
        ]
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
        if self.actual and self.plane:
            raise InputError("`actual` and `plane`: name either one discovery, or one of each plane")
        if [self.plan, *self.actual].count("-") > 1:
            raise InputError("standard input (-) holds one network; name a file for the other one")

    def run(self, context: RunContext) -> "Diagnostics | MachineDiagnostics":
        from topoloom.machine.recognizing import names_machine

        if names_machine(self.plan):
            return self._of_machine(context)
        if len(self.actual) > 1:
            raise InputError(
                f"`actual`: {len(self.actual)} discoveries of {self.plan}, which is one network; name one, or one of each plane"
                " by `plane`"
            )
        compared = self.guids or self.ports or self.match != "auto" or self.counters
        if not self.actual and not self.plane and compared:
            raise InputError(
                "`match`, `guids`, `ports` and `counters` are for a comparison; name an `actual` after the plan"
            )
        files = self.plane or self.actual
        planned = self.opened_plan(self.plan, compared=bool(files), lenient=True)
        discoveries = [self.opened(planned.fabric, name, lenient=True) for name in files]
        return self._diagnosed(planned, discoveries, context, planes=bool(self.plane), ignore=self.ignore)

    def _of_machine(self, context: RunContext) -> "MachineDiagnostics":
        """The faults of each network of a machine."""
        from topoloom.machine.discoveries import PlannedDevices
        from topoloom.machine.opening import open_machine
        from topoloom.machine.verifying import has_management, ignored, machine_diagnostics

        given = self.given()
        for name in _OF_ONE_NETWORK:
            if name in given:
                raise InputError(
                    f"`{name}` is for one network; {self.plan} is a machine: verify the folder of one of its networks"
                )
        machine = open_machine(self.plan)
        names = [*machine.networks]
        management = has_management(machine)
        named = []
        for text in self.actual:
            name, _, path = text.partition("=")
            of_network = name in names and path != ""
            if not of_network and path and not Path(text).exists():
                raise InputError(f"{text}: the machine has no network '{name}' (it has {', '.join(names)})")
            file = path if of_network else text
            named.append((name if of_network else None, self.opened(None, file, lenient=True, management=management)))
        planned = PlannedDevices(machine)
        discovered = planned.by_network(named) if named else {key: [] for key in names}
        results = {
            name: self._diagnosed(
                machine.networks[name],
                fabrics,
                context,
                planes=len(fabrics) > 1,
                ignore=ignored(machine, name, self.ignore),
                devices=planned,
            )
            for name, fabrics in discovered.items()
        }
        return machine_diagnostics(machine, results, discovered)

    def _diagnosed(
        self,
        planned: "Network",
        discoveries: "Sequence[Fabric]",
        context: RunContext,
        *,
        planes: bool,
        ignore: tuple[str, ...],
        devices: "PlannedDevices | None" = None,
    ) -> "Diagnostics":
        """The faults of a plan, and of its discovery if there is one; `devices` are those of its machine."""
        from topoloom.fabric.diagnosis.diagnose import diagnose
        from topoloom.fabric.diagnosis.evidence import HardwareLimits

        reach = {} if self.parts is None else _reaches(self.parts)
        if self.parts is not None and planned.layout is not None and planned.layout.plant is not None:
            planned = planned.priced(parts=self.parts)
        limits = HardwareLimits(
            *(self.radix, self.data_vls, self.longest_m, reach, self.taper, self.planned_rate, self.connectors)
        )
        opposed = self.opposed(planned, discoveries, context, planes=planes) if discoveries else None
        # Discoveries of a machine are assigned to its networks by the names of their devices.
        if opposed is not None and devices is None and opposed.match.share < _DOUBTFUL:
            context.note("few links agree: names may match by chance; try `match` shape, or give `guids`")
        if opposed is not None and devices is not None:
            match = devices.without_others(opposed.plan, opposed.actual, opposed.match)
            opposed = replace(opposed, match=match)
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
            ignore=ignore,
        )


#: Arguments that are about one network.
_OF_ONE_NETWORK = ("plane", "guids", "counters", "columns", "hca_mapping", "cable_rate")
#: A share of agreeing links below which the match itself is in doubt.
_DOUBTFUL = 0.5


def _reaches(name: str) -> dict[str, float]:
    """The greatest length in metres of each cable product of a catalogue; the greater one of two with the same title."""
    from topoloom.cost.parts_files import load_parts

    reach: dict[str, float] = {}
    for product in load_parts(name).cable:
        reach[product.title] = max(reach.get(product.title, 0.0), product.longest_m)
    return reach
