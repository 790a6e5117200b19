"""Building a fabric from cables between named ports of named devices, as Ethernet plans and neighbour tables state them.

Files seldom say which device is a host. In this order count: the plan; what the file says (a role, a type); the names of its
ports, if all are those of adapters (``ens1f0``, ``mlx5_0``, ``rail3``), and its own name (``gpu17``, ``node3``). All others are
switches. What was recognised by names is reported. Cables between two hosts are not part of a network here.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from topoloom.core.errors import at
from topoloom.fabric._assembly import ReadCable, ReadNode, assembled
from topoloom.fabric.device_kinds import looks_like_host
from topoloom.fabric.diagnosis.finding import enumerated
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.flaws import HOSTS_JOINED, NO_NAME, PORT_TWICE, Flaw
from topoloom.fabric.port_names import MOST_PORTS, UNKNOWN, port_numbers
from topoloom.fabric.port_settings import PortSettings

log = logging.getLogger("topoloom")

_LONGEST_NAME = 256
_MOST_CABLES = 1 << 24
#: Hosts that a message names.
_SHOWN = 4
_SHOWN_LETTERS = 40


def is_name(text: str) -> bool:
    """Whether a text can be the name of a device or of a port: it can be printed, and is not too long."""
    return len(text) <= _LONGEST_NAME and text.isprintable()


@dataclass(eq=False)
class NamedDevice:
    """A device of a file.

    Attributes
    ----------
    name : str
    source : str
    line : int or None
        Where the file names it first.
    switch : bool or None
        Whether it is a switch; None: the file does not say.
    rack, unit : str
        Empty where not known.
    is_only_heard : bool
        Whether only its neighbours name it, and others were read themselves.
    ports : set of str
        The names of its ports, in use or not.
    settings : dict of str to PortSettings
        What is stated of its ports, by their names.
    """

    name: str
    source: str
    line: int | None
    switch: bool | None = None
    rack: str = ""
    unit: str = ""
    is_only_heard: bool = False
    ports: set[str] = field(default_factory=set)
    settings: dict[str, PortSettings] = field(default_factory=dict)

    def set_up(self, port: str, settings: PortSettings) -> None:
        """Add what is stated of a port; what is known of it already stays."""
        if settings:
            self.settings[port] = self.settings[port].completed(settings) if port in self.settings else settings


_End = tuple[NamedDevice, str]
_Ends = tuple[_End, _End]


@dataclass(eq=False)
class NamedCable:
    """A cable: device and port at both ends, and where a file states it.

    Attributes
    ----------
    ends : ((NamedDevice, str), (NamedDevice, str))
        A port without a name is `UNKNOWN`.
    source : str
    line : int or None
    where : str
        The place in the file, if it is not a line.
    rate_gbps, length_m : float
        0 where not known.
    part : str
    silent : frozenset of int
        The ends (0, 1) that do not list the cable themselves, though they could.
    """

    ends: _Ends
    source: str
    line: int | None
    where: str = ""
    rate_gbps: float = 0.0
    length_m: float = 0.0
    part: str = ""
    silent: frozenset[int] = frozenset()

    def place(self, source: str) -> str:
        """Where the cable is stated, as a message about `source` says it; empty if nothing is known."""
        within = self.where or (f"line {self.line}" if self.line else "")
        return within if source == self.source else ", ".join(filter(None, (self.source, within)))


class NamedCables:
    """Collects devices and cables in the order in which files name them.

    Parameters
    ----------
    source : str
        The file or folder, for messages.
    lenient : bool
        Whether the caller reports cables that cannot be right (`Fabric.flaws`) itself; otherwise a warning does.

    Attributes
    ----------
    title : str
        The name of the network, if a file states it.
    by_neighbours : bool
        Whether the cables are what devices hear of each other.
    flaws : list of Flaw
        What was reported so far.
    """

    def __init__(self, source: str, *, lenient: bool = False) -> None:
        self.source, self.lenient = source, lenient
        self.title, self.by_neighbours = "", False
        self.flaws: list[Flaw] = []
        self._devices: dict[str, NamedDevice] = {}
        self._cables: list[NamedCable] = []
        self._at: dict[_End, NamedCable] = {}

    def __len__(self) -> int:
        return len(self._cables)

    @property
    def devices(self) -> Iterable[NamedDevice]:
        """All devices, in the order of their first mention."""
        return self._devices.values()

    @property
    def cables(self) -> Iterable[NamedCable]:
        """All cables, in the order of their first mention."""
        return tuple(self._cables)

    def device(
        self,
        name: str,
        line: int | None = None,
        *,
        switch: bool | None = None,
        rack: str = "",
        unit: str = "",
        source: str = "",
    ) -> NamedDevice:
        """The device with a name, which is added if it is new; what is not known of it yet is filled in.

        Parameters
        ----------
        name : str
            Capitals do not matter.
        line : int, optional
        switch : bool, optional
            Whether it is a switch, if the file says so.
        rack, unit : str
        source : str
            The file, if it is not that of all cables.

        Raises
        ------
        InputError
            The name is not valid, or the device was a host and is now a switch (or the reverse).
        """
        name = name.strip()
        if not name or not is_name(name):
            raise at(source or self.source, line, f"the name of a device has 1 to {_LONGEST_NAME} printable characters")
        device = self._devices.get(name.lower())
        if device is None:
            device = self._devices[name.lower()] = NamedDevice(name, source or self.source, line)
        if switch is not None and device.switch is not None and device.switch != switch:
            kinds = ("a host", "a switch")
            where = f"{kinds[device.switch]}" + ("" if device.line is None else f" on line {device.line}")
            raise at(source or self.source, line, f"{name} is {kinds[switch]} here, and {where}")
        device.switch = switch if device.switch is None else device.switch
        device.rack, device.unit = device.rack or rack, device.unit or unit
        return device

    def known(self, name: str) -> NamedDevice | None:
        """The device with a name, or None."""
        return self._devices.get(name.strip().lower())

    def cable(
        self,
        near_end: _End,
        other: _End,
        line: int | None = None,
        *,
        rate_gbps: float = 0.0,
        length_m: float = 0.0,
        part: str = "",
        silent: Iterable[int] = (),
        source: str = "",
        where: str = "",
    ) -> None:
        """Add a cable; a cable that is stated again, also from its other end, is not a second one.

        Of two cables in one port, the second is kept in a port that is not known, and reported.

        Parameters
        ----------
        near_end, other : (NamedDevice, str)
            The device, and the name of its port; empty: not stated.
        line : int, optional
        rate_gbps, length_m : float
            0 where not known.
        part : str
        silent : iterable of int
            The ends (0, 1) that do not list the cable, though they could.
        source : str
            The file, if it is not that of all cables.
        where : str
            The place in the file, if it is not a line: ``link 7``.

        Raises
        ------
        InputError
            The name of a port is not valid.
        """
        file = source or self.source
        ends = (near_end[0], near_end[1].strip()), (other[0], other[1].strip())
        for device, port in ends:
            if not is_name(port):
                raise at(file, line, f"the name of a port has 1 to {_LONGEST_NAME} printable characters")
            if port != UNKNOWN:
                device.ports.add(port)
        if len(self._cables) >= _MOST_CABLES:
            raise at(file, line, f"more than {_MOST_CABLES:,} cables")
        cable = NamedCable(ends, file, line, where, rate_gbps, length_m, part, frozenset(silent))
        present = [(end, self._at[end]) for end in dict.fromkeys(ends) if end[1] != UNKNOWN and end in self._at]
        if ends[0] == ends[1] and ends[0][1] != UNKNOWN:
            self._flaw(PORT_TWICE, cable, f"{_end(ends[0])} is cabled to itself; not read", ends[:1])
        elif present and all(earlier is present[0][1] for _, earlier in present) and _is_same(present[0][1], cable):
            self._complete(present[0][1], cable)
        elif present:
            end, earlier = present[0]
            far_end = earlier.ends[1] if earlier.ends[0] == end else earlier.ends[0]
            instead = ends[1] if ends[0] == end else ends[0]
            before = f" ({place})" if (place := earlier.place(file)) else ""
            text = f"{_end(end)} is cabled to {_end(instead)}, but also to {_end(far_end)}{before}"
            self._flaw(PORT_TWICE, cable, text, (end,), (far_end[0].name, instead[0].name))
            # The cable stays, in a port that is not known.
            taken = {end for end, _ in present}
            first, second = ((device, UNKNOWN if (device, port) in taken else port) for device, port in ends)
            self._add(replace(cable, ends=(first, second)))
        else:
            self._add(cable)

    def _add(self, cable: NamedCable) -> None:
        self._cables.append(cable)
        self._at |= {end: cable for end in cable.ends if end[1] != UNKNOWN}

    def _complete(self, earlier: NamedCable, again: NamedCable) -> None:
        """Fill in what the second mention of a cable adds."""
        earlier.rate_gbps = earlier.rate_gbps or again.rate_gbps
        earlier.length_m = earlier.length_m or again.length_m
        earlier.part = earlier.part or again.part
        straight = _agree(earlier.ends, again.ends)
        ends = again.ends if straight else again.ends[::-1]
        earlier.silent &= again.silent if straight else frozenset(1 - end for end in again.silent)
        first, second = (
            end if end[1] != UNKNOWN else again_end for end, again_end in zip(earlier.ends, ends, strict=True)
        )
        earlier.ends = first, second
        for end in earlier.ends:
            if end[1] != UNKNOWN:
                self._at.setdefault(end, earlier)

    def _flaw(
        self, kind: str, cable: NamedCable, text: str, ends: Iterable[_End], others: tuple[str, ...] = ()
    ) -> None:
        place = cable.where if cable.source == self.source else cable.place(self.source)
        plugs = tuple((device.name, 0) for device, _ in ends)
        self.flaws.append(Flaw(kind, f"{place}: {text}" if place else text, cable.line or 0, plugs, others=others))

    def note(self, text: str) -> None:
        """Report what a file has that is not among the cables."""
        log.warning("%s: %s", self.source, text)

    def has_names(self, where: str, *names: str) -> bool:
        """Whether all of these can be names of devices and ports; else the entry is reported as omitted."""
        wrong = next((name for name in names if not is_name(name)), None)
        if wrong is not None:
            why = "too long, or has characters that cannot be printed"
            self.flaws.append(Flaw(NO_NAME, f"{where}: the name {wrong[:_SHOWN_LETTERS]!a} is {why}; omitted", 0, ()))
        return wrong is None

    def only_in_use(self) -> None:
        """Omit devices without a cable, which some files list in great number."""
        used = {id(device) for cable in self._cables for device, _ in cable.ends}
        self._devices = {key: device for key, device in self._devices.items() if id(device) in used}

    def fabric(self, name: str, what: str, is_host: Callable[[str], bool | None] | None = None) -> Fabric:
        """The complete fabric.

        Parameters
        ----------
        name : str
            The name of the topology.
        what : str
            How the file names cables, for the message if there is none.
        is_host : callable (name: str) -> bool or None, optional
            What a plan says of a device; None: the plan does not know it.

        Raises
        ------
        InputError
            There is no switch.
        """
        if not self._devices:
            raise at(self.source, None, f"names no device; {what}")
        self._decide(is_host)
        cables = list(self._joinable())
        if not any(device.switch for device in self.devices):
            listed = enumerated([device.name for device in self.devices], _SHOWN)
            raise at(self.source, None, f"all its devices are hosts ({listed}), and none is a switch; {what}")
        # Sorted, so that equal files give equal bytes: the order of a set differs from run to run.
        numbers = {id(device): port_numbers(sorted(device.ports)) for device in self.devices}
        following = {key: max(of_device.values(), default=0) if of_device else 0 for key, of_device in numbers.items()}
        nodes = {
            device.name: ReadNode(
                *(device.name, bool(device.switch), 1, device.name, None, 0, 0, device.line or 0),
                rack=device.rack,
                unit=device.unit,
            )
            for device in self.devices
        }
        names: dict[str, dict[int, str]] = {
            device.name: {number: port for port, number in numbers[id(device)].items()} for device in self.devices
        }
        for cable in cables:
            ports = []
            for device, port in cable.ends:
                number = numbers[id(device)].get(port, 0)
                if number == 0:
                    number = following[id(device)] = following[id(device)] + 1
                    names[device.name][number] = UNKNOWN
                if number > MOST_PORTS:
                    raise at(cable.source, cable.line, f"{device.name} has more than {MOST_PORTS} ports")
                ports.append(number)
            rate_gbps = cable.rate_gbps or _rate_of_ports(cable)
            for near in (0, 1):
                if near in cable.silent:
                    continue
                far_end = cable.ends[1 - near][0]
                nodes[cable.ends[near][0].name].cables[ports[near]] = ReadCable(
                    *(far_end.name, ports[1 - near], None, 0, 0, cable.line or 0),
                    rate_gbps=rate_gbps,
                    length_m=cable.length_m,
                    part=cable.part,
                )
        for node in nodes.values():
            node.port_names = names[node.name]
            node.ports = max([1, *names[node.name], *node.cables])
        self._report()
        fabric = assembled(nodes, self.source, name)
        return replace(
            fabric,
            switch_port_names=tuple(names[of] for of in fabric.switch_names),
            host_port_names=tuple(names[of] for of in fabric.host_names),
            flaws=tuple(self.flaws),
            port_settings={
                (device.name, port): settings for device in self.devices for port, settings in device.settings.items()
            },
            by_neighbours=self.by_neighbours,
            unread=tuple(device.name for device in self.devices if device.switch and device.is_only_heard),
        )

    def _decide(self, is_host: Callable[[str], bool | None] | None) -> None:
        """Decide for every device whether it is a switch, and report how many were recognised as hosts."""
        neighbours: dict[int, set[int]] = {id(device): set() for device in self.devices}
        for cable in self._cables:
            (near_end, _), (other, _) = cable.ends
            neighbours[id(near_end)].add(id(other))
            neighbours[id(other)].add(id(near_end))
        guessed: list[NamedDevice] = []
        for device in self.devices:
            planned = None if is_host is None else is_host(device.name)
            if planned is not None:
                device.switch = not planned
            elif device.switch is None:
                device.switch = not (neighbours[id(device)] and looks_like_host(device.name, device.ports))
                guessed.append(device)
        # No network joins two hosts directly: the one with more neighbours is a switch after all.
        is_guess = {id(device) for device in guessed}
        for cable in self._cables:
            ends = [device for device, _ in cable.ends if id(device) in is_guess]
            if ends and not any(device.switch for device, _ in cable.ends):
                max(ends, key=lambda device: len(neighbours[id(device)])).switch = True
        hosts = [device.name for device in guessed if not device.switch]
        if hosts and not (self.lenient and self.by_neighbours):  # then the plan says it, or a rule
            log.warning("%s: hosts by their ports or names: %s", self.source, enumerated(hosts, _SHOWN))

    def _joinable(self) -> Iterator[NamedCable]:
        """The cables without those between two hosts, which are reported."""
        for cable in self._cables:
            (near_end, _), (other, _) = cable.ends
            if near_end.switch or other.switch:
                yield cable
            else:
                text = f"{_end(cable.ends[0])} is cabled to {_end(cable.ends[1])}; both are hosts, so it is not read"
                self._flaw(HOSTS_JOINED, cable, text, cable.ends)

    def _report(self) -> None:
        """Report the switches that were not read, the first of the flaws, and their number."""
        unread = {device: device.name for device in self.devices if device.switch and device.is_only_heard}
        if unread:
            which = f"{len(unread)} switch{'es' * (len(unread) > 1)}"
            many = sum(any(device in unread for device, _ in cable.ends) for cable in self._cables)
            seen = f"{many:,} cable{'s are' if many > 1 else ' is'} seen from one end"
            self.note(f"{which} not read, only heard by neighbours: {enumerated([*unread.values()], _SHOWN)}; {seen}")
        if self.flaws and not self.lenient:
            more = f"; {len(self.flaws) - 1} more like this" if len(self.flaws) > 1 else ""
            log.warning("%s: %s%s ('topoloom verify' lists all)", self.source, self.flaws[0].text, more)


def _rate_of_ports(cable: NamedCable) -> float:
    """The lower rate of the two ports, in Gb/s; 0 where none is stated."""
    rates = [device.settings[port].rate_gbps for device, port in cable.ends if port in device.settings]
    return min(filter(None, rates), default=0.0)


def _is_same(earlier: NamedCable, again: NamedCable) -> bool:
    """Whether two mentions are of one cable: the same devices, and the same ports where both state them."""
    return _agree(earlier.ends, again.ends) or _agree(earlier.ends, again.ends[::-1])


def _agree(mine: _Ends, theirs: _Ends) -> bool:
    return all(a is b and (p == q or UNKNOWN in (p, q)) for (a, p), (b, q) in zip(mine, theirs, strict=True))


def _end(end: _End) -> str:
    device, port = end
    return f"{device.name} port {port}" if port != UNKNOWN else device.name
