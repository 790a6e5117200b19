"""Opening directed networks, for what asks for them; nothing else gets one (`model.directed`)."""

import os
from collections.abc import Callable

from topoloom.core.errors import InputError, wrong_type
from topoloom.model.directed import DirectedNetworkError, DirectedTopology
from topoloom.model.sources import DirectedSource, Graph
from topoloom.network import Network
from topoloom.network.opening import open_network

#: The name of standard input in messages.
_STDIN = "<stdin>"
_WANTED = "a directed network (a spec, a path, a DirectedTopology or a networkx.DiGraph)"


def open_directed(
    source: DirectedSource, format: str | None = None, *, taker: str = "open_directed"
) -> DirectedTopology:
    """Open a directed network.

    Parameters
    ----------
    source : DirectedSource
        A spec of a directed family (``kautz-digraph:base=2,length=3``), or a file that says that it is directed: topoloom's
        JSON with ``arcs``, GraphML with ``edgedefault="directed"``, a ``digraph`` of DOT, an edge list that begins with
        ``# from to``; ``-`` is standard input.
    format : str, optional
        The format of a file; by its suffix and its content when omitted.
    taker : str
        The function that wants the network, for messages.

    Returns
    -------
    DirectedTopology

    Raises
    ------
    InputError
        Nothing has that name, the network cannot be opened, or it is undirected.

    Examples
    --------
    >>> open_directed("unidirectional-ring:n=4").arcs.tolist()
    [[0, 1], [1, 2], [2, 3], [3, 0]]
    """
    if isinstance(source, DirectedTopology):
        return source
    if not isinstance(source, (str, os.PathLike, Graph)):
        raise wrong_type(source, _WANTED, taker)
    if isinstance(source, Graph):
        return DirectedTopology.from_networkx(source)
    opened = open_either(os.fspath(source), lambda: open_network(source, format))
    if isinstance(opened, DirectedTopology):
        return opened
    raise InputError(f"{os.fspath(source)}: this network is undirected, and {taker} takes directed ones")


def open_either(source: str, undirected: Callable[[], Network]) -> Network | DirectedTopology:
    """The directed network that `undirected` refuses, else the network that it opens.

    Parameters
    ----------
    source : str
        The name of the network.
    undirected : callable () -> Network
        Opens the network as an undirected one.

    Returns
    -------
    Network or DirectedTopology

    Raises
    ------
    DirectedNetworkError
        A part of the source is directed, such as a file of a folder, and not the source itself.
    """
    try:
        return undirected()
    except DirectedNetworkError as refused:
        if refused.network not in (source, _STDIN if source == "-" else source):
            raise
        return refused.opened()
