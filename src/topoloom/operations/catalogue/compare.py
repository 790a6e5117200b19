"""The operation compare: networks that are named, fully assessed and ranked."""

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
    Parts,
    Prices,
    Rate,
    Rows,
    Seed,
    Server,
    Spares,
    SwitchesPerRack,
)

if TYPE_CHECKING:
    from topoloom.designer.assessment.assessment import Assessments
    from topoloom.network import Network

#: Minutes where none are given; and those within which a study works out everything.
_MINUTES, _ENOUGH = 5.0, 1e6
#: The ports of switches are those that can be had, not those that are bought.
_TERMS = [name for name in TERMS if name != "radix"]


@operation
class CompareOperation(Operation, frozen=True, kw_only=True):
    """Take NETWORKs (specs, files or folders) through bill, tables, throughput, load, collectives, failures and growth.

    They are ranked by one figure. A layout, and the tables of a folder, are taken as they are; what has none is placed on the
    floor, and routed by the engine that fits. What does not fit into --minutes is named, never guessed.
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
    rate_gbps: Rate | None = None
    host_cables: HostCables | None = None
    spares: Spares | None = None
    reference: Annotated[str, setting("the one of them that the others are compared with", names="file")] | None = None
    minimize: Annotated[str, setting("the figure that ranks them, as the record calls it")] = "cost_usd"
    needed: Annotated[int, setting("hosts that are needed, for what 10 % more of them cost", least=1)] | None = None
    minutes: (
        Annotated[
            float,
            setting(
                "time for all networks: what does not fit is named; 5 if omitted, and no limit in a study",
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
                "how often the usual draws are made at most, where time is left; 16 if omitted, 1 in a study",
                least=1,
                most=16,
            ),
        ]
        | None
    ) = None
    radix: (
        Annotated[
            int,
            setting(
                "ports of the switches that can be had, for growth; those of the requirement that a network remembers if"
                " omitted",
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
                "virtual channels of a switch; those of the requirement that a network remembers if omitted, else 8",
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
                f"`reference` {self.reference}: it is none of the networks; name one of them ({', '.join(self.networks)})"
            )

    def repeatable(self) -> "CompareOperation":
        if self.minutes is not None or self.repeats not in (None, 1):
            raise InputError(
                "compare: `minutes` gives other figures on another machine, as `repeats` above 1 do; omit them in a study"
            )
        return msgspec.structs.replace(self, minutes=_ENOUGH, repeats=1)

    @property
    def budget(self) -> float:
        """Minutes."""
        return _MINUTES if self.minutes is None else self.minutes

    def compared(self, context: RunContext, store: Path | None = None) -> "Assessments":
        """The comparison.

        Parameters
        ----------
        context : RunContext
        store : Path, optional
            A folder where steps are kept, for another run.

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
            ("virtual_channels", requirement.switch.virtual_channels, "virtual_channels"),
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
