"""The operation damage: the network that failures leave."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.catalogue._failing import FailingOperation
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import share_of

if TYPE_CHECKING:
    from topoloom.fabric.fabric import Fabric
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
        return self.left(context)[0]

    def left(self, context: RunContext) -> "tuple[Topology, Fabric | None]":
        """What is left; of a network that is cabled also with its names and ports.

        Parameters
        ----------
        context : RunContext

        Returns
        -------
        (Topology, Fabric or None)
        """
        import numpy as np

        from topoloom.failures.failure_orders import failing
        from topoloom.failures.surviving_network import first_failures, survivors, without_losses
        from topoloom.network.opening import open_network

        network = open_network(self.topology)
        topology = network.topology
        what = failing(topology, self.fail, self.order, self.racks(network, context.jobs))
        lost = first_failures(topology, what, self.share, self.seed)
        remaining, cabled = without_losses(topology, lost), network.cabled
        if cabled is None:
            return remaining, None
        return remaining, cabled.after_losses(remaining, *map(np.flatnonzero, survivors(topology, lost)))
