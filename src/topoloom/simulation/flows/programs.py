"""Programs: the operations of ranks in order, one script per class of ranks, and the groups of ranks."""

from dataclasses import dataclass, field

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.flows.collectives import ALGORITHMS, algorithm_on
from topoloom.simulation.flows.state import (
    ALGORITHM,
    CLOCK,
    COLLECTIVE,
    COLUMNS,
    COMPUTE,
    GROUP,
    IRECV,
    ISEND,
    RECV,
    SEND,
    SLOT,
    TIMES,
    WAIT,
)

#: The label of time when none is given.
OTHER = "other"


@dataclass
class Script:
    """The operations of a class of ranks, in order.

    Peers are numbers in the rank's group of a kind; kind 0 is all ranks, in order. A label is the name under which the seconds
    of an operation are counted.
    """

    code: list[int] = field(default_factory=list)
    argument: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    amount: list[float] = field(default_factory=list)

    def _add(self, code: int, argument: tuple[int, int, int, int, int], amount: float) -> None:
        self.code.append(code)
        self.argument.append(argument)
        self.amount.append(amount)

    def compute(self, flops: float, label: int = 0) -> None:
        """Compute this many operations; 0 adds nothing."""
        if flops > 0:
            self._add(COMPUTE, (0, 0, 0, 0, label), flops)

    def send(self, to: int, size: float, tag: int = 0, kind: int = 0, label: int = 0) -> None:
        """Send and wait.

        Parameters
        ----------
        to : int
        size : float
            Bytes.
        tag, kind, label : int
        """
        self._add(SEND, (kind, to, tag, 0, label), size)

    def receive(self, source: int, tag: int = 0, kind: int = 0, label: int = 0, room: float = 0.0) -> None:
        """Receive and wait.

        Parameters
        ----------
        source, tag, kind, label : int
        room : float
            The most bytes, for scripts written as traces; flows receive what is sent.
        """
        self._add(RECV, (kind, source, tag, 0, label), room)

    def post_send(self, slot: int, to: int, size: float, tag: int = 0, kind: int = 0, label: int = 0) -> None:
        """Send without waiting; `slot` identifies the request for `wait`.

        Parameters
        ----------
        slot : int
            A request of this rank that is not in use.
        to : int
        size : float
            Bytes.
        tag, kind, label : int
        """
        self._add(ISEND, (kind, to, tag, slot, label), size)

    def post_receive(self, slot: int, source: int, tag: int = 0, kind: int = 0, label: int = 0) -> None:
        """Post a receive without waiting; `slot` identifies the request for `wait`.

        Parameters
        ----------
        slot : int
            A request of this rank that is not in use.
        source, tag, kind, label : int
        """
        self._add(IRECV, (kind, source, tag, slot, label), 0.0)

    def wait(self, slot: int, label: int = 0) -> None:
        """Wait until a request has ended; a request that is not in use has ended."""
        self._add(WAIT, (0, 0, 0, slot, label), 0.0)

    def clock(self, stops: bool, label: int) -> None:
        """Start or stop a clock of the program; its seconds are counted under the label."""
        self._add(CLOCK, (0, 0, int(stops), 0, label), 0.0)

    def collective(self, algorithm: str, size: float, kind: int = 0, label: int = 0, times: int = 1) -> None:
        """Exchange messages among all ranks of a group, by one of `collectives.ALGORITHMS`.

        Parameters
        ----------
        algorithm : str
        size : float
            Bytes of the vector, or to each rank, depending on the algorithm.
        kind, label : int
        times : int
            The number of repetitions.
        """
        if times > 0:
            self._add(COLLECTIVE, (kind, ALGORITHMS[algorithm].number, times, 0, label), size)


@dataclass(frozen=True, eq=False)
class Programs:
    """The operations of ranks, in order; a collective is one operation.

    Attributes
    ----------
    scripts : tuple of Script
        One script per class.
    of : int64[ranks]
        The class of each rank.
    groups : tuple of int64[ranks]
        Per kind, the number of each rank's group. Ranks of a group are in ascending order.
    labels : tuple of str
        The labels under which time is counted.
    flops : float
        Operations per second of a rank.
    """

    scripts: tuple[Script, ...]
    of: np.ndarray
    groups: tuple[np.ndarray, ...]
    labels: tuple[str, ...] = (OTHER,)
    flops: float = 1e11

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return int(self.of.size)

    @property
    def requests(self) -> int:
        """The number of requests that a rank may have open."""
        slots = [
            argument[SLOT]
            for script in self.scripts
            for code, argument in zip(script.code, script.argument, strict=True)
            if code in (ISEND, IRECV, WAIT)
        ]
        return max(slots, default=-1) + 1

    def bytes_between(self, name: str) -> np.ndarray:
        """Return the result of `Schedule.bytes_between`, without creating the messages; `name` is for errors."""
        from topoloom.simulation.flows.kernels.traffic import count_bytes

        sent, a = np.zeros((self.ranks, self.ranks)), laid(self, name)
        of = np.asarray(self.of, np.int64)
        count_bytes(a.code, a.argument, a.amount, a.first, of, a.group, a.place, a.member_first, a.member, sent)
        np.fill_diagonal(sent, 0.0)
        return sent


def all_alike(ranks: int, script: Script, flops: float = 1e11) -> Programs:
    """Return programs of ranks that all do the same, in one group.

    Parameters
    ----------
    ranks : int
    script : Script
    flops : float
        Operations per second of a rank.
    """
    return Programs((script,), np.zeros(ranks, np.int64), (np.zeros(ranks, np.int64),), flops=flops)


@dataclass(frozen=True, eq=False)
class Laid:
    """Programs as arrays: the fields of `Program` without those of the machine, and the total number of steps."""

    code: np.ndarray
    argument: np.ndarray
    amount: np.ndarray
    first: np.ndarray
    group: np.ndarray
    place: np.ndarray
    member_first: np.ndarray
    member: np.ndarray
    steps: int


def laid(programs: Programs, name: str) -> Laid:
    """Return programs as arrays; `name` is for errors.

    Raises
    ------
    InputError
        A collective on a number of ranks that its algorithm does not support.
    """
    code = np.concatenate([np.array(script.code, np.int64) for script in programs.scripts])
    argument = np.concatenate([np.array(script.argument, np.int64).reshape(-1, COLUMNS) for script in programs.scripts])
    amount = np.concatenate([np.array(script.amount, np.float64) for script in programs.scripts])
    first = np.concatenate([[0], np.cumsum([len(script.code) for script in programs.scripts])])
    ranks, kinds = programs.ranks, len(programs.groups)
    group, place = np.empty((ranks, kinds), np.int64), np.empty((ranks, kinds), np.int64)
    sizes, members, group_count = [], [], 0
    for kind, numbers in enumerate(programs.groups):
        names, inner, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        order = np.argsort(inner, kind="stable")
        begins = np.cumsum(counts) - counts
        group[:, kind] = group_count + inner
        place[order, kind] = np.arange(ranks) - np.repeat(begins, counts)
        members.append(order)
        sizes.append(counts)
        group_count += names.size
    all_sizes = np.concatenate(sizes)
    member_first = np.concatenate([[0], np.cumsum(all_sizes)])
    steps = 0
    by_number = {algorithm.number: key for key, algorithm in ALGORITHMS.items()}
    for number in range(len(programs.scripts)):
        of_class = np.flatnonzero(programs.of == number)
        begin, end = int(first[number]), int(first[number + 1])
        steps += (end - begin) * of_class.size
        for i in np.flatnonzero(code[begin:end] == COLLECTIVE) + begin:
            for size, times in zip(
                *np.unique(all_sizes[group[of_class, argument[i, GROUP]]], return_counts=True), strict=True
            ):
                algorithm = algorithm_on(by_number[int(argument[i, ALGORITHM])], int(size))
                steps += int(times) * int(argument[i, TIMES]) * algorithm.steps(int(size))
    if code.size and np.any(amount < 0):
        raise InputError(f"{name}: a message or a computation of {amount.min():g}; it must be at least 0")
    return Laid(
        code, argument, amount, first.astype(np.int64), group, place, member_first.astype(np.int64),
        np.concatenate(members).astype(np.int64), steps,
    )  # fmt: skip
