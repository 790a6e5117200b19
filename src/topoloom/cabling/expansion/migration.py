"""Growing a network into any other of at least the same size: switches are matched, and cables moved rack by rack."""

import numpy as np

from topoloom.cabling.expansion.growing_floor import GrowingFloor
from topoloom.cabling.expansion.matching import matched
from topoloom.cabling.expansion.stages import Growth, Stage, difference, renumbered, stages_between
from topoloom.core.work import Work
from topoloom.model.topology import Topology


def into_network(
    before: Topology,
    goal: Topology,
    growing_floor: GrowingFloor,
    ports: int | None,
    seed: int,
    jobs: int | None,
    work: Work,
    matchings: dict[tuple[str, str], np.ndarray] | None = None,
) -> Growth:
    """First the new switches, as many at a time as fit a rack, then all other changes, rack by rack.

    Parameters
    ----------
    before, goal : Topology
        The existing network, and the target with its own numbers.
    growing_floor : GrowingFloor
        The places of the switches, and the free space.
    ports : int or None
        Ports of every switch; None: as many as needed.
    seed : int
        Seed of the matching of both networks.
    jobs : int or None
        Threads; None: all cores.
    work : Work
        May stop the matching.
    matchings : dict of (str, str) to int64[n], optional
        The matchings of other planes, by the digests of both networks: equal planes are matched once. Updated.

    Returns
    -------
    Growth
        The stages; in the last, each existing switch has its number.

    Raises
    ------
    InputError
        `goal` has fewer switches, or fewer hosts on some switch.
    Stopped
        `work` was stopped.
    """
    matchings = {} if matchings is None else matchings
    key = before.digest, goal.digest
    if key not in matchings:
        matchings[key] = matched(before, goal, seed, jobs, work)
    matching = matchings[key]
    standing = matching.copy()
    fresh = _outwards(goal, np.flatnonzero(matching >= 0))
    standing[fresh] = np.arange(before.switches, goal.switches)
    after = renumbered(goal, standing, before)
    part = np.full(goal.switches, -1)
    titles: list[str] = []
    if fresh.size:
        for piece in growing_floor.pieces(growing_floor.demands(after)[before.switches :]):
            new = before.switches + piece
            part[new] = len(titles)
            titles.append(f"new switch {new[0]}" if new.size == 1 else f"new switches {new[0]} to {new[-1]}")
    # Racks without further changes have no step.
    racks, rack = np.unique(growing_floor.slot, return_inverse=True)
    busy = _still_changing(before, after, rack.ravel())
    number = np.full(racks.size, -1)
    number[busy] = len(titles) + np.arange(busy.size)
    part[: before.switches] = number[rack.ravel()]
    titles += [f"rack {growing_floor.slots.names[slot]}" for slot in racks[busy].tolist()]
    idle = "new hosts on idle ports" if after.hosts > before.hosts else "nothing changes"
    stages = stages_between(before, after, part, titles or [idle], ports)
    networks = [before, *(stage.topology for stage in stages)]
    changing = [stage for stage, was in zip(stages, networks, strict=False) if not _alike(was, stage.topology)]
    if not changing:
        changing = stages[-1:]
    changing[-1] = Stage(changing[-1].title, stages[-1].topology)
    return Growth(tuple(changing), np.argsort(standing), goal)


def _alike(first: Topology, second: Topology) -> bool:
    """Whether links and hosts are the same."""
    return (
        first.switches == second.switches
        and np.array_equal(first.links, second.links)
        and np.array_equal(first.endpoints, second.endpoints)
    )


def _outwards(goal: Topology, standing: np.ndarray) -> np.ndarray:
    """The switches of `goal` that do not exist yet, each after one to which it is linked, where possible."""
    from topoloom.graph.kernels.breadth_first import distances_from_set

    distance, queue = np.empty(goal.switches, np.int32), np.empty(goal.switches, np.int32)
    distances_from_set(*goal.csr[:2], standing, distance, queue)
    fresh = np.setdiff1d(np.arange(goal.switches), standing)
    return fresh[np.argsort(np.where(distance[fresh] < 0, goal.switches, distance[fresh]), kind="stable")]


def _still_changing(before: Topology, after: Topology, rack: np.ndarray) -> np.ndarray:
    """The racks with the later end of a link between existing switches that comes or goes."""
    removed, added, _ = difference(before, after)
    links = np.concatenate([removed, added])
    links = links[(links < before.switches).all(axis=1)]
    return np.unique(rack[links].max(axis=1)) if len(links) else np.empty(0, np.int64)
