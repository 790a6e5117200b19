"""Operations of ranks: sends, receives, computation and their dependencies; `Rank` collects them."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.flows.operations import ANY, CALC, RECV

#: The most ranks of a schedule.
MOST_RANKS = 1 << 20


class CircleError(InputError):
    """Operations that wait for each other in a cycle."""


@dataclass(frozen=True, eq=False)
class Operations:
    """Operations of ranks and their dependencies: k operations, grouped by rank.

    An operation starts when all operations that it needs are done, and all that it follows have started. A CPU of a rank does
    one thing at a time, in the order of readiness: it computes, sends a message, or receives one that has arrived; only
    computing takes time. Arrays cannot be written to.

    Attributes
    ----------
    first : int64[ranks + 1]
        Where the operations of each rank begin.
    kind : uint8[k]
        SEND, RECV or CALC.
    peer : int32[k]
        The other rank; ANY for a receive from any rank; 0 for CALC.
    amount : float64[k]
        Bytes, or nanoseconds for CALC.
    tag : int64[k]
        Sends and receives match by ranks and tag, in order; ANY matches every tag.
    cpu, nic : uint8[k]
        The CPU of its rank that computes or handles the message, and the host's port through which a message leaves.
    done_first, done_next : int64[k + 1], int32[...]
        For each operation, the operations that need its end.
    start_first, start_next : int64[k + 1], int32[...]
        For each operation, the operations that follow its start.
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
        """The number of ranks."""
        return int(self.first.size - 1)

    @property
    def count(self) -> int:
        """The number of operations of all ranks."""
        return int(self.kind.size)

    @property
    def cpus(self) -> int:
        """The number of CPUs per rank."""
        return int(self.cpu.max(initial=0)) + 1

    @property
    def nics(self) -> int:
        """The number of network interfaces per rank that messages name."""
        return int(self.nic.max(initial=0)) + 1

    @property
    def rank(self) -> np.ndarray:
        """The rank of each operation, int32[k]."""
        return np.repeat(np.arange(self.ranks, dtype=np.int32), np.diff(self.first))

    @property
    def needs(self) -> np.ndarray:
        """The number of operations that each operation waits for, int32[k]."""
        k = self.count
        waits = np.bincount(self.done_next, minlength=k) + np.bincount(self.start_next, minlength=k)
        return waits.astype(np.int32)


@dataclass
class Rank:
    """Collects the operations of a rank; methods return the operation's number, from 0."""

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
        """Add an operation.

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
            The number of the operation.
        """
        self.kind.append(kind)
        self.peer.append(peer)
        self.amount.append(amount)
        self.tag.append(tag)
        self.cpu.append(cpu)
        self.nic.append(nic)
        return len(self.kind) - 1

    def calc(self, ns: float, cpu: int = 0) -> int:
        """Add this many nanoseconds of computing; 0 adds an empty operation for dependencies."""
        return self.add(CALC, 0, ns, 0, cpu)

    def requires(self, later: int, *earlier: int) -> None:
        """Let an operation start only after others are done."""
        for operation in earlier:
            self.needed.append(later)
            self.needed.append(operation)

    def follows(self, later: int, *earlier: int) -> None:
        """Let an operation start only after others have started."""
        for operation in earlier:
            self.followed.append(later)
            self.followed.append(operation)


def operations_of(name: str, ranks: list[Rank]) -> Operations:
    """Return the collected operations of ranks.

    Parameters
    ----------
    name : str
        The name of the schedule, for messages.
    ranks : list of Rank

    Returns
    -------
    Operations

    Raises
    ------
    InputError
        As for `check_operations`.
    """
    counts = [len(rank_record.kind) for rank_record in ranks]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    k = int(first[-1])

    def joined(column: str, kind: type) -> np.ndarray:
        return np.concatenate(
            [np.zeros(0, kind), *(np.asarray(getattr(rank_record, column), kind) for rank_record in ranks)]
        )

    def lists(column: str) -> tuple[np.ndarray, np.ndarray]:
        pairs = []
        for rank, rank_record in enumerate(ranks):
            pairs_of_rank = np.asarray(getattr(rank_record, column), np.int64).reshape(-1, 2)
            if pairs_of_rank.size and not 0 <= pairs_of_rank.min() <= pairs_of_rank.max() < counts[rank]:
                raise InputError(
                    f"{name}: rank {rank} has {counts[rank]} operations, but some of them wait for other operations"
                )
            pairs.append(pairs_of_rank + first[rank])
        later, earlier = np.concatenate([np.zeros((0, 2), np.int64), *pairs]).T
        return successors(later, earlier, k)

    operations = Operations(
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
    check_operations(operations, name)
    return operations


def successors(later: np.ndarray, earlier: np.ndarray, operations: int) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of operations as lists, by the earlier operation.

    Parameters
    ----------
    later, earlier : int64[pairs]
    operations : int
        The number of operations.

    Returns
    -------
    first : int64[operations + 1]
    next : int32[pairs]
    """
    first = np.zeros(operations + 1, np.int64)
    np.cumsum(np.bincount(earlier, minlength=operations), out=first[1:])
    return first, later[np.argsort(earlier, kind="stable")].astype(np.int32)


def check_operations(operations: Operations, name: str) -> None:
    """Refuse operations that cannot be run.

    Parameters
    ----------
    operations : Operations
    name : str
        The name of the schedule, for messages.

    Raises
    ------
    InputError
        No ranks or too many, no operations, an unknown rank, or operations that wait for each other.
    """
    s = operations

    def refuse(wrong: np.ndarray, says: Callable[[int], str]) -> None:
        if wrong.any():
            first_wrong = int(np.argmax(wrong))
            raise InputError(f"{name}: {operation_named(s, first_wrong)} {says(first_wrong)}")

    if not 1 <= s.ranks <= MOST_RANKS:
        raise InputError(f"{name}: {s.ranks} ranks; give 1 to {MOST_RANKS:,}")
    if not s.count:
        raise InputError(f"{name}: it has no operations")
    passes = s.kind != CALC
    least = np.where(s.kind == RECV, ANY, 0)
    wrong = passes & ((s.peer < least) | (s.peer >= s.ranks))
    refuse(wrong, lambda i: f"names rank {int(s.peer[i])}, but ranks are 0 to {s.ranks - 1}")
    refuse(~(s.amount >= 0) | np.isinf(s.amount), lambda i: f"has {s.amount[i]:g} bytes or ns; it must be at least 0")
    from topoloom.simulation.flows.kernels.order import cyclic

    stuck = int(cyclic(s.needs, s.done_first, s.done_next, s.start_first, s.start_next))
    if stuck >= 0:
        raise CircleError(
            f"{name}: {operation_named(s, stuck)} waits for itself, through others, so that it can never start"
        )


def operation_named(operations: Operations, operation: int) -> str:
    """Return the position of an operation as text: ``rank 3, operation 17`` (counted from 1)."""
    rank = int(np.searchsorted(operations.first, operation, side="right")) - 1
    return f"rank {rank}, operation {operation - int(operations.first[rank]) + 1}"
