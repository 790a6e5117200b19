"""The operation damage: the network that failures leave."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.catalogue._failing import FailingOperation
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import share_of

if TYPE_CHECKING:
    from topoloom.model.topology import Topology


@operation
class DamageOperation(FailingOperation, frozen=True, kw_only=True):
    """Write to a file what is left of TOPOLOGY (a spec, a file or a folder) after failures.

    The failures are the first random order of topoloom resilience with the same seed.
    """

    group: ClassVar[str] = "damage"
    doing: ClassVar[str] = "failures"
    functions: ClassVar[tuple[str, ...]] = ("surviving_network",)
    studied: ClassVar[bool] = False

    share: Annotated[float, setting("the share that fails: 0.1, or 10%", least=0, most=1, reads=share_of)] = 0.1

    def run(self, context: RunContext) -> "Topology":
        from topoloom.failures.surviving_network import surviving_network
        from topoloom.network.opening import open_network

        network = open_network(self.topology)
        racks = self.racks(network, context.jobs)
        return surviving_network(network.topology, self.fail, self.share, order=self.order, seed=self.seed, racks=racks)
