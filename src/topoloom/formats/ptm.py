"""DOT files with ports, as Cumulus' PTM and NVIDIA's cable validation tool read them: ``"leaf1":"swp31" -- "spine1":"swp1"``.

A node's role or function says whether it is a host. Compass points (``a:n -- b:s``) are no ports; such files are plain DOT.
Sources: CumulusNetworks/ptm (topology.dot.sample); NVIDIA, UFM Cable Validation Tool, "Dot File".
"""

from typing import Any

from topoloom.core.errors import at
from topoloom.fabric.device_kinds import is_switch_role
from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.named_cables import NamedCables, NamedDevice
from topoloom.fabric.own_switches import with_own_switches
from topoloom.fabric.port_names import named_plugs
from topoloom.formats._dot_syntax import DotParser
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import short, text_of
from topoloom.formats.dot import dot_text
from topoloom.model.link_rates import RATE, rate_in

_ROLES = ("role", "function")
_FORM = 'a cable is "leaf1":"swp31" -- "spine1":"swp1"'


def cables_in(data: bytes, source: str, lenient: bool) -> NamedCables:
    """The cables in a file.

    Parameters
    ----------
    data : bytes
    source : str
    lenient : bool
        Whether the caller reports cables that cannot be right itself.

    Returns
    -------
    NamedCables

    Raises
    ------
    InputError
        The file is not DOT.
    """
    graph = _Plugs(source, lenient)
    heading = DotParser(text_of(data, source), source, graph).parsed()
    cables = graph.cables()
    cables.title = heading.name or ""
    return cables


class _Plugs:
    """Collects the cables of a file; a number stands for a device and its port."""

    def __init__(self, source: str, lenient: bool) -> None:
        self._source = source
        self._named = NamedCables(source, lenient=lenient)
        self._ends: list[tuple[NamedDevice, str]] = []
        self._links: list[tuple[int, int, int, float]] = []

    def node(self, name: str, port: str = "", line: int = 0) -> int:
        """The number of a port of a device, or of the device itself."""
        self._ends.append((self._named.device(name, line or None), port))
        return len(self._ends) - 1

    def link(self, a: int, b: int, line: int, rate_gbps: Any = None) -> int:
        """The number of a new cable."""
        self._links.append((a, b, line, 0.0))
        if rate_gbps is not None:
            self.rate(len(self._links) - 1, rate_gbps, line)
        return len(self._links) - 1

    def rate(self, link: int, rate_gbps: int | float | str, line: int | None) -> None:
        """Set the rate of a cable."""
        rate = rate_in(rate_gbps)
        if rate is None:
            raise at(self._source, line, f"{RATE} is {short(str(rate_gbps))}; a rate is a number above 0, in Gb/s")
        a, b, at_line, _ = self._links[link]
        self._links[link] = a, b, at_line, rate

    def set(self, node: int, key: str, value: int | float | str, line: int | None) -> None:
        """Set an attribute of a device, of which the role counts."""
        if key.lower() in _ROLES:
            self._named.device(self._ends[node][0].name, line, switch=is_switch_role(str(value)))

    def default(self, values: dict[str, Any], line: int | None) -> None:
        """Ignore attributes of all devices to come."""

    def cables(self) -> NamedCables:
        """All cables and devices."""
        for a, b, line, rate_gbps in self._links:
            self._named.cable(self._ends[a], self._ends[b], line, rate_gbps=rate_gbps)
        self._links.clear()
        return self._named


def write_fabric(fabric: Fabric) -> str:
    """The cables of a fabric with names and ports; a switch has the role switch, a host the role host."""
    fabric, _ = with_own_switches(fabric)
    topology = fabric.topology
    switches, hosts = distinct_names(fabric)
    lines = [f"graph {dot_text(topology.name)} {{"]
    lines += [f'  {dot_text(name)} [role="switch"]' for name in switches]
    lines += [f'  {dot_text(name)} [role="host"]' for name in hosts]
    lines += [
        "  " + " -- ".join(dot_text(device) + (f":{dot_text(port)}" if port else "") for device, port in ends)
        for ends in named_plugs(fabric)
    ]
    return "\n".join([*lines, "}"]) + "\n"


register_named_format(
    "ptm",
    (".ptm.dot",),
    "DOT with ports, of Cumulus' PTM and NVIDIA's cable validation tool",
    cables_in,
    _FORM,
    shared=(".dot", ".gv"),
    titled=True,
    write_fabric=write_fabric,
)
