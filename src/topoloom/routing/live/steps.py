"""An order of updates from installed tables to new ones in which no mixture of old and new entries can deadlock.

The entries of a step may take effect in any order, and packets in flight may find old entries at some switches and new ones at
others. A step is verified with all turns that such packets can make: if they, together with the turns to all other
destinations, contain no cycle in any virtual channel, no deadlock is possible (Dally and Seitz, IEEE Transactions on Computers,
1987). No packet loops either, because a loop is a cycle. A step takes as many destinations as this condition allows. If no
destination can change in one step, its switches change in several steps, those next to the destination first. If this fails
too, the destination is cut off temporarily: packets to it are dropped, and dropped packets wait for nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.routing import carriers_of

SET, DROP, REOPEN = "set", "drop", "reopen"


class TableStep(NamedTuple):
    """Entries that change together, in any order.

    Attributes
    ----------
    kind : "set", "drop" or "reopen"
        "set": entries get their new ports; "drop": they get no port; "reopen": `entries` are pairs, whose connections are
        opened again in new virtual channels.
    entries : int64[k, 2]
        Destination and switch of each entry; destination and source of each pair.
    """

    kind: str
    entries: np.ndarray


class TableSteps(NamedTuple):
    """A sequence of steps.

    Attributes
    ----------
    steps : tuple of TableStep
    by_step : bool
        Whether pairs change virtual channels together with their entries, so that a step ends only after their connections were
        opened again. Otherwise this is a separate step, or connections may keep their virtual channels.
    """

    steps: tuple[TableStep, ...]
    by_step: bool


class Mixtures:
    """Tables before and after, and the turns that packets can make in mixtures of them.

    Parameters
    ----------
    topology : Topology
    before, after : uint8 or uint16[n, n]
        Entries; the highest value of the type means none.
    vcs_before, vcs_after : uint8[n, n]
    work : Work
    """

    def __init__(
        self,
        topology: Topology,
        before: np.ndarray,
        after: np.ndarray,
        vcs_before: np.ndarray,
        vcs_after: np.ndarray,
        work: Work,
    ) -> None:
        self.channels, self.carries = channels_of(topology), carriers_of(topology)
        self.before, self.after = before, after
        self._virtual_channels = vcs_before, vcs_after
        self.none = int(np.iinfo(before.dtype).max)
        self._work = work
        #: The virtual channels of pairs whose destination is not changed yet, is being changed, and is changed.
        self.old, self.both, self.new = (vcs_before,) * 2, self._virtual_channels, (vcs_after,) * 2

    def vcs_beforehand(self) -> TableStep | None:
        """Decide the virtual channels of pairs during the update; return a first step that opens connections again, if needed.

        If the new tables are deadlock-free with old and new virtual channels, pairs may use either. Otherwise, if the tables
        before are, connections are opened again before any entry changes. Virtual channels change only for paths that a loss
        has cut, and these have no open connections anyway.
        """
        from topoloom.routing.trees.kernels.vc_trees import ORPHAN

        if self.deadlock_free(self.turns(self.all, self.after, self.after, self.both)):
            self.old = self.new = self.both
            return None
        if self.deadlock_free(self.turns(self.all, self.before, self.before, self.both)):
            old, new = self.both
            self.old = self.both = self.new
            return TableStep(REOPEN, np.argwhere((old != new) & (old != ORPHAN) & self.carries[:, None] & self.carries))
        return None

    @property
    def vcs_by_step(self) -> bool:
        """Whether a pair's virtual channel changes with the entries that lead to its destination."""
        return self.both is not self.new

    @property
    def all(self) -> np.ndarray:
        """Every destination."""
        return np.arange(self.carries.size)

    def turns(
        self,
        destinations: Sequence[int] | np.ndarray,
        table: np.ndarray,
        other_table: np.ndarray,
        virtual_channels: tuple[np.ndarray, np.ndarray],
    ) -> np.ndarray:
        """The turns that packets to `destinations` can make with entries of either table, uint16[turns].

        Parameters
        ----------
        destinations : int[k]
        table, other_table : uint8 or uint16[n, n]
        virtual_channels : pair of uint8[n, n]
            Pairs use the virtual channel of the first or of the second array.

        Returns
        -------
        uint16[turns]
            One bit per virtual channel.
        """
        from topoloom.routing.live.kernels.mixtures import mixed_turns

        channels = self.channels
        possible = np.zeros(channels.turn_first[-1], np.uint16)
        where = channels.first, channels.to, channels.back, channels.turn_first
        wanted = np.asarray(destinations, np.int64)
        mixed_turns(
            *where, table, other_table, self.none, *virtual_channels, self.carries, wanted, possible, self._work.flag
        )
        self._work.check()
        return possible

    def deadlock_free(self, turns: np.ndarray) -> bool:
        """Whether turns close no cycle in any virtual channel."""
        from topoloom.routing.live.kernels.mixtures import vc_with_cycle

        channels = self.channels
        virtual_channels = int(np.bitwise_or.reduce(turns, initial=0)).bit_length()
        where = channels.first, channels.to, channels.back, channels.turn_first
        return int(vc_with_cycle(*where, turns, virtual_channels)) < 0


def order_of_updates(mixtures: Mixtures) -> TableSteps:
    """Return the steps from the tables before to those after.

    Parameters
    ----------
    mixtures : Mixtures
        Both tables must be deadlock-free.

    Raises
    ------
    Stopped
        The work was stopped.
    """
    first = mixtures.vcs_beforehand()
    differ = mixtures.before != mixtures.after
    changed = np.flatnonzero(differ.any(axis=1))
    idle = changed[~mixtures.carries[changed]]
    pending = [int(d) for d in changed[mixtures.carries[changed]]]
    pending.sort(key=lambda d: int(differ[d].sum()))
    still = np.setdiff1d(mixtures.all, changed)
    fixed = mixtures.turns(still, mixtures.before, mixtures.before, mixtures.both)
    now = mixtures.before.copy()
    steps = [] if first is None else [first]
    dropped: list[int] = []
    if idle.size:  # no data goes there
        now[idle] = mixtures.after[idle]
    while pending:
        # Try whole destinations; then, for each, its nearest switch that changes; otherwise drop packets to one destination.
        for goal in (mixtures.after, _nearest(mixtures, pending, now)):
            chosen = _together(mixtures, pending, now, goal, fixed)
            if chosen:
                steps.append(TableStep(SET, _entries(now != goal, chosen)))
                now[chosen] = goal[chosen]
                break
        else:
            chosen = pending[:1]
            entries = _entries(now != mixtures.after, chosen)
            steps.append(TableStep(DROP, entries))
            now[entries[:, 0], entries[:, 1]] = mixtures.none
            fixed |= mixtures.turns(chosen, now, now, mixtures.both)
            dropped += chosen
        done = [d for d in chosen if d not in dropped and (now[d] == mixtures.after[d]).all()]
        if done:
            fixed |= mixtures.turns(done, now, now, mixtures.new)
        pending = [d for d in pending if d not in {*done, *dropped}]
    if dropped:
        steps.append(TableStep(SET, _entries(now != mixtures.after, dropped)))
    if idle.size:
        steps = _with(steps, _entries(differ, idle))
    return TableSteps(tuple(steps), mixtures.vcs_by_step)


def _with(steps: list[TableStep], entries: np.ndarray) -> list[TableStep]:
    """Add entries to the first step that sets any."""
    at = next((number for number, step in enumerate(steps) if step.kind == SET), None)
    if at is None:
        return [*steps, TableStep(SET, entries)]
    return [*steps[:at], TableStep(SET, np.concatenate([entries, steps[at].entries])), *steps[at + 1 :]]


def _entries(differ: np.ndarray, destinations: Sequence[int] | np.ndarray) -> np.ndarray:
    """Destination and switch of the entries that differ, int64[k, 2]."""
    chosen = np.asarray(sorted(destinations), np.int64)
    rows, switches = np.nonzero(differ[chosen])
    return np.stack([chosen[rows], switches], axis=1)


def _together(
    mixtures: Mixtures, pending: list[int], now: np.ndarray, goal: np.ndarray, fixed: np.ndarray
) -> list[int]:
    """The pending destinations that can change to `goal` together in one step (greedy)."""
    start = fixed | mixtures.turns(pending, now, now, mixtures.old)
    chosen: list[int] = []
    at, many = 0, len(pending)
    while at < len(pending):
        some = pending[at : at + many]
        more = start | mixtures.turns(some, now, goal, mixtures.both)
        if mixtures.deadlock_free(more):
            start = more
            chosen += some
            at += len(some)
            many *= 2
        elif len(some) == 1:
            at += 1
        else:
            many = max(1, len(some) // 2)
    return chosen


def _nearest(mixtures: Mixtures, pending: list[int], now: np.ndarray) -> np.ndarray:
    """The tables with one more new entry per pending destination: at the changed switch that is nearest to it in the new
    tables.
    """
    first, to = mixtures.channels.first, mixtures.channels.to
    goal = now.copy()
    for d in pending:
        least, nearest = -1, -1
        for switch in np.flatnonzero(now[d] != mixtures.after[d]).tolist():
            at, hops = switch, 0
            while at != d and mixtures.after[d, at] != mixtures.none:
                at = int(to[first[at] + int(mixtures.after[d, at])])
                hops += 1
            if least < 0 or hops < least:
                least, nearest = hops, switch
        goal[d, nearest] = mixtures.after[d, nearest]
    return goal
