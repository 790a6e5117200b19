"""The operation quality: how much traffic a topology and its tables carry, compared with what is possible."""

from typing import Annotated, Any, ClassVar

from topoloom.core.settings import setting
from topoloom.core.work import Work
from topoloom.network.opening import open_network
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import SEED, Engine, HostTables, Lanes, Seed, Source
from topoloom.routing.host_routings import host_routings
from topoloom.routing.routing import Routing
from topoloom.throughput.quality import check_asked, quality
from topoloom.throughput.result import Quality


@operation
class QualityOperation(Operation, frozen=True, kw_only=True):
    """How good TOPOLOGY (a spec, a file or a folder) and its tables are, each figure compared with what no routing can pass.

    Loads, throughput for uniform traffic and for the worst permutations, effective bisection bandwidth. Throughputs are shares
    of the full rate of a host; bounds and best flows are of the links between switches and may be over 1. Where there are no
    hosts, one per switch is assumed. `topoloom route --help` lists the engines.
    """

    group: ClassVar[str] = "quality"
    doing: ClassVar[str] = "measuring"
    functions: ClassVar[tuple[str, ...]] = ("quality",)

    topology: Source
    engine: Engine | None = None
    lanes: Lanes | None = None
    host_tables: HostTables | None = None
    traffic: Annotated[str, setting("measure this traffic, too (below)", metavar="NAME[:KEY=VALUE,...]")] | None = None
    bisections: Annotated[int, setting("random halves drawn", least=1, most=1_000_000)] = 1000
    gap: (
        Annotated[
            float,
            setting(
                "bracket the best flows of networks that are too large for exact ones: 0.05 for bounds within 5 %",
                above=0,
                most=1,
            ),
        ]
        | None
    ) = None
    seed: Seed = SEED

    def run(self, context: RunContext) -> Any:
        return _quality(self, context.jobs, context.work)


def _quality(arguments: QualityOperation, jobs: int | None, work: Work) -> Quality:
    network = open_network(arguments.topology)
    check_asked(network.topology, arguments.traffic, arguments.seed)
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
