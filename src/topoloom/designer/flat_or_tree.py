"""The operation `flat_or_tree`: a flat random network and a fat tree of equal hosts and equal switches, measured alike."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, check_type, hint
from topoloom.core.work import Work
from topoloom.designer.assessment.steps.growth import growth_plan
from topoloom.designer.assessment.subjects import subject_of
from topoloom.designer.flat_plan import FLAT_FAMILIES, flat_plan, measured_plan, ratio_text, shares_of_links
from topoloom.designer.flat_sides import ComparedSide, FlatOrTree, PatternCarried, verdicts_of
from topoloom.designer.flat_verdicts import OVERSUBSCRIPTION, PATTERNS, SWITCHES
from topoloom.graph.latency import Delays
from topoloom.model.results import Provenance, json_value
from topoloom.model.sources import network_of
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.placement.floors.floor import Floor
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.placement.layout.layout import Layout
from topoloom.routing.choices import AnyShortest
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.throughput.approximate import Bracket, approximate_flow
from topoloom.throughput.flow import arcs
from topoloom.throughput.one_pattern import with_load
from topoloom.throughput.traffic import PATTERNS as TRAFFIC_PATTERNS
from topoloom.throughput.traffic import Traffic, traffic_of, uniform_remote
from topoloom.throughput.traffic.loads import Loads, expected_loads
from topoloom.throughput.tub import switch_bound, volume_bound
from topoloom.topologies.spec import build

#: The engine of equal-cost groups, whose loads follow from the hops alone.
ECMP = "ecmp"
#: Busy switches times channels up to which the best flow of a pattern is bracketed, and its turns.
_MOST_FLOWS, _TURNS, _GAP = 60_000, 300, 0.05
#: Kinds of parts without whose price or power a sum is not known; racks and interfaces of hosts are bought with the hosts.
_PRICED = {"switch", "cable", "transceiver", "switches", "cables", "transceivers"}
#: Units of a rack for its switch.
_SWITCH_UNITS = 4
#: The growth whose plan is measured.
_GROWTH = 0.10


def flat_or_tree(
    least_hosts: int,
    radix: int,
    oversubscription: float = 1.0,
    *,
    equal: str = OVERSUBSCRIPTION,
    family: str = "jellyfish",
    flat_engine: str = ECMP,
    traffic: Sequence[str] = PATTERNS,
    growth: bool = True,
    floor: Floor | str | None = None,
    parts: Any = None,
    prices: str | Path | None = None,
    rate_gbps: float | None = None,
    switch_ns: float = Delays().switch_ns,
    cable_ns_per_m: float = Delays().cable_ns_per_m,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> FlatOrTree:
    """Size a flat random network and a fat tree for equal hosts, of equal switches, and compare them measure by measure.

    Parameters
    ----------
    least_hosts, radix : int
        Hosts, at least, and ports of every switch, of both networks; all ports have the same rate.
    oversubscription : float
        At least 1: ports down to ports up of the tree's leaves.
    equal : "oversubscription" or "switches"
        The flat network is sized until its routing is measured to carry uniform traffic at this oversubscription, or it has as
        many switches as the tree.
    family : str
        The family of the flat network: jellyfish or shuffled.
    flat_engine : str
        The routing of the flat network, whose expected loads are known; the tree has equal-cost groups (``ecmp``).
    traffic : sequence of str
        Patterns in addition to uniform traffic.
    growth : bool
        Whether plans for 10 % more hosts are made, which takes most of the time of large networks.
    floor : Floor or str, optional
        As in `Network.placed`, for both networks.
    parts, prices, rate_gbps : optional
        As in `Network.priced`, for both networks.
    switch_ns, cable_ns_per_m : float
        Delays without load.
    seed : int
        The seed of the flat network, of the traffic and of the layouts.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional

    Returns
    -------
    FlatOrTree

    Raises
    ------
    InputError
        A number is out of range, no network of either kind is possible, a pattern or an engine is unknown, or the loads of the
        engine are not known.

    Examples
    --------
    >>> result = flat_or_tree(128, 16, 2, traffic=["matching"], growth=False)
    >>> result.flat.switches, result.tree.switches
    (19, 18)
    """
    check_type(least_hosts, int, "flat_or_tree", "give the number of hosts, such as 8192")
    for text in traffic:
        TRAFFIC_PATTERNS.find(text.partition(":")[0])
    _check(least_hosts, radix, oversubscription, equal, family)
    work = Work() if work is None else work
    ratio = ratio_text(oversubscription)
    tree_spec = f"fat-tree:k={radix},hosts={least_hosts},taper={ratio}"
    tree = build(tree_spec)
    measuring = _Measuring(tuple(traffic), flat_engine, seed, jobs, work)
    if equal == SWITCHES:
        plan = flat_plan(least_hosts, radix, -(-least_hosts // tree.switches), family)
        if plan is None:
            raise InputError(
                f"{tree.name}: a flat network of as many switches has no ports left for links; allow more hosts"
            )
        flat, rule = build(plan.spec(family, seed)), f"as many switches as the tree, at most {tree.switches:,}"
    else:
        plan, flat = measured_plan(least_hosts, radix, oversubscription, family, seed, measuring.uniform)
        rule = f"sized until its routing ({flat_engine}) is measured to carry uniform traffic at {ratio}"
    # All switches are alike; the bill of a network with racks of hosts has their cables, which are equal in both.
    terms = {"parts": parts, "prices": prices, "rate_gbps": rate_gbps, "radix": radix}
    placing: dict[str, Any] = {"seed": seed, "jobs": jobs}
    delays = Delays(switch_ns=switch_ns, cable_ns_per_m=cable_ns_per_m)

    def side(name: str, topology: Topology, spec: str, by: str, words: str) -> ComparedSide:
        work.begin(None, f"{name} network")
        network = network_of(topology, "flat_or_tree").priced(
            **{key: value for key, value in terms.items() if value is not None}
        )
        network = network.placed(floor, hosts=_housing(topology), **placing, work=work.step())
        return measuring.side(name, network, spec, by, words, delays, radix if growth else None)

    sides = (
        side("flat", flat, plan.spec(family, seed), flat_engine, rule),
        side("tree", tree, tree_spec, ECMP, f"the fewest levels and switches with leaves of {ratio}"),
    )
    settings = {
        "equal": equal,
        "family": family,
        "flat_engine": flat_engine,
        "traffic": list(traffic),
        "growth": growth,
        "floor": floor if isinstance(floor, str) else None if floor is None else floor.name,
        "rate_gbps": rate_gbps,
        "switch_ns": switch_ns,
        "cable_ns_per_m": cable_ns_per_m,
    }
    provenance = Provenance(
        name=f"{least_hosts:,} hosts, {radix}-port switches, {ratio}",
        engine=flat_engine,
        seed=seed,
        settings=json_value(settings),
    )
    return FlatOrTree(least_hosts, radix, oversubscription, equal, *sides, verdicts_of(*sides), provenance)


def _housing(topology: Topology) -> Housing:
    """The racks of both networks: each switch with hosts in a rack with them, and switches without hosts in the middle."""
    units = int(topology.endpoints_at.max()) + _SWITCH_UNITS
    return Housing(host=HostType(name="server", u=1.0), rack=RackRule(u=units, leaf="tor"))


def _check(hosts: int, ports: int, oversubscription: float, equal: str, family: str) -> None:
    """Refuse numbers out of range and unknown words."""
    if hosts < 8 or ports < 4:
        raise InputError(f"least_hosts={hosts}, radix={ports}: give at least 8 hosts, and switches of at least 4 ports")
    if not 1 <= oversubscription <= 64:
        raise InputError(f"oversubscription={oversubscription:g}: it must be 1 to 64")
    for name, word, words in (("equal", equal, (OVERSUBSCRIPTION, SWITCHES)), ("family", family, tuple(FLAT_FAMILIES))):
        if word not in words:
            raise InputError(f"{name}='{word}': it is {' or '.join(words)} ({hint(word, words)})")


class _Measuring:
    """What both networks are measured with: patterns, the routing of the flat network, seed and threads."""

    def __init__(self, traffic: tuple[str, ...], engine: str, seed: int, jobs: int | None, work: Work) -> None:
        self.traffic, self.engine, self.seed, self.jobs, self.work = traffic, engine, seed, jobs, work

    def routed(self, topology: Topology, engine: str) -> Routing:
        """The routing of a network; that of equal-cost groups is without tables, as its loads follow from the hops alone."""
        if engine == ECMP:
            n = topology.switches
            return Routing(topology, ECMP, np.zeros((n, n), np.uint8), choice=AnyShortest())
        return route(topology, engine, seed=self.seed, jobs=self.jobs, check=1, work=self.work)

    def uniform(self, spec: str) -> tuple[Topology, float]:
        """The network of a spec, and the share that its routing carries of uniform traffic."""
        self.work.check()
        topology = build(spec)
        loads = expected_loads(self.routed(topology, self.engine), uniform_remote(topology), self.jobs, work=self.work)
        return topology, loads.network

    def side(
        self, name: str, network: Network, spec: str, engine: str, rule: str, delays: Delays, ports: int | None
    ) -> ComparedSide:
        """All measures of one network.

        Parameters
        ----------
        name, spec, engine, rule : str
        network : Network
            With a layout.
        delays : Delays
        ports : int or None
            Ports of the switches that growth buys; None: growth is not measured.
        """
        topology, layout, bill = network.topology, network.part(Layout), network.bill
        routing = self.routed(topology, engine)
        uniform = uniform_remote(topology)
        loads = expected_loads(routing, uniform, self.jobs, work=self.work)
        sent = sum(float(uniform.demand_to(at, at + 1).sum()) for at in np.flatnonzero(uniform.hosts_at).tolist())
        link_ns = delays.link_ns(layout.length_m)[topology.csr[2]]
        carried = [self._carried(topology, "uniform", uniform, loads, name == "flat")]
        for text in self.traffic:
            self.work.check()
            pattern = with_load(text, traffic_of(text, topology, self.seed))
            own = expected_loads(routing, pattern, self.jobs, work=self.work)
            carried.append(self._carried(topology, text, pattern, own, name == "flat"))
        moved, growth_usd, note = self._growth(network, ports)
        lost_cable, lost_switch = shares_of_links(topology)
        with_hosts = topology.endpoints_at > 0
        return ComparedSide(
            name=name,
            spec=spec,
            engine=engine,
            rule=rule,
            switches=topology.switches,
            hosts=topology.hosts,
            hosts_per_switch=int(topology.endpoints_at.max()),
            links_per_switch=int(topology.degrees[with_hosts].min()),
            oversubscription=1.0 / loads.network,
            mean_hops=float(loads.channels.sum()) / sent,
            latency_ns=float(loads.channels @ link_ns) / sent + delays.switch_ns,
            carried=tuple(carried),
            cables=layout.links,
            optics=sum(line.count for line in bill.lines if line.kind == "transceiver"),
            runs=layout.rack_pairs,
            racks=layout.racks,
            cable_m=layout.total_m,
            cost_usd=None if _PRICED & {*bill.unpriced} else float(bill.cost_usd),
            power_w=None if _PRICED & {*bill.unmetered} else float(bill.power_w),
            moved=moved,
            growth_usd=growth_usd,
            growth_note=note,
            lost_cable=lost_cable,
            lost_switch=lost_switch,
        )

    def _carried(self, topology: Topology, text: str, traffic: Traffic, loads: Loads, solved: bool) -> PatternCarried:
        """What a network carries of a pattern; the best flow is solved for flat networks that are small enough."""
        limit = traffic.host_limit

        def share(value: float) -> float:
            return min(1.0, value / limit)

        bound = min(volume_bound(topology, traffic, self.jobs), switch_bound(topology, traffic))
        best: Bracket | None = None
        busy = int((traffic.dense().any(axis=1)).sum()) if solved else 0
        if solved and busy * arcs(topology)[1].size <= _MOST_FLOWS:
            best = approximate_flow(topology, traffic, gap=_GAP, turns=_TURNS, jobs=self.jobs, work=self.work.step())
        # A flow that the solver has not brought near its bound is no best flow, but what the tables carry is a flow, too.
        low = None if best is None else share(max(best.lower, loads.network))
        return PatternCarried(
            text, share(loads.network), low, None if best is None else share(best.upper), share(bound)
        )

    def _growth(self, network: Network, ports: int | None) -> tuple[float | None, float | None, str]:
        """Cables removed and cost per added host of a plan for more hosts, and the plan in words."""
        if ports is None:
            return None, None, "not measured"
        subject = subject_of(network, radix=ports, seed=self.seed)
        subject.jobs = self.jobs
        try:
            plan, _ = growth_plan(subject, _GROWTH, self.work)
        except InputError as error:
            return None, None, f"no plan: {error}"
        more = plan.topology.hosts - network.topology.hosts
        unknown = [kind for kind, usd in plan.cost.by_kind.items() if math.isnan(usd)]
        words = f"method {plan.method}: {more:,} more hosts, {plan.removed:,} cables removed, {plan.added:,} added"
        words += f"; cost without {', '.join(unknown)}, whose price is not known" if unknown else ""
        return plan.removed / more, None if _PRICED & {*unknown} else plan.cost.total_usd / more, words
