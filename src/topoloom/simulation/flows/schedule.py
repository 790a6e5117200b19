"""Schedule: what ranks send, receive and compute, with dependencies; in bytes, and nanoseconds of computing.

One type for all operations of ranks on a simulated network. Its content has one of two forms: operation by operation
(`Operations`), as for GOAL, Chakra and trees of collectives, or programs of classes of ranks (`Programs`), as for skeletons and
MPI traces; `Schedule.operations` gives the first form of either. `topoloom.run_app` runs it as flows, on SimGrid or by flits.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from topoloom.simulation.flows.operations import SEND
from topoloom.simulation.flows.programs import Programs
from topoloom.simulation.flows.rank_operations import Operations, Rank, operations_of
from topoloom.simulation.flows.steps import operations_of_programs


class Way(NamedTuple):
    """The path of a message: the ports of both hosts (numbers of `FlowNetwork.port`), and the channels between their
    switches."""

    out: int
    channels: tuple[int, ...]
    into: int


@dataclass(frozen=True, eq=False)
class OwnPaths:
    """Paths for messages that do not follow the tables, on one network.

    Attributes
    ----------
    ways : tuple of Way or None
        The paths.
    of : int64[k]
        The number of each send's path; -1 for messages by the tables, and for other operations.
    tables : bool
        Whether the channels are those of the tables, so that only the ports differ.
    """

    ways: tuple[Way | None, ...]
    of: np.ndarray
    tables: bool = False


@dataclass(frozen=True, eq=False)
class Schedule:
    """What ranks send, receive and compute, with dependencies.

    Attributes
    ----------
    name : str
        A name for messages and labels.
    content : Operations or Programs
        Operation by operation, or programs of classes of ranks, which large collectives need.
    eager : bool
        Whether every message starts when it is sent, whatever its size, as in Chakra; otherwise the settings decide.
    paths : OwnPaths, optional
        Paths for messages that do not follow the tables.
    notes : tuple of str
        What its file leaves open, a sentence each: messages that are all empty, computations without a duration.
    """

    name: str
    content: Operations | Programs
    eager: bool = False
    paths: OwnPaths | None = None
    notes: tuple[str, ...] = ()

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return self.content.ranks

    @cached_property
    def operations(self) -> Operations:
        """The schedule operation by operation, whatever the form of its content.

        Raises
        ------
        InputError
            More operations than memory can hold, or a collective on an unsupported number of ranks.
        """
        content = self.content
        return content if isinstance(content, Operations) else operations_of_programs(self.name, content)

    @property
    def sent_bytes(self) -> float:
        """The bytes of all messages."""
        return float(self.operations.amount[self.operations.kind == SEND].sum())

    @property
    def messages(self) -> int:
        """The number of messages."""
        return int((self.operations.kind == SEND).sum())

    def bytes_between(self) -> np.ndarray:
        """Return the bytes from each rank to each other rank, float64[ranks, ranks]; 0 on the diagonal.

        Raises
        ------
        InputError
            A collective on a number of ranks that its algorithm does not support.
        """
        if isinstance(self.content, Programs):
            return self.content.bytes_between(self.name)
        n, s = self.ranks, self.content
        sends = s.kind == SEND
        pairs = s.rank[sends].astype(np.int64) * n + s.peer[sends]
        sent = np.bincount(pairs, weights=s.amount[sends], minlength=n * n).reshape(n, n)
        np.fill_diagonal(sent, 0.0)
        return sent


def schedule_of(name: str, ranks: list[Rank], *, eager: bool = False) -> Schedule:
    """Return the schedule of the collected operations of ranks.

    Parameters
    ----------
    name : str
        A name for messages and labels.
    ranks : list of Rank
    eager : bool
        Whether messages start when they are sent.

    Raises
    ------
    InputError
        As for `check_operations`.
    """
    return Schedule(name, operations_of(name, ranks), eager)
