"""The operation simulate: latency and accepted load of a routed network, flit by flit."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting, texts_of
from topoloom.operations.catalogue._routed import (
    check_engine,
    check_installed,
    directed_tables,
    note_installed,
    opened_with,
)
from topoloom.operations.context import RunContext
from topoloom.operations.directed import opened_for
from topoloom.operations.operation import Operation, flat, operation
from topoloom.operations.shared import SEED, Engine, Qos, Seed, Source, TablesFile, VirtualChannels, loads_of

if TYPE_CHECKING:
    from topoloom.model.directed import DirectedTopology
    from topoloom.network import Network
    from topoloom.simulation.flits.execute import Execution, Executions
    from topoloom.simulation.flits.load_curve import LoadCurve, LoadCurves
    from topoloom.simulation.flits.sweep import SimulatedNetwork

Load = Annotated[float, setting("flits per host and cycle", above=0, most=1)]
#: Fields that do not apply to traffic that is simulated to its end.
_OF_LOADS = ("loads", "saturation", "saturation_width", "fast")


@operation
class SimulateOperation(Operation, frozen=True, kw_only=True):
    """Simulate TOPOLOGY (a spec, a file or a folder) flit by flit: latency in cycles against offered and accepted load.

    Several topologies, engines and kinds of traffic are simulated one after the other. Traces, closed loops and workloads are
    simulated to their end. Ctrl-C ends the simulation and keeps the finished points.
    """

    group: ClassVar[str] = "simulate"
    doing: ClassVar[str] = "simulating"
    functions: ClassVar[tuple[str, ...]] = ("simulate", "saturation", "execute", "directed_simulate")
    directed: ClassVar[bool] = True

    topology: Source
    engine: Engine | None = None
    tables: TablesFile | None = None
    qos: Qos | None = None
    virtual_channels: VirtualChannels | None = None
    traffic: Annotated[str, setting("who sends to whom (below)", metavar="NAME[:KEY=VALUE,...]", names="workload")] = (
        "uniform"
    )
    preset: Annotated[str, setting("the preset of the routers (below)")] = "slimfly-2014"
    set: Annotated[dict[str, Any], setting("change a setting of the preset (below): vcs=3")] = msgspec.field(
        default_factory=dict
    )
    between: Annotated[
        dict[str, Annotated[int, setting("cycles", least=0, most=10**9)]],
        setting("delay of cables between switches whose label differs, in cycles: group=100", metavar="LABEL=CYCLES"),
    ] = msgspec.field(default_factory=dict)
    loads: (
        Annotated[
            tuple[Load, ...],
            setting(
                "loads in flits per host and cycle: first:last:step, or a list 0.1,0.5; none to find only the saturation",
                reads=loads_of,
            ),
        ]
        | None
    ) = (0.1, 0.3, 0.5, 0.7, 0.9)
    saturation: Annotated[bool, setting("also find the load at which the network saturates")] = False
    saturation_width: Annotated[float, setting("accuracy of the saturation load", least=0.001, most=0.5)] = 0.01
    fast: Annotated[bool, setting("measure large networks in shorter batches")] = False
    interval: (
        Annotated[
            float,
            setting(
                "measure until the 95 % confidence interval of the mean latency is within this share",
                least=0.0005,
                most=0.1,
            ),
        ]
        | None
    ) = None
    seed: Seed = SEED

    @property
    def has_end(self) -> bool:
        """Whether the traffic is simulated to its end, instead of at loads."""
        from topoloom.simulation.flits.sweep import has_end

        return has_end(self.traffic)

    def validate(self) -> None:
        from topoloom.simulation.flits.presets import router_of

        check_engine(self.engine)
        check_installed(self)
        router_of(self.preset, texts_of(self.set))
        if self.has_end:
            self.refuse_changed(_OF_LOADS, f"'{self.traffic}' is simulated to its end, at no load")
        elif self.loads == () or (self.loads is None and not self.saturation):
            raise InputError("`loads` is empty: give one or more loads, or `saturation` with loads none")

    def run(self, context: RunContext) -> "LoadCurve | Execution":
        networks, directed = opened_by_name([self])
        if directed:
            return self.directed_curve(directed[self.topology], context)
        subjects = prepared([self], networks, context)
        context.work.check()
        results: Any = simulated([self], subjects, context)
        result: LoadCurve | Execution = results.executions[0] if self.has_end else results.curves[0]
        return result

    def directed_curve(self, network: "DirectedTopology", context: RunContext) -> "LoadCurve":
        """The load curve of a directed network.

        Parameters
        ----------
        network : DirectedTopology
        context : RunContext

        Returns
        -------
        LoadCurve
        """
        from topoloom.simulation.flits.directed import directed_simulate, directed_traffic

        self.refuse_changed(["tables", "qos", "between"], "the network is directed")
        traffic = directed_traffic(self.traffic, network, self.seed)  # refused before the tables are made
        return directed_simulate(
            directed_tables(self, network, context),
            traffic,
            self.preset,
            settings=texts_of(self.set),
            loads=self.loads or (),
            seed=self.seed,
            jobs=context.jobs,
            fast=self.fast,
            interval=self.interval,
            saturation_width=self.saturation_width if self.saturation else None,
            work=context.work,
        )

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        """The numbers at the highest load and the saturation load; for traffic with an end, those of the execution."""
        from topoloom.simulation.flits.load_curve import LoadCurve

        if not isinstance(result, LoadCurve):
            return super().row(result)
        row = flat(max(result.points, key=lambda point: point.offered).record()) if result.points else {}
        saturation = result.saturation
        return (
            row if saturation is None else {"accepted": saturation.accepted} | row | {"saturation": saturation.offered}
        )


def opened_by_name(operations: Sequence[SimulateOperation]) -> "tuple[dict[str, Network], dict[str, DirectedTopology]]":
    """The networks of operations by their names, each opened once.

    Parameters
    ----------
    operations : sequence of SimulateOperation

    Returns
    -------
    dict of str to Network, dict of str to DirectedTopology
        The networks if all are undirected, else the directed networks; the other is empty.

    Raises
    ------
    InputError
        One cannot be opened; undirected networks and directed ones; installed tables are given for several.
    """
    from topoloom.model.directed import DirectedTopology

    first, names = operations[0], tuple(dict.fromkeys(operation.topology for operation in operations))
    if first.tables is not None and len(names) > 1:
        raise InputError(f"`tables` are of one fabric, and {len(names)} networks are given; simulate each separately")
    networks: dict[str, Network] = {}
    directed: dict[str, DirectedTopology] = {}
    for name in names:
        network = opened_for(first, name, partial(opened_with, name, first.tables, first.qos))
        if isinstance(network, DirectedTopology):
            directed[name] = network
        else:
            networks[name] = network
        if networks and directed:
            raise InputError(
                f"{next(iter(directed))}: this network is directed, and others are not; simulate them in two commands"
            )
    return networks, directed


def prepared(
    operations: Sequence[SimulateOperation], networks: "Mapping[str, Network]", context: RunContext
) -> "list[SimulatedNetwork]":
    """The networks of operations that differ in topology, engine and traffic, with tables; wrong input is refused first.

    Parameters
    ----------
    operations : sequence of SimulateOperation
    networks : mapping of str to Network
        From `opened_by_name`.
    context : RunContext

    Returns
    -------
    list of SimulatedNetwork
        One per operation.

    Raises
    ------
    InputError
        Traffic with an end is mixed with traffic at loads, or a network cannot be simulated or routed this way.
    Stopped
        The work was stopped before all tables were ready.
    """
    from topoloom.simulation.flits.presets import router_of
    from topoloom.simulation.flits.sweep import with_tables

    first = operations[0]
    ended, other = (
        next((operation.traffic for operation in operations if operation.has_end is has), None) for has in (True, False)
    )
    if ended is not None and other is not None:
        raise InputError(
            f"`traffic`: '{ended}' is simulated to its end and '{other}' at loads; give them one command each"
        )
    _, router = router_of(first.preset, texts_of(first.set))
    for network in networks.values():
        if network.delay_lengths_m is not None and not first.between and not router.cycle_ns:
            context.note(f"{network.source}: every cable takes link_cycles; set cycle_ns to use the cables' lengths")
        if first.virtual_channels is None and any(operation.engine is None for operation in operations):
            note_installed(network, context)
    subjects = with_tables(
        [(networks[operation.topology], operation.engine, operation.traffic) for operation in operations],
        router=router,
        virtual_channels=first.virtual_channels,
        between=first.between or None,
        seed=first.seed,
        jobs=context.jobs,
        work=context.work,
    )
    for note in dict.fromkeys(note for subject in subjects for note in subject.notes):
        context.note(note)
    return subjects


def simulated(
    operations: Sequence[SimulateOperation],
    networks: "Sequence[SimulatedNetwork]",
    context: RunContext,
    *,
    table: str | None = None,
    zero_load: bool = False,
) -> "LoadCurves | Executions":
    """Simulate operations that may differ in topology, engine and traffic only; all other settings are those of the first.

    Parameters
    ----------
    operations : sequence of SimulateOperation
    networks : sequence of SimulatedNetwork
        From `prepared`.
    context : RunContext
    table : str, optional
        Write the points to this CSV file, after each point.
    zero_load : bool
        Also measure the almost empty network, where drawn curves start.

    Returns
    -------
    LoadCurves or Executions
        Executions for traffic with an end.
    """
    from topoloom.simulation.flits.sweep import execute_all, sweep

    first = operations[0]
    common: dict[str, Any] = {"settings": texts_of(first.set), "seed": first.seed, "work": context.work}
    if first.has_end:
        return execute_all(networks, first.preset, **common)
    return sweep(
        networks,
        first.preset,
        loads=first.loads or (),
        saturation_width=first.saturation_width if first.saturation else None,
        zero_load=zero_load,
        fast=first.fast,
        interval=first.interval,
        jobs=context.jobs,
        table=table,
        **common,
    )
