"""The operation expander: how well a network expands, compared with random regular graphs."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import METIS_RUNS, MetisRuns, Source

if TYPE_CHECKING:
    from topoloom.topologies.expander import Expander


@operation
class ExpanderOperation(Operation, frozen=True, kw_only=True):
    """Second eigenvalue, bounds on edge expansion, different neighbours and parallel links of TOPOLOGY.

    Random regular graphs of the same order and degree are measured, too.
    """

    group: ClassVar[str] = "expander"
    doing: ClassVar[str] = "measuring"
    functions: ClassVar[tuple[str, ...]] = ("expander",)

    topology: Source
    random_graphs: Annotated[int, setting("random regular graphs to compare with", least=0, most=1000)] = 4
    seeds: MetisRuns = METIS_RUNS

    def run(self, context: RunContext) -> "Expander":
        from topoloom.network.opening import open_network
        from topoloom.topologies.expander import expander

        return expander(open_network(self.topology).topology, self.random_graphs, self.seeds, work=context.work)
