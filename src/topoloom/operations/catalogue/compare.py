"""The operation compare: named networks, fully assessed and ranked."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue._placing import TERMS, Map, networks_on_floors
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import (
    MOST_PORTS,
    MOST_VIRTUAL_CHANNELS,
    SEED,
    Cluster,
    Columns,
    Floor,
    HostCables,
    MeasureNames,
    Parts,
    Prices,
    RateOfTerms,
    Rows,
    Seed,
    Server,
    Spares,
    SwitchesPerRack,
)

if TYPE_CHECKING:
    from topoloom.designer.assessment.assessment import Assessments
    from topoloom.network import Network

#: The default budget in minutes, and the budget in a study, which is enough for everything.
_MINUTES, _ENOUGH = 5.0, 1e6
#: Terms except `radix`, which means the switches on the market here, not the switches to buy.
_TERMS = [name for name in TERMS if name != "radix"]


@operation
class CompareOperation(Operation, frozen=True, kw_only=True):
    """Assess NETWORKs (specs, files or folders): bill, tables, throughput, latency under load, collectives, failures, growth.

    One figure ranks them. The layout and tables of a folder are used unchanged; a network without them is placed on the floor
    and routed by the engine that fits. Figures that do not fit into --minutes are listed as missing, never guessed.
    """

    group: ClassVar[str] = "compare"
    doing: ClassVar[str] = "comparing"
    functions: ClassVar[tuple[str, ...]] = ("compare",)

    networks: Annotated[
        tuple[str, ...], setting("specs, files or folders", positional=True, metavar="NETWORK...", names="file")
    ]
    floor: Floor | None = None
    rows: Rows | None = None
    columns: Columns | None = None
    switches_per_rack: SwitchesPerRack | None = None
    cluster: Cluster | None = None
    map: Map | None = None
    server: Server | None = None
    parts: Parts | None = None
    prices: Prices | None = None
    rate_gbps: RateOfTerms | None = None
    host_cables: HostCables | None = None
    spares: Spares | None = None
    reference: Annotated[str, setting("the network that the others are compared with", names="file")] | None = None
    minimize: Annotated[str, setting("the figure that ranks the networks, by its key in the record")] = "cost_usd"
    measures: MeasureNames = ()
    needed: Annotated[int, setting("required hosts, for the cost of 10 % more hosts", least=1)] | None = None
    minutes: (
        Annotated[
            float,
            setting(
                "time for all networks; figures that do not fit are listed; 5 if omitted, no limit in a study",
                unit="min",
                above=0,
                most=_ENOUGH,
            ),
        ]
        | None
    ) = None
    repeats: (
        Annotated[
            int,
            setting(
                "most repetitions of the random draws, if time is left; 16 if omitted, 1 in a study", least=1, most=16
            ),
        ]
        | None
    ) = None
    radix: (
        Annotated[
            int,
            setting(
                "ports of the available switches, for growth; as in the requirement stored with a network if omitted",
                least=2,
                most=MOST_PORTS,
            ),
        ]
        | None
    ) = None
    virtual_channels: (
        Annotated[
            int,
            setting(
                "virtual channels of a switch; if omitted, as in the requirement stored with a network, else 8",
                least=1,
                most=MOST_VIRTUAL_CHANNELS,
            ),
        ]
        | None
    ) = None
    seed: Seed = SEED

    def validate(self) -> None:
        if not self.networks:
            raise InputError("`networks`: name one network or more")
        if self.reference is not None and self.reference not in self.networks:
            raise InputError(
                f"`reference` {self.reference} is not one of the networks; name one of them ({', '.join(self.networks)})"
            )

    def repeatable(self) -> "CompareOperation":
        if self.minutes is not None or self.repeats not in (None, 1):
            raise InputError(
                "compare: with `minutes`, or `repeats` above 1, figures depend on the machine; omit them in a study"
            )
        return msgspec.structs.replace(self, minutes=_ENOUGH, repeats=1)

    @property
    def budget(self) -> float:
        """The budget in minutes."""
        return _MINUTES if self.minutes is None else self.minutes

    def compared(self, context: RunContext, store: Path | None = None) -> "Assessments":
        """The comparison.

        Parameters
        ----------
        context : RunContext
        store : Path, optional
            A folder that stores the finished steps for another run.

        Returns
        -------
        Assessments
        """
        from topoloom.designer.assessment.compare import compare
        from topoloom.network.opening import open_network

        networks = [open_network(name) for name in self.networks]
        for network in networks:
            self._note(network, context)
        return compare(
            networks_on_floors(self, networks, context, _TERMS),
            reference=None if self.reference is None else self.networks.index(self.reference),
            minimize=self.minimize,
            measures=self.measures,
            hosts=self.needed,
            minutes=self.budget,
            repeats=self.repeats,
            radix=self.radix,
            virtual_channels=self.virtual_channels,
            seed=self.seed,
            store=store,
            jobs=context.jobs,
            work=context.work,
        )

    def run(self, context: RunContext) -> "Assessments":
        return self.compared(context)

    def _note(self, network: "Network", context: RunContext) -> None:
        """Say what replaces the requirement that a network remembers."""
        from topoloom.designer.assessment.subjects import remembered_requirement

        requirement = remembered_requirement(network)
        if requirement is None:
            return
        for name, remembered, words in (
            ("radix", requirement.radix, "ports"),
            ("virtual_channels", requirement.switch.virtual_channels, "virtual channels"),
        ):
            value = getattr(self, name)
            if value not in (None, remembered):
                context.note(
                    f"`{name}` {value} in place of {network.source}'s own requirement, switches of {remembered} {words}"
                )

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        best = result.networks[0]
        return {"best": best.name} | {figure.key: figure.value for figure in best.figures}
