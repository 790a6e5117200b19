"""The operation `reroute`: after losses, the same tables with as few changed entries as possible, verified again."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.graph.connectivity import component_count
from topoloom.graph.planes import plane_count
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.choices import Layers
from topoloom.routing.compared import TablesCompared
from topoloom.routing.route import route
from topoloom.routing.routing import HOP, SWITCH, Routing, carriers_of, port_type
from topoloom.routing.verification.verify import verify_routing
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS, place_pairs


@dataclass(frozen=True, eq=False)
class Rerouted(Result):
    """Repaired tables after a loss of links or switches.

    Attributes
    ----------
    routing : Routing
        On the remaining network: the same switches without the lost links; lost switches have no links. With its verification.
    entries : int
        Table entries (one per switch and destination) of the remaining switches.
    entries_broken : int
        Entries that used a lost cable or switch: every repair changes at least these.
    entries_changed : int
        Entries that use another cable now.
    virtual_channels_changed : int
        Pairs whose virtual channel changed.
    kept : int64[k]
        The remaining links, by their numbers before the loss.
    rebuilt : bool
        Whether all tables are new because there were too few virtual channels for a repair.
    compared : TablesCompared, optional
        The comparison, on the remaining network, with the installed tables, or with those that OpenSM would make.
    """

    record_name = "rerouted"
    record_version = 3
    derived = ("surviving",)
    unrecorded = ("routing", "kept")

    routing: Routing
    entries: int
    entries_broken: int
    entries_changed: int
    virtual_channels_changed: int
    kept: np.ndarray
    rebuilt: bool
    provenance: Provenance = field(default_factory=Provenance, compare=False)
    compared: TablesCompared | None = None

    @cached_property
    def surviving_switches(self) -> np.ndarray:
        """The switches that still have links, int64[k]."""
        return np.flatnonzero(self.routing.topology.degrees > 0)

    @cached_property
    def surviving(self) -> Routing:
        """The tables of the surviving switches, renumbered in the order of `surviving_switches`."""
        whole, living = self.routing, self.surviving_switches
        topology = whole.topology
        if living.size == topology.switches:
            return whole
        number = np.full(topology.switches, -1)
        number[living] = np.arange(living.size)
        small = Topology(
            links=number[topology.links],
            switches=living.size,
            endpoints=number[topology.endpoints],
            host=topology.host,
            labels={name: np.asarray(values)[living] for name, values in topology.labels.items()},
            name=topology.name,
            **topology.rates_of(),
        )
        virtual_channels = None if whole.virtual_channels is None else whole.virtual_channels[np.ix_(living, living)]
        at = np.ix_(living, living)
        choice = whole.choice
        if isinstance(choice, Layers):
            choice = replace(choice, ports=tuple(ports[at] for ports in choice.ports))
        made = Routing(
            small, whole.engine, whole.ports[at], virtual_channels, whole.virtual_channel_rule, whole.minimal, choice
        )
        return replace(made, verification=verify_routing(made), provenance=self.provenance)


def reroute(
    routing: NetworkSource,
    *,
    links: Iterable[tuple[int, int]] = (),
    switches: Iterable[int] = (),
    cables: Iterable[int] = (),
    virtual_channels: int | None = None,
    jobs: int | None = None,
    work: Work | None = None,
) -> Rerouted:
    """Repair tables after cables or switches are lost, and verify them.

    A switch that lost its cable to a destination takes another neighbour, and all switches behind it follow. Pairs whose paths
    changed get a virtual channel in which they close no cycle with other pairs. If there are too few virtual channels, engine
    orders makes all tables again.

    Parameters
    ----------
    routing : NetworkSource
        The installed tables, otherwise those of the fitting engine. If they are deadlock-free, the result is too.
    links : pairs of switches
        One cable of each pair is lost; name a pair twice for two cables.
    switches : switches
        Lost with all their cables and hosts.
    cables : int[k]
        Lost cables by their indices in `Topology.links`, to select one of several between two switches.
    virtual_channels : int, optional
        Most virtual channels; 15 when omitted.
    jobs : int, optional
        Threads of the verifier; every core when omitted.
    work : Work, optional
        Receives the progress of assigning virtual channels and of verification, in destinations.

    Returns
    -------
    Rerouted

    Raises
    ------
    InputError
        No such link or switch; several planes; the remaining network is not connected; tables with virtual channels by switch,
        or with choices.
    Stopped
        `work` was stopped before the tables were repaired and verified.
    """
    work = Work() if work is None else work
    links, switches, cables, began = list(links), list(switches), list(cables), time.monotonic()
    if not isinstance(routing, Routing):
        network = network_of(routing, "reroute")
        # The paths of default tables: one table, which can be repaired.
        routing = route(network.topology, layout=network.layout) if network.tables is None else network.tables
    topology = routing.topology
    by_host = routing.by_host and all(table.virtual_channels is None for table in routing.host_tables)
    if (routing.choice is not None and not by_host) or routing.virtual_channel_rule == SWITCH:
        why = "lets packets choose" if routing.choice is not None else "changes virtual channels on the path"
        why = "has one table with virtual channels per host of a switch" if routing.by_host else why
        raise InputError(f"{topology.name}: engine {routing.engine} {why}; route the remaining network again")
    if plane_count(topology) > 1:
        raise InputError(
            f"{topology.name}: only one plane can be repaired; route the remaining network again, or repair a single plane"
        )
    left, kept_switches = without(topology, links, switches, cables)
    gone = np.zeros(topology.switches, np.bool_)
    gone[switches] = True
    if by_host:
        rerouted = _repaired_by_host(routing, left, kept_switches, gone, jobs, work)
    else:
        ports, broken = _moved_over(routing, left, kept_switches, gone)
        rerouted = _repaired(
            routing,
            left,
            kept_switches,
            ports,
            ~gone,
            broken,
            min(virtual_channels or MOST_VIRTUAL_CHANNELS, MOST_VIRTUAL_CHANNELS),
            jobs,
            work,
        )
    provenance = provenance_of(
        routing.topology,
        engine=routing.engine,
        seed=routing.provenance.seed,
        settings={
            "lost_links": links,
            "lost_switches": switches,
            "virtual_channels": virtual_channels,
            **({"lost_cables": cables} if cables else {}),
        },
        timings={**routing.provenance.timings, "reroute_s": time.monotonic() - began},
    )
    return replace(rerouted, routing=replace(rerouted.routing, provenance=provenance), provenance=provenance)


def without(
    topology: Topology, links: Iterable[tuple[int, int]], switches: Iterable[int], cables: Iterable[int] = ()
) -> tuple[Topology, np.ndarray]:
    """Remove links and switches from a topology; switches keep their numbers.

    Parameters
    ----------
    topology : Topology
    links : pairs of switches
        One cable of each pair is lost.
    switches : switches
        Lost with all their cables and hosts.
    cables : int[k]
        Lost cables by their indices in `Topology.links`.

    Returns
    -------
    left : Topology
        The remaining network; lost switches are still counted, without links and hosts.
    kept : int64[k]
        The remaining links, by their numbers in `topology`.

    Raises
    ------
    InputError
        No such link or switch, or the remaining network is not connected.
    """
    gone = np.zeros(topology.switches, np.bool_)
    for switch in switches:
        if not 0 <= switch < topology.switches:
            raise InputError(f"{topology.name}: no switch {switch}; they are 0 to {topology.switches - 1}")
        gone[switch] = True
    lost = gone[topology.links].any(axis=1)
    for cable in cables:
        if not 0 <= cable < len(topology.links):
            raise InputError(f"{topology.name}: no cable {cable}; they are 0 to {len(topology.links) - 1}")
        lost[cable] = True
    for u, v in links:
        alike = np.flatnonzero((topology.links == (min(u, v), max(u, v))).all(axis=1) & ~lost)
        if not alike.size:
            raise InputError(f"{topology.name}: no link {u}-{v}, or it is lost already")
        lost[alike[0]] = True
    kept_switches = np.flatnonzero(~lost)
    if not kept_switches.size:
        raise InputError(f"{topology.name}: no link is left, so there is nothing to route")
    hosts = ~gone[topology.endpoints]
    left = Topology(
        links=topology.links[kept_switches],
        switches=topology.switches,
        endpoints=topology.endpoints[hosts],
        host=np.unique(topology.host[hosts], return_inverse=True)[1],
        labels=dict(topology.labels),
        name=f"{topology.name} less {_count(int(lost.sum()), 'link')} and {_count(int(gone.sum()), 'switch', 'es')}",
        **topology.rates_of(kept_switches, hosts),
    )
    parts = component_count(left) - int(gone.sum())
    if parts > 1:
        raise InputError(f"{left.name}: not connected: {parts} parts")
    return left, kept_switches


def _count(number: int, what: str, plural: str = "s") -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}{plural}"


def _moved_over(routing: Routing, left: Topology, kept: np.ndarray, gone: np.ndarray) -> tuple[np.ndarray, int]:
    """Translate the entries to the ports of the remaining network; return them, none where the channel is lost, and their
    number.
    """
    old, new = routing.channels, channels_of(left)
    number = np.full(len(routing.topology.links), -1, np.int64)
    number[kept] = np.arange(kept.size)
    _, _, old_link = routing.topology.csr
    _, _, new_link = left.csr
    # A channel is its link and its direction; parallel links keep their order.
    channel_of = np.full((kept.size, 2), -1, np.int64)
    channel_of[new_link, (new.origin > new.to).astype(np.int64)] = np.arange(new.to.size)
    moved = np.where(number[old_link] >= 0, channel_of[number[old_link], (old.origin > old.to).astype(np.int64)], -1)
    kind = port_type(left)
    none = np.iinfo(kind).max
    new_port: np.ndarray = np.where(moved >= 0, moved - new.first[old.origin], none).astype(kind)
    ports: np.ndarray = np.full(routing.ports.shape, none, kind)
    broken = 0
    for d in np.flatnonzero(~gone).tolist():
        some = np.flatnonzero((routing.ports[d] != routing.none) & ~gone)
        ports[d, some] = new_port[old.first[some] + routing.ports[d, some]]
        broken += int((ports[d, some] == none).sum())
    return ports, broken


def _repaired(
    routing: Routing,
    left: Topology,
    kept: np.ndarray,
    ports: np.ndarray,
    alive: np.ndarray,
    broken: int,
    virtual_channels: int,
    jobs: int | None,
    work: Work,
) -> Rerouted:
    from topoloom.routing.trees.kernels.repair import repair_trees
    from topoloom.routing.trees.kernels.vc_trees import ORPHAN

    channels, none = channels_of(left), int(np.iinfo(ports.dtype).max)
    before, moved = ports.copy(), np.zeros(ports.shape, np.bool_)
    load = np.zeros(channels.to.size, np.int64)
    every = np.arange(left.switches)
    changed = repair_trees(
        channels.first, channels.to, channels.back, ports, none, every, alive, load, moved, work.flag
    )
    work.check()
    entries = int(alive.sum()) * (int(alive.sum()) - 1)
    safe = (routing.verification or verify_routing(routing, jobs, work=work)).deadlock_free
    if routing.virtual_channel_rule == HOP or not safe:
        vc = routing.virtual_channels
    else:
        vc = np.zeros(ports.shape, np.uint8) if routing.virtual_channels is None else routing.virtual_channels.copy()
        old = vc.copy()
        carries = carriers_of(left)
        vc[moved & carries[:, None] & carries] = ORPHAN
        vc[:, ~alive] = 0
        vc[~alive] = 0
        if not _placed(left, channels, ports, vc, virtual_channels, work):
            rebuilt = _rebuilt_tables(left, alive, virtual_channels, jobs, work)
            differ = int(np.count_nonzero((rebuilt.ports != before) & alive & alive[:, None]))
            return Rerouted(
                rebuilt, entries, broken, differ, int(np.count_nonzero(rebuilt.virtual_channels != old)), kept, True
            )
        made = Routing(left, routing.engine, ports, vc if vc.any() else None, routing.virtual_channel_rule)
        made = replace(made, verification=verify_routing(made, jobs, work=work))
        return Rerouted(made, entries, broken, changed, int((vc != old).sum()), kept, False)
    made = Routing(left, routing.engine, ports, vc, routing.virtual_channel_rule)
    return Rerouted(
        replace(made, verification=verify_routing(made, jobs, work=work)), entries, broken, changed, 0, kept, False
    )


def _repaired_by_host(
    routing: Routing, left: Topology, kept: np.ndarray, gone: np.ndarray, jobs: int | None, work: Work
) -> Rerouted:
    """Repair the table of each host of a switch; all tables are made again if channels would wait for each other in a cycle."""
    from topoloom.routing.trees.kernels.repair import repair_trees

    channels, alive, every = channels_of(left), ~gone, np.arange(left.switches)
    load = np.zeros(channels.to.size, np.int64)
    tables, before = [], []
    entries = broken = changed = 0
    for table in routing.host_tables:
        ports, lost = _moved_over(table, left, kept, gone)
        before.append(ports.copy())
        none, moved = int(np.iinfo(ports.dtype).max), np.zeros(ports.shape, np.bool_)
        table_changed = repair_trees(
            channels.first, channels.to, channels.back, ports, none, every, alive, load, moved, work.flag
        )
        work.check()
        entries += int(alive.sum()) * (int(alive.sum()) - 1)
        broken, changed = broken + lost, changed + table_changed
        tables.append(ports)
    made = Routing(left, routing.engine, tables[0], choice=Layers(tuple(tables[1:]), by_host=True))
    made = replace(made, verification=verify_routing(made, jobs, work=work))
    if made.verification is None or made.verification.cycle:
        made = _rebuilt_by_host(left, alive, routing.engine, jobs, work)
        rebuilt = [table.ports for table in made.host_tables]
        changed = sum(
            int(np.count_nonzero((rebuilt[i % len(rebuilt)] != ports) & alive & alive[:, None]))
            for i, ports in enumerate(before)
        )
        return Rerouted(made, entries, broken, changed, 0, kept, True)
    return Rerouted(made, entries, broken, changed, 0, kept, False)


def _rebuilt_by_host(left: Topology, alive: np.ndarray, engine: str, jobs: int | None, work: Work) -> Routing:
    """Route the remaining network again by an engine with tables per host, or by engine orders where it cannot."""
    living = np.flatnonzero(alive)
    small = _living(left, alive)
    try:
        routed = route(small, engine, jobs=jobs, work=work)
    except InputError:
        routed = route(small, "orders", jobs=jobs, work=work)
    none = np.iinfo(routed.ports.dtype).max

    def widened(values: np.ndarray | None, fill: int) -> np.ndarray | None:
        if values is None:
            return None
        table: np.ndarray = np.full((alive.size, alive.size), fill, values.dtype)
        table[np.ix_(living, living)] = values
        return table

    tables = [np.asarray(widened(table.ports, none)) for table in routed.host_tables]
    choice = Layers(tuple(tables[1:]), by_host=True) if len(tables) > 1 else None
    vcs = widened(routed.virtual_channels, 0)
    made = Routing(left, routed.engine, tables[0], vcs, routed.virtual_channel_rule, choice=choice)
    return replace(made, verification=verify_routing(made, jobs, work=work))


def _living(left: Topology, alive: np.ndarray) -> Topology:
    """The remaining switches, renumbered, with their links, hosts and labels."""
    living, host = np.flatnonzero(alive), alive[left.endpoints]
    number = np.full(alive.size, -1)
    number[living] = np.arange(living.size)
    return Topology(
        links=number[left.links],
        switches=living.size,
        endpoints=number[left.endpoints[host]],
        labels={name: np.asarray(values)[living] for name, values in left.labels.items()},
        name=left.name,
        **left.rates_of(np.arange(len(left.links)), host),
    )


def _placed(
    left: Topology, channels: Channels, ports: np.ndarray, vc: np.ndarray, virtual_channels: int, work: Work
) -> bool:
    """Give pairs with changed paths a virtual channel, with all other pairs fixed; return whether that was possible."""
    from topoloom.routing.trees.kernels.repair import ordered, turns_of
    from topoloom.routing.trees.kernels.vc_trees import ORPHAN

    turns = np.zeros(channels.turn_first[-1], np.uint16)
    where = channels.first, channels.to, channels.back, channels.turn_first
    turns_of(*where, ports, vc, int(ORPHAN), carriers_of(left), turns, work.flag)
    work.check()
    place = np.stack([ordered(*where, turns, 1 << number) for number in range(virtual_channels)])
    order = Draws(1, 9).permutation(left.switches)
    return place_pairs(left, ports, vc, order, virtual_channels, turns=turns, place=place, work=work)


def _rebuilt_tables(left: Topology, alive: np.ndarray, virtual_channels: int, jobs: int | None, work: Work) -> Routing:
    """Route the remaining network by engine orders, and return the tables with the original switch numbers."""
    if alive.all():
        return route(left, "orders", virtual_channels=virtual_channels, jobs=jobs, work=work)
    living = np.flatnonzero(alive)
    number = np.full(alive.size, -1)
    number[living] = np.arange(living.size)
    host = alive[left.endpoints]
    small = Topology(
        links=number[left.links], switches=living.size, endpoints=number[left.endpoints[host]], name=left.name
    )
    routed = route(small, "orders", virtual_channels=virtual_channels, jobs=jobs, work=work)
    ports = np.full((alive.size, alive.size), np.iinfo(routed.ports.dtype).max, routed.ports.dtype)
    table = np.zeros(ports.shape, np.uint8)
    ports[np.ix_(living, living)] = routed.ports
    if routed.virtual_channels is not None:
        table[np.ix_(living, living)] = routed.virtual_channels
    made = Routing(left, "orders", ports, table)
    return replace(made, verification=verify_routing(made, jobs, work=work))
