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

    Several topologies, programs and placements give all combinations, compared with a baseline. Messages follow the paths of
    the tables, hop by hop. All other parameters of the times are settings, which are printed: --set KEY=VALUE.

    --mpi and --make run your code on this machine with your rights: the compiler on your sources, your Makefile, and your
    program, in the current folder. When a run ends, or exceeds --time-limit, all processes that it started are ended.
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
                "place networks without a layout on this floor, row by row, for the lengths of their cables: a preset's"
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
            raise InputError(
                f"app: placement '{self.placement}' stands for several; give `seeds` to the study, or an axis of placements"
            )
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
        """The networks, by source; those without a layout are placed on the floor, if one is named."""
        from topoloom.network.laying_out import all_laid_out

        if self.floor is None:
            return networks
        laid_out = [source for source, network in networks.items() if network.layout is not None]
        if len(laid_out) == len(networks):
            self.refuse_changed(("floor",), f"{laid_out[0]} is laid out already, and its layout does not change")
        placed = all_laid_out(list(networks.values()), self.floor, map="rows")
        return dict(zip(networks, placed, strict=True))


def names_of(operations: Sequence[AppOperation]) -> dict[str, AppOperation]:
    """One operation per network, by the network's readable name: its topology, and the engine if a topology is repeated."""
    pairs = {(operation.topology, operation.engine): operation for operation in operations}
    topologies = [topology for topology, _ in pairs]
    return {
        topology if topologies.count(topology) == 1 else f"{topology} by {engine}": operation
        for (topology, engine), operation in pairs.items()
    }


def applications_run(
    operations: Sequence[AppOperation],
    context: RunContext,
    programs: "Callable[[], Sequence[Program]]" = tuple,
    *,
    baseline: str | None = None,
    routing_seeds: int = 1,
) -> "tuple[list[Case], AppRuns]":
    """Run operations that differ in topology, engine, program and placement, in all combinations.

    Parameters
    ----------
    operations : sequence of AppOperation
        One per combination.
    context : RunContext
    programs : callable () -> sequence of Program
        Makes further programs, after the networks are opened.
    baseline : str, optional
        The network that the others are compared with, by its name in `names_of`; the first if omitted.
    routing_seeds : int
        The number of seeds for which tables are made.

    Returns
    -------
    list of Case
        The networks with their tables.
    AppRuns

    Raises
    ------
    InputError
        The errors of `run_apps`; where possible before anything is routed.
    Stopped
        The work was stopped before a run was finished.
    """
    from topoloom.network.opening import open_network
    from topoloom.simulation.applications.program import RankTraces
    from topoloom.simulation.applications.registry import opened
    from topoloom.simulation.applications.sweep import programs_on, run_apps
    from topoloom.simulation.flows.schedule import Schedule

    first, names = operations[0], names_of(operations)
    sources = dict.fromkeys(operation.topology for operation in operations)
    networks = first.on_floor({source: open_network(source) for source in sources})
    settings = first.settings_on(networks.values())
    apps = dict.fromkeys(operation.app for operation in operations if operation.app is not None)
    run: list[str | Program] = [*map(opened, apps), *programs()]
    for note in (note for program in run if isinstance(program, (RankTraces, Schedule)) for note in program.notes):
        context.note(note)
    topologies = {name: networks[operation.topology].topology for name, operation in names.items()}
    programs_on(topologies, run, first.ranks, first.simulator, settings)
    cases = [
        case
        for name, operation in names.items()
        for case in operation.cases(
            name, networks[operation.topology], context, seed=operation.tables_seed, seeds=routing_seeds
        )
    ]
    runs = run_apps(
        cases,
        run,
        first.ranks,
        list(dict.fromkeys(operation.placement for operation in operations)),
        settings=settings,
        baseline=baseline,
        seed=first.seed,
        jobs=context.jobs,
        time_limit_s=first.time_limit,
        simulator=first.simulator,
        work=context.work,
    )
    return cases, runs
