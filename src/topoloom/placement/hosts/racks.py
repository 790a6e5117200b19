"""Planning racks of hosts: which hosts and switches share a rack, and the order of the racks along the rows."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.hosts.housing import Housing

#: Kinds of racks: hosts (with or without their leaves), leaves only, switches without hosts.
HOSTS, LEAVES, SPINES = 0, 1, 2
_ENDLESS = float("inf")


@dataclass(frozen=True, eq=False)
class Racks:
    """The racks, numbered in the order in which they stand.

    Attributes
    ----------
    switch : int32[switches]
        The rack of each switch.
    host : int32[hosts]
        The rack of each host.
    kind : int8[racks]
        `HOSTS`, `LEAVES` or `SPINES`.
    """

    switch: np.ndarray
    host: np.ndarray
    kind: np.ndarray

    def __len__(self) -> int:
        return len(self.kind)

    def loads(self, host_w: float, switch_w: float) -> np.ndarray:
        """The load of each rack, float64[racks, 3]: switches, hosts, watts."""
        switches, hosts = (np.bincount(part, minlength=len(self)) for part in (self.switch, self.host))
        return np.column_stack([switches, hosts, switches * switch_w + hosts * host_w]).astype(float)


@dataclass(frozen=True)
class RackCapacity:
    """The capacity of one rack: its limits of switches and hosts, and the height and power that both share."""

    housing: Housing
    switch_w: float
    most_switches: float
    most_hosts: float
    power_w: float

    def holds(self, switches: int, hosts: int) -> bool:
        """Whether a rack has places, units and power for these numbers of both."""
        host, rack = self.housing.host, self.housing.rack
        return (
            switches <= self.most_switches
            and hosts <= self.most_hosts
            and switches * rack.switch_u + hosts * host.units <= rack.u * (1 + 1e-9)
            and switches * self.switch_w + hosts * host.power_w <= self.power_w * (1 + 1e-9)
        )

    def most(self, *, hosts: bool) -> int:
        """The most hosts, or switches, that a rack holds alone.

        Raises
        ------
        InputError
            It does not hold even one.
        """
        host, rack = self.housing.host, self.housing.rack
        what = f"host of {host.power_w:,.0f} W and {host.units:g} units" if hosts else "switch"
        tall, draws = (host.units, host.power_w) if hosts else (rack.switch_u, self.switch_w)
        limit = self.most_hosts if hosts else self.most_switches
        limits = [limit, rack.u / tall if tall else _ENDLESS, self.power_w / draws if draws else _ENDLESS]
        count = min(limits) * (1 + 1e-9)
        if count < 1:
            name = f" ('{host.name}')" if hosts else f" of {self.switch_w:,.0f} W and {rack.switch_u:g} units"
            power = f" and {self.power_w:,.0f} W" if self.power_w < _ENDLESS else ""
            raise InputError(
                f"a rack of {rack.u:g} units{power} holds no {what}{name}; raise the limits of the rack, or choose smaller ones"
            )
        return int(min(count, 1e9))


def racks_of_units(topology: Topology, housing: Housing, switch_w: float, limits: np.ndarray) -> Racks:
    """Racks for the hosts and switches of a network.

    Hosts that share leaves are a unit: the 32 servers and eight leaves of a rail-optimised pod, or a leaf and its hosts. Units
    stand one after another in the order of their leaves. Where a unit fits into a rack, leaves stand on top of it (``tor``);
    else the units of up to `rack.row` racks of hosts share one group of leaf racks, in the middle of these racks or at their
    end. Switches without hosts stand together, in the middle of all racks.
    their end. Switches without hosts stand together, in the middle of everything.

    Parameters
    ----------
    topology : Topology
        With hosts.
    housing : Housing
    switch_w : float
        Power of a switch that a rack must supply, W.
    limits : float64[3]
        Further limits of a place on the floor: switches, hosts, watts; inf without a limit.

    Raises
    ------
    InputError
        The network has no hosts, or hosts with another number of interfaces; a rack holds no host or no switch; with ``tor``,
        a leaf does not fit on top of its hosts.
    """
    _check_interfaces(topology, housing)
    rack = housing.rack
    power_w = min(float(limits[2]), _ENDLESS if rack.power_w is None else rack.power_w)
    most_switches = min(float(limits[0]), _ENDLESS if rack.switches is None else rack.switches)
    most_hosts = min(float(limits[1]), _ENDLESS if rack.hosts is None else rack.hosts)
    capacity = RackCapacity(housing, switch_w, most_switches, most_hosts, power_w)
    capacity.most(hosts=True)
    units = units_of(topology)
    on_top = rack.leaf == "tor" or (rack.leaf == "auto" and all(capacity.holds(len(a), len(b)) for a, b in units))
    blocks = _on_top(units, capacity) if on_top else _around(units, capacity)
    bare = np.flatnonzero(topology.endpoints_at == 0)
    group = topology.labels.get("group")
    if group is not None:
        bare = bare[np.argsort(group[bare], kind="stable")]
    pile = [(piece, _NONE, SPINES) for piece in _pieces(bare, capacity.most(hosts=False))] if bare.size else []
    half = len(blocks) // 2
    sequence = [planned for block in blocks[:half] for planned in block] + pile
    sequence += [planned for block in blocks[half:] for planned in block]
    switch, host = np.empty(topology.switches, np.int32), np.empty(topology.hosts, np.int32)
    for number, (switches, hosts, _) in enumerate(sequence):
        switch[switches] = number
        host[hosts] = number
    return Racks(switch, host, np.array([kind for *_, kind in sequence], np.int8))


_NONE = np.empty(0, np.int64)
_Rack = tuple[np.ndarray, np.ndarray, int]


def _check_interfaces(topology: Topology, housing: Housing) -> None:
    """Raise an error for a network without hosts, or for hosts whose interfaces differ in number from the network's."""
    if not topology.hosts:
        raise InputError(f"{topology.name} has no hosts to put into racks; give hosts=NUMBER in the spec")
    host = housing.host
    if host.nics is not None:
        counts = np.bincount(topology.host, minlength=topology.hosts)
        wanted = host.nics * host.ports
        if (counts != wanted).any():
            odd = int(np.flatnonzero(counts != wanted)[0])
            planes = "; +planes, +rails and +nics give hosts several"
            raise InputError(
                f"{topology.name}: host {odd} has {counts[odd]} ports on the network, but '{host.name}' has {wanted}"
                f" ({host.nics} x {host.ports}){planes}"
            )


def units_of(topology: Topology) -> list[tuple[np.ndarray, np.ndarray]]:
    """The switches and the hosts of every unit, in the order of their first leaves (by group, where there are groups)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, hosts = topology.switches, topology.hosts
    ports = np.ones(topology.endpoints.size, np.int8)
    shape = (n + hosts, n + hosts)
    joined = coo_array((ports, (topology.endpoints, topology.host + n)), shape=shape)
    _, part = connected_components(joined, directed=False)
    leaves = np.flatnonzero(topology.endpoints_at)
    group = topology.labels.get("group")
    if group is not None:
        leaves = leaves[np.argsort(group[leaves], kind="stable")]
    # Units are in the order of their first leaf; inside a unit, leaves and hosts keep their order.
    _, first = np.unique(part[leaves], return_index=True)
    rank = np.full(int(part.max()) + 1, -1)
    rank[part[leaves[np.sort(first)]]] = np.arange(first.size)
    by_leaf, by_host = rank[part[leaves]], rank[part[n:]]
    leaf_order, host_order = (np.argsort(ranks, kind="stable") for ranks in (by_leaf, by_host))
    edges = np.arange(1, first.size)
    leaf_parts = np.split(leaves[leaf_order], np.searchsorted(by_leaf[leaf_order], edges))
    host_parts = np.split(host_order, np.searchsorted(by_host[host_order], edges))
    return list(zip(leaf_parts, host_parts, strict=True))


def _on_top(units: list[tuple[np.ndarray, np.ndarray]], capacity: RackCapacity) -> list[list[_Rack]]:
    """Put whole units into racks, one after another, as long as the next fits."""
    blocks: list[list[_Rack]] = []
    leaves: list[np.ndarray] = []
    hosts: list[np.ndarray] = []
    held = [0, 0]
    for switches, own in units:
        if not capacity.holds(len(switches), len(own)):
            raise InputError(
                f'leaf = "tor": {len(own)} hosts and their {len(switches)} switch{"es" * (len(switches) > 1)} do not fit into'
                ' one rack; give leaf = "mor", or fewer hosts per leaf'
            )
        if leaves and not capacity.holds(held[0] + len(switches), held[1] + len(own)):
            blocks.append([(np.concatenate(leaves), np.concatenate(hosts), HOSTS)])
            leaves, hosts, held = [], [], [0, 0]
        leaves.append(switches)
        hosts.append(own)
        held = [held[0] + len(switches), held[1] + len(own)]
    blocks.append([(np.concatenate(leaves), np.concatenate(hosts), HOSTS)])
    return blocks


def _around(units: list[tuple[np.ndarray, np.ndarray]], capacity: RackCapacity) -> list[list[_Rack]]:
    """Group units until their hosts fill the racks of a row, around one group of leaf racks."""
    each, most, rule = capacity.most(hosts=True), capacity.most(hosts=False), capacity.housing.rack
    blocks: list[list[_Rack]] = []
    waiting: list[tuple[np.ndarray, np.ndarray]] = []

    def close() -> None:
        hosts = _pieces(np.concatenate([own for _, own in waiting]), each)
        leaves = _pieces(np.concatenate([switches for switches, _ in waiting]), most)
        racks: list[_Rack] = [(_NONE, some, HOSTS) for some in hosts]
        middle = len(racks) if rule.leaf == "eor" else (len(racks) + 1) // 2
        racks[middle:middle] = [(some, _NONE, LEAVES) for some in leaves]
        blocks.append(racks)
        waiting.clear()

    for unit in units:
        count = sum(len(own) for _, own in waiting) + len(unit[1])
        if waiting and -(-count // each) > rule.row:
            close()
        waiting.append(unit)
    close()
    return blocks


def _pieces(members: np.ndarray, most: int) -> list[np.ndarray]:
    """As few pieces of at most `most` members as possible, of nearly equal size."""
    return np.array_split(members, max(1, -(-len(members) // most)))
