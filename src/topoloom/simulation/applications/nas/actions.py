"""The lines of a time-independent trace, as SimGrid 3.32 writes and replays them."""

from dataclasses import dataclass
from functools import partialmethod

DOUBLE, INTEGER, LOGICAL, COMPLEX = 0, 1, 23, 43
"""The codes of MPI's datatypes in SimGrid's traces."""


@dataclass(frozen=True)
class TraceLines:
    """The writer of a rank's trace: each method returns the line of one action, with its line end.

    Lines are plain text, so that a loop of the program is a text times a number.

    Examples
    --------
    >>> print(TraceLines(3).send(7, 10, 512) * 2, end="")
    3 send 7 10 512 0
    3 send 7 10 512 0
    """

    number: int

    def _message(self, action: str, peer: int, tag: int, count: int, datatype: int = DOUBLE) -> str:
        """The line of a message to or from a peer: its tag, elements, and SimGrid's code of their type."""
        return f"{self.number} {action} {peer} {tag} {count} {datatype}\n"

    #: A blocking send and receive; nonblocking ones. A posted receive gives the number of elements that it has room for: at
    #: least those that arrive.
    send, recv = partialmethod(_message, "send"), partialmethod(_message, "recv")
    isend, irecv = partialmethod(_message, "isend"), partialmethod(_message, "irecv")

    def wait_received(self, source: int, tag: int) -> str:
        """Wait for the receive from `source`."""
        return f"{self.number} wait {source} {self.number} {tag}\n"

    def wait_sent(self, to: int, tag: int) -> str:
        """Wait for the send to `to`."""
        return f"{self.number} wait {self.number} {to} {tag}\n"

    def waitall(self, requests: int) -> str:
        """Wait for all posted requests."""
        return f"{self.number} waitall {requests}\n"

    def exchange(self, partner: int, tag: int, sent: int, received: int, datatype: int = DOUBLE) -> str:
        """Exchange messages with a partner: post the receive, send, wait.

        Parameters
        ----------
        partner : int
            The rank to exchange with.
        tag : int
            The tag of both messages.
        sent, received : int
            Elements sent, and elements for which there is room.
        datatype : int
            SimGrid's code of the elements' type.

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
        """Every rank sends a different number of elements to each rank.

        Parameters
        ----------
        sent, received : list of int
            Elements to each rank, and from each rank, in the order of the ranks.
        datatype : int
            SimGrid's code of the elements' type.

        Returns
        -------
        str
            The action's line.
        """
        counts = " ".join(map(str, [sum(sent), *sent, sum(received), *received]))
        return f"{self.number} alltoallv {counts} {datatype} {datatype}\n"

    def barrier(self) -> str:
        """Wait until all ranks have arrived."""
        return f"{self.number} barrier\n"

    def compute(self, operations: float) -> str:
        """Compute this many operations; an empty text for none."""
        return f"{self.number} compute {operations:.12g}\n" if operations > 0 else ""
