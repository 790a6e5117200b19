"""The gate for directed networks: an operation gets one only if it declares `directed`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from topoloom.model.directed import DirectedNetworkError, DirectedTopology
from topoloom.network.directed import open_either
from topoloom.operations.operation import OPERATIONS, Operation

if TYPE_CHECKING:
    from topoloom.network import Network


def opened_for(operation: Operation, source: str, undirected: "Callable[[], Network]") -> "Network | DirectedTopology":
    """The network that `undirected` opens, or the directed one that it refuses, for an operation that takes these.

    Parameters
    ----------
    operation : Operation
    source : str
        The name of the network.
    undirected : callable () -> Network
        Opens the network of the operation.

    Returns
    -------
    Network or DirectedTopology

    Raises
    ------
    DirectedNetworkError
        The network is directed, and the operation does not declare `directed`.
    """
    return open_either(source, undirected) if operation.directed else undirected()


def refused_by(refused: DirectedNetworkError, command: str) -> DirectedNetworkError:
    """A refusal in the name of a command or operation, with the commands that take directed networks."""
    takers = sorted(name for name, kind in OPERATIONS.items() if kind.directed)
    return refused.by(command, f"; directed networks are for {', '.join(takers[:-1])} and {takers[-1]}")
