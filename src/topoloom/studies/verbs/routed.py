"""Verbs on forwarding tables: route, quality."""

from typing import Annotated, Any, ClassVar

from topoloom.opening import open_network
from topoloom.routing.host_routings import host_routings
from topoloom.routing.routing import Routing
from topoloom.settings import Settings, setting
from topoloom.studies.verb import VERBS, Verb
from topoloom.throughput.quality import check_asked, quality
from topoloom.throughput.result import Quality
from topoloom.work import Work


class QualityTask(Settings, frozen=True, kw_only=True):
    """As `topoloom quality`."""

    group: ClassVar[str] = "quality"

    topology: Annotated[str, setting("a spec, a file or a folder")]
    engine: (
        Annotated[str, setting("how paths are chosen; left out, the folder's tables, or the engine that fits")] | None
    ) = None
    lanes: Annotated[int, setting("at most so many virtual lanes", least=1, most=16)] | None = None
    host_tables: Annotated[int, setting("tables for the ports of a switch in turn", least=1)] | None = None
    traffic: Annotated[str, setting("measure this traffic, too")] | None = None
    bisections: Annotated[int, setting("random halves drawn", least=0)] = 1000
    gap: Annotated[float, setting("bracket the best flows so closely", above=0, most=1)] | None = None
    seed: Annotated[int, setting("of random choices", least=0)] = 1


def _quality(arguments: QualityTask, jobs: int, work: Work) -> Quality:
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


VERBS.add("quality", Verb("quality", QualityTask, _quality))
