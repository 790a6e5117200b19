"""Programs: what ranks do one after the other, a script for each class of them, and the groups in which they do it."""

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

#: Labels of time when none is said.
OTHER = "other"


@dataclass
class Script:
    """The operations of a class of ranks, written one after the other.

    Peers are numbers in the rank's group of a kind; kind 0 is all ranks, in their order. A label says under which name the
    seconds of an operation are counted.
    """

    code: list[int] = field(default_factory=list)
    argument: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    amount: list[float] = field(default_factory=list)

    def _add(self, code: int, argument: tuple[int, int, int, int, int], amount: float) -> None:
        self.code.append(code)
        self.argument.append(argument)
        self.amount.append(amount)

    def compute(self, flops: float, label: int = 0) -> None:
        """So many operations; none, nothing."""
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
            Bytes that may come, for whoever writes the script as a trace; flows take what is sent.
        """
        self._add(RECV, (kind, source, tag, 0, label), room)

    def post_send(self, slot: int, to: int, size: float, tag: int = 0, kind: int = 0, label: int = 0) -> None:
        """Send, and go on; `slot` is waited for.

        Parameters
        ----------
        slot : int
            A request of this rank that is not running.
        to : int
        size : float
            Bytes.
        tag, kind, label : int
        """
        self._add(ISEND, (kind, to, tag, slot, label), size)

    def post_receive(self, slot: int, source: int, tag: int = 0, kind: int = 0, label: int = 0) -> None:
        """Receive when it comes, and go on; `slot` is waited for.

        Parameters
        ----------
        slot : int
            A request of this rank that is not running.
        source, tag, kind, label : int
        """
        self._add(IRECV, (kind, source, tag, slot, label), 0.0)

    def wait(self, slot: int, label: int = 0) -> None:
        """Stand still until a request has ended; one that is not running has."""
        self._add(WAIT, (0, 0, 0, slot, label), 0.0)

    def clock(self, stops: bool, label: int) -> None:
        """A clock of the program's own starts or stops; its seconds are those of the label."""
        self._add(CLOCK, (0, 0, int(stops), 0, label), 0.0)

    def collective(self, algorithm: str, size: float, kind: int = 0, label: int = 0, times: int = 1) -> None:
        """All ranks of a group exchange messages by one of `collectives.ALGORITHMS`.

        Parameters
        ----------
        algorithm : str
        size : float
            Bytes: of the vector, or of what goes to each rank, as the algorithm has it.
        kind, label : int
        times : int
            How often, one after the other.
        """
        if times > 0:
            self._add(COLLECTIVE, (kind, ALGORITHMS[algorithm].number, times, 0, label), size)


@dataclass(frozen=True, eq=False)
class Programs:
    """What ranks do, one after the other; collectives stand in them as one operation.

    Attributes
    ----------
    scripts : tuple of Script
        One a class.
    of : int64[ranks]
        The class of each rank.
    groups : tuple of int64[ranks]
        Of each kind, the number of each rank's group. Ranks of a group are in it in their order.
    labels : tuple of str
        What time is counted under.
    flops : float
        Operations a second of a rank.
    """

    scripts: tuple[Script, ...]
    of: np.ndarray
    groups: tuple[np.ndarray, ...]
    labels: tuple[str, ...] = (OTHER,)
    flops: float = 1e11

    @property
    def ranks(self) -> int:
        """How many there are."""
        return int(self.of.size)

    @property
    def requests(self) -> int:
        """Requests that a rank may have open."""
        slots = [
            argument[SLOT]
            for script in self.scripts
            for code, argument in zip(script.code, script.argument, strict=True)
            if code in (ISEND, IRECV, WAIT)
        ]
        return max(slots, default=-1) + 1

    def bytes_between(self, name: str) -> np.ndarray:
        """As `Schedule.bytes_between`, counted without writing messages down; `name` is for errors."""
        from topoloom.simulation.flows.kernels.traffic import count_bytes

        found, a = np.zeros((self.ranks, self.ranks)), laid(self, name)
        of = np.asarray(self.of, np.int64)
        count_bytes(a.code, a.argument, a.amount, a.first, of, a.group, a.place, a.member_first, a.member, found)
        np.fill_diagonal(found, 0.0)
        return found


def all_alike(ranks: int, script: Script, flops: float = 1e11) -> Programs:
    """Programs of ranks that all do the same, in one group.

    Parameters
    ----------
    ranks : int
    script : Script
    flops : float
        Operations a second of a rank.
    """
    return Programs((script,), np.zeros(ranks, np.int64), (np.zeros(ranks, np.int64),), flops=flops)


@dataclass(frozen=True, eq=False)
class Laid:
    """Programs as arrays: `Program`'s without what the machine says, and the steps that there are in all."""

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
    """Programs as arrays; `name` is for errors.

    Raises
    ------
    InputError
        A collective on a number of ranks that its algorithm does not serve.
    """
    code = np.concatenate([np.array(script.code, np.int64) for script in programs.scripts])
    argument = np.concatenate([np.array(script.argument, np.int64).reshape(-1, COLUMNS) for script in programs.scripts])
    amount = np.concatenate([np.array(script.amount, np.float64) for script in programs.scripts])
    first = np.concatenate([[0], np.cumsum([len(script.code) for script in programs.scripts])])
    ranks, kinds = programs.ranks, len(programs.groups)
    group, place = np.empty((ranks, kinds), np.int64), np.empty((ranks, kinds), np.int64)
    sizes, members, known = [], [], 0
    for kind, numbers in enumerate(programs.groups):
        names, inner, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        order = np.argsort(inner, kind="stable")
        begins = np.cumsum(counts) - counts
        group[:, kind] = known + inner
        place[order, kind] = np.arange(ranks) - np.repeat(begins, counts)
        members.append(order)
        sizes.append(counts)
        known += names.size
    every = np.concatenate(sizes)
    member_first = np.concatenate([[0], np.cumsum(every)])
    steps = 0
    by_number = {one.number: key for key, one in ALGORITHMS.items()}
    for number in range(len(programs.scripts)):
        of_class = np.flatnonzero(programs.of == number)
        begin, end = int(first[number]), int(first[number + 1])
        steps += (end - begin) * of_class.size
        for i in np.flatnonzero(code[begin:end] == COLLECTIVE) + begin:
            for size, times in zip(
                *np.unique(every[group[of_class, argument[i, GROUP]]], return_counts=True), strict=True
            ):
                algorithm = algorithm_on(by_number[int(argument[i, ALGORITHM])], int(size))
                steps += int(times) * int(argument[i, TIMES]) * algorithm.steps(int(size))
    if code.size and np.any(amount < 0):
        raise InputError(f"{name}: a message or a computation of {amount.min():g}; give 0 or more")
    return Laid(
        code, argument, amount, first.astype(np.int64), group, place, member_first.astype(np.int64),
        np.concatenate(members).astype(np.int64), steps,
    )  # fmt: skip
