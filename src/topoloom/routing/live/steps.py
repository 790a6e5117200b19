"""An order in which installed tables become others, so that no mixture of old and new entries on the way can deadlock.

The entries of a step may come into force in any order, and packets that are running may meet old entries at some switches and
new ones at others. A step is proved by all turns that such packets can make: without a cycle among them, in any virtual
channel, together with those of all other destinations, nothing can wait for itself (Dally and Seitz, IEEE Transactions on
Computers, 1987), and no packet goes round in a loop, which would be a cycle, too. Destinations are taken together while that
holds; where none can be changed at once, its switches are in several steps, those next to the destination first; if that fails,
too, the destination is cut off for a while: packets to it are dropped, which waits for nothing.
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
        They get their new ports; or none; or they are no entries but pairs, whose connections are opened again in new virtual
        channels.
    entries : int64[k, 2]
        Destination and switch of each; of pairs destination and source.
    """

    kind: str
    entries: np.ndarray


class TableSteps(NamedTuple):
    """An order of steps.

    Attributes
    ----------
    steps : tuple of TableStep
    by_step : bool
        Whether pairs change virtual channels with the entries that lead to them, so that each step is over only when their
        connections were opened again. Else that is a step of its own, or connections may keep their virtual channels.
    """

    steps: tuple[TableStep, ...]
    by_step: bool


class Mixtures:
    """Tables before and after, and what their mixtures let packets do.

    Parameters
    ----------
    topology : Topology
    before, after : uint8 or uint16[n, n]
        Entries; the highest value of the type where there is none.
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
        #: The virtual channels of pairs whose destination is still as before, is being changed, and is as after.
        self.old, self.both, self.new = (vcs_before,) * 2, self._virtual_channels, (vcs_after,) * 2

    def vcs_beforehand(self) -> TableStep | None:
        """Settle which virtual channels pairs have on the way; a step that gives all of them the new ones first, where that is
        needed.

        They keep either virtual channel if the new tables bear both. Else, if the tables before bear both, connections are
        opened again before any entry changes: paths that a loss has cut, which is where virtual channels change, have none that
        are open anyway.
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
        one: np.ndarray,
        other: np.ndarray,
        virtual_channels: tuple[np.ndarray, np.ndarray],
    ) -> np.ndarray:
        """The turns that packets to some destinations can make, by entries of one or the other table, uint16[turns].

        Parameters
        ----------
        destinations : int[k]
        one, other : uint8 or uint16[n, n]
        virtual_channels : pair of uint8[n, n]
            Pairs have the virtual channel of the first or of the second.

        Returns
        -------
        uint16[turns]
            A bit a virtual channel.
        """
        from topoloom.routing.live.kernels.mixtures import mixed_turns

        channels = self.channels
        found = np.zeros(channels.turn_first[-1], np.uint16)
        where = channels.first, channels.to, channels.back, channels.turn_first
        wanted = np.asarray(destinations, np.int64)
        mixed_turns(*where, one, other, self.none, *virtual_channels, self.carries, wanted, found, self._work.flag)
        self._work.check()
        return found

    def deadlock_free(self, turns: np.ndarray) -> bool:
        """Whether turns close no cycle in any virtual channel."""
        from topoloom.routing.live.kernels.mixtures import vc_with_cycle

        channels = self.channels
        virtual_channels = int(np.bitwise_or.reduce(turns, initial=0)).bit_length()
        where = channels.first, channels.to, channels.back, channels.turn_first
        return int(vc_with_cycle(*where, turns, virtual_channels)) < 0


def order_of_updates(mixtures: Mixtures) -> TableSteps:
    """The steps from the tables before to those after.

    Parameters
    ----------
    mixtures : Mixtures
        Both tables without a deadlock.

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
        # Whole destinations, else of each the switch next to it that changes, else packets to one are lost for a while.
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
    """The steps, with more entries in the first that sets any."""
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
    """As many of the pending destinations as can come to a goal in one step."""
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
    """The tables with one more entry for each pending destination: that of the switch which is nearest to it afterwards."""
    first, to = mixtures.channels.first, mixtures.channels.to
    found = now.copy()
    for d in pending:
        least, nearest = -1, -1
        for switch in np.flatnonzero(now[d] != mixtures.after[d]).tolist():
            at, hops = switch, 0
            while at != d and mixtures.after[d, at] != mixtures.none:
                at = int(to[first[at] + int(mixtures.after[d, at])])
                hops += 1
            if least < 0 or hops < least:
                least, nearest = hops, switch
        found[d, nearest] = mixtures.after[d, nearest]
    return found
