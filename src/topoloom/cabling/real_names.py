"""Real names of devices and ports in the lists of a network that is cabled: ``leaf01`` and ``swp51``, where topoloom counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.port_texts import port_text
from topoloom.formats.cables import host_ports


@dataclass(frozen=True, eq=False)
class RealNames:
    """The names of the devices and ports of a cabled network, by the numbers in topoloom's lists.

    Attributes
    ----------
    fabric : Fabric
    """

    fabric: Fabric

    @property
    def switches(self) -> Sequence[str]:
        """The name of each switch; each occurs once."""
        return self._distinct[0]

    @property
    def hosts(self) -> Sequence[str]:
        """The name of each host; each occurs once."""
        return self._distinct[1]

    @cached_property
    def _distinct(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return distinct_names(self.fabric)

    def port(self, switch: int, port: int) -> str:
        """A port of a switch as people call it: its name, or its number, with the label on its panel."""
        return self.port_name(switch, port) or (
            str(port) if self._names_ports(switch) else port_text(self.fabric, switch, port)
        )

    def port_name(self, switch: int, port: int) -> str:
        """The name of a port of a switch; empty where the source does not state it."""
        return self.fabric.switch_port_names[switch].get(port, "") if self._names_ports(switch) else ""

    def host_port(self, host: int, place: int) -> str:
        """A port of a host: its name, or its number; `place`: as lists count it among the ports with cables, from 1."""
        return self.host_port_name(host, place) or str(self._host_ports.get((host, place), place))

    def host_port_name(self, host: int, place: int) -> str:
        """The name of a port of a host; empty where the source does not state it."""
        names = self.fabric.host_port_names
        return names[host].get(self._host_ports.get((host, place), place), "") if names else ""

    @cached_property
    def _host_ports(self) -> dict[tuple[int, int], int]:
        host = self.fabric.topology.host
        places = zip(host.tolist(), host_ports(host).tolist(), strict=True)
        return dict(zip(places, self.fabric.host_ports.tolist(), strict=True))

    def unnamed(self, switch: int, port: int) -> bool:
        """Whether a port has only a number, counted by topoloom, on a switch whose ports have names."""
        return self._names_ports(switch) and not self.port_name(switch, port)

    def _names_ports(self, switch: int) -> bool:
        return bool(self.fabric.switch_port_names and self.fabric.switch_port_names[switch])
