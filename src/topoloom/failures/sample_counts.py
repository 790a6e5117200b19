"""Results of samples, added up: how many survive each level, and the exact number of failures that enough samples survive."""

from collections.abc import Iterator, Sequence

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.failures.criterion import Criterion
from topoloom.failures.survival import Level, level_of

#: Samples per task of a thread.
_CHUNK = 4


class SampleCounts:
    """The results of samples under one criterion, at given numbers of failures in rising order.

    There are three methods. Disconnection: one pass gives every number of failures at once (`Criterion.pieces`). Lengths where
    only links fail: they only grow, so a bisection finds the last level within the limit. Otherwise each level is measured.
    """

    def __init__(self, criterion: Criterion, failures: np.ndarray, every: bool) -> None:
        self.criterion, self.failures = criterion, failures
        self.halving = criterion.hops and not every
        self.samples = 0
        self._pieces = np.zeros(criterion.what.units + 1, np.int64)
        self._lengths: list[np.ndarray] = []

    def ask(self, states: np.ndarray) -> np.ndarray:
        """Evaluate samples and return what `add` takes; safe to call from any thread."""
        if not self.criterion.hops:
            return self.criterion.pieces(states)
        return self.criterion.lengths(states, self.failures, self.halving)

    def add(self, answer: np.ndarray, samples: int) -> None:
        """Add the results of `samples` samples."""
        self.samples += samples
        if self.criterion.hops:
            self._lengths.append(answer)
        else:
            self._pieces += answer

    def levels(self, shares: Sequence[float]) -> list[Level]:
        """Return the levels with the samples counted so far."""
        if not self.criterion.hops:
            survived = self._pieces[self.failures]
        else:
            lengths = np.concatenate(self._lengths)
            if self.halving:
                survived = (lengths[:, None] >= np.arange(len(shares))).sum(axis=0)
            else:
                survived = (lengths <= self._bound).sum(axis=0)
        means, worst = self._values(len(shares))
        return [
            level_of(share, int(self.failures[i]), self.samples, int(survived[i]), means[i], worst[i])
            for i, share in enumerate(shares)
        ]

    def exact(self, criterion: float, states: np.ndarray, jobs: int | None, work: Work) -> float | None:
        """Return the largest share such that every number of failures up to it is survived.

        None where only levels are evaluated, or when `work` was stopped.

        Parameters
        ----------
        criterion : float
            The share of samples that must survive, from 0 to 1.
        states : uint64[samples]
            The random streams of the samples that were counted.
        jobs : int, optional
            Threads; all cores by default.
        work : Work
            Its stop ends the search.

        Returns
        -------
        float or None
            A share of the units that fail, from 0 to 1.
        """
        units = self.criterion.what.units
        if not self.criterion.hops:
            under = np.flatnonzero(self._pieces < criterion * self.samples - 1e-9)
            return max(0, int(under[0]) - 1) / units if under.size else 1.0
        if self.criterion.what.fail != "links":
            return None
        last = np.concatenate(self._lengths)
        if not self.halving:
            last = np.cumprod(last <= self._bound, axis=1).sum(axis=1) - 1
        failures = self._bisected(criterion, states, last, jobs, work)
        return None if work.stopped else failures / units

    def _bisected(self, criterion: float, states: np.ndarray, last: np.ndarray, jobs: int | None, work: Work) -> int:
        """Return the most failures that enough samples survive; last: the index of the last level that each survives, or -1."""
        wanted = criterion * self.samples - 1e-9
        level = -1
        while level + 1 < self.failures.size and (last >= level + 1).sum() >= wanted:
            level += 1
        low = int(self.failures[level]) if level >= 0 else 0
        high = int(self.failures[level + 1]) if level + 1 < self.failures.size else self.criterion.what.units
        sure, open_ = int((last > level).sum()), np.flatnonzero(last == level)
        while high - low > 1 and not work.stopped:
            middle = (low + high) // 2
            within = self._within(states[open_], middle, jobs, work)
            if sure + int(within.sum()) >= wanted:
                low, open_ = middle, open_[within]
            else:
                high, sure, open_ = middle, sure + int(within.sum()), open_[~within]
        return low

    def _within(self, states: np.ndarray, failures: int, jobs: int | None, work: Work) -> np.ndarray:
        """Return which samples are within the limit after this many failures: bool[samples]."""
        within = np.zeros(states.size, np.bool_)

        def task(numbers: Iterator[int]) -> None:
            for number in numbers:
                if work.stopped:
                    return
                part = slice(number * _CHUNK, (number + 1) * _CHUNK)
                within[part] = self.criterion.lengths(states[part], np.array([failures]), True) >= 0

        over_cores(task, -(-states.size // _CHUNK), jobs)
        return within

    def _values(self, levels: int) -> tuple[list[float | None], list[float | None]]:
        """Return the mean and the worst length over the connected samples, for each level."""
        if not self.criterion.measured or self.halving:
            return [None] * levels, [None] * levels
        lengths = np.concatenate(self._lengths)
        connected = [column[np.isfinite(column)] for column in lengths.T]
        return (
            [float(values.mean()) if values.size else None for values in connected],
            [float(values.max()) if values.size else None for values in connected],
        )

    @property
    def _bound(self) -> float:
        return (self.criterion.most or 0.0) + 1e-9
