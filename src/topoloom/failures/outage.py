"""The operation `outage`: what chosen losses do to a network: hosts cut off, distances, tables, paths and throughput."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.failures.disjoint_paths import disjoint_paths
from topoloom.failures.group_losses import GroupLosses, losses_by_groups
from topoloom.failures.lost_parts import LostParts
from topoloom.failures.repaired_planes import RepairedTables, repaired_tables
from topoloom.graph.hops import hops
from topoloom.graph.planes import plane_count
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.model.topology import Topology
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.throughput.quality import quality

if TYPE_CHECKING:
    from topoloom.network import Network

#: Most names of hosts, and most disjoint paths, of a record.
MOST_NAMES, MOST_PATHS = 1000, 8


@dataclass(frozen=True)
class OutageState:
    """A network before or after losses; after them, its largest connected part (of each plane).

    Attributes
    ----------
    switches, links, hosts : int
    diameter, mean_hops : float
        Between switches, as `hops` measures them.
    engine : str or None
        That made the tables; None where no link is left.
    deadlock_free : bool or None
    virtual_channels : int or None
        Used by the tables.
    max_load : int or None
        Pairs of switches with hosts on the most loaded channel.
    most_loaded : tuple of int
        The two switches of that channel; empty without tables.
    path : tuple of int
        The switches of the chosen pair's path by the tables; empty where no pair is chosen or there is no path.
    virtual_channel : int or None
        Of that path; None where the tables have none.
    disjoint : int or None
        The most paths of the pair that share no link.
    alternatives : tuple of tuple of int
        Such paths, the shortest first, at most eight.
    uniform_bound, worst_bound : float or None
        What no routing can exceed, for uniform traffic and for the worst permutation, as shares of a host's rate; may exceed 1.
        These and the next two are None unless they were asked for.
    uniform_throughput, worst_throughput : float or None
        Of the tables.
    """

    switches: int
    links: int
    hosts: int
    diameter: float
    mean_hops: float
    engine: str | None = None
    deadlock_free: bool | None = None
    virtual_channels: int | None = None
    max_load: int | None = None
    most_loaded: tuple[int, ...] = ()
    path: tuple[int, ...] = ()
    virtual_channel: int | None = None
    disjoint: int | None = None
    alternatives: tuple[tuple[int, ...], ...] = ()
    uniform_bound: float | None = None
    worst_bound: float | None = None
    uniform_throughput: float | None = None
    worst_throughput: float | None = None


@dataclass(frozen=True)
class Outage(Result):
    """What chosen losses do to a network.

    Attributes
    ----------
    lost_switches : tuple of int
    lost_links : tuple of (int, int)
        Cables that are lost by themselves, as pairs of switches.
    separated_switches : int
        Switches that are not lost, but not in the largest part of their plane.
    hosts : int
    cut_off : int
        Hosts without a port in the largest part of a plane, or without power.
    cut_off_hosts : tuple of str
        Their names; the first 1,000.
    pairs, pairs_disconnected : int
        Unordered pairs of hosts, and those without a path.
    before, after : OutageState
    entries, entries_broken, entries_changed, virtual_channels_changed : int or None
        Table entries of the remaining switches; those that used a lost cable; and what the repair changes, as in `reroute`.
        None where the remaining network is routed again.
    rebuilt : bool
        Whether all tables are new.
    notes : tuple of str
        Sentences on losses without effect, and on tables that cannot be repaired.
    groups : GroupLosses or None
        What next-hop groups lose at once, with dead members withdrawn, and with the tables after the losses; None for tables
        without groups, and for several planes.
    names : dict of str to str
        The names of the switches that the record mentions, by number.
    """

    record_name = "outage"
    omitted_if_none = ("groups",)

    lost_switches: tuple[int, ...]
    lost_links: tuple[tuple[int, int], ...]
    separated_switches: int
    hosts: int
    cut_off: int
    cut_off_hosts: tuple[str, ...]
    pairs: int
    pairs_disconnected: int
    before: OutageState
    after: OutageState
    entries: int | None
    entries_broken: int | None
    entries_changed: int | None
    virtual_channels_changed: int | None
    rebuilt: bool
    notes: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    groups: GroupLosses | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """Two rows: the network before the losses, and after them."""
        from dataclasses import asdict

        return [{"when": name, **asdict(state)} for name, state in (("before", self.before), ("after", self.after))]


def outage(
    topology: NetworkSource,
    *,
    links: Iterable[tuple[int, int]] = (),
    switches: Iterable[int] = (),
    cables: Iterable[int] = (),
    hosts: Iterable[int] = (),
    pair: tuple[int, int] | None = None,
    engine: str | None = None,
    measure_throughput: bool = False,
    traffic: str | None = None,
    notes: Sequence[str] = (),
    jobs: int | None = None,
    work: Work | None = None,
) -> Outage:
    """Return what chosen losses do: hosts cut off, distances, tables after their repair, a path, and throughput.

    Parameters
    ----------
    topology : NetworkSource
        A connected network, or one of several planes.
    links : pairs of switches
        One cable of each pair is lost; name a pair twice for two cables.
    switches : switches
        Lost with all their cables.
    cables : int[k]
        Lost cables by their indices in `Topology.links`.
    hosts : int[h]
        Hosts that lose their power.
    pair : (int, int), optional
        Two switches, whose path is traced before and after.
    engine : str, optional
        The tables before; the network's own when omitted, else those of the fitting engine.
    measure_throughput : bool
        Also measure throughput before and after, as `quality` does.
    traffic : str, optional
        A pattern with a load, whose share that next-hop groups lose is measured: ``permutation``; uniform when omitted.
    notes : sequence of str
        Sentences for the record.
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional
        Receives the progress of routing, verification and throughput.

    Returns
    -------
    Outage

    Raises
    ------
    InputError
        No such link, switch or host; no link is left; the network is not connected before any loss; traffic for tables without
        next-hop groups.
    Stopped
        `work` was stopped.

    Notes
    -----
    After the losses, the largest part of each plane counts: that with the most hosts (switches, if there are no hosts). Tables
    are repaired as by `reroute`, plane by plane; tables that cannot be repaired are made again.

    Examples
    --------
    >>> result = outage("clos:leaves=4,spines=2,hosts=4", switches=[0], pair=(1, 2))
    >>> result.cut_off, result.pairs_disconnected, result.after.path
    (4, 54, (1, 5, 2))
    """
    network = network_of(topology, "outage")
    topology, work = network.topology, Work() if work is None else work
    if plane_count(topology) == 0:
        raise InputError(f"{topology.name}: the network is in parts before any loss; join them first")
    lost = LostParts(topology, links=links, switches=switches, cables=cables, hosts=hosts)
    routing = network.with_tables(engine, jobs=jobs, work=work).part(Routing)
    work.check()
    repaired = repaired_tables(routing, lost.main, lost.links, lost.surviving, jobs=jobs, work=work)
    work.check()
    pair = None if pair is None else (int(pair[0]), int(pair[1]))
    before = _state(routing, None, pair, measure_throughput, jobs, work)
    groups = losses_by_groups(routing, lost, repaired.routing, traffic, jobs, work)
    after = _state(repaired.routing or lost.surviving, lost.main, pair, measure_throughput, jobs, work)
    mentioned = {*lost.switches, *before.most_loaded, *after.most_loaded, *(pair or ())}
    for state in (before, after):
        mentioned.update(state.path, *state.alternatives)
    mentioned.update(switch for link in lost.lost_links for switch in link)
    return Outage(
        lost_switches=lost.switches,
        lost_links=lost.lost_links,
        separated_switches=int((lost.alive & ~lost.main).sum()),
        hosts=int(topology.hosts),
        cut_off=len(lost.cut_off),
        cut_off_hosts=_host_names(network, lost.cut_off),
        pairs=topology.hosts * (topology.hosts - 1) // 2,
        pairs_disconnected=lost.pairs_disconnected(),
        before=before,
        after=after,
        notes=(*notes, *repaired.notes),
        groups=groups,
        names={str(switch): network.fabric.switch_names[switch] for switch in sorted(mentioned)},
        provenance=provenance_of(
            topology,
            engine=routing.engine,
            seed=routing.provenance.seed,
            settings={"lost_switches": lost.switches, "lost_links": lost.lost_links, "pair": pair},
        ),
        **_changes(repaired),
    )


def _changes(repaired: RepairedTables) -> dict[str, Any]:
    names = ("entries", "entries_broken", "entries_changed", "virtual_channels_changed", "rebuilt")
    return {name: getattr(repaired, name) for name in names}


def _host_names(network: "Network", hosts: Sequence[int]) -> tuple[str, ...]:
    names = network.fabric.host_names
    return tuple(names[host] for host in hosts[:MOST_NAMES])


def _state(
    routed: Routing | Topology,
    main: np.ndarray | None,
    pair: tuple[int, int] | None,
    measure_throughput: bool,
    jobs: int | None,
    work: Work,
) -> OutageState:
    """The state of a network with its tables; `main` has the switches that are left, whose numbers the state has."""
    topology = routed if isinstance(routed, Topology) else routed.topology
    was = np.arange(topology.switches) if main is None else np.flatnonzero(main)
    lengths = hops(topology, jobs, work=work)
    work.check()
    size = topology.switches, len(topology.links), int(topology.hosts)
    state = OutageState(*size, float(lengths.diameter), float(lengths.aspl))
    ends = None
    if pair is not None:
        total = topology.switches if main is None else main.size
        for switch in pair:
            if not 0 <= switch < total:
                raise InputError(f"pair: no switch {switch}; they are 0 to {total - 1}")
        if pair[0] == pair[1]:
            raise InputError(f"pair: {pair[0]} and {pair[1]} are one switch; give two")
        number = {int(switch): at for at, switch in enumerate(was)}
        ends = (number[pair[0]], number[pair[1]]) if number.keys() >= set(pair) else None
        paths = () if ends is None else disjoint_paths(topology, *ends)
        state = replace(
            state, disjoint=len(paths), alternatives=tuple(_named(path, was) for path in paths[:MOST_PATHS])
        )
    if isinstance(routed, Topology):
        return state
    state = _with_tables(state, routed, was, ends if state.disjoint else None, jobs, work)
    if measure_throughput:
        measured = quality(routed, jobs=jobs, work=work)
        state = replace(
            state,
            uniform_bound=measured.uniform_bound,
            worst_bound=measured.tub,
            uniform_throughput=measured.uniform_throughput,
            worst_throughput=measured.worst_throughput,
        )
    return state


def _with_tables(
    state: OutageState, routing: Routing, was: np.ndarray, ends: tuple[int, int] | None, jobs: int | None, work: Work
) -> OutageState:
    verification = routing.verification or verify_routing(routing, jobs, work=work)
    busiest = int(verification.channel_load.argmax())
    offsets, neighbours, _ = routing.topology.csr
    channel = int(np.searchsorted(offsets, busiest, "right") - 1), int(neighbours[busiest])
    vcs = routing.virtual_channels
    return replace(
        state,
        engine=routing.engine,
        deadlock_free=verification.deadlock_free,
        virtual_channels=verification.virtual_channels_used,
        max_load=int(verification.channel_load[busiest]),
        most_loaded=_named(channel, was),
        path=() if ends is None else _named(routing.path(*ends), was),
        virtual_channel=None if ends is None or vcs is None else int(vcs[ends[1], ends[0]]),
    )


def _named(switches: Sequence[int], was: np.ndarray) -> tuple[int, ...]:
    return tuple(int(was[switch]) for switch in switches)
