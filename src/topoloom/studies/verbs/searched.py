"""The verb optimize, by hops or by latency on a grid."""

from typing import Annotated, Any, ClassVar, Literal

from topoloom.graph.geometry import geometry_of
from topoloom.graph.latency import Delays
from topoloom.opening import open_network
from topoloom.optimizer.goals import parse_goal
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.optimizer.optimize import optimize
from topoloom.optimizer.result import Optimized
from topoloom.optimizer.traffic_goals import NAMES
from topoloom.settings import Settings, setting
from topoloom.studies.verb import VERBS, Verb
from topoloom.work import Work


class OptimizeTask(Settings, frozen=True, kw_only=True):
    """As `topoloom optimize`; by moves, so that a task gives the same everywhere."""

    group: ClassVar[str] = "optimize"

    topology: Annotated[str, setting("a spec, a file or a folder")]
    moves: Annotated[int, setting("moves that each chain tries", least=1)]
    chains: Annotated[int, setting("chains, the best of which counts", least=1, most=1024)] = 1
    target: Annotated[int, setting("diameter to aim at", least=1)] | None = None
    start: Annotated[Literal["given", "structured"], setting("structured: look for symmetric graphs first")] = "given"
    symmetric: Annotated[bool, setting("begin with a symmetric graph")] | None = None
    tempering: Annotated[bool, setting("replicas that exchange temperatures")] = False
    length: Annotated[int, setting("longest link of a grid, in steps", least=1)] | None = None
    objective: Annotated[str, setting("hops, all-to-all, permutation, worst-case, latency, worst, or weights")] = "hops"
    switch_ns: Annotated[float, setting("delay of a switch", unit="ns", least=0)] = 60.0
    cable_ns_per_m: Annotated[float, setting("delay of a metre of cable", unit="ns/m", least=0)] = 5.0
    seed: Annotated[int, setting("of all draws", least=0)] = 1


def _optimize(arguments: OptimizeTask, _jobs: int, work: Work) -> Optimized:
    network = open_network(arguments.topology)
    goal: Any = arguments.objective
    lengths = None
    if goal != "hops" and goal not in NAMES:
        delays = Delays(switch_ns=arguments.switch_ns, cable_ns_per_m=arguments.cable_ns_per_m)
        goal = parse_goal(goal, delays=delays)
        geometry = geometry_of(network.topology)
        if network.layout is not None:
            lengths = LinkLengths.of_layout(network.layout)
        elif geometry is not None:
            lengths = LinkLengths.of_geometry(geometry)
    return optimize(
        network.topology,
        goal,
        length=arguments.length,
        lengths=lengths,
        start=arguments.start,
        target=arguments.target,
        symmetric=arguments.symmetric,
        tempering=arguments.tempering,
        moves=arguments.moves,
        seed=arguments.seed,
        # A chain a thread: the result depends on how many, so a task says it itself.
        jobs=arguments.chains,
        work=work,
    )


VERBS.add("optimize", Verb("optimize", OptimizeTask, _optimize))
