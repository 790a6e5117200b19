"""The operation app: an MPI program on a network, simulated by SimGrid, as flows, or flit by flit."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue._programs import ProgramOperation
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import MOST_SEED, TIME_LIMIT, TimeLimit

if TYPE_CHECKING:
    from topoloom.network import Network
    from topoloom.simulation.applications.app_run import AppRun
    from topoloom.simulation.applications.app_runs import AppRuns
    from topoloom.simulation.applications.program import Program
    from topoloom.simulation.applications.sweep import Case


@operation
class AppOperation(ProgramOperation, frozen=True, kw_only=True):
    """Run MPI programs on TOPOLOGY (a spec, a file or a folder), simulated by SimGrid, as flows, or flit by flit.

    Several topologies, programs and placements are all combined, and compared with a baseline. Messages take the paths of the
    tables, hop by hop. What decides a time besides the network is a setting, and printed: --set KEY=VALUE.

    --mpi and --make run your code on this machine with your rights: the compiler on your sources, your Makefile, and your
    program, in the current folder. When a run is over, or past --time-limit, all processes that came of it are ended.
    """

    group: ClassVar[str] = "app"
    doing: ClassVar[str] = "applications"
    functions: ClassVar[tuple[str, ...]] = (
        "run_app",
        "run_apps",
        "schedule_of_program",
        "load_goal",
        "save_goal",
        "load_chakra",
    )

    app: Annotated[str, setting("the application (below)", metavar="NAME[:KEY=VALUE,...]", names="workload")] | None = (
        None
    )
    floor: (
        Annotated[
            str,
            setting(
                "place networks that have no layout on this floor, row by row, for the lengths of their cables: a preset's"
                " name, or a .toml or .csv file",
                names="file",
            ),
        ]
        | None
    ) = None
    time_limit: TimeLimit = TIME_LIMIT
    routing_seed: (
        Annotated[int, setting("seed of the tables; the seed of all draws if omitted", least=0, most=MOST_SEED)] | None
    ) = None

    def validate(self) -> None:
        from topoloom.simulation.applications.registry import APPLICATIONS
        from topoloom.simulation.applications.sweep import placements_of

        super().validate()
        if self.app is not None:
            APPLICATIONS.find(self.app.strip().partition(":")[0].lower())
        placements_of([self.placement], self.seed)

    def repeatable(self) -> "AppOperation":
        from topoloom.simulation.applications.sweep import placements_of

        if self.app is None:
            raise InputError("app needs the argument 'app'; a study runs applications by their names")
        if len(placements_of([self.placement], self.seed)) > 1:
            raise InputError(f"app: placement '{self.placement}' is several; give `seeds` to the study, or axes")
        return self

    def run(self, context: RunContext) -> "AppRun":
        self.repeatable()
        _, runs = applications_run([self], context)
        context.work.check()
        if runs.failure:
            raise InputError(runs.failure)
        return runs.runs[0]

    @property
    def tables_seed(self) -> int:
        """The seed of the tables."""
        return self.seed if self.routing_seed is None else self.routing_seed

    def on_floor(self, networks: "dict[str, Network]") -> "dict[str, Network]":
        """Networks by their sources, on the floor where one is named and they have no layout."""
        from topoloom.network.laying_out import all_laid_out

        if self.floor is None:
            return networks
        laid_out = [source for source, network in networks.items() if network.layout is not None]
        if len(laid_out) == len(networks):
            self.refuse_changed(("floor",), f"{laid_out[0]} is laid out already, and its layout stays as it is")
        placed = all_laid_out(list(networks.values()), self.floor, map="rows")
        return dict(zip(networks, placed, strict=True))


def names_of(operations: Sequence[AppOperation]) -> dict[str, AppOperation]:
    """Networks of operations by what people call them, with the engine where a topology comes again; one operation of each."""
    pairs = {(one.topology, one.engine): one for one in operations}
    topologies = [topology for topology, _ in pairs]
    return {
        topology if topologies.count(topology) == 1 else f"{topology} by {engine}": one
        for (topology, engine), one in pairs.items()
    }


def applications_run(
    operations: Sequence[AppOperation],
    context: RunContext,
    programs: "Callable[[], Sequence[Program]]" = tuple,
    *,
    baseline: str | None = None,
    routing_seeds: int = 1,
) -> "tuple[list[Case], AppRuns]":
    """What operations give that differ in topology, engine, program and placement, with each other combined.

    Parameters
    ----------
    operations : sequence of AppOperation
        Every combination.
    context : RunContext
    programs : callable () -> sequence of Program
        Makes more programs than those of the operations, once the networks are opened.
    baseline : str, optional
        The network that the others are compared with, by its name in `names_of`; the first if omitted.
    routing_seeds : int
        Tables of this many seeds.

    Returns
    -------
    list of Case
        The networks with their tables.
    AppRuns

    Raises
    ------
    InputError
        As `run_apps`, before anything is routed where that can be seen then.
    Stopped
        The work was stopped before a run was finished.
    """
    from topoloom.network.opening import open_network
    from topoloom.simulation.applications.registry import opened
    from topoloom.simulation.applications.sweep import programs_on, run_apps

    first, names = operations[0], names_of(operations)
    sources = dict.fromkeys(one.topology for one in operations)
    networks = first.on_floor({source: open_network(source) for source in sources})
    settings = first.settings_on(networks.values())
    apps = dict.fromkeys(one.app for one in operations if one.app is not None)
    run: list[str | Program] = [*map(opened, apps), *programs()]
    topologies = {name: networks[one.topology].topology for name, one in names.items()}
    programs_on(topologies, run, first.ranks, first.simulator, settings)
    cases = [
        case
        for name, one in names.items()
        for case in one.cases(name, networks[one.topology], context, seed=one.tables_seed, seeds=routing_seeds)
    ]
    runs = run_apps(
        cases,
        run,
        first.ranks,
        list(dict.fromkeys(one.placement for one in operations)),
        settings=settings,
        baseline=baseline,
        seed=first.seed,
        jobs=context.jobs,
        time_limit_s=first.time_limit,
        simulator=first.simulator,
        work=context.work,
    )
    return cases, runs
