"""The end of a chain as plain values: how a chain of another machine reports what it has found."""

import hashlib
import pickle
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from topoloom.core.calls import Call, CallExecutor, results_of
from topoloom.core.errors import Stopped
from topoloom.core.work import Work
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.optimizer.searches.chains import Chain, Reporter


class EndedChain(msgspec.Struct, frozen=True):
    """A chain that has ended; a `Reporter` reads it as it reads a running one.

    Attributes
    ----------
    cost : tuple of float
    best : int32[m, 2]
        The links of its best graph.
    moves : int
    structure : str
        Of its best graph; empty without one.
    optimal : bool
        Whether no graph is better.
    """

    cost: tuple[float | int, ...]
    best: np.ndarray
    moves: int
    structure: str = ""
    optimal: bool = False

    @classmethod
    def of(cls, chain: Chain) -> "EndedChain":
        """The end of a chain of this process."""
        cost = tuple(value.item() if isinstance(value, np.generic) else value for value in chain.cost)
        structure, optimal = str(getattr(chain, "structure", "")), bool(getattr(chain, "optimal", False))
        return cls(cost, np.asarray(chain.best), int(chain.moves), structure, optimal)


class BestChain:
    """A watcher of one chain's searches that keeps the best of them, with the moves of all."""

    def __init__(self, least: tuple[float, ...] | None) -> None:
        self._least, self._moves = least, dict[int, int]()
        self._best: EndedChain | None = None

    def __call__(self, chains: Mapping[int, Any]) -> bool:
        self._moves |= {number: chain.moves for number, chain in chains.items()}
        chain = min(chains.values(), key=lambda each: each.cost)
        if self._best is None or tuple(chain.cost) < self._best.cost:
            self._best = EndedChain.of(chain)
        return self._best.optimal or (self._least is not None and self._best.cost <= self._least)

    @property
    def ended(self) -> EndedChain:
        """The end of the chain.

        Raises
        ------
        Stopped
            It was stopped before its first step.
        """
        if self._best is None:
            raise Stopped("the chain was stopped before its first step")
        return msgspec.structs.replace(self._best, moves=sum(self._moves.values()))


def best_of_calls(executor: CallExecutor, calls: Iterator[Call], reporter: Reporter, work: Work) -> np.ndarray:
    """The best links that chains on other machines find; the first that reaches a bound ends all.

    Parameters
    ----------
    executor : CallExecutor
    calls : iterator of Call
        One per chain, with its `number`; each returns an `EndedChain`.
    reporter : Reporter
    work : Work

    Returns
    -------
    int32[m, 2]
        Among equal costs, those of the lowest number.

    Raises
    ------
    InputError
        As the calls; or the executor cannot carry them out.
    Stopped
        The work was stopped before a chain had ended.
    """
    ended: dict[int, EndedChain] = {}
    with work.interruptible():
        for call, chain in results_of(executor, calls, work):
            ended[call.arguments["number"]] = chain
            if reporter(ended):
                break
    if not ended:
        work.check()
    return ended[min(ended, key=lambda number: (ended[number].cost, number))].best


def identity_of(value: object) -> str:
    """What identifies an argument: equal texts are equal values in every process."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if isinstance(value, LinkLengths):
        return " ".join(identity_of(part) for part in vars(value).values())
    if value is None or isinstance(value, (str, bool, int, float, tuple, msgspec.Struct)):
        return repr(value)
    return hashlib.sha256(pickle.dumps(value)).hexdigest()  # a function of your own: by its module and name
