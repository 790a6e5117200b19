"""The verb of collectives: their least time, and a schedule's beside it."""

from typing import Annotated, Any, ClassVar, Literal

import msgspec

from topoloom.core.settings import setting, written
from topoloom.core.work import Work
from topoloom.network.opening import open_network
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import SEED, Engine, HostTables, Seed, Source
from topoloom.simulation.applications.collective_result import Collective
from topoloom.simulation.applications.collective_run import collective, collective_bound
from topoloom.simulation.applications.given import app_settings
from topoloom.simulation.applications.sweep import cases_of
from topoloom.simulation.collectives.bound import CollectiveBound


@operation
class CollectiveOperation(Operation, frozen=True, kw_only=True):
    """As `topoloom collective`."""

    group: ClassVar[str] = "collective"

    topology: Source
    operation: Annotated[
        Literal["allreduce", "allgather", "reduce-scatter", "broadcast", "alltoall"], setting("the collective")
    ] = "allreduce"
    bytes: Annotated[int, setting("bytes of the vector, or of all; of an all-to-all from each to each", least=0)] = (
        1 << 26
    )
    ranks: Annotated[int, setting("ranks; one for each host when left out", least=1)] | None = None
    bound: Annotated[bool, setting("the least time alone")] = False
    algorithm: Annotated[str, setting("forest, ring, binomial or direct; left out, the one that fits")] | None = None
    paths: Annotated[str, setting("own or tables; left out, own for forests and rings")] | None = None
    pieces: Annotated[int, setting("pieces of a message", least=1)] | None = None
    placement: Annotated[str, setting("where ranks run: linear, random, cabinet, file:PATH")] = "linear"
    root: Annotated[int, setting("the rank that broadcasts", least=0)] = 0
    engine: Engine | None = None
    host_tables: HostTables | None = None
    preset: (
        Annotated[str, setting("the machine and the model; truong-2016 at the network's rate when omitted")] | None
    ) = None
    set: Annotated[dict[str, Any], setting("values of the preset that are changed")] = msgspec.field(
        default_factory=dict
    )
    simulator: Annotated[str, setting("flows, or flows:window=0.2")] = "flows"
    gap: Annotated[float, setting("how close the flow of an all-to-all is bracketed", above=0, most=1)] = 0.05
    seed: Seed = SEED

    def run(self, context: RunContext) -> Any:
        return _collective(self, context.jobs, context.work)


def _collective(arguments: CollectiveOperation, jobs: int | None, work: Work) -> Collective | CollectiveBound:
    network = open_network(arguments.topology)
    changes = [f"{name}={written(value)}" for name, value in arguments.set.items()]
    settings = app_settings([network], arguments.preset, changes)
    common: dict[str, Any] = {
        "placement": arguments.placement,
        "root": arguments.root,
        "settings": settings,
        "layout": network.layout,
        "gap": arguments.gap,
        "seed": arguments.seed,
        "jobs": jobs,
        "work": work,
    }
    if arguments.bound:
        return collective_bound(network.topology, arguments.operation, arguments.bytes, arguments.ranks, **common)
    case = cases_of(
        network.source,
        network,
        arguments.engine,
        host_tables=arguments.host_tables,
        seed=arguments.seed,
        jobs=jobs,
        work=work,
    )[0]
    return collective(
        case.routings,
        arguments.operation,
        arguments.bytes,
        arguments.ranks,
        algorithm=arguments.algorithm,
        paths=arguments.paths,
        pieces=arguments.pieces,
        simulator=arguments.simulator,
        **common,
    )
