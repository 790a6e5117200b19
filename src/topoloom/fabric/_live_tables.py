"""Carried tables on a fabric that has changed since: addresses, which entries still lead to the same ports, and senders."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables
from topoloom.routing.channels import channels_of
from topoloom.routing.live.destinations import Destinations
from topoloom.routing.routing import port_type


@dataclass(frozen=True, eq=False)
class TableAddresses:
    """The addresses of a fabric: every host port and switch has one, or several with an LMC above 0.

    First the first address of each host port, then that of each switch, then all further addresses.

    Attributes
    ----------
    fabric : Fabric
    target : int64[A]
        The host port, or number of host ports + switch.
    offset : int64[A]
        The index of the address among those of its target.
    lid : int64[A]
    """

    fabric: Fabric
    target: np.ndarray
    offset: np.ndarray
    lid: np.ndarray

    @cached_property
    def home(self) -> np.ndarray:
        """The switch of each address, int64[A]."""
        topology = self.fabric.topology
        homes = np.concatenate([topology.endpoints, np.arange(topology.switches)]).astype(np.int64)
        return np.asarray(homes[self.target])

    @cached_property
    def plug(self) -> np.ndarray:
        """The port by which the home switch hands packets over, int16[A]; 0: to itself."""
        fabric = self.fabric
        ports = np.concatenate([fabric.endpoint_ports, np.zeros(fabric.topology.switches, np.int32)])
        return np.asarray(ports[self.target], np.int16)

    @cached_property
    def of_host(self) -> np.ndarray:
        """Whether an address belongs to a host port, bool[A]."""
        return np.asarray(self.target < self.fabric.topology.endpoints.size)

    @cached_property
    def links_at(self) -> np.ndarray:
        """The link of each switch, from 0, behind each of its real ports, int32[n, ports]; -1: no link to a switch."""
        fabric, channels = self.fabric, channels_of(self.fabric.topology)
        width = int(max(fabric.channel_ports.max(initial=0), fabric.switch_ports.max(initial=0), 255)) + 1
        links: np.ndarray = np.full((fabric.topology.switches, width), -1, np.int32)
        links[channels.origin, fabric.channel_ports] = np.arange(channels.to.size) - channels.first[channels.origin]
        return links

    def links(self, ports: np.ndarray) -> np.ndarray:
        """Real ports int16[n, A] as links of the switches, uint8 or uint16[A, n]; the highest value of the type: no link."""
        kind = port_type(self.fabric.topology)
        none = np.iinfo(kind).max
        links: np.ndarray = np.empty((ports.shape[1], len(ports)), kind)
        for switch, own in enumerate(ports):
            at = np.where(own >= 0, self.links_at[switch, np.maximum(own, 0)], -1)
            links[:, switch] = np.where(at >= 0, at, none)
        return links

    def real(self, links: np.ndarray) -> np.ndarray:
        """Links as `links` returns them as real ports, int16[n, A]: at home the address's own port; -1: none."""
        none, channels = np.iinfo(links.dtype).max, channels_of(self.fabric.topology)
        ports: np.ndarray = np.full(links.shape[::-1], -1, np.int16)
        for switch in range(len(ports)):
            leaving = self.fabric.channel_ports[channels.first[switch] : channels.first[switch + 1]]
            has = links[:, switch] != none
            ports[switch, has] = leaving[links[has, switch].astype(np.int64)]
        every = np.arange(self.home.size)
        at_home = ports[self.home, every]
        ports[self.home, every] = np.where(at_home < 0, self.plug, at_home)
        return ports

    def by_path(self, ports: np.ndarray) -> list[np.ndarray]:
        """The real ports to the targets on each path of a pair, int16[n, targets]; fewer addresses are used in turn."""
        fabric = self.fabric
        targets = fabric.topology.endpoints.size + fabric.topology.switches
        counts = np.bincount(self.target, minlength=targets)
        paths = []
        for number in range(int(counts[: fabric.topology.endpoints.size].max(initial=1))):
            column = np.arange(targets)
            chosen = self.offset == number % counts[self.target]
            column[self.target[chosen]] = np.flatnonzero(chosen)
            paths.append(ports[:, column])
        return paths


@dataclass(frozen=True, eq=False)
class Carried:
    """Carried tables on the present fabric.

    Attributes
    ----------
    addresses : TableAddresses
        Of the present fabric.
    ports : int16[n, A]
        The installed real port of each switch and address; -1: no entry.
    works : bool[n, A]
        Where the cable behind the port still joins the same two plugs, or the address is in this port.
    known : bool[n, A]
        Where both the switch and the target were in the old fabric.
    """

    addresses: TableAddresses
    ports: np.ndarray
    works: np.ndarray
    known: np.ndarray


def installed_on(tables: Tables, old: Fabric, new: Fabric) -> Carried:
    """The tables of an old fabric on the present one; switches and host ports are matched by their GUIDs."""
    n = new.topology.switches
    row_of = {guid: s for s, guid in enumerate(old.switch_guids.tolist())}
    target_of = {(False, guid): e for e, guid in enumerate(old.port_guids.tolist())}
    target_of |= {(True, guid): old.topology.endpoints.size + s for guid, s in row_of.items()}
    rows = np.array([row_of.get(guid, -1) for guid in new.switch_guids.tolist()], np.int64)
    wanted = [(False, guid) for guid in new.port_guids.tolist()] + [(True, guid) for guid in new.switch_guids.tolist()]
    columns = np.array([target_of.get(key, -1) for key in wanted], np.int64)
    addresses = _addresses(tables, new, columns)
    column = columns[addresses.target]
    in_old = (rows >= 0)[:, None] & (column >= 0)
    ports: np.ndarray = np.full(in_old.shape, -1, np.int16)
    for offset in range(int(addresses.offset.max(initial=0)) + 1):
        given = tables.ports if offset == 0 else _further(tables, offset)
        at = np.flatnonzero((addresses.offset == offset) & (column >= 0))
        ports[np.ix_(rows >= 0, at)] = given[np.ix_(rows[rows >= 0], column[at])]
    ports[ports > _most_port(new)] = -1
    works = np.zeros(in_old.shape, np.bool_)
    for switch in range(n):
        alive = np.zeros(1 << 16, np.bool_)
        alive[_same_plugs(old, new, int(rows[switch]), switch)] = True
        works[switch] = (ports[switch] >= 0) & alive[np.maximum(ports[switch], 0)]
    # A port with a host works for this host's addresses only.
    ends = np.zeros((n, addresses.links_at.shape[1]), np.bool_)
    ends[new.topology.endpoints, new.endpoint_ports] = True
    for switch in range(n):
        works[switch] &= ~ends[switch, np.maximum(ports[switch], 0)]
    every = np.arange(addresses.home.size)
    works[addresses.home, every] = ports[addresses.home, every] == addresses.plug
    return Carried(addresses, ports, works, in_old)


def tables_on(tables: Tables, addresses: TableAddresses) -> np.ndarray:
    """The real ports that tables of the same fabric give for all addresses, int16[n, A]."""
    ports = tables.ports[:, addresses.target].astype(np.int16)
    for offset in range(1, int(addresses.offset.max(initial=0)) + 1):
        at = np.flatnonzero(addresses.offset == offset)
        ports[:, at] = _further(tables, offset)[:, addresses.target[at]]
    ports[ports > _most_port(addresses.fabric)] = -1
    return ports


def _most_port(fabric: Fabric) -> int:
    """The highest port number of a switch; no entry leads to a higher one."""
    return int(max(fabric.switch_ports.max(initial=0), 254))


def _further(tables: Tables, offset: int) -> np.ndarray:
    """The entries for the addresses of an offset; where the tables have no such address, those of the first address."""
    if offset > len(tables.more_ports):
        return tables.ports
    return np.where(tables.path_counts > offset, tables.more_ports[offset - 1], tables.ports)


def _addresses(tables: Tables, new: Fabric, columns: np.ndarray) -> TableAddresses:
    """The addresses of the present fabric: a known target keeps the number that it has in the tables."""
    counts = 1 << np.concatenate(new.lmcs).astype(np.int64)
    counts = np.where(columns >= 0, np.maximum(counts, tables.path_counts[columns]), counts)
    base = np.concatenate(new.lids).astype(np.int64)
    if not new.addressed and (columns >= 0).all() and (tables.base_lids[columns] > 0).all():
        base = tables.base_lids[columns]
    target = np.repeat(np.arange(counts.size), counts)
    offset = np.arange(target.size) - np.repeat(np.cumsum(counts) - counts, counts)
    order = np.argsort(offset > 0, kind="stable")
    return TableAddresses(new, target[order], offset[order], (base[target] + offset)[order])


def _same_plugs(old: Fabric, new: Fabric, was: int, now: int) -> list[int]:
    """The ports of a switch whose cable still leads to the same plug."""
    if was < 0:
        return []
    before, after = _far_plugs(old, was), _far_plugs(new, now)
    return [port for port, plug in after.items() if before.get(port) == plug]


def _far_plugs(fabric: Fabric, switch: int) -> dict[int, tuple[int, int]]:
    """The GUID and port at the other end of each cable of a switch, by its port."""
    topology = fabric.topology
    offsets, to, link = topology.csr
    plugs = {}
    for channel in range(int(offsets[switch]), int(offsets[switch + 1])):
        row = int(link[channel])
        end = int(topology.links[row, 0] == switch)
        port = int(fabric.channel_ports[channel])
        plugs[port] = (int(fabric.switch_guids[to[channel]]), int(fabric.link_ports[row, end]))
    for e in np.flatnonzero(topology.endpoints == switch).tolist():
        plugs[int(fabric.endpoint_ports[e])] = (int(fabric.port_guids[e]), int(fabric.host_ports[e]))
    return plugs


@dataclass(frozen=True, eq=False)
class Senders:
    """Groups of hosts at one switch that send to every host port on the same virtual channels.

    Attributes
    ----------
    source : int64[G]
        The switch of each group.
    first : int64[G]
        A host port of each group.
    group : int64[k]
        The group of each host port.
    """

    source: np.ndarray
    first: np.ndarray
    group: np.ndarray

    def rows(self, levels: np.ndarray, addresses: TableAddresses) -> np.ndarray:
        """The virtual channels of the pairs by address and group, uint8[A, G]; 0 for addresses of switches."""
        table = np.zeros((addresses.target.size, self.source.size), np.uint8)
        table[addresses.of_host] = levels[addresses.target[addresses.of_host]][:, self.first]
        table[addresses.home[:, None] == self.source] = 0
        return table

    def levels(self, rows: np.ndarray, addresses: TableAddresses) -> np.ndarray:
        """The virtual channel of every pair of host ports, uint8[k, k], [to, from], from the rows of the first addresses."""
        k = self.group.size
        return np.ascontiguousarray(rows[:k][:, self.group])


def senders_of(fabric: Fabric, *levels: np.ndarray) -> Senders:
    """The groups of senders, for one or several sets of virtual channels uint8[k, k], [to, from]."""
    ends = fabric.topology.endpoints
    inside = ends[:, None] == ends
    outside = np.concatenate([np.where(inside, 0, own) for own in levels])
    first = np.searchsorted(ends, ends)  # host ports are in the order of their switches
    if np.array_equal(outside, outside[:, first]):
        group_first, group = np.unique(first, return_inverse=True)
    else:
        columns = np.ascontiguousarray(outside.T)
        seen: dict[tuple[int, bytes], int] = {}
        keys = [
            seen.setdefault((int(s), row.tobytes()), e) for e, (s, row) in enumerate(zip(ends, columns, strict=True))
        ]
        group_first, group = np.unique(np.array(keys, np.int64), return_inverse=True)
    return Senders(ends[group_first].astype(np.int64), group_first, group.reshape(-1))


def grouped(
    addresses: TableAddresses, senders: Senders, tables: tuple[np.ndarray, ...], channels: tuple[np.ndarray, ...]
) -> tuple[Destinations, np.ndarray, np.ndarray]:
    """TableAddresses of one switch with equal entries and virtual channels as rows.

    Parameters
    ----------
    addresses : TableAddresses
    senders : Senders
    tables : tuple of arrays [A, n]
    channels : tuple of uint8[A, G]
        The address of a switch joins the row of a host of this switch with equal entries, whatever its channels.

    Returns
    -------
    (Destinations, int64[A], int64[R])
        The row of each address, and an address of each row.
    """
    rows: dict[tuple[int, bytes, bytes], int] = {}
    with_hosts: dict[tuple[int, bytes], int] = {}
    row = np.empty(addresses.target.size, np.int64)
    order = np.argsort(~addresses.of_host, kind="stable").tolist()
    weight: Counter[int] = Counter()
    for address in order:
        home = int(addresses.home[address])
        entries = b"".join(table[address].tobytes() for table in tables)
        if addresses.of_host[address]:
            key = home, entries, b"".join(table[address].tobytes() for table in channels)
            number = rows.setdefault(key, len(rows))
            with_hosts.setdefault((home, entries), number)
            weight[number] += 1
        else:
            number = with_hosts.get((home, entries), -1)
            if number < 0:
                number = rows.setdefault((home, entries, b"switch"), len(rows))
        row[address] = number
    first = np.empty(len(rows), np.int64)
    first[row[order[::-1]]] = order[::-1]
    destinations = Destinations(
        addresses.fabric.topology,
        addresses.home[first],
        np.array([weight[number] for number in range(len(rows))], np.int64),
        senders.source,
    )
    return destinations, row, first


def changes_between(old: Fabric, new: Fabric) -> dict[str, int]:
    """The number of cables, switches and hosts that are lost, new, or moved to another plug."""

    def switches(fabric: Fabric) -> set[int]:
        return set(fabric.switch_guids.tolist())

    def cables(fabric: Fabric) -> Counter[tuple[tuple[int, int], ...]]:
        guids = fabric.switch_guids[fabric.topology.links].tolist()
        ports = fabric.link_ports.tolist()
        return Counter(tuple(sorted(zip(ends, at, strict=True))) for ends, at in zip(guids, ports, strict=True))

    def plugs(fabric: Fabric) -> dict[int, tuple[int, int]]:
        homes = fabric.switch_guids[fabric.topology.endpoints].tolist()
        return dict(
            zip(fabric.port_guids.tolist(), zip(homes, fabric.endpoint_ports.tolist(), strict=True), strict=True)
        )

    was, now = plugs(old), plugs(new)
    return {
        "cables_lost": (cables(old) - cables(new)).total(),
        "cables_new": (cables(new) - cables(old)).total(),
        "switches_lost": len(switches(old) - switches(new)),
        "switches_new": len(switches(new) - switches(old)),
        "hosts_lost": len(was.keys() - now.keys()),
        "hosts_new": len(now.keys() - was.keys()),
        "hosts_moved": sum(was[guid] != now[guid] for guid in was.keys() & now.keys()),
    }
