"""Which host runs which rank: in order, at random, rack by rack, from a file, or where messages take short paths."""

from collections.abc import Callable

import numpy as np

from topoloom.core.errors import InputError, at, hint
from topoloom.core.files import read_text
from topoloom.core.random_streams import Draws
from topoloom.core.text_parts import text_lines, whole_in
from topoloom.core.threads import cores
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing

PLACEMENTS = ("linear", "random", "rack", "optimised", "file")
#: A file of placements holds one number per line.
_LONGEST = 1 << 26


def place_ranks(
    how: str,
    ranks: int,
    network: Routing | Topology,
    layout: Layout | None = None,
    matrix: Callable[[], np.ndarray] | None = None,
    seed: int = 1,
    jobs: int | None = None,
) -> np.ndarray:
    """The host of each rank, int64[ranks].

    Parameters
    ----------
    how : str
        ``linear`` (rank r on host r), ``random``, ``rack`` (random within racks, which are filled one after
        another in the order of the floor), ``optimised`` (the bytes that ranks exchange times the hops between their
        hosts, made small by the solver that also puts racks on floors), or ``file:PATH`` (a host a line).
    ranks : int
        At most as many as hosts.
    network : Routing or Topology
        Whose hops ``optimised`` counts.
    layout : Layout, optional
        For ``rack``; without it the family's own groups.
    matrix : callable, optional
        Gives the bytes that each rank sends to each other one, float64[ranks, ranks]; asked for ``optimised`` only.
    seed : int
        Of ``random``, ``rack`` and ``optimised``.
    jobs : int, optional
        Threads of ``optimised``; all cores by default.

    Returns
    -------
    int64[ranks]
        No host twice.

    Raises
    ------
    InputError
        No such placement, more ranks than hosts, or a file that does not name that many hosts.
    """
    topology = network if isinstance(network, Topology) else network.topology
    hosts = topology.hosts
    name, _, path = how.partition(":")
    if ranks > hosts and name != "file":
        raise InputError(f"{topology.name}: {ranks} ranks, but only {hosts} hosts; give it more, or run fewer ranks")
    if name not in PLACEMENTS:
        raise InputError(f"no placement '{name[:40]}'; {hint(name, PLACEMENTS)}")
    if name == "file" and not path:
        raise InputError("placement file: which file? write file:PATH")
    if name == "file":
        return _from_file(path, ranks, hosts)
    if path:
        raise InputError(f"placement {how}: only file takes something behind a colon")
    if name == "linear":
        return np.arange(ranks)
    if name == "random":
        return Draws(seed).permutation(hosts)[:ranks]
    if name == "rack":
        return _by_rack(ranks, topology, layout, Draws(seed))
    if matrix is None:
        raise InputError("placement optimised: nobody knows what these ranks exchange")
    return _optimised(matrix(), topology, seed, jobs)


def switch_of_hosts(topology: Topology) -> np.ndarray:
    """The switch of each host, int64[hosts]; of a host with several ports that of the first."""
    home = np.empty(topology.hosts, np.int64)
    home[topology.host[::-1]] = topology.endpoints[::-1]
    return home


def _from_file(path: str, ranks: int, hosts: int) -> np.ndarray:
    homes = []
    for line, text in enumerate(text_lines(read_text(path, _LONGEST)), 1):
        word = text.partition("#")[0].strip().removeprefix("host")
        if not word:
            continue
        home = whole_in(word, hosts - 1)
        if home is None:
            raise at(path, line, f"{text.strip()[:40]!a} is no host; hosts are 0 to {hosts - 1}, one a line")
        homes.append(home)
    if len(homes) != ranks:
        raise InputError(f"{path}: it names {len(homes)} hosts for {ranks} ranks; give one a line for each rank")
    return np.array(homes)


def _by_rack(ranks: int, topology: Topology, layout: Layout | None, draws: Draws) -> np.ndarray:
    if layout is not None:
        group = layout.rack
    elif "group" in topology.labels:
        group = topology.labels["group"]
    else:
        raise InputError(f"{topology.name}: placement rack needs racks; give a floor, or a layout's folder")
    home = switch_of_hosts(topology)
    return np.lexsort((draws.permutation(home.size), np.asarray(group)[home]))[:ranks]


def _optimised(matrix: np.ndarray, topology: Topology, seed: int, jobs: int | None) -> np.ndarray:
    from topoloom.graph.distances import distance_matrix
    from topoloom.placement.qap.assign import assign

    hops = distance_matrix(topology)
    home = switch_of_hosts(topology)
    # Two hosts' links on every path, also between hosts of one switch.
    # Of several planes the first ports', which are in one: hops to others would be the mark of what is out of reach.
    apart = hops[np.ix_(home, home)].astype(float) + 2
    np.fill_diagonal(apart, 0.0)
    start = np.arange(len(matrix))
    found = assign(matrix + matrix.T, apart, "anneal" if home.size > 512 else "both", start, seed, jobs=cores(jobs))
    return found.place.astype(np.int64)
