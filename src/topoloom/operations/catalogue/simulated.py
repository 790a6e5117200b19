"""Verbs that simulate: simulate, app."""

from typing import Annotated, Any, ClassVar

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting, written
from topoloom.core.work import Work
from topoloom.model.results import Result
from topoloom.network.opening import open_network
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, flat, operation
from topoloom.operations.shared import SEED, TIME_LIMIT, Engine, Floor, HostTables, Lanes, Seed, Source, TimeLimit
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.app_run import AppRun
from topoloom.simulation.applications.given import app_settings
from topoloom.simulation.applications.registry import opened
from topoloom.simulation.applications.sweep import cases_of, placements_of, programs_on, run_apps
from topoloom.simulation.flits.cables import cable_cycles
from topoloom.simulation.flits.execute import execute
from topoloom.simulation.flits.host_ports import check_simulated
from topoloom.simulation.flits.load_curve import LoadCurve, Saturation
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.saturation import saturation
from topoloom.simulation.flits.simulate import simulate
from topoloom.simulation.flits.sweep import has_end


@operation
class SimulateOperation(Operation, frozen=True, kw_only=True):
    """As `topoloom simulate`, at one load or for the load of saturation."""

    group: ClassVar[str] = "simulate"

    topology: Source
    engine: Engine | None = None
    lanes: Lanes | None = None
    traffic: Annotated[str, setting("who sends to whom", names="workload")] = "uniform"
    preset: Annotated[str, setting("what the routers are like")] = "slimfly-2014"
    set: Annotated[dict[str, Any], setting("values of the preset that are changed")] = msgspec.field(
        default_factory=dict
    )
    between: Annotated[
        dict[str, int], setting("cycles of cables between switches whose label differs: {group = 100}")
    ] = msgspec.field(default_factory=dict)
    load: Annotated[float, setting("flits that a host makes a cycle", above=0, most=1)] | None = None
    saturation: Annotated[bool, setting("find the load of saturation, in place of a load")] = False
    width: Annotated[float, setting("how exact the load of saturation is", least=0.001, most=0.5)] = 0.01
    fast: Annotated[bool, setting("measure large networks in shorter batches")] = False
    interval: Annotated[float, setting("how narrow the latency's interval shall be", least=0.0005, most=0.1)] = 0.01
    seed: Seed = SEED

    def run(self, context: RunContext) -> Any:
        return _simulate(self, context.jobs, context.work)

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        return _simulated_row(result)


def _simulate(arguments: SimulateOperation, jobs: int | None, work: Work) -> Result:
    network = open_network(arguments.topology)
    settings = [f"{name}={written(value)}" for name, value in arguments.set.items()]
    ended = has_end(arguments.traffic)
    if ended == (arguments.load is not None or arguments.saturation) or (arguments.load is None) != (
        arguments.saturation or ended
    ):
        raise InputError(
            f"simulate: traffic '{arguments.traffic}' "
            + ("goes to its end; leave out load and saturation" if ended else "needs one of load and saturation")
        )
    _, router = router_of(arguments.preset, settings)
    cables = cable_cycles(network.topology, router, arguments.between or None, network.layout)
    check_simulated(network.topology, arguments.traffic, arguments.seed)
    routed = network.with_tables(arguments.engine, lanes=arguments.lanes, seed=arguments.seed, jobs=jobs, work=work)
    work.check()
    tables = routed.part(Routing)
    common: dict[str, Any] = {"settings": settings, "seed": arguments.seed, "cables": cables, "work": work}
    if ended:
        return execute(tables, arguments.traffic, arguments.preset, **common)
    common |= {"jobs": jobs, "fast": arguments.fast, "interval": arguments.interval}
    if arguments.saturation:
        return saturation(tables, arguments.traffic, arguments.preset, width=arguments.width, **common)
    return simulate(tables, arguments.traffic, arguments.preset, loads=[float(arguments.load or 0)], **common)


def _simulated_row(result: Result) -> dict[str, Any]:
    if isinstance(result, LoadCurve):
        return flat(result.points[0].record())
    content = flat(result.record())
    if isinstance(result, Saturation):
        return {"saturation": result.offered, "accepted": result.accepted}
    return content


@operation
class AppOperation(Operation, frozen=True, kw_only=True):
    """As `topoloom app`, one program on one network."""

    group: ClassVar[str] = "app"

    topology: Source
    app: Annotated[str, setting("the program: alltoall:bytes=65536", names="workload")]
    ranks: Annotated[int, setting("ranks; one per host if omitted", least=1, most=1 << 20)] | None = None
    engine: Engine | None = None
    host_tables: HostTables | None = None
    placement: Annotated[str, setting("where ranks run: linear, random, cabinet, file:PATH")] = "linear"
    floor: Floor | None = None
    preset: (
        Annotated[str, setting("the machine and the model; truong-2016 at the network's rate when omitted")] | None
    ) = None
    set: Annotated[dict[str, Any], setting("values of the preset that are changed")] = msgspec.field(
        default_factory=dict
    )
    simulator: Annotated[str, setting("simgrid or flows")] = "simgrid"
    time_limit: TimeLimit = TIME_LIMIT
    routing_seed: Annotated[int, setting("of the tables", least=0)] = 1
    seed: Seed = SEED

    def run(self, context: RunContext) -> Any:
        return _app(self, context.jobs, context.work)


def _app(arguments: AppOperation, jobs: int | None, work: Work) -> AppRun:
    network = open_network(arguments.topology)
    if arguments.floor is not None:
        network = network.with_layout(arguments.floor, map="rows")
    if len(placements_of([arguments.placement], arguments.seed)) > 1:
        raise InputError(f"app: placement '{arguments.placement}' is several; give `seeds` to the study, or axes")
    changes = [f"{name}={written(value)}" for name, value in arguments.set.items()]
    settings = app_settings([network], arguments.preset, changes)
    app = opened(arguments.app)
    programs_on({network.source: network.topology}, [app], arguments.ranks, arguments.simulator, settings)
    case = cases_of(
        network.source,
        network,
        arguments.engine,
        host_tables=arguments.host_tables,
        seed=arguments.routing_seed,
        jobs=jobs,
        work=work,
    )[0]
    runs = run_apps(
        [case],
        [app],
        arguments.ranks,
        [arguments.placement],
        settings=settings,
        seed=arguments.seed,
        jobs=jobs,
        time_limit_s=arguments.time_limit,
        simulator=arguments.simulator,
        work=work,
    )
    if runs.failure:
        raise InputError(runs.failure)
    return runs.runs[0]
