"""The verb resilience."""

from typing import Annotated, Any, ClassVar

from topoloom.failures.resilience import resilience
from topoloom.failures.survival import Survival
from topoloom.floors.chosen import chosen_floor
from topoloom.layout.cabinets import assign_cabinets
from topoloom.opening import open_network
from topoloom.settings import Settings, setting
from topoloom.studies.verb import VERBS, Verb
from topoloom.work import Work


class ResilienceTask(Settings, frozen=True, kw_only=True):
    """As `topoloom resilience`."""

    group: ClassVar[str] = "resilience"

    topology: Annotated[str, setting("a spec, a file or a folder")]
    metric: Annotated[str, setting("what the rest has to keep: disconnection, diameter, aspl")] = "disconnection"
    fail: Annotated[str, setting("what fails: links, switches, cabinets")] = "links"
    order: Annotated[str, setting("what fails first")] = "random"
    levels: (
        Annotated[list[Annotated[float, setting("a share", least=0, most=1)]], setting("shares that fail")] | None
    ) = None
    samples: Annotated[int, setting("random orders", least=1)] | None = None
    width: Annotated[float, setting("sample until intervals are so narrow", above=0, most=1)] | None = None
    criterion: Annotated[float, setting("a level counts as survived with this probability", least=0, most=1)] = 0.75
    tolerate: Annotated[float, setting("hops more that are tolerated", least=0)] | None = None
    of: Annotated[str, setting("which switches count: switches, hosts")] = "switches"
    values: Annotated[bool, setting("measure diameter or aspl at every level")] = False
    floor: Annotated[str, setting("whose cabinets")] = "slimfly-2014"
    cabinet: Annotated[int, setting("most switches in a cabinet", least=1)] | None = None
    cluster: Annotated[str, setting("which switches share a cabinet")] = "auto"
    seed: Annotated[int, setting("of random orders", least=0)] = 1


def _resilience(arguments: ResilienceTask, jobs: int, work: Work) -> Survival:
    network = open_network(arguments.topology)
    cabinets = None
    if arguments.fail == "cabinets":
        floor = chosen_floor(arguments.floor, None, None, arguments.cabinet)
        cabinets = (
            network.layout.cabinet
            if network.layout is not None
            else assign_cabinets(network.topology, floor, arguments.cluster, jobs=jobs)
        )
    levels: dict[str, Any] = {} if arguments.levels is None else {"levels": arguments.levels}
    return resilience(
        network.topology,
        arguments.fail,
        arguments.metric,
        order=arguments.order,
        samples=arguments.samples,
        width=arguments.width,
        criterion=arguments.criterion,
        tolerate=arguments.tolerate,
        of=arguments.of,
        cabinets=cabinets,
        seed=arguments.seed,
        jobs=jobs,
        values=arguments.values,
        work=work,
        **levels,
    )


VERBS.add("resilience", Verb("resilience", ResilienceTask, _resilience, ("topology", "floor")))
