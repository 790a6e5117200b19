"""The wiring of a network during an expansion: the cable in every port, and the cables on the shelf."""

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.plugs import Plugs
from topoloom.core.errors import InputError
from topoloom.cost.choose import Cables, choose_cables
from topoloom.cost.parts import Parts
from topoloom.cost.switch_kinds import LinkCages
from topoloom.fabric.fabric import Fabric
from topoloom.model.topology import Topology

#: A free port, a port with a host's cable, and one with a cable from the switch to itself.
FREE, HOST, LOOP = -1, -2, -3
_LAST_NUMBER = re.compile(r"[0-9]{1,5}(?=[^0-9]*$)")


@dataclass
class WiredCable:
    """A cable: its number, its product, and its ends.

    number: from 1; product: index in the catalogue; stock_m: the length as bought; usd: low and high price; ends: (switch,
    port) of both, or (switch, port) and (host, port) if `host`; plugged: whether it is in use, or on the shelf.
    """

    number: int
    product: int
    stock_m: float
    usd: tuple[float, float]
    power_w: float
    ends: tuple[tuple[int, int], tuple[int, int]]
    host: bool = False
    plugged: bool = True


def cables_of(cabling: Cabling) -> list[WiredCable]:
    """The installed cables, in the order of the cabling, each in its ports."""
    bought = cabling.bought
    usd = np.stack([bought.usd_low, bought.usd_high], axis=1).tolist()
    columns = (cabling.number, bought.product, bought.stock_m, bought.power_w, cabling.to_host)
    rows = zip(*(column.tolist() for column in columns), usd, cabling.ends.tolist(), cabling.port.tolist(), strict=True)
    return [
        WiredCable(number, product, stock_m, tuple(prices), power_w, ((a, at_a), (b, at_b)), host)
        for number, product, stock_m, power_w, host, prices, (a, b), (at_a, at_b) in rows
    ]


def cable_alone(
    parts: Parts,
    length_m: float,
    between: bool,
    rate_gbps: float,
    host: bool,
    cages: tuple[LinkCages, LinkCages] | None = None,
) -> Cables:
    """The cable to buy for one link: one that carries no other, unless the catalogue has only cables of several links.

    Parameters
    ----------
    parts : Parts
    length_m : float
        The length that it spans, in m.
    between : bool
        Whether it runs between racks.
    rate_gbps : float
    host : bool
        Whether it goes to a host.
    cages : (LinkCages, LinkCages), optional
        What the cages of the switches take, of the first link and of the first host's cable; any, if omitted.

    Returns
    -------
    Cables
        With one row.

    Raises
    ------
    InputError
        No product serves.
    """
    asked = parts, np.array([length_m]), np.array([between]), rate_gbps
    to: Literal["switch", "host"] = "host" if host else "switch"
    take = None if cages is None else cages[host]
    if take is not None:
        take = LinkCages(take.kinds, take.ends[:1]) if take.ends.size else None
    try:
        return choose_cables(*asked, np.array([[0, 1]]), to, cages=take)
    except InputError:
        return choose_cables(*asked, None, to, cages=take)


class CableWork:
    """The links of a network, port by port.

    Parameters
    ----------
    topology : Topology
        The existing network.
    plugs : Plugs
        Its ports.
    switches, ports : int
        The final number of switches, and the number of ports of each.
    fabric : Fabric, optional
        The cabled network: free ports that have names there are used first, those whose number may be read as the name of
        another port last, and those with a cable from the switch to itself never.
    """

    def __init__(
        self, topology: Topology, plugs: Plugs, switches: int, ports: int, fabric: Fabric | None = None
    ) -> None:
        self.far = np.full((switches, ports), FREE, np.int32)
        #: The cable in each port, by its index in `cables`; -1 without one.
        self.plugged = np.full((switches, ports), -1, np.int64)
        self.cables: list[WiredCable] = []
        #: Cables that are not plugged in.
        self.shelf: list[int] = []
        (u, v), (at_u, at_v) = topology.links.T, plugs.link.T - 1
        self.far[u, at_u], self.far[v, at_v] = v, u
        self.far[topology.endpoints, plugs.endpoint - 1] = HOST
        self._last = np.zeros((switches, ports), np.int8)
        if fabric is not None:
            self._know(fabric)

    def _know(self, fabric: Fabric) -> None:
        """Set the order in which the free ports of a cabled network are used."""
        ports = self.far.shape[1]
        for switch, port in fabric.loops[:, [0, 1, 0, 2]].reshape(-1, 2).tolist():
            if port <= ports:
                self.far[switch, port - 1] = LOOP
        for switch, names in enumerate(fabric.switch_port_names):
            if not any(names.values()):
                continue
            read_as = {int(match[0]) for name in names.values() if (match := _LAST_NUMBER.search(name))}
            for port in range(1, ports + 1):
                self._last[switch, port - 1] = 0 if names.get(port) else 2 if port in read_as else 1

    def free_port(self, switch: int) -> int:
        """The lowest free port of a switch, from 1; 0 if all are taken."""
        free = np.flatnonzero(self.far[switch] == FREE)
        return int(free[self._last[switch, free].argmin()]) + 1 if free.size else 0

    def between(self, u: int, v: int) -> list[int]:
        """The cables between two switches, by their indices in `cables`, ordered by their ports at u."""
        return [int(cable) for cable in self.plugged[u][self.far[u] == v]]

    def from_shelf(self, length_m: float) -> int:
        """Take the shortest cable from the shelf that is long enough; -1 without one."""
        long_enough = [
            (self.cables[cable].stock_m, cable) for cable in self.shelf if self.cables[cable].stock_m >= length_m - 1e-9
        ]
        if not long_enough:
            return -1
        cable = min(long_enough)[1]
        self.shelf.remove(cable)
        return cable

    def plug(self, cable: int, u: int, v: int) -> None:
        """Plug an unused cable into the lowest free ports of two switches.

        Parameters
        ----------
        cable : int
            Its index.
        u, v : int
            The switches.
        """
        self._set(((u, self.free_port(u)), (v, self.free_port(v))), cable)

    def unplug(self, cable: int) -> None:
        """Unplug a cable at both ends, and put it on the shelf."""
        for switch, port in self.cables[cable].ends:
            self._clear(switch, port)
        self.cables[cable].plugged = False
        self.shelf.append(cable)

    def move(self, cable: int, stays: int, to: int) -> None:
        """Unplug one end of a cable and plug it into the lowest free port of another switch; it becomes its second end.

        Parameters
        ----------
        cable : int
            Its index.
        stays : int
            The switch at which its other end stays.
        to : int
            The switch to which the unplugged end goes.
        """
        first, second = self.cables[cable].ends
        fixed_end, moved_end = (first, second) if first[0] == stays else (second, first)
        port = self.free_port(to)
        self._clear(*moved_end)
        self._set((fixed_end, (to, port)), cable)

    def plug_host(self, switch: int, cable: int) -> int:
        """Give a host the lowest free port of a switch, with its cable (-1: not listed); returns the port."""
        port = self.free_port(switch)
        self.far[switch, port - 1], self.plugged[switch, port - 1] = HOST, cable
        return port

    def _clear(self, switch: int, port: int) -> None:
        self.far[switch, port - 1] = FREE
        self.plugged[switch, port - 1] = -1

    def _set(self, ends: tuple[tuple[int, int], tuple[int, int]], cable: int) -> None:
        (u, at_u), (v, at_v) = ends
        self.far[u, at_u - 1], self.far[v, at_v - 1] = v, u
        self.plugged[u, at_u - 1] = self.plugged[v, at_v - 1] = cable
        self.cables[cable].ends, self.cables[cable].plugged = ends, True
