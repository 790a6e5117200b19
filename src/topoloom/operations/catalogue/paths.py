"""The operation paths: the number of paths between two switches, and how two flows interfere."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import SEED, Seed, Source

if TYPE_CHECKING:
    from topoloom.graph.path_diversity import PathDiversity


@operation
class PathsOperation(Operation, frozen=True, kw_only=True):
    """The number of paths between two switches of TOPOLOGY (a spec, a file or a folder), independent of tables.

    Counted are shortest paths and paths up to two hops longer, paths that share no link, and how two flows interfere.
    """

    group: ClassVar[str] = "paths"
    doing: ClassVar[str] = "counting paths"
    functions: ClassVar[tuple[str, ...]] = ("path_diversity",)

    topology: Source
    samples: (
        Annotated[
            int,
            setting(
                "random pairs of switches; if omitted, all pairs if that takes seconds, else 2,000",
                least=1,
                most=10_000_000,
            ),
        ]
        | None
    ) = None
    seed: Seed = SEED

    def run(self, context: RunContext) -> "PathDiversity":
        from topoloom.graph.path_diversity import path_diversity
        from topoloom.network.opening import open_network

        topology = open_network(self.topology).topology
        return path_diversity(topology, samples=self.samples, seed=self.seed, jobs=context.jobs, work=context.work)
