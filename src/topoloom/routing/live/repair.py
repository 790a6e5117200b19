"""Repair of tables with holes: few other entries change, and pairs keep their virtual channels where these stay acyclic."""

from typing import NamedTuple

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.route import route
from topoloom.routing.routing import carriers_of
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS, place_pairs


class Repaired(NamedTuple):
    """Tables without holes.

    Attributes
    ----------
    ports, virtual_channels : uint8 or uint16[n, n], uint8[n, n]
        As in `Routing`.
    rebuilt : bool
        Whether all tables are new because there were too few virtual channels for a repair.
    """

    ports: np.ndarray
    virtual_channels: np.ndarray
    rebuilt: bool


def repair(
    topology: Topology,
    before: np.ndarray,
    vcs_before: np.ndarray,
    *,
    virtual_channels: int | None = None,
    safe: bool = True,
    jobs: int | None = None,
    work: Work,
) -> Repaired:
    """Fill the holes of tables, so that every switch reaches every destination.

    Parameters
    ----------
    topology : Topology
        The network as it is now.
    before : uint8 or uint16[n, n]
        The installed entries that use existing cables; the highest value of the type elsewhere.
    vcs_before : uint8[n, n]
        Installed virtual channels; ORPHAN (`trees.kernels.vc_trees`) for pairs without one.
    virtual_channels : int, optional
        Most virtual channels; 15 when omitted.
    safe : bool
        Whether `before` is deadlock-free, so that the result must be too.
    jobs : int, optional
        Threads.
    work : Work

    Raises
    ------
    InputError
        The network is not connected.
    Stopped
        `work` was stopped.
    """
    from topoloom.routing.live.kernels.mixtures import loads_of
    from topoloom.routing.trees.kernels.repair import repair_trees
    from topoloom.routing.trees.kernels.vc_trees import ORPHAN

    n, none = topology.switches, int(np.iinfo(before.dtype).max)
    channels, carries = channels_of(topology), carriers_of(topology)
    ports, moved = before.copy(), np.zeros((n, n), np.bool_)
    load = loads_of(channels.first, channels.to, ports, none, carries)
    where = channels.first, channels.to, channels.back
    changed = repair_trees(*where, ports, none, np.ones(n, np.bool_), load, moved, work.flag)
    work.check()
    if changed < 0:
        raise InputError(f"{topology.name}: no path leads to switch {-1 - changed}: the network is not connected")
    if not safe:
        vcs = vcs_before.copy()
        vcs[vcs == ORPHAN] = 0
        return Repaired(ports, vcs, False)
    most = min(virtual_channels or MOST_VIRTUAL_CHANNELS, MOST_VIRTUAL_CHANNELS)
    # First keep the old turns too, so that old and new entries can be mixed later; if that fails, place pairs without them.
    for keep_old in (True, False):
        vc = vcs_before.copy()
        if _placed(topology, before, ports, vc, moved, most, keep_old, work):
            return Repaired(ports, vc, False)
    made = route(topology, "orders", virtual_channels=most, jobs=jobs, work=work)
    return Repaired(
        made.ports.copy(),
        np.zeros((n, n), np.uint8) if made.virtual_channels is None else made.virtual_channels.copy(),
        True,
    )


def _placed(
    topology: Topology,
    before: np.ndarray,
    ports: np.ndarray,
    vc: np.ndarray,
    moved: np.ndarray,
    most: int,
    keep_old: bool,
    work: Work,
) -> bool:
    """Write to `vc` a virtual channel for every pair with a changed path, its own if possible; return whether all have one."""
    from topoloom.routing.live.kernels.mixtures import keep_vcs, mixed_turns
    from topoloom.routing.trees.kernels.repair import ordered
    from topoloom.routing.trees.kernels.vc_trees import ORPHAN

    channels, carries = channels_of(topology), carriers_of(topology)
    none = int(np.iinfo(ports.dtype).max)
    where = channels.first, channels.to, channels.back, channels.turn_first
    # Pairs without data need no virtual channel, and new pairs have none to keep.
    vc[~carries] = 0
    vc[:, ~carries] = 0
    np.fill_diagonal(vc, 0)
    moved = moved | (vc == ORPHAN)
    turns = np.zeros(channels.turn_first[-1], np.uint16)
    every = np.arange(topology.switches)
    old = vc.copy()
    if not keep_old:
        old[moved] = ORPHAN
    tables = before if keep_old else ports
    mixed_turns(*where, tables, tables, none, old, old, carries, every, turns, work.flag)
    work.check()
    place = np.stack([ordered(*where, turns, 1 << number) for number in range(most)])
    orphans = keep_vcs(*where, ports, moved, carries, vc, turns, place, work.flag)
    work.check()
    if not orphans:
        return True
    order = Draws(1, 9).permutation(topology.switches)
    return place_pairs(topology, ports, vc, order, most, turns=turns, place=place, work=work)
