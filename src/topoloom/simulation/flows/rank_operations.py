"""Operations of ranks: what each sends, receives and computes, and what waits for what; `Rank` writes them down."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.flows.operations import ANY, CALC, RECV

#: Ranks that a schedule may have.
MOST_RANKS = 1 << 20


class CircleError(InputError):
    """Operations that wait for each other in a circle."""


@dataclass(frozen=True, eq=False)
class Operations:
    """Operations of ranks, and which wait for which: k operations, those of a rank after those of the one before.

    An operation starts when all that it needs are done, and all that it follows have started. A cpu of a rank does one thing
    at a time, in the order in which it can: it computes, gives a message away, and takes one that has come; only computing
    takes it time. Arrays cannot be written to.

    Attributes
    ----------
    first : int64[ranks + 1]
        Where the operations of each rank begin.
    kind : uint8[k]
        SEND, RECV or CALC.
    peer : int32[k]
        The other rank, ANY for a receive from anybody; 0 of CALC.
    amount : float64[k]
        Bytes, or nanoseconds of CALC.
    tag : int64[k]
        Sends and receives match by ranks and tag, in their order; ANY matches every tag.
    cpu, nic : uint8[k]
        Which of its rank's: what computes, or passes the message; and by which of its host's ports a message leaves.
    done_first, done_next : int64[k + 1], int32[...]
        Of each operation, those that need its end.
    start_first, start_next : int64[k + 1], int32[...]
        Of each operation, those that follow its start.
    """

    first: np.ndarray
    kind: np.ndarray
    peer: np.ndarray
    amount: np.ndarray
    tag: np.ndarray
    cpu: np.ndarray
    nic: np.ndarray
    done_first: np.ndarray
    done_next: np.ndarray
    start_first: np.ndarray
    start_next: np.ndarray

    def __post_init__(self) -> None:
        for column in vars(self).values():
            column.setflags(write=False)

    @property
    def ranks(self) -> int:
        """How many there are."""
        return int(self.first.size - 1)

    @property
    def count(self) -> int:
        """Operations of all ranks."""
        return int(self.kind.size)

    @property
    def cpus(self) -> int:
        """Cpus of a rank."""
        return int(self.cpu.max(initial=0)) + 1

    @property
    def nics(self) -> int:
        """Network interfaces of a rank that messages name."""
        return int(self.nic.max(initial=0)) + 1

    @property
    def rank(self) -> np.ndarray:
        """The rank of each operation, int32[k]."""
        return np.repeat(np.arange(self.ranks, dtype=np.int32), np.diff(self.first))

    @property
    def needs(self) -> np.ndarray:
        """How many others each operation waits for, int32[k]."""
        k = self.count
        waits = np.bincount(self.done_next, minlength=k) + np.bincount(self.start_next, minlength=k)
        return waits.astype(np.int32)


@dataclass
class Rank:
    """The operations of a rank as they are written down; a number is what a method returns, from 0 on."""

    kind: array = field(default_factory=lambda: array("B"))
    peer: array = field(default_factory=lambda: array("i"))
    amount: array = field(default_factory=lambda: array("d"))
    tag: array = field(default_factory=lambda: array("q"))
    cpu: array = field(default_factory=lambda: array("B"))
    nic: array = field(default_factory=lambda: array("B"))
    #: Pairs, one after the other: the operation that waits, and the one that it waits for.
    needed: array = field(default_factory=lambda: array("i"))
    followed: array = field(default_factory=lambda: array("i"))

    def add(self, kind: int, peer: int, amount: float, tag: int = 0, cpu: int = 0, nic: int = 0) -> int:
        """One more operation.

        Parameters
        ----------
        kind : int
            SEND, RECV or CALC.
        peer : int
            The other rank.
        amount : float
            Bytes, or nanoseconds.
        tag, cpu, nic : int

        Returns
        -------
        int
            Its number.
        """
        self.kind.append(kind)
        self.peer.append(peer)
        self.amount.append(amount)
        self.tag.append(tag)
        self.cpu.append(cpu)
        self.nic.append(nic)
        return len(self.kind) - 1

    def calc(self, ns: float, cpu: int = 0) -> int:
        """So many nanoseconds of computing, or nothing at all, for others to wait for."""
        return self.add(CALC, 0, ns, 0, cpu)

    def requires(self, later: int, *earlier: int) -> None:
        """An operation starts after others are done."""
        for one in earlier:
            self.needed.append(later)
            self.needed.append(one)

    def follows(self, later: int, *earlier: int) -> None:
        """An operation starts after others have started."""
        for one in earlier:
            self.followed.append(later)
            self.followed.append(one)


def operations_of(name: str, ranks: list[Rank]) -> Operations:
    """The operations of ranks that are written down.

    Parameters
    ----------
    name : str
        Of the schedule, for messages.
    ranks : list of Rank

    Returns
    -------
    Operations

    Raises
    ------
    InputError
        As `check_operations`.
    """
    counts = [len(one.kind) for one in ranks]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    k = int(first[-1])

    def joined(column: str, kind: type) -> np.ndarray:
        return np.concatenate([np.zeros(0, kind), *(np.asarray(getattr(one, column), kind) for one in ranks)])

    def lists(column: str) -> tuple[np.ndarray, np.ndarray]:
        pairs = []
        for rank, one in enumerate(ranks):
            mine = np.asarray(getattr(one, column), np.int64).reshape(-1, 2)
            if mine.size and not 0 <= mine.min() <= mine.max() < counts[rank]:
                raise InputError(
                    f"{name}: rank {rank} has {counts[rank]} operations, and some wait for others than these"
                )
            pairs.append(mine + first[rank])
        later, earlier = np.concatenate([np.zeros((0, 2), np.int64), *pairs]).T
        return successors(later, earlier, k)

    found = Operations(
        first,
        joined("kind", np.uint8),
        joined("peer", np.int32),
        joined("amount", np.float64),
        joined("tag", np.int64),
        joined("cpu", np.uint8),
        joined("nic", np.uint8),
        *lists("needed"),
        *lists("followed"),
    )
    check_operations(found, name)
    return found


def successors(later: np.ndarray, earlier: np.ndarray, operations: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of operations as lists by the earlier one.

    Parameters
    ----------
    later, earlier : int64[pairs]
    operations : int
        How many there are.

    Returns
    -------
    first : int64[operations + 1]
    next : int32[pairs]
    """
    first = np.zeros(operations + 1, np.int64)
    np.cumsum(np.bincount(earlier, minlength=operations), out=first[1:])
    return first, later[np.argsort(earlier, kind="stable")].astype(np.int32)


def check_operations(operations: Operations, name: str) -> None:
    """Refuse what nobody could run.

    Parameters
    ----------
    operations : Operations
    name : str
        Of the schedule, for messages.

    Raises
    ------
    InputError
        No ranks or too many, no operation, a rank that is not there, or operations that wait for each other.
    """
    s = operations

    def refuse(wrong: np.ndarray, says: Callable[[int], str]) -> None:
        if wrong.any():
            one = int(np.argmax(wrong))
            raise InputError(f"{name}: {operation_named(s, one)} {says(one)}")

    if not 1 <= s.ranks <= MOST_RANKS:
        raise InputError(f"{name}: {s.ranks} ranks; there are 1 to {MOST_RANKS:,}")
    if not s.count:
        raise InputError(f"{name}: no operation; nothing would be run")
    passes = s.kind != CALC
    least = np.where(s.kind == RECV, ANY, 0)
    wrong = passes & ((s.peer < least) | (s.peer >= s.ranks))
    refuse(wrong, lambda i: f"names rank {int(s.peer[i])} of {s.ranks}")
    refuse(~(s.amount >= 0) | np.isinf(s.amount), lambda i: f"has {s.amount[i]:g} bytes or ns; 0 or more are needed")
    from topoloom.simulation.flows.kernels.order import cyclic

    stuck = int(cyclic(s.needs, s.done_first, s.done_next, s.start_first, s.start_next))
    if stuck >= 0:
        raise CircleError(f"{name}: {operation_named(s, stuck)} waits for itself, over others; it could never start")


def operation_named(operations: Operations, operation: int) -> str:
    """Where an operation stands, for people: ``rank 3, operation 17`` (counted from 1)."""
    rank = int(np.searchsorted(operations.first, operation, side="right")) - 1
    return f"rank {rank}, operation {operation - int(operations.first[rank]) + 1}"
