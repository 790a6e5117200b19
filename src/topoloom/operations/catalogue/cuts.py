"""The operation cuts: the number of links between two or more equal parts of a topology."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import METIS_RUNS, SEED, MetisRuns, Seed, Source

if TYPE_CHECKING:
    from topoloom.graph.cuts import Cuts


@operation
class CutsOperation(Operation, frozen=True, kw_only=True):
    """The fewest links found between equal parts of TOPOLOGY (a spec, a file or a folder); two parts: the bisection.

    Ctrl-C keeps the best cut.
    """

    group: ClassVar[str] = "cuts"
    doing: ClassVar[str] = "cutting"
    functions: ClassVar[tuple[str, ...]] = ("cuts",)

    topology: Source
    ways: Annotated[int, setting("number of parts", least=2)] = 2
    seeds: MetisRuns = METIS_RUNS
    seed: Seed = SEED
    by: Annotated[Literal["switches", "hosts"], setting("what is divided equally between the parts")] = "switches"
    exact: Annotated[bool, setting("the exact bisection, by branch and bound (up to 40 switches)")] = False

    def validate(self) -> None:
        if self.exact and (self.ways != 2 or self.by != "switches"):
            raise InputError("`exact` is for two `ways`, by switches")

    def run(self, context: RunContext) -> "Cuts":
        from topoloom.graph.connectivity import without_links
        from topoloom.graph.cuts import cuts, exact_bisection
        from topoloom.network.opening import open_network

        topology = open_network(self.topology).topology
        if reason := without_links(topology):
            context.note(reason)
        if self.exact:
            return exact_bisection(topology, work=context.work)
        return cuts(topology, self.ways, self.seeds, self.by, self.seed, work=context.work)
