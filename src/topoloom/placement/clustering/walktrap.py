"""Walktrap clustering: switches with similar short random walks share a rack."""

from collections.abc import Iterator

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.placement.clustering.packing import pack, rounded_up

#: Most switches: the walk matrix takes 4 bytes per pair of them, here 1.6 GB.
MOST_SWITCHES = 20_000


def walktrap(
    topology: Topology,
    loads: np.ndarray,
    most: np.ndarray,
    racks: int,
    steps: int = 4,
    jobs: int | None = None,
    *,
    work: Work | None = None,
) -> np.ndarray:
    """The rack of every switch, int32[switches], by Walktrap clustering with limits on the size of a cluster.

    Every switch starts as a cluster. Of all linked pairs of clusters that fit a rack together, the pair merges that increases
    the variance of the walks about the clusters' centres the least; when no pair fits, `pack` puts the clusters into as few
    racks as the loads allow.

    Parameters
    ----------
    topology : Topology
        At most 20,000 switches.
    loads : float64[switches, k]
        Demand of each switch for each limited resource; column 0 is 1, its place.
    most : float64[k]
        Capacity of a rack for each; inf for no limit.
    racks : int
        Most racks to use.
    steps : int
        The length t of the walks.
    jobs : int, optional
        Number of threads; one per core when omitted.
    work : Work, optional
        Reports blocks of walks; can stop the clustering.

    Returns
    -------
    int32[switches]
        Racks are numbered in the order of their first switches.

    Raises
    ------
    InputError
        There are too many switches, or they do not fit into this many racks.
    Stopped
        `work` was stopped before the clusters were found.

    Notes
    -----
    The distance of two switches is sqrt(sum_k (P^t_ik - P^t_jk)^2 / d_k) (Koibuchi 2013 IV.C), in which walks may also
    stay where they are: each switch has a loop to itself, as in Pons and Latapy's own program. Koibuchi 2013's formula
    omits the loops; without them the walks of a bipartite graph (hypercube, even torus) distinguish neighbours best of all.

    A walk is reversible, so sum_k P^t_ik P^t_jk / d_k = P^2t_ij / d_j: all distances are in one symmetric matrix, whose
    rows add up when clusters merge. Costs are thus exact for every pair, where Pons and Latapy mix the update of Lance
    and Williams with new distances.

    Koibuchi 2013 states neither how a limit changes the method, nor how the remaining clusters become the available racks
    (errata of Koibuchi 2013, 8): both are choices of topoloom.

    Sources: Koibuchi 2013 IV.C; Pons and Latapy, Computing communities in large networks using random walks, ISCIS 2005.

    Examples
    --------
    >>> two = Topology(links=[(0, 2), (2, 4), (0, 4), (1, 3), (3, 5), (1, 5), (4, 5)], switches=6)
    >>> walktrap(two, np.ones((6, 1)), np.array([3.0]), racks=2).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    done = dendrogram(topology, loads, most, steps, jobs, work=work)
    return pack(topology, clusters_after(done, topology.switches), loads, most, racks)


def dendrogram(
    topology: Topology,
    loads: np.ndarray,
    most: np.ndarray,
    steps: int = 4,
    jobs: int | None = None,
    *,
    work: Work | None = None,
) -> np.ndarray:
    """The merges of clusters in order: int32[merges, 2], a switch of the cluster that stays and one of the cluster that joins.

    The limits of a rack apply to each cluster.

    Memory: 4 n^2 bytes for n switches; time: n (2 m + n) times a walk's steps, for m links. Parameters and errors are
    those of `walktrap`.

    Parameters
    ----------
    topology : Topology
        The network; at most `MOST_SWITCHES` switches.
    loads : float64[switches, resources]
        Demand of each switch: height, power and so on.
    most : float64[resources]
        Capacity of a rack, and so of a cluster, for each.
    steps : int
        Steps of the random walks.
    jobs : int, optional
        Number of threads; one per core by default.
    work : Work, optional
        Reports the walks from blocks of switches; can stop the clustering.

    Returns
    -------
    int32[merges, 2]
        A switch of the cluster that stays, and one of the cluster that joins it.

    Raises
    ------
    InputError
        There are too many switches, or `steps` is below 1.
    Stopped
        `work` was stopped.
    """
    from topoloom.placement.clustering.kernels.walktrap import BLOCK, merges, walk_block

    n = topology.switches
    if n > MOST_SWITCHES:
        raise InputError(
            f"{topology.name}: Walktrap takes at most {MOST_SWITCHES} switches, not {n}; use cluster='metis' or 'sequential'"
        )
    if steps < 1:
        raise InputError(f"steps={steps}: Walktrap needs at least one step per walk")
    offsets, neighbours, _ = topology.csr
    likeness = np.empty((n, n), np.float32)

    def walk(blocks: Iterator[int]) -> None:
        before_step, after_step = np.zeros((n, BLOCK)), np.empty((n, BLOCK))
        for block in blocks:
            first = block * BLOCK
            walk_block(offsets, neighbours, steps, first, min(first + BLOCK, n), before_step, after_step, likeness)

    work = Work() if work is None else work
    work.begin(-(-n // BLOCK), "blocks of walks")
    over_cores(walk, -(-n // BLOCK), jobs, work)
    work.check()
    merged = merges(np.unique(topology.links, axis=0), likeness, loads, rounded_up(most), work.flag)
    work.check()
    return np.asarray(merged)


def clusters_after(done: np.ndarray, switches: int) -> np.ndarray:
    """The cluster of every switch after the merges int32[merges, 2]: int32[switches], the name of one of its switches."""
    cluster = np.arange(switches, dtype=np.int32)
    for stays, joins in done[::-1].tolist():  # the last merge names the cluster
        cluster[joins] = cluster[stays]
    return cluster
