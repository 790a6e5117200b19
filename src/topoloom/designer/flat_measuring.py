"""Measuring one of the networks of `flat_or_tree`: throughput by its routing, cabling, bill, growth and losses."""

import math
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.choose import link_cables
from topoloom.cost.switch_kinds import kinds_bought
from topoloom.designer.assessment.steps.growth import growth_plan
from topoloom.designer.assessment.subjects import subject_of
from topoloom.designer.flat_cabling import cabling_facts
from topoloom.designer.flat_sides import ComparedSide, PatternCarried
from topoloom.graph.latency import Delays
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.placement.layout.layout import Layout
from topoloom.routing.choices import AnyShortest
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.throughput.approximate import Bracket, approximate_flow
from topoloom.throughput.flow import arcs
from topoloom.throughput.one_pattern import with_load
from topoloom.throughput.traffic import Traffic, traffic_of, uniform_remote
from topoloom.throughput.traffic.loads import Loads, expected_loads
from topoloom.throughput.tub import switch_bound, volume_bound
from topoloom.topologies.spec import build

#: The engine of equal-cost groups, whose loads follow from the hops alone.
ECMP = "ecmp"
#: Busy switches times channels up to which the best flow of a pattern is bracketed, and its turns.
_MOST_FLOWS, _TURNS, _GAP = 60_000, 300, 0.05
#: Kinds of parts without whose price or power a sum is not known; racks and interfaces of hosts are bought with the hosts.
_PRICED = {"switch", "cable", "transceiver", "panel", "switches", "cables", "transceivers", "panels"}
#: The growth whose plan is measured.
_GROWTH = 0.10


class FlatMeasuring:
    """What both networks are measured with.

    Parameters
    ----------
    traffic : tuple of str
        Patterns in addition to uniform traffic.
    engine : str
        The routing of the flat network.
    seed : int
    delays : Delays
    jobs : int or None
    work : Work
    """

    def __init__(
        self, traffic: tuple[str, ...], engine: str, seed: int, delays: Delays, jobs: int | None, work: Work
    ) -> None:
        self.traffic, self.engine, self.seed, self.delays = traffic, engine, seed, delays
        self.jobs, self.work = jobs, work
        self._measured: dict[str, tuple[Topology, Routing, Loads]] = {}

    def uniform(self, spec: str, engine: str | None = None) -> tuple[Topology, Routing, Loads]:
        """The network of a spec, its routing, and the loads of uniform traffic; each network is measured once.

        Parameters
        ----------
        spec : str
        engine : str, optional
            That of the flat network when omitted.
        """
        if spec not in self._measured:
            self.work.check()
            topology = build(spec)
            routing = self._routed(topology, self.engine if engine is None else engine)
            loads = expected_loads(routing, uniform_remote(topology), self.jobs, work=self.work)
            self._measured[spec] = topology, routing, loads
        return self._measured[spec]

    def carried(self, spec: str) -> tuple[Topology, float]:
        """The flat network of a spec, and the share that its routing carries of uniform traffic."""
        topology, _, loads = self.uniform(spec)
        return topology, loads.network

    def _routed(self, topology: Topology, engine: str) -> Routing:
        """The routing of a network; that of equal-cost groups is without tables, as its loads follow from the hops alone."""
        if engine == ECMP:
            n = topology.switches
            return Routing(topology, ECMP, np.zeros((n, n), np.uint8), choice=AnyShortest())
        return route(topology, engine, seed=self.seed, jobs=self.jobs, check=1, work=self.work)

    def side(
        self, name: str, spec: str, engine: str, rule: str, networks: tuple[Network, Network], ports: int | None
    ) -> ComparedSide:
        """All measures of one network.

        Parameters
        ----------
        name, spec, engine, rule : str
        networks : (Network, Network)
            With a layout: as it is built, and with a cable per link; the same one where it is built so.
        ports : int or None
            Ports of the switches that growth buys; None: growth is not measured.
        """
        (topology, routing, loads), (built, alone) = self.uniform(spec, engine), networks
        layout, bill, delays = built.part(Layout), built.bill, self.delays
        uniform = uniform_remote(topology)
        sent = sum(float(uniform.demand_to(at, at + 1).sum()) for at in np.flatnonzero(uniform.hosts_at).tolist())
        link_ns = delays.link_ns(layout.length_m)[topology.csr[2]]
        carried = [self._carried(topology, "uniform", uniform, loads, name == "flat")]
        for text in self.traffic:
            self.work.check()
            pattern = with_load(text, traffic_of(text, topology, self.seed))
            own = expected_loads(routing, pattern, self.jobs, work=self.work)
            carried.append(self._carried(topology, text, pattern, own, name == "flat"))
        moved, growth_usd, note = self._growth(alone, ports)
        return ComparedSide(
            name=name,
            spec=spec,
            engine=engine,
            rule=rule,
            switches=topology.switches,
            hosts=topology.hosts,
            hosts_per_switch=int(topology.endpoints_at.max()),
            links_per_switch=int(topology.degrees[topology.endpoints_at > 0].min()),
            oversubscription=1.0 / loads.network,
            mean_hops=float(loads.channels.sum()) / sent if sent else 0.0,
            latency_ns=(float(loads.channels @ link_ns) / sent if sent else 0.0) + delays.switch_ns,
            carried=tuple(carried),
            optics=sum(line.count for line in bill.lines if line.kind == "transceiver"),
            racks=layout.racks,
            cost_usd=None if _PRICED & {*bill.unpriced} else float(bill.cost_usd),
            power_w=None if _PRICED & {*bill.unmetered} else float(bill.power_w),
            moved=moved,
            growth_usd=growth_usd,
            growth_note=note,
            **_cabling(built, alone.part(Layout)),
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


def _cabling(built: Network, alone: Layout) -> dict[str, Any]:
    """The cabling of a side, as fields of `ComparedSide`: as it is built, and with a cable per link."""
    layout, every = built.part(Layout), np.ones(len(built.topology.links))
    terms = built.terms.on(built.topology, "flat_or_tree")
    kinds = kinds_bought(built.topology, terms)
    bought = (
        None if layout.plant is None else link_cables(layout, terms.catalogue, terms.rate_on(built.topology), kinds)
    )
    facts = cabling_facts(layout, every if bought is None else bought.share)
    fields: dict[str, Any] = {
        "cables": facts.cables,
        "cable_m": facts.cable_m,
        "runs": facts.runs,
        "lost_cable": facts.lost_cable,
        "lost_switch": facts.lost_switch,
    }
    if layout.plant is None:
        return fields
    per_link = cabling_facts(alone, every)
    return fields | {
        "panels": layout.plant.method,
        "panel_count": facts.panels,
        "lost_panel": facts.lost_panel,
        "cables_per_link": per_link.cables,
        "cable_m_per_link": per_link.cable_m,
        "runs_per_link": per_link.runs,
    }
