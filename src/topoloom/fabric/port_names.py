"""Names of ports: what Ethernet switches and adapters call their ports, the numbers behind the names, and which are one port.

InfiniBand numbers its ports. Ethernet names them, and each maker in its own way: ``swp1s0``, ``Ethernet1/1/1``, ``et-0/0/0:0``,
``sw1p1``, ``etp1a``. A `Fabric` gives every port a number in any case, because tables and kernels need numbers; its name is
what people read. Sources: Cumulus Linux (``swp1s0``, lanes from 0), SONiC (``Ethernet0`` by the first lane, alias ``etp1a``),
Arista EOS and Cisco NX-OS (``Ethernet1/1/1``, lanes from 1; NX-OS shortens to ``Eth1/1``), Juniper Junos (``et-0/0/0:0``).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from topoloom.fabric.distinct_names import distinct_names, natural_key
from topoloom.fabric.fabric import Fabric, each_node

#: The name of a port that a file does not state.
UNKNOWN = ""
#: Numbers of ports are not above.
MOST_PORTS = 65_535
_MOST_NAMES = 1 << 16
_LAST_NUMBER = re.compile(r"(.*?)([0-9]{1,5})", re.DOTALL)
#: Short forms of NX-OS and EOS; ``eth0`` without a slash is a port of Linux.
_ETHERNET = re.compile(r"(?:e|et|eth|ethernet)(?=[0-9]+/)")
_UNIT = re.compile(r"\.0$")
#: A lane of a port that is split: what stands for the whole port, and the lane, by the maker's form; and its first lane.
_LANES = (
    (re.compile(r"(swp[0-9]+)s([0-9]{1,2})"), "0"),
    (re.compile(r"(sw[0-9]+)p([0-9]{1,2})"), "1"),
    (re.compile(r"(etp[0-9]+)([a-h])"), "a"),
    (re.compile(r"((?:et|xe|ge)-[0-9]+/[0-9]+/[0-9]+):([0-9]{1,2})"), "0"),
    (re.compile(r"(ethernet[0-9]+/[0-9]+)/([0-9]{1,2})"), "1"),
)
_OF_HOSTS = re.compile(
    r"(?:eth|eno|ens|enp|enx|em|ib|ibp|ibs|bond|mlx[45]_|hca[- ]?|rail[- ]?|nic[- ]?|hsn|cxi|bnxt_re|rocep|rdma|irdma)"
    r"[0-9][^/]*|p[0-9]+p[0-9]+",
    re.IGNORECASE,
)
#: Ports of InfiniBand switches by cage and place, two per cage: ``17/1``, ``sw17p1``.
_IN_CAGE = re.compile(r"(?:([0-9]{1,3})/|sw([0-9]{1,3})p)([12])")
_OF_MANAGEMENT = re.compile(
    r"(?:eth0|(?:mgmt|me|fxp|em|management|ma|oob|ipmi|bmc|ilo|idrac)[0-9]+(?:/[0-9]+)*(?:\.0)?|mgmt|bmc|ipmi|oob)"
)

#: Ports that stand for several: LLDP runs on their members.
_OF_AGGREGATES = re.compile(r"(?:ae|bond|lag|po|port-?channel|team)[ -]?[0-9]+")


# Names of ports repeat from device to device.
@lru_cache(maxsize=_MOST_NAMES)
@lru_cache(maxsize=_MOST_NAMES)
def canonical_port(name: str) -> str:
    """A port's name in the form that its other spellings share: ``Eth1/1``, ``Ethernet1/1`` and ``"Ethernet1/1"``.

    Examples
    --------
    >>> canonical_port("Eth1/1"), canonical_port('"et-0/0/20"'), canonical_port("et-0/0/0.0"), canonical_port("swp1s0")
    ('ethernet1/1', 'et-0/0/20', 'et-0/0/0', 'swp1s0')
    """
    plain = name.strip().strip("\"'").strip().lower()
    return _ETHERNET.sub("ethernet", _UNIT.sub("", plain) if "-" in plain else plain)


def whole_port(name: str) -> str:
    """The port that a lane is a part of, in its canonical form; empty if the name is not that of a lane.

    Examples
    --------
    >>> whole_port("swp1s0"), whole_port("Ethernet1/1/1"), whole_port("et-0/0/0:3"), whole_port("swp1")
    ('swp1', 'ethernet1/1', 'et-0/0/0', '')
    """
    return lane_of(name)[0]


@lru_cache(maxsize=_MOST_NAMES)
def lane_of(name: str) -> tuple[str, int]:
    """The port that a lane is a part of, in its canonical form, and the place of the lane, from 0; empty and 0 for other names.

    Examples
    --------
    >>> lane_of("swp1s0"), lane_of("Ethernet1/1/3"), lane_of("etp1b"), lane_of("swp1")
    (('swp1', 0), ('ethernet1/1', 2), ('etp1', 1), ('', 0))
    """
    plain = canonical_port(name)
    match, first = next(((match, first) for form, first in _LANES if (match := form.fullmatch(plain))), (None, ""))
    if match is None:
        return "", 0
    return match[1], int(match[2], 36) - int(first, 36) if first == "a" else int(match[2]) - int(first)


def is_host_port(name: str) -> bool:
    """Whether an operating system or a plan gives this name to the port of an adapter: ``ens1f0np0``, ``mlx5_0``, ``rail3``."""
    return _OF_HOSTS.fullmatch(name.strip()) is not None


def is_management_port(name: str) -> bool:
    """Whether a port of a switch is for management, not for data: ``eth0``, ``mgmt0``, ``Management1``, ``fxp0``, ``me0``."""
    return _OF_MANAGEMENT.fullmatch(name.strip().lower()) is not None


def is_aggregate(name: str) -> bool:
    """Whether a port stands for several, which have the cables: ``bond0``, ``Port-Channel1``, ``ae0``."""
    return _OF_AGGREGATES.fullmatch(canonical_port(name)) is not None


def cage_number(name: str) -> int:
    """The InfiniBand number of a port that is named by its cage, of two ports each, and its place there; 0 for other names.

    Examples
    --------
    >>> cage_number("1/1"), cage_number("17/2"), cage_number("sw72p2"), cage_number("swp7")
    (1, 34, 144, 0)
    """
    match = _IN_CAGE.fullmatch(name)
    return 0 if match is None else 2 * int(match[1] or match[2]) + int(match[3]) - 2


def port_numbers(names: Iterable[str]) -> dict[str, int]:
    """A number from 1 for each port of one device.

    The numbers in the names, if these differ in nothing else: 7 for ``swp7`` and for ``Ethernet1/7``; those of InfiniBand, if
    all are named by their cages (`cage_number`). Otherwise the ports are counted in the natural order of their names.

    Parameters
    ----------
    names : iterable of str

    Returns
    -------
    dict of str to int

    Examples
    --------
    >>> port_numbers(["swp51", "swp7"]), port_numbers(["swp1s1", "swp1s0", "swp51"]), port_numbers(["Ethernet0", "Ethernet4"])
    ({'swp51': 51, 'swp7': 7}, {'swp1s0': 1, 'swp1s1': 2, 'swp51': 3}, {'Ethernet0': 1, 'Ethernet4': 2})
    """
    distinct = list(dict.fromkeys(names))
    in_cages = {name: cage_number(name) for name in distinct}
    if all(in_cages.values()):
        return in_cages
    matches = [_LAST_NUMBER.fullmatch(name) for name in distinct]
    numbers = [int(match[2]) for match in matches if match]
    same = len({match[1] for match in matches if match}) == 1 and len(numbers) == len(set(numbers)) == len(distinct)
    if same and min(numbers) >= 1 and max(numbers) <= MOST_PORTS:
        return dict(zip(distinct, numbers, strict=True))
    return {name: number for number, name in enumerate(sorted(distinct, key=natural_key), 1)}


def split_twice(names: Collection[str]) -> list[tuple[str, list[str]]]:
    """The ports of one device that are there whole and as lanes, which cannot both be: each with its lanes.

    Examples
    --------
    >>> split_twice(["swp1", "swp1s0", "swp1s1", "swp2s0"])
    [('swp1', ['swp1s0', 'swp1s1'])]
    """
    spellings = {canonical_port(name): name for name in names}
    lanes: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted((name for name in names if whole_port(name) in spellings), key=natural_key):
        lanes[spellings[whole_port(name)]].append(name)
    return sorted(lanes.items(), key=lambda item: natural_key(item[0]))


class PortMatcher:
    """Finds the port of a device that another file or another device calls by a name of its own.

    Parameters
    ----------
    numbers : mapping of str to int
        The ports of the device by their names.
    aliases : mapping of str to str
        Further names of ports: ``etp1a`` of ``Ethernet0``.
    """

    def __init__(self, numbers: Mapping[str, int], aliases: Mapping[str, str] = MappingProxyType({})) -> None:
        self._exact = {name: number for name, number in numbers.items() if name != UNKNOWN}
        self._exact |= {
            alias: numbers[name] for alias, name in aliases.items() if name in numbers and alias not in numbers
        }
        counts = Counter(map(canonical_port, self._exact))
        self._loose = {key: number for name, number in self._exact.items() if counts[key := canonical_port(name)] == 1}

    def number(self, name: str) -> int | None:
        """The number of the port with this name, exactly or in another spelling; None if there is none, or several."""
        exact = self._exact.get(name)
        return exact if exact is not None else self._loose.get(canonical_port(name))


def named_plugs(fabric: Fabric) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Both ends of every cable as device and port, links first, then hosts' cables, then cables of a switch with itself.

    Ports without names are ``swp7`` at a switch and ``eth1`` at a host.
    """
    topology = fabric.topology
    switches, hosts = distinct_names(fabric)
    at_switch = each_node(fabric.switch_port_names, topology.switches)
    at_host = each_node(fabric.host_port_names, topology.hosts)

    def plug(switch: int, port: int) -> tuple[str, str]:
        return switches[switch], at_switch[switch].get(port, f"swp{port}")

    for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True):
        yield plug(u, p), plug(v, q)
    ends = (topology.endpoints, fabric.endpoint_ports, topology.host, fabric.host_ports)
    for s, p, h, q in zip(*(each.tolist() for each in ends), strict=True):
        yield plug(s, p), (hosts[h], at_host[h].get(q, f"eth{q}"))
    for s, p, q in fabric.loops.tolist():
        yield plug(s, p), plug(s, q)
