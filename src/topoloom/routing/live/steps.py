"""An order of updates from installed tables to new ones in which no mixture of old and new entries can deadlock.

The entries of a step may take effect in any order, and packets in flight may find old entries at some switches and new ones at
others. A step is verified with all turns that such packets can make: if they, together with the turns to all other
destinations, contain no cycle in any virtual channel, no deadlock is possible (Dally and Seitz, IEEE Transactions on Computers,
1987). No packet loops either, because a loop is a cycle. A step takes as many destinations as this condition allows, and only
such whose packets cannot be lost in a mixture: none that arrives before and after meets a switch without an entry. Destinations
that cannot change in one step take several: first the entries that no packet meets now, then those of the switches with the
shortest new paths, and so on. If that is not possible, entries that only broken paths use are removed first: then packets meet
new entries or none, and dropped packets wait for nothing. Otherwise one switch after the other changes. If this fails too, the
destination is cut off temporarily.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from topoloom.core.work import Work
from topoloom.routing.live.destinations import Destinations

SET, CLEAR, DROP, REOPEN = "set", "clear", "drop", "reopen"


class TableStep(NamedTuple):
    """Entries that change together, in any order.

    Attributes
    ----------
    kind : "set", "clear", "drop" or "reopen"
        "set": entries get their new ports; "clear": entries that only broken paths use get no port; "drop": entries get no port
        for a while; "reopen": `entries` are pairs, whose connections are opened again in new virtual channels.
    entries : int64[k, 2]
        Row and switch of each entry; row and group of senders of each pair.
    rows : tuple of int
        The rows to which connections use their new virtual channels after this step, if these change by step.
    """

    kind: str
    entries: np.ndarray
    rows: tuple[int, ...] = ()


class TableSteps(NamedTuple):
    """A sequence of steps.

    Attributes
    ----------
    steps : tuple of TableStep
    by_step : bool
        Whether pairs change virtual channels together with their entries, so that a step ends only after their connections were
        opened again. Otherwise this is a separate step, or connections may keep their virtual channels.
    tables : uint8 or uint16[R, n]
        The entries in the end.
    left : tuple of int
        The rows that no step changes completely: there are some only where nothing may be dropped.
    verified : bool
        Whether every mixture is deadlock-free; not where virtual channels still close a cycle after entries were dropped.
    """

    steps: tuple[TableStep, ...]
    by_step: bool
    tables: np.ndarray
    left: tuple[int, ...] = ()
    verified: bool = True


class Mixtures:
    """Tables before and after, and the turns that packets can make in mixtures of them.

    Parameters
    ----------
    destinations : Destinations
    before, after : uint8 or uint16[R, n]
        Entries; the highest value of the type means none.
    vcs_before, vcs_after : uint8[R, G]
    work : Work
    delivered : bool[R, 2], optional
        Whether the switch of a row hands packets to the right port before and after; all do when omitted.
    """

    def __init__(
        self,
        destinations: Destinations,
        before: np.ndarray,
        after: np.ndarray,
        vcs_before: np.ndarray,
        vcs_after: np.ndarray,
        work: Work,
        delivered: np.ndarray | None = None,
    ) -> None:
        self.destinations = destinations
        self.before, self.after = before, after
        self._virtual_channels = vcs_before, vcs_after
        self.none = int(np.iinfo(before.dtype).max)
        self._work = work
        right = np.ones((len(before), 2), np.bool_) if delivered is None else delivered
        self._delivered = np.stack([right[:, 0], right[:, 0] & right[:, 1], right[:, 1]], axis=1)
        #: The virtual channels of pairs whose destination is not changed yet, is being changed, and is changed.
        self.old, self.both, self.new = (vcs_before,) * 2, self._virtual_channels, (vcs_after,) * 2

    def vcs_beforehand(self) -> tuple[list[TableStep], np.ndarray, list[TableStep]]:
        """Decide the virtual channels of pairs during the update; return the steps before any entry is set, the tables then,
        and the steps after all.

        If the tables before and after are deadlock-free with old and new virtual channels, pairs may use either. Otherwise, if
        those before are, perhaps without the entries that only broken paths use, connections are opened again before any entry
        changes; if those after are, when all have changed. Otherwise they are opened again row by row. Pairs that had no
        virtual channel use the new one from the start.
        """
        from topoloom.routing.trees.kernels.vc_trees import ORPHAN

        data, now = self.destinations.data, self.before.copy()

        def safe(tables: np.ndarray, virtual_channels: tuple[np.ndarray, np.ndarray]) -> bool:
            return self.deadlock_free(self.turns(data, tables, tables, virtual_channels))

        finally_safe = safe(self.after, self.both)
        if finally_safe and safe(now, self.both):
            self.old = self.new = self.both
            return [], now, []
        old, new = self.both
        carries = (self.destinations.weight > 0)[:, None]
        reopen = TableStep(REOPEN, np.argwhere((old != new) & (old != ORPHAN) & carries))
        cleared = _cleared(self, data.tolist(), now)
        for tables in (now, cleared):
            if safe(tables, self.both):
                self.old = self.both = self.new
                clear = TableStep(CLEAR, np.argwhere(tables != now))
                return [*([clear] if len(clear.entries) else []), reopen], tables, []
        from_start = np.where(old == ORPHAN, new, old)
        if finally_safe and safe(now, (from_start, from_start)):
            self.old = self.both = self.new = from_start, from_start
            return [], now, [reopen]
        self.old, self.both = (from_start, from_start), (from_start, new)
        return [], now, []

    @property
    def reopened(self) -> np.ndarray:
        """The rows whose virtual channels change with their entries, bool[R]."""
        if self.both is self.new or self.old is self.both:
            return np.zeros(len(self.before), np.bool_)
        return np.asarray((self.both[0] != self.both[1]).any(axis=1) & (self.destinations.weight > 0))

    @property
    def vcs_by_step(self) -> bool:
        """Whether a pair's virtual channel changes with the entries that lead to its destination."""
        return self.both is not self.new

    def turns(
        self,
        rows: Sequence[int] | np.ndarray,
        table: np.ndarray,
        other_table: np.ndarray,
        virtual_channels: tuple[np.ndarray, np.ndarray],
    ) -> np.ndarray:
        """The turns that packets to some rows can make with entries of either table, uint16[turns].

        Parameters
        ----------
        rows : int[k]
        table, other_table : uint8 or uint16[R, n]
            Entries, as `before`; a switch may have that of either table.
        virtual_channels : pair of uint8[R, G]
            Pairs use the virtual channel of the first or of the second array.

        Returns
        -------
        uint16[turns]
            One bit per virtual channel.
        """
        from topoloom.routing.live.kernels.mixtures import mixed_turns

        possible = np.zeros(self.destinations.channels.turn_first[-1], np.uint16)
        where, source = self.destinations.turns_at, self.destinations.source
        wanted = np.asarray(rows, np.int64)
        mixed_turns(*where, table, other_table, self.none, *virtual_channels, source, wanted, possible, self._work.flag)
        self._work.check()
        return possible

    def deadlock_free(self, turns: np.ndarray) -> bool:
        """Whether turns close no cycle in any virtual channel."""
        from topoloom.routing.live.kernels.mixtures import vc_with_cycle

        virtual_channels = int(np.bitwise_or.reduce(turns, initial=0)).bit_length()
        return int(vc_with_cycle(*self.destinations.turns_at, turns, virtual_channels)) < 0

    def lose_nothing(self, rows: list[int], now: np.ndarray, goal: np.ndarray) -> list[int]:
        """The rows whose packets arrive in every mixture of `now` and `goal`, if they arrive with `now` and in the end.

        Parameters
        ----------
        rows : list of int
        now, goal : uint8 or uint16[R, n]

        Returns
        -------
        list of int
        """
        from topoloom.routing.live.kernels.mixtures import rows_that_lose

        some, lost = np.asarray(rows, np.int64), np.zeros(len(rows), np.bool_)
        channels, sends = self.destinations.channels, self.destinations.hosts > 0
        where = channels.first, channels.to
        homes = self.destinations.home
        rows_that_lose(*where, now, goal, self.after, self.none, homes, self._delivered, sends, some, lost)
        return [int(d) for d in some[~lost]]

    @cached_property
    def hops(self) -> np.ndarray:
        """The hops from every switch to each row after the update, int32[R, n]; the number of switches where none arrives."""
        from topoloom.routing.trees.kernels.rows import lengths_of_rows

        channels, hops = self.destinations.channels, np.empty(self.after.shape, np.int32)
        lengths_of_rows(channels.first, channels.to, self.after, self.none, self.destinations.home, hops)
        hops[hops < 0] = self.after.shape[1]
        return hops

    def visited(self, rows: np.ndarray, tables: np.ndarray, *, arriving: bool = False) -> np.ndarray:
        """The switches that data passes to some rows.

        Parameters
        ----------
        rows : int64[k]
        tables : uint8 or uint16[k, n]
            The entries of these rows.
        arriving : bool
            Whether only data counts that arrives.

        Returns
        -------
        bool[k, n]
        """
        from topoloom.routing.live.kernels.mixtures import visited_by_data
        from topoloom.routing.trees.kernels.rows import lengths_of_rows

        channels, visited = self.destinations.channels, np.zeros(tables.shape, np.bool_)
        where = channels.first, channels.to, tables, self.none
        starts = np.tile(self.destinations.hosts > 0, (len(tables), 1))
        if arriving:
            hops = np.empty(tables.shape, np.int32)
            lengths_of_rows(*where, self.destinations.home[rows], hops)
            starts &= (hops >= 0) & self._delivered[rows, :1]
        visited_by_data(*where, starts, visited)
        return visited


def order_of_updates(mixtures: Mixtures, *, drops: bool = True) -> TableSteps:
    """Return the steps from the tables before to those after.

    Parameters
    ----------
    mixtures : Mixtures
        Both tables must be deadlock-free.
    drops : bool
        Whether destinations are cut off temporarily if there is no other way; otherwise they stay where they are.

    Raises
    ------
    Stopped
        The work was stopped.
    """
    steps, now, last = mixtures.vcs_beforehand()
    reopened = mixtures.reopened
    differ = mixtures.before != mixtures.after
    changing = differ.any(axis=1)
    changed = np.flatnonzero(changing | reopened)
    carries = mixtures.destinations.weight > 0
    idle = changed[~carries[changed]]
    pending = [int(d) for d in changed[carries[changed]]]
    pending.sort(key=lambda d: int(differ[d].sum()))
    still = np.setdiff1d(mixtures.destinations.data, changed)
    fixed = mixtures.turns(still, mixtures.before, mixtures.before, mixtures.both)
    dropped: list[int] = []
    verified = True
    if idle.size:  # no data goes there
        now[idle] = mixtures.after[idle]
    while pending:
        kind, goal, chosen = _next_step(mixtures, pending, now, fixed)
        if chosen:
            entries = _entries(now != goal, chosen)
            now[chosen] = goal[chosen]
            # A step that removes entries is verified without new virtual channels.
            whole = [d for d in chosen if (now[d] == mixtures.after[d]).all()]
            done = [d for d in whole if kind == SET or not reopened[d]]
            steps.append(TableStep(kind, entries, tuple(d for d in done if reopened[d])))
            if done:
                fixed |= mixtures.turns(done, now, now, mixtures.new)
            pending = [d for d in pending if d not in set(done)]
        elif not drops:
            break
        else:
            entries = _entries(now != mixtures.after, pending[:1])
            steps.append(TableStep(DROP, entries))
            now[entries[:, 0], entries[:, 1]] = mixtures.none
            fixed |= mixtures.turns(pending[:1], now, now, mixtures.both)
            dropped.append(pending.pop(0))
            verified &= mixtures.deadlock_free(fixed | mixtures.turns(pending, now, now, mixtures.old))
    if dropped:
        if reopened[dropped].any():
            steps.append(TableStep(REOPEN, _pairs_of(mixtures, dropped), tuple(d for d in dropped if reopened[d])))
        steps.append(TableStep(SET, _entries(now != mixtures.after, dropped)))
        now[dropped] = mixtures.after[dropped]
    if idle.size and (differ[idle]).any():
        steps = _with(steps, _entries(differ, idle))
    return TableSteps((*steps, *last), mixtures.vcs_by_step, now, tuple(pending), verified)


def _pairs_of(mixtures: Mixtures, rows: list[int]) -> np.ndarray:
    """The row and the group of senders of each pair to some rows whose virtual channel changes, int64[k, 2]."""
    old, new = mixtures.both
    chosen = np.asarray(sorted(rows), np.int64)
    index, groups = np.nonzero(old[chosen] != new[chosen])
    return np.stack([chosen[index], groups], axis=1)


def _next_step(
    mixtures: Mixtures, pending: list[int], now: np.ndarray, fixed: np.ndarray
) -> tuple[str, np.ndarray, list[int]]:
    """The kind of the next step, the tables after it, and the rows that change in it; no rows: there is no such step.

    As many whole rows as possible; of the others the next part, as far as they fit into the same step. Otherwise the removal of
    entries that only broken paths use; otherwise, of each row, its nearest switch that changes.
    """
    goal = now.copy()
    start = fixed | mixtures.turns(pending, now, now, mixtures.old)
    chosen: list[int] = []
    for tables in (mixtures.after, None):
        left = set(pending) - set(chosen)
        rest = [d for d in pending if d in left]
        wanted = _next_part(mixtures, rest, now) if tables is None else tables
        some, start = _together(mixtures, mixtures.lose_nothing(rest, now, wanted), now, wanted, start)
        goal[some] = wanted[some]
        chosen += some
        if len(chosen) == len(pending):
            break
    if chosen:
        return SET, goal, chosen
    wanted = _cleared(mixtures, pending, now)
    rows = [d for d in pending if (wanted[d] != now[d]).any()]
    if rows:
        return CLEAR, wanted, rows
    rows = [d for d in pending if (now[d] != mixtures.after[d]).any()]
    wanted = _nearest(mixtures, rows, now)
    chosen, _ = _together(mixtures, mixtures.lose_nothing(rows, now, wanted), now, wanted, start)
    return SET, wanted, chosen


def _cleared(mixtures: Mixtures, rows: list[int], now: np.ndarray) -> np.ndarray:
    """The tables without the entries of some rows that change and that no packet meets which arrives."""
    goal = now.copy()
    some = np.asarray(rows, np.int64)
    current = now[some]
    dead = (current != mixtures.after[some]) & ~mixtures.visited(some, current, arriving=True)
    goal[some] = np.where(dead, mixtures.none, current)
    return goal


def _next_part(mixtures: Mixtures, rows: list[int], now: np.ndarray) -> np.ndarray:
    """The tables with the next part of the new entries of some rows: those that no packet meets now; if there are none, those
    of the switches with the shortest new paths, which then lead through new entries only.
    """
    goal = now.copy()
    some = np.asarray(rows, np.int64)
    current, wanted, hops = now[some], mixtures.after[some], mixtures.hops[some]
    differ = current != wanted
    unmet = differ & ~mixtures.visited(some, current)
    least = np.where(differ, hops, np.iinfo(hops.dtype).max).min(axis=1, initial=np.iinfo(hops.dtype).max)
    part = np.where(unmet.any(axis=1)[:, None], unmet, differ & (hops == least[:, None]))
    goal[some] = np.where(part, wanted, current)
    return goal


def _with(steps: list[TableStep], entries: np.ndarray) -> list[TableStep]:
    """Add entries to the first step that sets any."""
    at = next((number for number, step in enumerate(steps) if step.kind == SET), None)
    if at is None:
        return [*steps, TableStep(SET, entries)]
    both = np.concatenate([entries, steps[at].entries])
    return [*steps[:at], steps[at]._replace(entries=both), *steps[at + 1 :]]


def _entries(differ: np.ndarray, rows: Sequence[int] | np.ndarray) -> np.ndarray:
    """Row and switch of the entries that differ, int64[k, 2]."""
    chosen = np.asarray(sorted(rows), np.int64)
    index, switches = np.nonzero(differ[chosen])
    return np.stack([chosen[index], switches], axis=1)


def _together(
    mixtures: Mixtures, rows: list[int], now: np.ndarray, goal: np.ndarray, start: np.ndarray
) -> tuple[list[int], np.ndarray]:
    """The rows that can change to `goal` together in one step (greedy), and all turns of this step.

    `start` are the turns of all rows as they are now. First all rows are tried, since most mixtures of trees have no cycle.
    """
    chosen: list[int] = []
    at, many = 0, max(1, len(rows))
    while at < len(rows):
        some = rows[at : at + many]
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
    return chosen, start


def _nearest(mixtures: Mixtures, pending: list[int], now: np.ndarray) -> np.ndarray:
    """The tables with one more new entry per pending row: at the changed switch with the shortest path in the new tables."""
    goal = now.copy()
    for d in pending:
        switches = np.flatnonzero(now[d] != mixtures.after[d])
        nearest = switches[mixtures.hops[d, switches].argmin()]
        goal[d, nearest] = mixtures.after[d, nearest]
    return goal
