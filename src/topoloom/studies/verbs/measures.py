"""Verbs on a topology alone: info, hops, cuts."""

from typing import Annotated, ClassVar, Literal

from topoloom.graph.cuts import Cuts, cuts, exact_bisection
from topoloom.graph.hops import Hops, hops
from topoloom.graph.latency import Delays
from topoloom.opening import open_network
from topoloom.overview import Info, info
from topoloom.settings import Settings, setting
from topoloom.studies.verb import VERBS, Verb
from topoloom.work import Work


class InfoTask(Settings, frozen=True, kw_only=True):
    """As `topoloom info`."""

    group: ClassVar[str] = "info"

    topology: Annotated[str, setting("a spec, a file or a folder")]
    full: Annotated[bool, setting("also what takes long")] = False
    load: Annotated[bool, setting("also how evenly shortest paths load channels")] = False
    seeds: Annotated[int, setting("runs of METIS", least=1)] = 8


def _info(arguments: InfoTask, jobs: int, work: Work) -> Info:
    opened = open_network(arguments.topology).topology
    return info(opened, full=arguments.full, load=arguments.load, seeds=arguments.seeds, jobs=jobs, work=work)


class HopsTask(Settings, frozen=True, kw_only=True):
    """As `topoloom hops`."""

    group: ClassVar[str] = "hops"

    topology: Annotated[str, setting("a spec, a file or a folder")]
    eccentricities: Annotated[bool, setting("how far each switch sees")] = False
    paths: Annotated[bool, setting("shortest and link-disjoint paths between pairs")] = False
    latency: Annotated[bool, setting("zero-load latency over the quickest paths")] = False
    switch_ns: Annotated[float, setting("delay of a switch", unit="ns", least=0)] = 60.0
    cable_ns_per_m: Annotated[float, setting("delay of a metre of cable", unit="ns/m", least=0)] = 5.0
    length_m: Annotated[float, setting("length of every cable that is not laid out", unit="m", least=0)] = 5.0
    samples: Annotated[int, setting("start from so many random switches only", least=1)] | None = None
    seed: Annotated[int, setting("of the samples", least=0)] = 1


def _hops(arguments: HopsTask, jobs: int, work: Work) -> Hops:
    network = open_network(arguments.topology)
    layout = network.layout if arguments.latency else None
    delays = Delays(switch_ns=arguments.switch_ns, cable_ns_per_m=arguments.cable_ns_per_m)
    return hops(
        network.topology,
        jobs,
        samples=arguments.samples,
        seed=arguments.seed,
        eccentricities=arguments.eccentricities,
        paths=arguments.paths,
        latency=delays if arguments.latency else None,
        length_m=arguments.length_m if layout is None else layout.length_m,
        work=work,
    )


class CutsTask(Settings, frozen=True, kw_only=True):
    """As `topoloom cuts`."""

    group: ClassVar[str] = "cuts"

    topology: Annotated[str, setting("a spec, a file or a folder")]
    parts: Annotated[int, setting("how many parts", least=2)] = 2
    seeds: Annotated[int, setting("runs of METIS; the best is kept", least=1)] = 8
    seed: Annotated[int, setting("starts another series of runs", least=0)] = 1
    by: Annotated[Literal["switches", "hosts"], setting("what is shared equally")] = "switches"
    exact: Annotated[bool, setting("the bisection itself, by branch and bound")] = False


def _cuts(arguments: CutsTask, _jobs: int, work: Work) -> Cuts:
    opened = open_network(arguments.topology).topology
    if arguments.exact:
        return exact_bisection(opened, work=work)
    return cuts(opened, arguments.parts, arguments.seeds, arguments.by, arguments.seed, work=work)


VERBS.add("info", Verb("info", InfoTask, _info))
VERBS.add("hops", Verb("hops", HopsTask, _hops))
VERBS.add("cuts", Verb("cuts", CutsTask, _cuts))
