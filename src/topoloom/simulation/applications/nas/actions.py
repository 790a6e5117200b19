"""The lines of a time-independent trace, as SimGrid 3.32 writes and replays them."""

from dataclasses import dataclass
from functools import partialmethod

DOUBLE, INTEGER, LOGICAL, COMPLEX = 0, 1, 23, 43
"""The numbers by which SimGrid's traces know MPI's datatypes."""


@dataclass(frozen=True)
class TraceLines:
    """A rank that writes its lines: each method gives the text of one action, its line end with it.

    Lines are plain text, so that a loop of the program is a text times a number.

    Examples
    --------
    >>> print(TraceLines(3).send(7, 10, 512) * 2, end="")
    3 send 7 10 512 0
    3 send 7 10 512 0
    """

    number: int

    def _message(self, action: str, peer: int, tag: int, count: int, datatype: int = DOUBLE) -> str:
        """The line of a message to or from a peer: its tag, elements, and SimGrid's number of their type."""
        return f"{self.number} {action} {peer} {tag} {count} {datatype}\n"

    #: A send, and a receive, that the rank waits for; those that go on by themselves. A receive that is posted says how many
    #: elements it has room for: at least those that arrive.
    send, recv = partialmethod(_message, "send"), partialmethod(_message, "recv")
    isend, irecv = partialmethod(_message, "isend"), partialmethod(_message, "irecv")

    def wait_received(self, source: int, tag: int) -> str:
        """Wait for the receive from `source`."""
        return f"{self.number} wait {source} {self.number} {tag}\n"

    def wait_sent(self, to: int, tag: int) -> str:
        """Wait for the send to `to`."""
        return f"{self.number} wait {self.number} {to} {tag}\n"

    def waitall(self, requests: int) -> str:
        """Wait for all that is posted."""
        return f"{self.number} waitall {requests}\n"

    def exchange(self, partner: int, tag: int, sent: int, received: int, datatype: int = DOUBLE) -> str:
        """Swap with a partner: post the receive, send, wait.

        Parameters
        ----------
        partner : int
            The rank to exchange with.
        tag : int
            The tag of both messages.
        sent, received : int
            Elements that go, and that there is room for.
        datatype : int
            SimGrid's number of the elements' type.

        Returns
        -------
        str
            The lines of the three actions.
        """
        posted = self.irecv(partner, tag, received, datatype)
        return posted + self.send(partner, tag, sent, datatype) + self.wait_received(partner, tag)

    def bcast(self, count: int, datatype: int) -> str:
        """A broadcast from rank 0."""
        return f"{self.number} bcast {count} 0 {datatype}\n"

    def reduce(self, count: int, datatype: int) -> str:
        """A reduction to rank 0."""
        return f"{self.number} reduce {count} 0 0 {datatype}\n"

    def allreduce(self, count: int, datatype: int) -> str:
        """A reduction whose result every rank gets."""
        return f"{self.number} allreduce {count} 0 {datatype}\n"

    def alltoall(self, count: int, datatype: int) -> str:
        """Every rank sends `count` elements to every rank."""
        return f"{self.number} alltoall {count} {count} {datatype} {datatype}\n"

    def alltoallv(self, sent: list[int], received: list[int], datatype: int) -> str:
        """Every rank sends its own number of elements to each.

        Parameters
        ----------
        sent, received : list of int
            Elements for each rank, and from each, in the order of the ranks.
        datatype : int
            SimGrid's number of the elements' type.

        Returns
        -------
        str
            The action's line.
        """
        counts = " ".join(map(str, [sum(sent), *sent, sum(received), *received]))
        return f"{self.number} alltoallv {counts} {datatype} {datatype}\n"

    def barrier(self) -> str:
        """Wait until all are here."""
        return f"{self.number} barrier\n"

    def compute(self, operations: float) -> str:
        """So many operations of this rank's own; nothing is written where there are none."""
        return f"{self.number} compute {operations:.12g}\n" if operations > 0 else ""
