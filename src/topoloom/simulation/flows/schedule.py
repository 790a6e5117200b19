"""Schedule: what ranks send, receive and compute, and what waits for what; bytes, and nanoseconds of computing.

One type for all that ranks do on a simulated network. It is written down in one of two ways: operation by operation
(`Operations`), as GOAL, Chakra and trees of collectives are, or as programs of classes of ranks (`Programs`), as skeletons and
traces of MPI are; `Schedule.operations` is the first of either. `topoloom.run_app` runs it as flows, on SimGrid or by flits.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from topoloom.simulation.flows.operations import SEND
from topoloom.simulation.flows.programs import Programs
from topoloom.simulation.flows.rank_operations import Operations, Rank, operations_of
from topoloom.simulation.flows.steps import operations_of_programs

#: Cpus of a rank and network interfaces that a schedule may have.
MOST_CPUS, MOST_NICS = 256, 256


class Way(NamedTuple):
    """How a message goes: the ports of both hosts (numbers of `FlowNetwork.port`), and the channels between their switches."""

    out: int
    channels: tuple[int, ...]
    into: int


@dataclass(frozen=True, eq=False)
class OwnPaths:
    """Paths of messages of their own, on one network.

    Attributes
    ----------
    ways : tuple of Way or None
    of : int64[k]
        The number of each send's way; -1 of what goes by the tables, and of what sends nothing.
    tables : bool
        Whether the channels are those of the tables, and only the ports are chosen.
    """

    ways: tuple[Way | None, ...]
    of: np.ndarray
    tables: bool = False


@dataclass(frozen=True, eq=False)
class Schedule:
    """What ranks send, receive and compute, and what waits for what.

    Attributes
    ----------
    name : str
        For people.
    content : Operations or Programs
        As it is written down: operation by operation, or as programs of classes of ranks, which large collectives need.
    eager : bool
        Whether every message sets out when it is sent, whatever its size, as Chakra has it; else that is for settings to say.
    paths : OwnPaths, optional
        Where messages have paths of their own.
    """

    name: str
    content: Operations | Programs
    eager: bool = False
    paths: OwnPaths | None = None

    @property
    def ranks(self) -> int:
        """How many there are."""
        return self.content.ranks

    @cached_property
    def operations(self) -> Operations:
        """Operation by operation, message by message, whichever way it is written down.

        Raises
        ------
        InputError
            More operations than memory has room for, or a collective on ranks that it does not serve.
        """
        one = self.content
        return one if isinstance(one, Operations) else operations_of_programs(self.name, one)

    @property
    def sent_bytes(self) -> float:
        """Bytes of all messages."""
        return float(self.operations.amount[self.operations.kind == SEND].sum())

    @property
    def messages(self) -> int:
        """Sends."""
        return int((self.operations.kind == SEND).sum())

    def bytes_between(self) -> np.ndarray:
        """What each rank sends to each other one, float64[ranks, ranks]; 0 on the diagonal.

        Raises
        ------
        InputError
            A collective on a number of ranks that its algorithm does not serve.
        """
        if isinstance(self.content, Programs):
            return self.content.bytes_between(self.name)
        n, s = self.ranks, self.content
        sends = s.kind == SEND
        pairs = s.rank[sends].astype(np.int64) * n + s.peer[sends]
        found = np.bincount(pairs, weights=s.amount[sends], minlength=n * n).reshape(n, n)
        np.fill_diagonal(found, 0.0)
        return found


def schedule_of(name: str, ranks: list[Rank], *, eager: bool = False) -> Schedule:
    """The schedule of ranks that are written down.

    Parameters
    ----------
    name : str
        For people, and for messages.
    ranks : list of Rank
    eager : bool
        Whether messages set out when they are sent.

    Returns
    -------
    Schedule

    Raises
    ------
    InputError
        As `check_operations`.
    """
    return Schedule(name, operations_of(name, ranks), eager)
