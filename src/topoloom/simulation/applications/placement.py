"""The placement of ranks on hosts: in order, at random, rack by rack, from a file, or such that messages take short paths."""

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
#: The most characters of a file of placements, which has one number per line.
_MOST_CHARACTERS = 1 << 26


def place_ranks(
    how: str,
    ranks: int,
    network: Routing | Topology,
    layout: Layout | None = None,
    matrix: Callable[[], np.ndarray] | None = None,
    seed: int = 1,
    jobs: int | None = None,
) -> np.ndarray:
    """Return the host of each rank, int64[ranks].

    Parameters
    ----------
    how : str
        ``linear`` (rank r on host r), ``random``, ``rack`` (random within racks, which are filled one after another in the
        order of the floor), ``optimised`` (minimises bytes times hops between ranks, with the solver that also places racks on
        floors), or ``file:PATH`` (one host per line).
    ranks : int
        At most the number of hosts.
    network : Routing or Topology
        The network, whose hops ``optimised`` counts.
    layout : Layout, optional
        Gives racks for ``rack``; without it, the family's groups count as racks.
    matrix : callable, optional
        Returns the bytes between ranks, float64[ranks, ranks]; called for ``optimised`` only.
    seed : int
        The seed of ``random``, ``rack`` and ``optimised``.
    jobs : int, optional
        Threads for ``optimised``; all cores by default.

    Returns
    -------
    int64[ranks]
        The host of each rank; no host occurs twice.

    Raises
    ------
    InputError
        An unknown placement, more ranks than hosts, or a file that does not name that many hosts.
    """
    topology = network if isinstance(network, Topology) else network.topology
    hosts = topology.hosts
    name, _, path = how.partition(":")
    if ranks > hosts and name != "file":
        raise InputError(f"{topology.name}: {ranks} ranks, but only {hosts} hosts; add hosts, or run fewer ranks")
    if name not in PLACEMENTS:
        raise InputError(f"no placement '{name[:40]}'; {hint(name, PLACEMENTS)}")
    if name == "file" and not path:
        raise InputError("placement file: the file is missing; write file:PATH")
    if name == "file":
        return _from_file(path, ranks, hosts)
    if path:
        raise InputError(f"placement {how}: only file takes a value after a colon")
    if name == "linear":
        return np.arange(ranks)
    if name == "random":
        return Draws(seed).permutation(hosts)[:ranks]
    if name == "rack":
        return _by_rack(ranks, topology, layout, Draws(seed))
    if matrix is None:
        raise InputError("placement optimised: the traffic of these ranks is unknown; use another placement")
    return _optimised(matrix(), topology, seed, jobs)


def switch_of_hosts(topology: Topology) -> np.ndarray:
    """Return the switch of each host, int64[hosts]; for a host with several ports, that of its first port."""
    home = np.empty(topology.hosts, np.int64)
    home[topology.host[::-1]] = topology.endpoints[::-1]
    return home


def _from_file(path: str, ranks: int, hosts: int) -> np.ndarray:
    homes = []
    for line, text in enumerate(text_lines(read_text(path, _MOST_CHARACTERS)), 1):
        word = text.partition("#")[0].strip().removeprefix("host")
        if not word:
            continue
        home = whole_in(word, hosts - 1)
        if home is None:
            raise at(path, line, f"{text.strip()[:40]!a} is not a host; give one host from 0 to {hosts - 1} per line")
        homes.append(home)
    if len(homes) != ranks:
        raise InputError(f"{path}: it names {len(homes)} hosts for {ranks} ranks; give one host per rank")
    return np.array(homes)


def _by_rack(ranks: int, topology: Topology, layout: Layout | None, draws: Draws) -> np.ndarray:
    if layout is not None:
        group = layout.rack
    elif "group" in topology.labels:
        group = topology.labels["group"]
    else:
        raise InputError(f"{topology.name}: placement rack needs racks; give a floor, or the folder of a layout")
    home = switch_of_hosts(topology)
    return np.lexsort((draws.permutation(home.size), np.asarray(group)[home]))[:ranks]


def _optimised(matrix: np.ndarray, topology: Topology, seed: int, jobs: int | None) -> np.ndarray:
    from topoloom.graph.distances import distance_matrix
    from topoloom.placement.qap.assign import assign

    hops = distance_matrix(topology)
    home = switch_of_hosts(topology)
    # Every path also has the links of two hosts, even between hosts of one switch. With several planes, use the first ports,
    # which are all in one plane: hops to other planes are marked as unreachable.
    apart = hops[np.ix_(home, home)].astype(float) + 2
    np.fill_diagonal(apart, 0.0)
    start = np.arange(len(matrix))
    solution = assign(matrix + matrix.T, apart, "anneal" if home.size > 512 else "both", start, seed, jobs=cores(jobs))
    return solution.place.astype(np.int64)
