"""The numbers of cords and trunks by how they compare with their plan."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PieceCounts:
    """Pieces of one use with links that are compared.

    Attributes
    ----------
    planned : int
        All of them.
    right : int
        Those with a link that is as planned, and no fault.
    wrong : int
        Those that a finding names: exchanged, out, misplaced, turned, or of the other type.
    not_heard : int
        The others: none of their links is as planned, for another reason (a switch or a panel is dark, a port is down).
    """

    planned: int
    right: int
    wrong: int
    not_heard: int

    def __str__(self) -> str:
        return f"{self.right:,} right, {self.wrong:,} wrong, {self.not_heard:,} not heard of"


@dataclass(frozen=True)
class PassiveCounts:
    """The cords and the trunks of a comparison; legs of one piece are one cord.

    Attributes
    ----------
    cords, trunks : PieceCounts
    """

    cords: PieceCounts
    trunks: PieceCounts
