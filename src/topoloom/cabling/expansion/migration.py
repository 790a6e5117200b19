"""From a network into any other that is as large: its switches matched, its cables moved rack by rack."""

import numpy as np

from topoloom.cabling.expansion.growing_floor import GrowingFloor
from topoloom.cabling.expansion.matching import matched
from topoloom.cabling.expansion.stages import Growth, Stage, difference, renumbered, stages_between
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.placement.layout.racks import switch_demands


def into_network(
    before: Topology,
    goal: Topology,
    growing_floor: GrowingFloor,
    ports: int | None,
    seed: int,
    jobs: int | None,
    work: Work,
) -> Growth:
    """First the new switches, a rack's worth at a time, then what else changes, rack by rack.

    Parameters
    ----------
    before, goal : Topology
        The network that stands, and the one that it becomes, with numbers of its own.
    growing_floor : GrowingFloor
        Where the switches stand, and where there is room.
    ports : int or None
        Ports of every switch; None: as many as are needed.
    seed : int
        Of the matching of both networks.
    jobs : int or None
        Threads; None: all cores.
    work : Work
        Its stop ends the matching.

    Returns
    -------
    Growth
        The stages; in the last, each switch that stood has its number.

    Raises
    ------
    InputError
        `goal` has fewer switches, or fewer hosts on some switch.
    Stopped
        `work` was stopped.
    """
    found = matched(before, goal, seed, jobs, work)
    standing = found.copy()
    fresh = _outwards(goal, np.flatnonzero(found >= 0))
    standing[fresh] = np.arange(before.switches, goal.switches)
    after = renumbered(goal, standing, before)
    part = np.full(goal.switches, -1)
    titles: list[str] = []
    if fresh.size:
        for piece in growing_floor.pieces(switch_demands(after)[before.switches :]):
            new = before.switches + piece
            part[new] = len(titles)
            titles.append(f"new switch {new[0]}" if new.size == 1 else f"new switches {new[0]} to {new[-1]}")
    # Racks where nothing more changes have no step of their own.
    racks, rack = np.unique(growing_floor.slot, return_inverse=True)
    busy = _still_changing(before, after, rack.ravel())
    number = np.full(racks.size, -1)
    number[busy] = len(titles) + np.arange(busy.size)
    part[: before.switches] = number[rack.ravel()]
    titles += [f"rack {growing_floor.slots.names[slot]}" for slot in racks[busy].tolist()]
    stages = stages_between(before, after, part, titles or ["nothing changes"], ports)
    networks = [before, *(stage.topology for stage in stages)]
    changing = [stage for stage, was in zip(stages, networks, strict=False) if not _alike(was, stage.topology)]
    if not changing:
        changing = stages[-1:]
    changing[-1] = Stage(changing[-1].title, stages[-1].topology)
    return Growth(tuple(changing), np.argsort(standing), goal)


def _alike(one: Topology, two: Topology) -> bool:
    """Whether links and hosts are the same."""
    return (
        one.switches == two.switches
        and np.array_equal(one.links, two.links)
        and np.array_equal(one.endpoints, two.endpoints)
    )


def _outwards(goal: Topology, standing: np.ndarray) -> np.ndarray:
    """The switches of `goal` that do not stand yet, each after one that it is linked to, as far as there is one."""
    from topoloom.graph.kernels.breadth_first import distances_from_set

    far, queue = np.empty(goal.switches, np.int32), np.empty(goal.switches, np.int32)
    distances_from_set(*goal.csr[:2], standing, far, queue)
    fresh = np.setdiff1d(np.arange(goal.switches), standing)
    return fresh[np.argsort(np.where(far[fresh] < 0, goal.switches, far[fresh]), kind="stable")]


def _still_changing(before: Topology, after: Topology, rack: np.ndarray) -> np.ndarray:
    """The racks that have the later end of a link between switches that stand, and which comes or goes."""
    removed, added, _ = difference(before, after)
    links = np.concatenate([removed, added])
    links = links[(links < before.switches).all(axis=1)]
    return np.unique(rack[links].max(axis=1)) if len(links) else np.empty(0, np.int64)
