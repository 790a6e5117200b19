"""The operation quality: the throughput of a topology and its tables, compared with routing-independent bounds."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue._routed import check_engine, check_installed, note_installed, opened_with
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import SEED, Engine, HostTables, Qos, Seed, Source, TablesFile, VirtualChannels

if TYPE_CHECKING:
    from topoloom.network import Network
    from topoloom.routing.routing import Routing
    from topoloom.throughput.result import Quality


@operation
class QualityOperation(Operation, frozen=True, kw_only=True):
    """The quality of TOPOLOGY (a spec, a file or a folder) and its tables, compared with routing-independent bounds.

    Measured are loads, the throughput of uniform traffic and of the worst permutations, and the effective bisection bandwidth.
    Throughputs are shares of a host's full rate; bounds and best flows consider only links between switches and may exceed 1.
    A network without hosts is measured with one per switch. `topoloom route --help` lists the engines.
    """

    group: ClassVar[str] = "quality"
    doing: ClassVar[str] = "measuring"
    functions: ClassVar[tuple[str, ...]] = ("quality",)

    topology: Source
    engine: Engine | None = None
    tables: TablesFile | None = None
    qos: Qos | None = None
    virtual_channels: VirtualChannels | None = None
    host_tables: HostTables | None = None
    traffic: Annotated[str, setting("also measure this traffic (below)", metavar="NAME[:KEY=VALUE,...]")] | None = None
    bisections: Annotated[int, setting("random halves drawn", least=1, most=1_000_000)] = 1000
    gap: (
        Annotated[
            float,
            setting(
                "bracket the best flows of networks that are too large for exact flows: 0.05 for bounds within 5 %",
                above=0,
                most=1,
            ),
        ]
        | None
    ) = None
    asic_limits: (
        Annotated[
            str,
            setting(
                "limits of the switches' ASIC: routes, groups, members, width, lists, segments",
                metavar="KEY=VALUE,...",
                example="groups=1024,width=64",
            ),
        ]
        | None
    ) = None
    forwarding_state: Annotated[
        bool, setting("also count the forwarding state of tables without next-hop groups, as of ecmp or minimal")
    ] = False
    seed: Seed = SEED

    def validate(self) -> None:
        check_engine(self.engine)
        check_installed(self)

    def measured(self, context: RunContext) -> "tuple[Routing, Quality]":
        """The tables that all hosts of a switch share, and the quality of these tables, or of the host tables if asked for."""
        from topoloom.routing.routing import Routing
        from topoloom.throughput.quality import check_asked, quality

        network = opened_with(self.topology, self.tables, self.qos)
        check_asked(network.topology, self.traffic, self.seed)
        installed = self.engine is None and self.virtual_channels is None and network.tables is not None
        if installed:
            note_installed(network, context)
        common: dict[str, Any] = {"seed": self.seed, "jobs": context.jobs, "work": context.work}
        routing = network.with_tables(self.engine, virtual_channels=self.virtual_channels, **common).part(Routing)
        context.work.check()
        tables = self._tables_of_hosts(network, routing, installed, context)
        result = quality(
            tables,
            self.traffic,
            bisections=self.bisections,
            gap=self.gap,
            asic_limits=self.asic_limits,
            forwarding_state=self.forwarding_state,
            **common,
        )
        return routing, result

    def run(self, context: RunContext) -> "Quality":
        return self.measured(context)[1]

    def _tables_of_hosts(
        self, network: "Network", routing: "Routing", installed: bool, context: RunContext
    ) -> "tuple[Routing, ...]":
        """Host tables, if several are asked for or the engine gives each host its own paths; else the shared tables."""
        from topoloom.routing.host_routings import host_routings
        from topoloom.routing.memory import MOST_HOST_ENTRIES
        from topoloom.routing.registry import engines

        count, new = self.host_tables, not installed and self.virtual_channels is None
        if count is None and new and engines.find(routing.engine).by_host:
            most = int(network.topology.endpoints_at.max(initial=1))
            count = min(most, MOST_HOST_ENTRIES // network.topology.switches**2)
        if count is None or count <= 1:
            return (routing,)
        if not new:
            instead = "it, or give `engine`: the network has its own" if installed else "`virtual_channels`"
            raise InputError(f"`host_tables` {count} makes new tables; omit {instead}")
        routings = host_routings(
            network.topology,
            routing.engine,
            count,
            seed=routing.provenance.seed or 0,
            jobs=context.jobs,
            layout=network.layout,
            work=context.work,
        )
        fits = routing.provenance.settings.get("fits")
        return routings if fits is None else (replace(routings[0], provenance=routing.provenance), *routings[1:])
