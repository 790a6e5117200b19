"""Forwarding tables of other tools: dumps of OpenSM and ibroute as a port per switch and address of a fabric."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError, at
from topoloom.fabric._lft_tables import Section, Sections
from topoloom.fabric._lines import lines_of
from topoloom.fabric._table_dumps import sections_of
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.port_groups import PortGroups, port_groups

__all__ = ["NO_PATH", "ReadNotes", "Tables", "read_guid2lid", "read_lft"]

_GUID2LID = re.compile(r"0x([0-9a-fA-F]{1,16})\s+0x([0-9a-fA-F]{1,4})\s+0x([0-9a-fA-F]{1,4})")
#: The port that OpenSM writes for an address to which a switch has no path.
NO_PATH = 255
#: The most addresses of a port (LMC 7), and the number of addresses of a subnet.
_MOST_PATHS, _LIDS = 128, 1 << 16


def _none() -> np.ndarray:
    return np.empty(0, np.int64)


@dataclass(frozen=True)
class ReadNotes:
    """Differences between a dump and the fabric for which it was read; none of them makes the dump invalid.

    Attributes
    ----------
    other_switches : tuple of str
        The GUIDs of switches that have a table, but are not in the fabric.
    other_lids : tuple of int
        Addresses of ports that are not in the fabric, such as hosts that are switched off.
    without_table : tuple of int
        Switches of the fabric that have no table.
    multicast_entries : int
        Entries of multicast tables and multicast addresses, which are skipped.
    """

    other_switches: tuple[str, ...] = ()
    other_lids: tuple[int, ...] = ()
    without_table: tuple[int, ...] = ()
    multicast_entries: int = 0


@dataclass(frozen=True, eq=False)
class Tables:
    """Forwarding tables of a fabric.

    A target is an endpoint or, after the endpoints, a switch. With an LMC above 0 it has several addresses (LIDs), and each
    address may be reached by another path.

    Attributes
    ----------
    source : str
        The file.
    ports : int16[switches, endpoints + switches]
        The real port by which a switch sends to the first address of a target (0: itself), as the tables state it, even if the
        port leads nowhere; -1: no entry.
    lid_of : dict of int to int
        The target of each LID.
    more_ports : tuple of int16[switches, endpoints + switches]
        The same for the second address of each target, the third, and so on; -1 also where a target has fewer addresses.
    path_counts : int64[endpoints + switches]
        The number of addresses of each target, a power of two; one each when omitted.
    base_lids : int64[endpoints + switches]
        The first address of each target; 0 where the tables have none. All 0 when omitted.
    notes : ReadNotes
        Differences between the file and the fabric.
    groups : PortGroups, optional
        The ports among which packets choose (adaptive routing); when omitted, they follow `ports`.
    """

    source: str
    ports: np.ndarray
    lid_of: dict[int, int]
    more_ports: tuple[np.ndarray, ...] = ()
    path_counts: np.ndarray = field(default_factory=_none)
    base_lids: np.ndarray = field(default_factory=_none)
    notes: ReadNotes = field(default_factory=ReadNotes)
    groups: PortGroups | None = None

    def __post_init__(self) -> None:
        targets = self.ports.shape[1]
        for name, value in (("path_counts", 1), ("base_lids", 0)):
            if getattr(self, name).size != targets:
                object.__setattr__(self, name, np.full(targets, value, np.int64))

    @property
    def paths(self) -> int:
        """The most addresses of a target: the number of paths of a pair."""
        return 1 + len(self.more_ports)

    def path(self, number: int) -> np.ndarray:
        """The ports of path `number` of every pair, int16[switches, endpoints + switches].

        Targets with fewer addresses than others use theirs in turn, so that the paths 0 to `paths` - 1 together use every
        address of a target equally often.
        """
        place = number % self.path_counts
        chosen = self.ports.copy()
        for offset, ports in enumerate(self.more_ports, start=1):
            chosen[:, place == offset] = ports[:, place == offset]
        return chosen


def read_lft(text: str, source: str, fabric: Fabric, lids: dict[int, int] | None = None) -> Tables:
    """Parse a dump of forwarding tables by OpenSM (opensm-lfts.dump, opensm.fdbs, ``fabric.lft``), by ibroute (dump_lfts,
    dump_fts) or by ibdiagnet (ibdiagnet2.fdbs, ibdiagnet2.far).

    Tables of switches and entries for ports that the fabric does not have are omitted and counted; entries are kept as they
    are, even if their port leads nowhere. Multicast tables are skipped.

    Parameters
    ----------
    text, source : str
        The dump, and its file for messages.
    fabric : Fabric
        The fabric of the tables.
    lids : dict of int to int, optional
        Port GUIDs by LID, as `read_guid2lid` returns them, for entries without a GUID; the fabric's LIDs when omitted.

    Returns
    -------
    Tables
        The output port per switch and address (LID).

    Raises
    ------
    InputError
        The text is not such a dump or is cut short, or most of it does not fit the fabric.
    """
    allowance, n = Allowance(source, len(text)), fabric.topology.switches
    targets = fabric.topology.endpoints.size + n
    allowance.take(2.0 * n * targets, f"tables of {n:,} switches to {targets:,} targets")
    read = sections_of(text, source)
    switch_of = {guid: s for s, guid in enumerate(fabric.switch_guids.tolist())}
    sections = {switch_of[section.guid]: section for section in read.unicast if section.guid in switch_of}
    others = [section for section in read.unicast if section.guid not in switch_of]
    without = tuple(switch for switch in range(n) if switch not in sections)
    _check_switches(source, fabric, others, len(sections), without)
    target_at = _targets(read, source, fabric, lids)
    used = np.unique(np.concatenate([_none(), *(section.lids for section in sections.values())]))
    strange = used[target_at[used] < 0]
    if 2 * strange.size > used.size:
        if not (lids or read.guid_of or _known_lids(fabric)):
            raise at(source, None, "its entries have no port GUIDs, and the fabric no LIDs; give guid2lid")
        raise at(
            source,
            None,
            f"{strange.size} of {used.size} addresses are not in {fabric.made} (LID {strange[0]} is the first): the file"
            " belongs to another fabric; if this one has changed since, use 'topoloom repair OLD TABLES NEW'",
        )
    base, counts = _addresses(source, fabric, target_at, np.union1d(used[target_at[used] >= 0], _of(read, target_at)))
    paths = int(counts.max(initial=1))
    allowance.take(2.0 * (paths - 1) * n * targets, f"tables of {n:,} switches to {paths} addresses of each port")
    tables = [np.full((n, targets), -1, np.int16) for _ in range(paths)]
    for switch, section in sections.items():
        target = target_at[section.lids]
        usable = (target >= 0) & (section.ports != NO_PATH)
        target, ports = target[usable], section.ports[usable]
        offset = section.lids[usable] - base[target]
        for number, table in enumerate(tables):
            table[switch, target[offset == number]] = ports[offset == number]
    return Tables(
        source,
        tables[0],
        {
            lid: int(target_at[lid])
            for lid in np.flatnonzero(target_at >= 0).tolist()
            if lid in read.guid_of or lid in used
        },
        tuple(tables[1:]),
        counts,
        base,
        ReadNotes(
            tuple(f"0x{section.guid:016x}" for section in others),
            tuple(strange.tolist()),
            without,
            read.multicast_entries,
        ),
        port_groups(sections, target_at, tables[0].shape, paths, source),
    )


def read_guid2lid(text: str, source: str) -> dict[int, int]:
    """The port GUID of each LID in OpenSM's file guid2lid: ``0x<port guid> 0x<first lid> 0x<last lid>``.

    Raises
    ------
    InputError
        A line has another form, or two ports have the same LID.
    """
    guid_of: dict[int, int] = {}
    for number, line in lines_of(text, source):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _GUID2LID.fullmatch(stripped)
        if not match:
            raise at(source, number, "not a line like 0x0002c90000000001 0x0001 0x0001: port GUID, first LID, last LID")
        guid, first, last = (int(part, 16) for part in match.groups())
        if not 0 < first <= last or last - first > 127:
            raise at(source, number, f"LIDs {first} to {last}; a port has 1 to 128 LIDs, counted from 1")
        for lid in range(first, last + 1):
            if guid_of.setdefault(lid, guid) != guid:
                raise at(source, number, f"LID {lid} belongs to GUID 0x{guid_of[lid]:x} already")
    return guid_of


def _check_switches(source: str, fabric: Fabric, others: list[Section], fitting: int, without: tuple[int, ...]) -> None:
    """Refuse a file most of whose tables, or for most of whose switches there is none, as that of another fabric."""
    if len(others) > fitting:
        first = others[0]
        raise at(
            source,
            first.line,
            f"no switch of {fabric.made} has GUID 0x{first.guid:x}, nor those of {len(others) - 1} other tables of"
            f" {len(others) + fitting}: the file belongs to another fabric",
        )
    if 2 * len(without) > fabric.topology.switches:
        raise at(
            source,
            None,
            f"no table for switch {fabric.switch_names[without[0]]} ({len(without)} of {fabric.topology.switches} switches"
            " without one): the file is incomplete, or belongs to another fabric",
        )


def _targets(read: Sections, source: str, fabric: Fabric, lids: dict[int, int] | None) -> np.ndarray:
    """The target of every LID, int64[65536]; -1: none in the fabric. A port GUID in the file decides."""
    k = fabric.topology.endpoints.size
    target_of = {guid: e for e, guid in enumerate(fabric.port_guids.tolist())}
    target_of |= {guid: k + s for s, guid in enumerate(fabric.switch_guids.tolist())}
    target_at = np.full(_LIDS, -1, np.int64)
    if lids is not None:
        for lid, guid in lids.items():
            target_at[lid] = target_of.get(guid, -1)
    else:
        for lid, target in _known_lids(fabric).items():
            target_at[lid] = target
    for lid, guid in read.guid_of.items():
        target_at[lid] = target_of.get(guid, -1)
    target_at[list(read.unknown - read.guid_of.keys())] = -1
    return target_at


def _known_lids(fabric: Fabric) -> dict[int, int]:
    """The target of each LID of the fabric; a LID that several ports claim belongs to none of them."""
    base = np.concatenate(fabric.lids if fabric.planned else (fabric.port_lids, fabric.switch_lids)).tolist()
    lmcs = np.concatenate(fabric.lmcs if fabric.planned else (fabric.port_lmc, fabric.switch_lmc)).tolist()
    target_of: dict[int, int] = {}
    for target, (first, lmc) in enumerate(zip(base, lmcs, strict=True)):
        for lid in range(first, first + (1 << lmc)) if 0 < first < _LIDS - _MOST_PATHS else ():
            target_of[lid] = target if lid not in target_of else -1
    return {lid: target for lid, target in target_of.items() if target >= 0}


def _of(read: Sections, target_at: np.ndarray) -> np.ndarray:
    """The LIDs that the file gives to ports of the fabric."""
    lids = np.array(sorted(read.guid_of), np.int64)
    return lids[target_at[lids] >= 0]


def _addresses(source: str, fabric: Fabric, target_at: np.ndarray, used: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first LID of each target (0: none), and its number of LIDs, a power of two; both int64[targets]."""
    target = target_at[used]
    count = fabric.topology.endpoints.size + fabric.topology.switches
    base = np.full(count, _LIDS, np.int64)
    np.minimum.at(base, target, used)
    last = np.full(count, -1, np.int64)
    np.maximum.at(last, target, used)
    sizes = 1 + np.maximum(last - base, 0)
    # The fabric knows more than the file if the switches have no entry for the first or the last address of a port.
    first, lmcs = np.concatenate(fabric.lids).astype(np.int64), np.concatenate(fabric.lmcs).astype(np.int64)
    inside = (last >= 0) & (first <= base) & (last < first + (1 << lmcs))
    base, sizes = np.where(inside, first, base), np.where(inside, 1 << lmcs, sizes)
    wrong = np.flatnonzero(sizes > _MOST_PATHS)
    if wrong.size:
        low, high = int(base[wrong[0]]), int(last[wrong[0]])
        raise InputError(f"{source}: LIDs {low} and {high} belong to one port; a port has at most 128 consecutive LIDs")
    powers = 1 << np.ceil(np.log2(sizes)).astype(np.int64)
    return np.where(last >= 0, base, 0), powers


def lids_text(lids: Iterable[int]) -> str:
    """LIDs in words: the first three, and how many more there are."""
    listed = list(lids)
    shown = ", ".join(map(str, listed[:3]))
    return shown + (f" and {len(listed) - 3} more" if len(listed) > 3 else "")
