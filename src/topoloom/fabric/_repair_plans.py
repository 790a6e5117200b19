"""New tables for a fabric that has changed: repaired with few changes, or made for the present fabric."""

import contextlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.fabric._live_tables import Carried, Senders, TableAddresses, grouped, senders_of
from topoloom.fabric._updates import senders_levels
from topoloom.fabric.exports.tiers import tiers
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.infiniband import real_ports
from topoloom.fabric.several_paths import paths_of, ports_by_path, with_addresses
from topoloom.graph.connectivity import components
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.fitted_tables import installable_tables
from topoloom.routing.live.destinations import Destinations
from topoloom.routing.live.repair import Distances, distances_to, made_anew, repair
from topoloom.routing.live.steps import REOPEN, Mixtures, order_of_updates
from topoloom.routing.route import route
from topoloom.routing.trees.least_load import least_channel_load
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS

_NO_TREE = np.empty(0, np.bool_)


@dataclass(frozen=True, eq=False)
class Plan:
    """New tables.

    Attributes
    ----------
    ports : int16[n, A]
        The real port of each switch and address; -1: none.
    levels : uint8[k, k]
        The virtual channel of each pair of host ports, [to, from].
    rebuilt : bool
        Whether virtual channels did not suffice to repair the tables.
    """

    ports: np.ndarray
    levels: np.ndarray
    rebuilt: bool = False


@dataclass(frozen=True, eq=False)
class Live:
    """Carried tables on a fabric that has changed, and what is derived from them.

    Attributes
    ----------
    old : Fabric
    installed : Carried
    levels : uint8[k, k]
        The installed virtual channels of the pairs of present host ports, [to, from]; 255: none.
    several : bool
        Whether service levels were given.
    work : Work
    """

    old: Fabric
    installed: Carried
    levels: np.ndarray
    several: bool
    work: Work

    @property
    def addresses(self) -> TableAddresses:
        """The addresses of the present fabric."""
        return self.installed.addresses

    @property
    def new(self) -> Fabric:
        """The present fabric."""
        return self.installed.addresses.fabric

    @cached_property
    def met(self) -> np.ndarray:
        """The links that packets take now, [A, n]."""
        return self.addresses.links(self.installed.ports)

    @cached_property
    def works(self) -> np.ndarray:
        """The links of the entries that work, [A, n], without loops."""
        from topoloom.routing.live.kernels.shortest import cut_loops

        none, channels = np.iinfo(self.met.dtype).max, channels_of(self.new.topology)
        links = np.where(self.installed.works.T, self.met, none).astype(self.met.dtype)
        cut_loops(channels.first, channels.to, links, int(none), self.addresses.home)
        return links

    @cached_property
    def senders(self) -> Senders:
        """The groups of senders with the installed virtual channels."""
        return senders_of(self.new, self.levels)

    @cached_property
    def turns(self) -> np.ndarray:
        """The turns of data with the installed tables, uint16[turns]."""
        rows, _, first = grouped(
            self.addresses, self.senders, (self.met,), (self.senders.rows(self.levels, self.addresses),)
        )
        channels = self.senders.rows(self.levels, self.addresses)[first]
        mixtures = Mixtures(rows, self.met[first], self.met[first], channels, channels, self.work)
        return mixtures.turns(rows.data, self.met[first], self.met[first], (channels, channels))

    @cached_property
    def safe(self) -> bool:
        """Whether the installed tables are deadlock-free on the present fabric."""
        from topoloom.routing.live.kernels.mixtures import vc_with_cycle

        channels = channels_of(self.new.topology)
        count = int(np.bitwise_or.reduce(self.turns, initial=0)).bit_length()
        where = channels.first, channels.to, channels.back, channels.turn_first
        return int(vc_with_cycle(*where, self.turns, count)) < 0

    @cached_property
    def aims(self) -> Distances:
        """The lengths of the paths that a repair aims at."""
        return distances_to(_switches(self.new.topology), self._rises)

    @cached_property
    def _rises(self) -> np.ndarray:
        """The channels that lead upwards, if the fabric is a tree in which no installed path rises after it fell."""
        rises, topology = rises_in(self.new.topology), self.new.topology
        used = int(np.bitwise_or.reduce(self.turns, initial=0)).bit_length()
        if not rises.size or used > 1 or not rises_in(self.old.topology).size:
            return _NO_TREE
        channels = channels_of(topology)
        turns = np.flatnonzero(self.turns)
        at = np.searchsorted(channels.turn_first, turns, "right") - 1
        degree = topology.degrees[at]
        enters, leaves = np.divmod(turns - channels.turn_first[at], np.maximum(degree, 1))
        arriving = channels.back[channels.first[at] + enters]
        bad = ~rises[arriving] & rises[channels.first[at] + leaves]
        return _NO_TREE if bad.any() else rises

    def few_changes(
        self, virtual_channels: int | None, jobs: int | None, *, shorten: bool = True, longer: bool = False
    ) -> Plan:
        """The installed tables with as few changed entries as possible.

        Parameters
        ----------
        virtual_channels, jobs : int, optional
        shorten : bool
            Whether paths that arrive become shorter where they were shortest ones before.
        longer : bool
            Whether broken paths go on from where they are broken, though they may become longer than the shortest ones.

        Returns
        -------
        Plan
        """
        # Entries from switch to switch may be missing on purpose, but not all of a switch.
        missing = self.installed.ports < 0
        some = ~np.asarray(missing.all(axis=1))[:, None]
        stays = ~self.addresses.of_host[:, None] & (self.installed.known & missing & some).T
        pairs = self.senders.rows(self.levels, self.addresses)
        rows, row, first = grouped(self.addresses, self.senders, (self.works, stays), (pairs,))
        repaired = repair(
            rows,
            self.works[first],
            pairs[first],
            stays=stays[first] & (rows.weight == 0)[:, None],
            aims=self.aims,
            shortest_before=self._shortest_before() if shorten else np.full_like(self.aims.near, -1),
            least=self._least() if self.aims.rises.size else np.inf,
            longer=longer,
            virtual_channels=virtual_channels,
            more_channels=self.several,
            safe=self.safe,
            jobs=jobs,
            work=self.work,
        )
        if self._levels_differ(repaired.virtual_channels[row]):
            most = min(virtual_channels or MOST_VIRTUAL_CHANNELS, MOST_VIRTUAL_CHANNELS)
            # If these take more virtual channels, the tables stay, and are reported as not verified.
            with contextlib.suppress(InputError):
                repaired = made_anew(rows, self.works.dtype, most, jobs, self.work)
        levels = senders_levels(self.senders, repaired.virtual_channels[row], self.addresses)
        ports = self.addresses.real(np.ascontiguousarray(repaired.ports[row]))
        return Plan(ports, levels, repaired.rebuilt)

    def _levels_differ(self, virtual_channels: np.ndarray) -> bool:
        """Whether addresses of one port (LMC) have several virtual channels [A, G], which a policy cannot give them."""
        of_host = self.addresses.of_host
        of_port = virtual_channels[self.addresses.target[of_host]]
        return not np.array_equal(virtual_channels[of_host], of_port)

    def best(self, virtual_channels: int | None, jobs: int | None) -> Plan:
        """The tables of the engine that fits the present fabric, part by part if it is not connected.

        If the installed service levels are not known, the tables need none, unless `virtual_channels` says otherwise: hosts
        that do not ask for a level would not use it.
        """
        if virtual_channels is None and not self.several:
            virtual_channels = 1
        new, addresses = self.new, self.addresses
        n, k = new.topology.switches, new.topology.endpoints.size
        count = int(addresses.offset.max(initial=0)) + 1
        ports, levels = np.full((count, n, k + n), -1, np.int16), np.zeros((k, k), np.uint8)
        part_of = components(new.topology)
        for part in range(int(part_of.max()) + 1):
            switches = np.flatnonzero(part_of == part)
            ends = np.flatnonzero(np.isin(new.topology.endpoints, switches))
            targets = np.concatenate([ends, k + switches])
            if switches.size == n:
                ports[:], levels[:] = _made_for(new, count, virtual_channels, jobs, self.work)
            elif switches.size > 1 and ends.size:
                links = np.flatnonzero(np.isin(new.topology.links[:, 0], switches))
                own = new.after_losses(_part(new.topology, switches, links, ends), switches, links)
                ports[np.ix_(np.arange(count), switches, targets)], levels[np.ix_(ends, ends)] = _made_for(
                    own, count, virtual_channels, jobs, self.work
                )
            else:
                ports[:, switches, k + switches] = 0
                ports[:, new.topology.endpoints[ends], ends] = new.endpoint_ports[ends]
        return Plan(np.ascontiguousarray(ports[addresses.offset, :, addresses.target].T), levels)

    def _least(self) -> float:
        """What a channel must carry with any tables, in pairs of an address and a host."""
        topology, paths = self.new.topology, int(self.addresses.offset.max(initial=0)) + 1
        return least_channel_load(topology, tiers(topology), paths_per_pair=paths) * paths

    def towards(self, plan: Plan, wished: Plan) -> Plan:
        """The tables to which steps lead from those of a plan to wished ones, where no step drops anything.

        Destinations that cannot change keep their entries.
        """
        addresses = self.addresses
        links = [addresses.links(own.ports) for own in (plan, wished)]
        senders = senders_of(self.new, plan.levels, wished.levels)
        vcs = [senders.rows(own.levels, addresses) for own in (plan, wished)]
        rows, row, first = grouped(addresses, senders, tuple(links), tuple(vcs))
        mixtures = Mixtures(rows, links[0][first], links[1][first], vcs[0][first], vcs[1][first], self.work)
        updates = order_of_updates(mixtures, drops=False)
        ports = addresses.real(np.ascontiguousarray(updates.tables[row]))
        if not updates.left:
            return Plan(ports, wished.levels)
        if updates.by_step:
            stay = np.isin(row[: len(plan.levels)], updates.left)
            return Plan(ports, np.where(stay[:, None], plan.levels, wished.levels))
        at_last = updates.steps[-1:] and updates.steps[-1].kind == REOPEN
        return Plan(ports, plan.levels if at_last else wished.levels)

    def _shortest_before(self) -> np.ndarray:
        """The shortest paths in the old fabric between the present switches, int32[n, n]; -1: none."""
        old_rises = rises_in(self.old.topology) if self.aims.rises.size else _NO_TREE
        near = distances_to(_switches(self.old.topology), old_rises).near
        number = {guid: s for s, guid in enumerate(self.old.switch_guids.tolist())}
        at = np.array([number.get(guid, -1) for guid in self.new.switch_guids.tolist()], np.int64)
        shortest = near[np.ix_(at, at)]
        shortest[at < 0] = -1
        shortest[:, at < 0] = -1
        return np.ascontiguousarray(shortest)


def longer_pairs(ports: list[np.ndarray], addresses: TableAddresses) -> int:
    """The pairs of host ports of which a path that arrives is longer than the shortest one.

    Parameters
    ----------
    ports : list of int16[n, at least k]
        The real ports to the host ports, for each path of a pair.
    addresses : TableAddresses
        Of the fabric.
    """
    from topoloom.routing.trees.kernels.rows import lengths_of_rows

    topology = addresses.fabric.topology
    channels, near = channels_of(topology), distances_to(_switches(topology), _NO_TREE).near
    ends = topology.endpoints.astype(np.int64)
    longer = np.zeros((ends.size, topology.switches), np.bool_)
    lengths = np.empty(longer.shape, np.int32)
    for path in ports:
        links = addresses.links(np.ascontiguousarray(path[:, : ends.size]))
        lengths_of_rows(channels.first, channels.to, links, int(np.iinfo(links.dtype).max), ends, lengths)
        longer |= lengths > near[ends]
    return int((longer * topology.endpoints_at).sum())


def addresses_alone(fabric: Fabric) -> TableAddresses:
    """One address per host port and switch."""
    targets = fabric.topology.endpoints.size + fabric.topology.switches
    lids = np.concatenate(fabric.lids).astype(np.int64)
    return TableAddresses(fabric, np.arange(targets), np.zeros(targets, np.int64), lids)


def rises_in(topology: Topology) -> np.ndarray:
    """Whether each channel leads to a higher tier of a tree, bool[2 m]; of size 0 if the network is no tree by tiers.

    The tier of a switch is its distance from the nearest switch with hosts; in a tree every cable joins neighbouring tiers.
    """
    tier = tiers(topology)
    step = tier[topology.links[:, 0]] - tier[topology.links[:, 1]]
    if not step.size or not (np.abs(step) == 1).all():
        return _NO_TREE
    channels = channels_of(topology)
    return np.asarray(tier[channels.to] > tier[channels.origin])


def _switches(topology: Topology) -> Destinations:
    """Every switch as a destination."""
    n = topology.switches
    return Destinations(topology, np.arange(n), np.zeros(n, np.int64), np.empty(0, np.int64))


def _made_for(
    fabric: Fabric, paths: int, virtual_channels: int | None, jobs: int | None, work: Work
) -> tuple[np.ndarray, np.ndarray]:
    """The real ports int16[paths, n, k + n] and the virtual channels uint8[k, k] of the tables that fit a connected fabric."""
    routed = installable_tables(fabric.topology, jobs=jobs, work=work)
    tables = routed.host_tables
    most = max(0 if table.virtual_channels is None else int(table.virtual_channels.max(initial=0)) for table in tables)
    limit = 15 if virtual_channels is None else virtual_channels
    if routed.virtual_channel_rule != "pair" or most >= limit or (routed.choice is not None and not routed.by_host):
        routed = route(fabric.topology, "orders", virtual_channels=limit, jobs=jobs, work=work)
        tables = routed.host_tables
    ends = fabric.topology.endpoints
    levels = np.zeros((ends.size, ends.size), np.uint8)
    for number, table in enumerate(tables):
        to = np.flatnonzero(routed.layer_of_ports == number)
        if table.virtual_channels is not None:
            levels[to] = table.virtual_channels[np.ix_(ends[to], ends)]
    levels[ends[:, None] == ends] = 0
    if paths == 1:
        return real_ports(routed, fabric).astype(np.int16)[None], levels
    lmc = (paths - 1).bit_length()
    by_path = ports_by_path(paths_of(routed, lmc), with_addresses(fabric, lmc), lmc)
    return np.stack(by_path[:paths]).astype(np.int16), levels


def _part(topology: Topology, switches: np.ndarray, links: np.ndarray, ends: np.ndarray) -> Topology:
    """A connected part of a network as a network."""
    number = np.full(topology.switches, -1)
    number[switches] = np.arange(switches.size)
    return Topology(
        links=number[topology.links[links]],
        switches=switches.size,
        endpoints=number[topology.endpoints[ends]],
        host=np.unique(topology.host[ends], return_inverse=True)[1].reshape(-1),
        labels={name: np.asarray(values)[switches] for name, values in topology.labels.items()},
        name=topology.name,
        **topology.rates_of(links, ends),
    )
