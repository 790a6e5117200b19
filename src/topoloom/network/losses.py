"""Parsing lost switches and cables as users name them: by number, name, GUID, label, rack or cable number."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from string import ascii_uppercase

import numpy as np

from topoloom.core.errors import InputError, at, check_type, hint
from topoloom.core.files import read_text
from topoloom.core.text_parts import text_lines
from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.identify import plain_name
from topoloom.graph.planes import planes_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.network import Network
from topoloom.placement.fibre.plant import PASSIVE

_MOST_CHARACTERS = 1 << 24
_SHOWN = 60


@dataclass
class Losses:
    """Lost cables and switches.

    Attributes
    ----------
    links : list of (int, int)
        Cables by the two switches that they join: any one cable between them.
    cables : list of int
        Cables by their index in `Topology.links`.
    switches : list of int
        By number.
    hosts : list of int
        The hosts in lost racks, by number; they change no tables.
    notes : list of str
        What is lost without effect, such as one of two power feeds.
    """

    links: list[tuple[int, int]] = field(default_factory=list)
    cables: list[int] = field(default_factory=list)
    switches: list[int] = field(default_factory=list)
    hosts: list[int] = field(default_factory=list, compare=False, repr=False)
    notes: list[str] = field(default_factory=list, compare=False, repr=False)


def losses(network: NetworkSource, text: str) -> Losses:
    """Parse a list of losses, separated by commas.

    Each item is one of: a switch, by its number, name, GUID (0x...) or label (A01-U03); a rack (A01), meaning all its switches;
    a cable between two switches, with a ``-`` between them (3-17, leaf1-spine2); the cable in a port, by the port's label
    (A01-U03-P12) or by switch and port (leaf1:12, leaf1 port 12); a cable as verify prints it (A01 leaf1 port 7 - A02 spine2
    port 3), or by its number (cable:00123); a part by its kind: ``link:12-40``, ``switch:7``, ``rack:A03``, ``plane:0``, a
    label of the switches such as ``group:3``, ``panel:SP012``, ``trunk:SP012:R1`` or ``cord:SP012:F05`` for all links through a
    panel, or through the trunk or cord in its port, ``feed:A`` for power feed A of all racks, ``feed:A03/A`` for that of one
    rack (a rack is dark when all its feeds are lost); or ``@FILE``, a file whose lines are such lists. In a file, text after
    ``#`` is a comment. The name of a managed switch (MF0;leaf1:MQM8700/U1) is also its short name (leaf1).

    Parameters
    ----------
    network : NetworkSource
    text : str

    Returns
    -------
    Losses

    Raises
    ------
    InputError
        An item matches nothing in the network, or matches more than one thing.

    Examples
    --------
    >>> from topoloom import open_network
    >>> losses(open_network("petersen"), "0-1,S7")
    Losses(links=[(0, 1)], cables=[], switches=[7])
    """
    network = network_of(network, "losses")
    check_type(text, str, "losses", "write 3-17,5")
    reader = _Reader(network)
    lost = Losses()
    for part, error in _parts(text):
        reader.take(part, error, lost)
    reader.darken(lost)
    if not (lost.links or lost.cables or lost.switches or lost.hosts or lost.notes):
        raise InputError(f"losses '{text[:_SHOWN]}' names nothing; write 3-17,5")
    return lost


def power_feeds(network: Network) -> tuple[str, ...]:
    """The power feeds of each rack, A, B ...; empty where hosts have no racks of their own.

    Parameters
    ----------
    network : Network

    Returns
    -------
    tuple of str
    """
    layout = network.layout
    return () if layout is None or layout.housing is None else tuple(ascii_uppercase[: layout.housing.rack.feeds])


def switch_pair(network: NetworkSource, text: str) -> tuple[int, int]:
    """Two switches, separated by a comma; a host stands for its switch.

    Parameters
    ----------
    network : NetworkSource
    text : str

    Returns
    -------
    (int, int)

    Raises
    ------
    InputError
        The text is not two switches or hosts.

    Examples
    --------
    >>> switch_pair("petersen:hosts=1", "3,H7")
    (3, 7)
    """
    network = network_of(network, "losses")
    reader, names = _Reader(network), [name.strip() for name in text.split(",")]
    if len(names) != 2:
        raise InputError(f"pair: '{text[:_SHOWN]}' is not two switches; write 3,17")
    first, second = (reader.switch_or_host(name) for name in names)
    return first, second


_Error = Callable[[str], InputError]


def _parts(text: str) -> Iterator[tuple[str, _Error]]:
    """The items of a list, including those of its files, each with a function that makes its error."""
    for part in text.split(","):
        if part.strip().startswith("@"):
            yield from _lines(part.strip()[1:])
        elif part.strip() or "," not in text:
            yield part.strip(), lambda why: InputError(f"lost: {why}")


def _lines(path: str) -> Iterator[tuple[str, _Error]]:
    for number, line in enumerate(text_lines(read_text(path, _MOST_CHARACTERS)), 1):
        for part in line.split("#")[0].split(","):
            if part.strip():
                yield part.strip(), partial(at, path, number)


class _Reader:
    """Looks up switches and cables by all their names."""

    def __init__(self, network: Network) -> None:
        self._network = network
        fabric, topology = network.fabric, network.topology
        self._switches: dict[str, set[int]] = {}
        names = [(name, s) for s, name in enumerate(fabric.switch_names)]
        names += [(name, s) for s, name in enumerate(network.labels) if name]
        # What verify prints: the names followed by GUIDs, and the names without the model.
        names += [(name, s) for s, name in enumerate(distinct_names(fabric)[0])]
        names += [(plain_name(name), s) for s, name in enumerate(fabric.switch_names)]
        if not fabric.planned:
            names += [(f"0x{guid:x}", s) for s, guid in enumerate(fabric.switch_guids.tolist())]
        for name, s in names:
            self._switches.setdefault(name.lower(), set()).add(s)
        self._racks: dict[str, list[int]] = {}
        layout, names_of_racks = network.layout, network.racks
        if layout is not None and not any(names_of_racks):
            names_of_racks = tuple(layout.rack_names[rack] for rack in layout.rack.tolist())
        for s, name in enumerate(names_of_racks):
            if name:
                self._racks.setdefault(name.lower(), []).append(s)
        self._rack_hosts: dict[str, list[int]] = {}
        if layout is not None and layout.housing is not None:
            for host, rack in enumerate(layout.host_rack.tolist()):
                self._rack_hosts.setdefault(layout.rack_names[rack].lower(), []).append(host)
        #: The lost feeds of racks, by the racks' names.
        self._feeds: dict[str, set[str]] = {}
        self._hosts = {name.lower() for name in fabric.host_names}
        self._cable_in: dict[tuple[int, int], int] = {}
        for row, ((u, v), (p, q)) in enumerate(zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)):
            self._cable_in[u, p] = self._cable_in[v, q] = row
        self._numbers: dict[str, int] = {}
        for plug, number in network.cable_numbers.items():
            if plug in self._cable_in:
                self._numbers[number.lstrip("0") or "0"] = self._cable_in[plug]

    def take(self, part: str, wrong: _Error, lost: Losses) -> None:
        """Add what one item names to `lost`."""
        if cable := re.fullmatch(r"cable:?\s*0*([0-9]+)", part, re.IGNORECASE):
            if cable[1] not in self._numbers:
                raise wrong(self._no_cable(cable[1]))
            lost.cables.append(self._numbers[cable[1]])
        elif self._by_kind(part, wrong, lost):
            pass
        elif (printed := self._printed(part, wrong)) is not None:
            lost.cables.append(printed)
        elif (switch := self._switch(part, wrong)) is not None:
            lost.switches.append(switch)
        elif part.lower() in self._racks:
            self._lose_rack(part.lower(), lost)
        elif (cable_row := self._in_port(part, wrong)) is not None:
            lost.cables.append(cable_row)
        elif (ends := self._between(part, wrong)) is not None:
            lost.links.append(ends)
        else:
            raise wrong(self._nothing(part))

    def switch_or_host(self, name: str) -> int:
        """The number of a switch, or of the switch of a host's first port."""
        switch = self._switch(name, lambda why: InputError(f"pair: {why}"))
        if switch is not None:
            return switch
        hosts = [host for host, each in enumerate(self._network.fabric.host_names) if each.lower() == name.lower()]
        if not hosts:
            raise InputError(f"pair: '{name[:_SHOWN]}' is neither a switch nor a host")
        topology = self._network.topology
        return int(topology.endpoints[np.flatnonzero(topology.host == hosts[0])[0]])

    def darken(self, lost: Losses) -> None:
        """Lose the racks without a feed, and note the feeds that others replace."""
        if not self._feeds:
            return
        count = len(power_feeds(self._network))
        dark = [rack for rack, feeds in self._feeds.items() if len(feeds) == count]
        for rack in dark:
            self._lose_rack(rack, lost)
        if carried := len(self._feeds) - len(dark):
            named = sorted({feed for rack, feeds in self._feeds.items() if rack not in dark for feed in feeds})
            racks = "1 rack" if carried == 1 else f"{carried} racks"
            lost.notes.append(
                f"feed {', '.join(named)}: the other feeds of {racks} carry them, and nothing is lost there"
            )

    def _lose_rack(self, rack: str, lost: Losses) -> None:
        lost.switches += self._racks.get(rack, [])
        lost.hosts += self._rack_hosts.get(rack, [])

    def _by_kind(self, part: str, wrong: _Error, lost: Losses) -> bool:
        """Whether an item names a part by its kind, as in rack:A03; a switch of that name has ports (leaf1:12)."""
        match = re.fullmatch(r"([a-z][a-z0-9_]*):\s*(.+)", part, re.IGNORECASE)
        if match is None or match[1].lower() in self._switches:
            return False
        kind, name = match[1].lower(), match[2].strip()
        topology = self._network.topology
        if kind == "switch" and (span := re.fullmatch(r"([0-9]{1,9})\.\.([0-9]{1,9})", name)):
            lost.switches += self._span(int(span[1]), int(span[2]), wrong)
        elif kind == "switch":
            if (switch := self._switch(name, wrong)) is None:
                raise wrong(self._nothing(name))
            lost.switches.append(switch)
        elif kind == "link":
            if (ends := self._between(name, wrong)) is None:
                raise wrong(self._nothing(name))
            lost.links.append(ends)
        elif kind == "rack":
            self._check_rack(name, wrong)
            self._lose_rack(name.lower(), lost)
        elif kind == "feed":
            self._lose_feed(name, wrong)
        elif kind in PASSIVE:
            lost.cables += self._through(kind, name, wrong)
        elif kind in topology.labels or kind == "plane":
            lost.switches += self._labelled(kind, name, wrong)
        else:
            return False
        return True

    def _check_rack(self, name: str, wrong: _Error) -> None:
        names = [*self._racks, *self._rack_hosts]
        if not names:
            raise wrong("the racks of this network are not known; give a folder that 'topoloom layout -o' wrote")
        if name.lower() not in names:
            raise wrong(f"no rack {name[:_SHOWN]} ({hint(name.lower(), names)})")

    def _through(self, kind: str, name: str, wrong: _Error) -> list[int]:
        """The links through a panel, or through the cord or trunk in a port of a panel."""
        plant = None if self._network.layout is None else self._network.layout.plant
        if plant is None:
            raise wrong(f"its links pass through no {kind}; give a folder that 'topoloom layout --panels -o' wrote")
        links = plant.links_at(kind, name.upper())
        if links is None:
            example = plant.links_of(kind)[0][0]
            raise wrong(f"no {kind} {name[:_SHOWN]}; name it as {kind}:{example}")
        return [int(link) for link in links]

    def _span(self, first: int, last: int, wrong: _Error) -> list[int]:
        """Consecutive switches."""
        count = self._network.topology.switches
        if not first <= last < count:
            raise wrong(f"no switches {first} to {last}; they are 0 to {count - 1}, the first before the last")
        return list(range(first, last + 1))

    def _lose_feed(self, name: str, wrong: _Error) -> None:
        """Lose a power feed, of all racks or of one: A, or A03/A."""
        feeds = power_feeds(self._network)
        if not feeds:
            raise wrong(
                "the power feeds of this network are not known; a folder has them where hosts have racks of their own"
                " ('topoloom layout --hosts FILE', [rack] feeds)"
            )
        rack, _, feed = name.rpartition("/")
        feed = feed.strip().upper()
        if feed not in feeds:
            raise wrong(f"no power feed {feed[:_SHOWN]}; each rack has {', '.join(feeds)}")
        if rack:
            self._check_rack(rack, wrong)
        for each in [rack.lower()] if rack else {**self._racks, **self._rack_hosts}:
            self._feeds.setdefault(each, set()).add(feed)

    def _labelled(self, label: str, name: str, wrong: _Error) -> list[int]:
        """The switches of a plane, or with that value of a label."""
        topology = self._network.topology
        values = topology.labels.get(label)
        if values is None:
            values = np.zeros(topology.switches, np.int64)
            for number, plane in enumerate(planes_of(topology)):
                values[plane.switches] = number
        switches = [s for s, value in enumerate(values.tolist()) if str(value) == name]
        if not switches:
            raise wrong(f"no {label} {name[:_SHOWN]}; they are {values.min()} to {values.max()}")
        return switches

    def _switch(self, text: str, wrong: _Error) -> int | None:
        """The switch with that number, name, label or GUID."""
        if re.fullmatch("[0-9]{1,9}", text):
            number = int(text)
            if number >= self._network.topology.switches:
                raise wrong(f"no switch {number}; they are 0 to {self._network.topology.switches - 1}")
            return number
        key = text.lower()
        if guid := re.fullmatch("0x0*([0-9a-f]+)", key):
            key = f"0x{guid[1]}"
        matches = self._switches.get(key, set())
        if len(matches) > 1:
            raise wrong(f"{len(matches)} switches are called '{text[:_SHOWN]}'; name it by its GUID or number")
        return next(iter(matches), None)

    def _printed(self, part: str, wrong: _Error) -> int | None:
        """The index of a cable as verify prints it: ``cable 104: A01 leaf1 port 7 - A02 spine2 port 3``, or one end."""
        ends = re.sub(r"(?i)^cable [0-9]+: ", "", part).split(" - ")
        named = [re.fullmatch(r"(.+?) +port +0*([0-9]{1,5})(?:/.*)?", end.strip(), re.IGNORECASE) for end in ends]
        if not 0 < len(named) <= 2 or None in named:
            return None
        rows = []
        for match in filter(None, named):
            switch = self._after_rack(match[1], wrong)
            if switch is None:
                raise wrong(self._nothing(match[1]))
            row = self._cable_in.get((switch, int(match[2])))
            if row is None:
                raise wrong(f"no cable to another switch is in port {int(match[2])} of {match[1]}")
            rows.append(row)
        if len(set(rows)) > 1:
            raise wrong(f"'{part[:_SHOWN]}' is not one cable: other cables are in these ports; name one end")
        return rows[0]

    def _after_rack(self, name: str, wrong: _Error) -> int | None:
        """The switch of that name, which may stand after its rack: ``A01 leaf1``."""
        switch = self._switch(name, wrong)
        rack, _, rest = name.partition(" ")
        return self._switch(rest, wrong) if switch is None and rack.lower() in self._racks else switch

    def _in_port(self, part: str, wrong: _Error) -> int | None:
        """The index of the cable in a port, as in A01-U03-P12 or leaf1:12."""
        named = re.fullmatch(r"(.+?)(?:-P|:)0*([0-9]{1,5})", part, re.IGNORECASE)
        switch = None if named is None else self._switch(named[1], wrong)
        if named is None or switch is None:
            return None
        row = self._cable_in.get((switch, int(named[2])))
        if row is None:
            raise wrong(f"no cable to another switch is in port {int(named[2])} of {named[1]}")
        return row

    def _between(self, part: str, wrong: _Error) -> tuple[int, int] | None:
        """The two switches of a cable: the first ``-`` with a switch name on both sides separates them."""
        for place in [match.start() for match in re.finditer("-", part)]:
            first, second = part[:place].strip(), part[place + 1 :].strip()
            if (
                first
                and second
                and (u := self._switch(first, wrong)) is not None
                and (v := self._switch(second, wrong)) is not None
            ):
                return u, v
        return None

    def _no_cable(self, number: str) -> str:
        if not self._numbers:
            return "cables have no numbers here; give a folder that 'topoloom layout -o' wrote, or name the cable's switches"
        return f"no cable {number} between switches is in the cable list"

    def _nothing(self, part: str) -> str:
        shown = part[:_SHOWN]
        if part.lower() in self._hosts:
            return f"'{shown}' is a host; losing it changes no tables"
        if not re.search("[0-9A-Za-z]", part):
            return f"'{shown}' is neither a cable nor a switch; write 3-17,5, or names as verify prints them"
        names = [name for name in (*self._network.fabric.switch_names, *self._network.labels) if name]
        close = hint(part, names[:5000]) if part else ""
        meant = f" ({close})" if close.startswith("did you mean") else ""
        return f"'{shown}' is neither a cable nor a switch{meant}; write 3-17,5, or names as verify prints them"
