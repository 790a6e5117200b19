"""The work on panels: racks and panels to set up, trunks to cut, trunks and cords to plug, links to drain and to verify."""

from dataclasses import dataclass
from typing import Literal

from topoloom.cabling.expansion.panels.pieces import End, Piece

#: The kinds of work: devices are set up; pieces are plugged in at both ends; links are drained; a trunk is unplugged at one or
#: both ends; its free end is connected elsewhere; links are verified before they carry traffic.
Work = Literal["set up", "plug", "drain", "unplug", "connect", "verify"]
#: What is worked on; the ends of a host's cable are at a switch and a host.
PieceKind = Literal["switch", "panel", "trunk", "cord", "loop plug", "host", "links"]
#: A link by the switch and the port at both its ends.
LinkPorts = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True)
class PanelTask:
    """One task.

    Attributes
    ----------
    work, piece : str
    round : int
        0: preparation, without a link down; then 1, 2, ..: in each, links are drained, trunks exchanged and links verified.
    number : int
        Of the trunk, cord or cable; of the switch or panel that is set up.
    source : "new", "shelf" or ""
        Of a piece that is plugged: bought, or left from an earlier round.
    ends : Piece or None
        The ends of the piece after the task: of a host's cable a switch port and (2, host, port).
    taken : tuple of End
        The ends that are unplugged.
    links : tuple of LinkPorts
        The links that are drained or verified.
    length_m, stock_m : float
        Of a piece that is plugged or connected.
    """

    work: Work
    piece: PieceKind
    round: int
    number: int = 0
    source: Literal["new", "shelf", ""] = ""
    ends: Piece | None = None
    taken: tuple[End, ...] = ()
    links: tuple[LinkPorts, ...] = ()
    length_m: float = 0.0
    stock_m: float = 0.0
