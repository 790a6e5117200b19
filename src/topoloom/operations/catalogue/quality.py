"""Verbs on forwarding tables: route, quality."""

from typing import Annotated, Any, ClassVar

from topoloom.opening import open_network
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import SEED, Engine, HostTables, Lanes, Seed, Source
from topoloom.routing.host_routings import host_routings
from topoloom.routing.routing import Routing
from topoloom.settings import setting
from topoloom.throughput.quality import quality
from topoloom.throughput.result import Quality
from topoloom.work import Work


@operation
class QualityOperation(Operation, frozen=True, kw_only=True):
    """As `topoloom quality`."""

    group: ClassVar[str] = "quality"

    topology: Source
    engine: Engine | None = None
    lanes: Lanes | None = None
    host_tables: HostTables | None = None
    traffic: Annotated[str, setting("measure this traffic, too")] | None = None
    bisections: Annotated[int, setting("random halves drawn", least=0)] = 1000
    gap: Annotated[float, setting("bracket the best flows so closely", above=0, most=1)] | None = None
    seed: Seed = SEED

    def run(self, context: RunContext) -> Any:
        return _quality(self, context.jobs, context.work)


def _quality(arguments: QualityOperation, jobs: int | None, work: Work) -> Quality:
    network = open_network(arguments.topology)
    routed = network.with_tables(arguments.engine, lanes=arguments.lanes, seed=arguments.seed, jobs=jobs, work=work)
    work.check()
    tables: Any = routed.part(Routing)
    if arguments.host_tables is not None and arguments.host_tables > 1:
        count = arguments.host_tables
        tables = host_routings(network.topology, tables.engine, count, seed=arguments.seed, jobs=jobs, work=work)
    return quality(
        tables,
        arguments.traffic,
        bisections=arguments.bisections,
        gap=arguments.gap,
        seed=arguments.seed,
        jobs=jobs,
        work=work,
    )
