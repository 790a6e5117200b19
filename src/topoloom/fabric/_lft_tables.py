"""What all dumps of forwarding tables hold: per switch its entries, and what the dump states about addresses."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from topoloom.core.errors import at

#: Multicast addresses begin here.
FIRST_MULTICAST = 0xC000


@dataclass(frozen=True, eq=False)
class Section:
    """The table of a switch.

    Attributes
    ----------
    guid, line : int
        The switch's node GUID, and the line where its table begins.
    lids, ports : int64[k]
        The entries, without LID 0 and multicast addresses; port 255: no path.
    groups : int64[k], optional
        The index in `group_ports` of each entry whose packets may choose a port; -1: they use the entry's own port.
    group_ports : tuple of tuple of int
        The ports of each group, ascending.
    """

    guid: int
    line: int
    lids: np.ndarray
    ports: np.ndarray
    groups: np.ndarray | None = None
    group_ports: tuple[tuple[int, ...], ...] = ()


@dataclass(eq=False)
class Sections:
    """A dump of forwarding tables.

    Attributes
    ----------
    unicast : list of Section
    guid_of : dict of int to int
        The port GUID of each LID, where an entry states it.
    unknown : set of int
        LIDs of nodes that the writer of the dump did not know.
    multicast_entries : int
        Multicast entries, which are skipped.
    """

    unicast: list[Section] = field(default_factory=list)
    guid_of: dict[int, int] = field(default_factory=dict)
    unknown: set[int] = field(default_factory=set)
    multicast_entries: int = 0

    def add(
        self,
        guid: int,
        line: int,
        lids: Sequence[int] | np.ndarray,
        ports: Sequence[int] | np.ndarray,
        groups: Sequence[int] | None = None,
        group_ports: tuple[tuple[int, ...], ...] = (),
    ) -> None:
        """Add the table of a switch, without LID 0; multicast entries are counted."""
        lid, port = np.asarray(lids, np.int64), np.asarray(ports, np.int64)
        own = (lid > 0) & (lid < FIRST_MULTICAST)
        self.multicast_entries += int((lid >= FIRST_MULTICAST).sum())
        chosen = None if groups is None else np.asarray(groups, np.int64)[own]
        self.unicast.append(Section(guid, line, lid[own], port[own], chosen, group_ports))


def not_a_line(source: str, number: int, stripped: str) -> Exception:
    """The error for a line that is no part of forwarding tables."""
    shown = stripped if stripped.isprintable() else ascii(stripped)
    return at(
        source,
        number,
        f"'{shown[:60]}' is not a line of forwarding tables; give opensm-lfts.dump, the output of dump_fts, opensm.fdbs, or"
        " ibdiagnet2.far",
    )
