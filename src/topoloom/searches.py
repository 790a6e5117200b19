"""Searches side by side: each goes on step by step, on all cores, until its budget is used up, the time, or Ctrl-C."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from topoloom.threads import asked_to_stop, over_cores

log = logging.getLogger("topoloom")

ENDLESS = float("inf")
#: Seconds between two looks at what is done, and at Ctrl-C.
_SLICE_SECONDS = 0.1


class Budget:
    """How far a search goes: so many moves, or until time.monotonic() says `until`, whichever comes first.

    `spent` moves and `seconds` of it were used up by an earlier session that this one goes on from.
    """

    def __init__(self, moves: int, until: float = ENDLESS, spent: int = 0, seconds: float = 0.0) -> None:
        self.moves = moves
        self.spent = spent
        self._until = until
        self._started = time.monotonic() - seconds

    @property
    def share(self) -> float:
        """What is used up of it: 1 when nothing is left."""
        used = self.spent / max(1, self.moves)
        if self._until < ENDLESS:
            used = max(used, (time.monotonic() - self._started) / max(1e-9, self._until - self._started))
        return min(1.0, used)


class Effort:
    """What searches after each other may spend together: a seed, seconds or (None) tries by size, and threads.

    `stopped` says that Ctrl-C ended one of them; then the others leave things as they are.
    """

    def __init__(self, seed: int = 1, seconds: float | None = None, jobs: int | None = None) -> None:
        self.seed, self.seconds, self.jobs = seed, seconds, jobs
        self._stop = threading.Event()

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C has ended a search of this effort, or of one that it is a part of."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Let all searches that are still to come leave things as they are."""
        self._stop.set()

    def part(self, share: float, number: int = 0) -> "Effort":
        """A share of the time, with a seed of its own for each `number`."""
        inner = Effort(self.seed + number, None if self.seconds is None else self.seconds * share, self.jobs)
        inner._stop = self._stop
        return inner


def acceptance() -> np.ndarray:
    """float32[4096]: -log of uniform draws; temperature times a random one is what a change may cost (Metropolis).

    The bins' middles, rounded, so that every machine has the same table.
    """
    return np.round(-np.log((np.arange(4096) + 0.5) / 4096), 6).astype(np.float32)


def cooled(hot: float, cold: float, share: float) -> float:
    """The temperature when `share` of a budget is used up: from `hot` to `cold` by the same factor in equal shares.

    Rounded to six digits, for powers differ in their last one between machines.

    Examples
    --------
    >>> cooled(1.0, 0.01, 0.5)
    0.1
    """
    return float(f"{hot * (cold / hot) ** share:.6g}")


class Search(Protocol):
    """A search under way: `best` is its best answer so far, `cost` that answer's; steps change nothing once it is `done`.

    Costs of the searches of one run are compared: numbers, or tuples of them.
    """

    @property
    def best(self) -> np.ndarray: ...

    @property
    def cost(self) -> Any: ...

    @property
    def done(self) -> bool: ...

    def step(self) -> None:
        """Go on for some milliseconds, most of the time without the interpreter's lock."""


def run(
    begin: Callable[[int], Search],
    count: int,
    jobs: int,
    until: float = ENDLESS,
    watch: Callable[[Mapping[int, Search]], bool] | None = None,
) -> tuple[np.ndarray, bool]:
    """The best answer that searches begin(0), begin(1) ... find, and whether Ctrl-C ended them.

    `count` searches run side by side. With a deadline (time.monotonic()), others begin in place of those that end. Of
    equals the search with the lowest number wins, whichever ended first. `watch` sees those under way, by number, some times a
    second; when it says so, all end.
    """
    active = {number: begin(number) for number in range(count)}
    begun = count
    found: list[tuple[Any, int, np.ndarray]] = []
    stopped = False

    def work(turns: Iterator[int]) -> None:
        searches = list(active.values())
        for turn in turns:
            pause = time.monotonic() + _SLICE_SECONDS
            while not searches[turn].done and time.monotonic() < pause:
                searches[turn].step()

    def keep(searches: dict[int, Search]) -> None:
        now = [(search.cost, number, search.best) for number, search in searches.items()]
        found[:] = [min(found + now, key=lambda result: result[:2])]

    try:
        while active:
            over_cores(work, len(active), jobs)
            if asked_to_stop.is_set():
                raise KeyboardInterrupt
            if watch is not None and watch(active):
                keep(active)
                break
            ended = {number: search for number, search in active.items() if search.done}
            if ended:
                # Only these: what others have so far depends on when one looks.
                keep(ended)
            active = {number: search for number, search in active.items() if number not in ended}
            while until < ENDLESS and len(active) < count and time.monotonic() < until:
                active[begun] = begin(begun)
                begun += 1
    except KeyboardInterrupt:
        log.warning("interrupted: the best so far is kept")
        stopped = True
        keep(active)
    return found[0][2], stopped
