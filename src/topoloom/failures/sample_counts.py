"""What samples found, added up: how many survive each level, and exactly how many failures are survived."""

from collections.abc import Iterator, Sequence

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.failures.criterion import Criterion
from topoloom.failures.survival import Level, level_of

#: Samples that a thread takes at a time.
_CHUNK = 4


class SampleCounts:
    """What samples say of a criterion at some numbers of failures, ascending.

    Samples are asked by three methods: disconnection is known for every number of failures at once (`pieces`); where only links
    fail, lengths only grow, so the last level within bounds is looked for by halves; else each level is measured.
    """

    def __init__(self, criterion: Criterion, failures: np.ndarray, every: bool) -> None:
        self.criterion, self.failures = criterion, failures
        self.halving = criterion.hops and not every
        self.samples = 0
        self._pieces = np.zeros(criterion.what.units + 1, np.int64)
        self._lengths: list[np.ndarray] = []

    def ask(self, states: np.ndarray) -> np.ndarray:
        """What samples answer, for `add`; any thread may ask."""
        if not self.criterion.hops:
            return self.criterion.pieces(states)
        return self.criterion.lengths(states, self.failures, self.halving)

    def add(self, answer: np.ndarray, samples: int) -> None:
        """Add the answers of so many samples."""
        self.samples += samples
        if self.criterion.hops:
            self._lengths.append(answer)
        else:
            self._pieces += answer

    def levels(self, shares: Sequence[float]) -> list[Level]:
        """The levels as they are now."""
        if not self.criterion.hops:
            survived = self._pieces[self.failures]
        else:
            found = np.concatenate(self._lengths)
            if self.halving:
                survived = (found[:, None] >= np.arange(len(shares))).sum(axis=0)
            else:
                survived = (found <= self._bound).sum(axis=0)
        means, worst = self._values(len(shares))
        return [
            level_of(share, int(self.failures[i]), self.samples, int(survived[i]), means[i], worst[i])
            for i, share in enumerate(shares)
        ]

    def exact(self, criterion: float, states: np.ndarray, jobs: int | None, work: Work) -> float | None:
        """The largest share up to which each single number of failures is survived.

        None where only levels are known, or `work` was stopped.

        Parameters
        ----------
        criterion : float
            The share of samples that must survive, from 0 to 1.
        states : uint64[samples]
            The samples' random streams, as they were when they were counted.
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
        found = self._bisected(criterion, states, last, jobs, work)
        return None if work.stopped else found / units

    def _bisected(self, criterion: float, states: np.ndarray, last: np.ndarray, jobs: int | None, work: Work) -> int:
        """The most failures that enough samples survive; last: the place of the last level that each survives, or -1."""
        wanted = criterion * self.samples - 1e-9
        level = -1
        while level + 1 < self.failures.size and (last >= level + 1).sum() >= wanted:
            level += 1
        low = int(self.failures[level]) if level >= 0 else 0
        high = int(self.failures[level + 1]) if level + 1 < self.failures.size else self.criterion.what.units
        sure, open_ = int((last > level).sum()), np.flatnonzero(last == level)
        while high - low > 1 and not work.stopped:
            middle = (low + high) // 2
            well = self._within(states[open_], middle, jobs, work)
            if sure + int(well.sum()) >= wanted:
                low, open_ = middle, open_[well]
            else:
                high, sure, open_ = middle, sure + int(well.sum()), open_[~well]
        return low

    def _within(self, states: np.ndarray, failures: int, jobs: int | None, work: Work) -> np.ndarray:
        """Which samples are within bounds after so many failures, bool[samples]."""
        well = np.zeros(states.size, np.bool_)

        def task(numbers: Iterator[int]) -> None:
            for number in numbers:
                if work.stopped:
                    return
                part = slice(number * _CHUNK, (number + 1) * _CHUNK)
                well[part] = self.criterion.lengths(states[part], np.array([failures]), True) >= 0

        over_cores(task, -(-states.size // _CHUNK), jobs)
        return well

    def _values(self, levels: int) -> tuple[list[float | None], list[float | None]]:
        """The mean and the worst length of the samples that are connected, by level."""
        if not self.criterion.measured or self.halving:
            return [None] * levels, [None] * levels
        found = np.concatenate(self._lengths)
        connected = [column[np.isfinite(column)] for column in found.T]
        return (
            [float(one.mean()) if one.size else None for one in connected],
            [float(one.max()) if one.size else None for one in connected],
        )

    @property
    def _bound(self) -> float:
        return (self.criterion.most or 0.0) + 1e-9
