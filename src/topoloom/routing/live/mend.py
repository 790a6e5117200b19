"""Tables with holes, mended: as few other entries as can be, and pairs in the lanes that they have where these stay acyclic."""

from typing import NamedTuple

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.lanes.by_pair import MOST_LANES, place_pairs
from topoloom.routing.route import route
from topoloom.routing.routing import carriers_of


class Mended(NamedTuple):
    """Tables without holes.

    Attributes
    ----------
    ports, lanes : uint8 or uint16[n, n], uint8[n, n]
        As in `Routing`.
    anew : bool
        Whether lanes were too few to mend, so that all tables are new.
    """

    ports: np.ndarray
    lanes: np.ndarray
    anew: bool


def mend(
    topology: Topology,
    before: np.ndarray,
    lanes_before: np.ndarray,
    *,
    lanes: int | None = None,
    safe: bool = True,
    jobs: int | None = None,
    work: Work,
) -> Mended:
    """Tables that lead everywhere from tables that have holes.

    Parameters
    ----------
    topology : Topology
        What is there now.
    before : uint8 or uint16[n, n]
        The entries that are in force and lead over cables that are there; the highest value of the type elsewhere.
    lanes_before : uint8[n, n]
        Lanes in force; ORPHAN (`trees.kernels.lane_trees`) for pairs that have none yet.
    lanes : int, optional
        At most so many; 15 when left out.
    safe : bool
        Whether `before` is free of deadlock, and what comes back has to be.
    jobs : int, optional
        Threads.
    work : Work

    Raises
    ------
    InputError
        What is there falls apart.
    Stopped
        `work` was stopped.
    """
    from topoloom.routing.live.kernels.mixtures import loads_of
    from topoloom.routing.trees.kernels.lane_trees import ORPHAN
    from topoloom.routing.trees.kernels.mend import mend_trees

    n, none = topology.switches, int(np.iinfo(before.dtype).max)
    channels, carries = channels_of(topology), carriers_of(topology)
    ports, moved = before.copy(), np.zeros((n, n), np.bool_)
    load = loads_of(channels.first, channels.to, ports, none, carries)
    where = channels.first, channels.to, channels.back
    changed = mend_trees(*where, ports, none, np.ones(n, np.bool_), load, moved, work.flag)
    work.check()
    if changed < 0:
        raise InputError(f"{topology.name}: nothing leads to switch {-1 - changed}; it is in parts that no cable joins")
    if not safe:
        kept = lanes_before.copy()
        kept[kept == ORPHAN] = 0
        return Mended(ports, kept, False)
    most = min(lanes or MOST_LANES, MOST_LANES)
    # Where the old turns stay allowed beside the new, old and new entries can be mixed later; else as it can be had.
    for beside in (True, False):
        lane = lanes_before.copy()
        if _placed(topology, before, ports, lane, moved, most, beside, work):
            return Mended(ports, lane, False)
    made = route(topology, "orders", lanes=most, jobs=jobs, work=work)
    return Mended(made.ports.copy(), np.zeros((n, n), np.uint8) if made.lanes is None else made.lanes.copy(), True)


def _placed(
    topology: Topology,
    before: np.ndarray,
    ports: np.ndarray,
    lane: np.ndarray,
    moved: np.ndarray,
    most: int,
    beside: bool,
    work: Work,
) -> bool:
    """Give every pair whose path has moved a lane, its own if that can be; whether all have one. `lane` is written."""
    from topoloom.routing.live.kernels.mixtures import keep_lanes, mixed_turns
    from topoloom.routing.trees.kernels.lane_trees import ORPHAN
    from topoloom.routing.trees.kernels.mend import ordered

    channels, carries = channels_of(topology), carriers_of(topology)
    none = int(np.iinfo(ports.dtype).max)
    where = channels.first, channels.to, channels.back, channels.turn_first
    # Pairs that no data takes need no lane, and new ones have none that they could keep.
    lane[~carries] = 0
    lane[:, ~carries] = 0
    np.fill_diagonal(lane, 0)
    moved = moved | (lane == ORPHAN)
    turns = np.zeros(channels.turn_first[-1], np.uint16)
    every = np.arange(topology.switches)
    old = lane.copy()
    if not beside:
        old[moved] = ORPHAN
    tables = before if beside else ports
    mixed_turns(*where, tables, tables, none, old, old, carries, every, turns, work.flag)
    work.check()
    place = np.stack([ordered(*where, turns, 1 << number) for number in range(most)])
    orphans = keep_lanes(*where, ports, moved, carries, lane, turns, place, work.flag)
    work.check()
    if not orphans:
        return True
    order = Draws(1, 9).permutation(topology.switches)
    return place_pairs(topology, ports, lane, order, most, turns=turns, place=place, work=work)
