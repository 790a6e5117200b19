"""The planner: brings the wiring from stage to stage, and records the tasks, purchases and results."""

import math
from dataclasses import replace

import numpy as np

from topoloom.cabling.cabling import Cabling, cable
from topoloom.cabling.expansion.cable_order.order_of_work import plug_hosts, work_off
from topoloom.cabling.expansion.cable_order.order_search import UNPLUG
from topoloom.cabling.expansion.cable_order.wiring import HOST, CableWork, WiredCable, cable_alone, cables_of
from topoloom.cabling.expansion.cable_rates import CableRates
from topoloom.cabling.expansion.expansion import Cost, ExpansionStep
from topoloom.cabling.expansion.growing_floor import GrowingFloor
from topoloom.cabling.expansion.grown_fabric import grown_fabric
from topoloom.cabling.expansion.stages import Growth, Stage, difference
from topoloom.cabling.plugs import Plugs
from topoloom.core.errors import InputError
from topoloom.cost.bill import Bill, bill_with, price
from topoloom.cost.choose import Cables
from topoloom.cost.parts import Parts
from topoloom.cost.products import low_high
from topoloom.cost.purchases import purchases, total_usd
from topoloom.cost.switch_kinds import cages_of_ends, kinds_of_part, switch_kinds
from topoloom.cost.terms import Terms
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.stated_places import as_stated
from topoloom.formats.cables import host_ports
from topoloom.graph.path_lengths import part_path_lengths
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout


class Planner:
    """Brings the wiring from stage to stage and records the work."""

    def __init__(
        self,
        layout: Layout,
        parts: Parts,
        rates: CableRates,
        host_cables: bool,
        plugs: Plugs | None,
        growth: Growth,
        ports: int,
        growing_floor: GrowingFloor,
        fabric: Fabric | None = None,
    ) -> None:
        topology = layout.topology
        plugs = Plugs.of(topology) if plugs is None else plugs
        if host_cables and plugs.number.any() and not plugs.endpoint_number.all():
            # The list has none of the hosts' cables.
            first = max(int(plugs.number.max()), int(plugs.endpoint_number.max(initial=0))) + 1
            plugs = replace(plugs, endpoint_number=first + np.arange(topology.endpoints.size))
        self.before = cable(layout, parts, rates.common, host_cables, plugs, fabric)
        highest = max(int(plugs.link.max(initial=0)), int(plugs.endpoint.max(initial=0)))
        self.ports = max(ports, highest)
        self._parts, self._rates, self._host_cables = parts, rates, host_cables
        self._growing_floor, self._slots_chosen = growing_floor, growth.slot or {}
        self._now = topology
        last = growth.stages[-1].topology
        self._cages = cages_of_ends(last, parts, rates.links)
        self._plane = np.zeros(last.switches, np.int64) if growth.plane is None else growth.plane
        ends = zip(last.endpoints.tolist(), last.host.tolist(), strict=True)
        #: The host's ports of its cables to a switch, by switch and host.
        self._ports_of: dict[tuple[int, int], list[int]] = {}
        if last.hosts < last.endpoints.size:
            for end, port in zip(ends, host_ports(last.host).tolist(), strict=True):
                self._ports_of.setdefault(end, []).append(port)
        self.wiring = CableWork(topology, plugs, last.switches, self.ports, fabric)
        #: The cable to buy for a length, between racks or not, to a host or not.
        self._offers: dict[tuple[float, bool, bool], Cables] = {}
        self._take_stock(self.before)
        self._next = int(self.before.number.max(initial=0)) + 1

    def _take_stock(self, cabling: Cabling) -> None:
        """Register the installed cables in their ports."""
        for place_, about in enumerate(cables_of(cabling)):
            self.wiring.cables.append(about)
            (a, at_a), (b, at_b) = about.ends
            self.wiring.plugged[a, at_a - 1] = place_
            if not about.host:
                self.wiring.plugged[b, at_b - 1] = place_

    def _buy(self, length_m: float, between: bool, host: bool) -> int:
        asked = length_m, between, host
        if asked not in self._offers:
            self._offers[asked] = cable_alone(self._parts, length_m, between, self._rates.of(host), host, self._cages)
        offered = self._offers[asked]
        usd = float(offered.usd_low[0]), float(offered.usd_high[0])
        new = WiredCable(
            self._next,
            int(offered.product[0]),
            float(offered.stock_m[0]),
            usd,
            float(offered.power_w[0]),
            ((-1, 0), (-1, 0)),
            host,
            False,
        )
        self._next += 1
        self.wiring.cables.append(new)
        return len(self.wiring.cables) - 1

    def step(self, stage: Stage, jobs: int | None) -> ExpansionStep:
        """Execute one stage; returns its tasks and results."""
        before, after = self._now, stage.topology
        stood = self._growing_floor.in_use
        self._growing_floor.settle(after, self._slots_chosen)
        slot = self._growing_floor.slot
        buy = self._buy if self._host_cables else None
        span = self._growing_floor.span
        tasks = plug_hosts(self.wiring, before, after, True, buy, span, self._ports_of)
        padded = replace(before, switches=after.switches, labels={}) if after.switches > before.switches else before
        tasks += work_off(
            self.wiring,
            padded,
            after,
            self._serving(before, after),
            slot,
            self._growing_floor.length_m,
            self._parts.slack_m,
            self._buy,
        )
        tasks += plug_hosts(self.wiring, before, after, False, buy, span, self._ports_of)
        paths = part_path_lengths(after.links, self._plane[: after.switches], jobs)
        self._now = after
        new_slots = sorted(self._growing_floor.in_use - stood)
        return ExpansionStep(
            stage.title,
            tuple(tasks),
            after,
            tuple(range(before.switches, after.switches)),
            tuple(self._growing_floor.slots.names[s] for s in new_slots),
            paths.diameter,
            paths.aspl,
            paths.connected,
            max((task.cut_off for task in tasks), default=0),
            sum(task.interrupted > 0 for task in tasks),
            stage.trunk_work,
        )

    def _serving(self, before: Topology, after: Topology) -> np.ndarray:
        """The existing switches, of the planes whose links change."""
        removed, added, _ = difference(replace(before, switches=after.switches, labels={}), after)
        busy = np.unique(self._plane[np.concatenate([removed, added])[:, 0]])
        return np.flatnonzero(np.isin(self._plane[: before.switches], busy))

    def start(self, jobs: int | None) -> ExpansionStep:
        """The existing network, as a step without tasks."""
        topology = self.before.layout.topology
        paths = part_path_lengths(topology.links, self._plane[: topology.switches], jobs)
        title = "as it stands"
        return ExpansionStep(title, (), topology, (), (), paths.diameter, paths.aspl, paths.connected, 0, 0)

    def after(self, growth: Growth) -> Cabling:
        """All cables at the end of the plan."""
        topology = growth.stages[-1].topology
        if growth.goal is not None:
            topology = topology.replace(name=growth.goal.name)
        if (
            growth.goal is not None
            and growth.number is not None
            and (growth.number == np.arange(topology.switches)).all()
            and topology.rated == growth.goal.rated
        ):
            topology = topology.replace(spec=growth.goal.spec)
        layout = self._growing_floor.layout(topology, self.before.layout.slots.rows)
        plugs, had = self._plugs(topology), self.before.fabric
        fabric = None if had is None else grown_fabric(had, layout, plugs)
        layout = layout if fabric is None else as_stated(layout, fabric)
        return cable(layout, self._parts, self._rates.common, self._host_cables, plugs, fabric)

    def _plugs(self, topology: Topology) -> Plugs:
        """The plugs of the wiring, in the order of the topology's links and endpoints."""
        cables = [about for about in self.wiring.cables if about.plugged]
        links = [about for about in cables if not about.host]
        ends = [sorted(about.ends) for about in links]
        # In the topology's order: by both switches, parallel ones by their ports at the first.
        order = sorted(range(len(links)), key=lambda i: (ends[i][0][0], ends[i][1][0], ends[i][0][1]))
        links, ends = [links[i] for i in order], [ends[i] for i in order]
        titles = [product.title for product in self._parts.cable]
        number_of = {about.ends[1]: about.number for about in cables if about.host}
        return Plugs(
            np.array([(u[1], v[1]) for u, v in ends], np.int32).reshape(-1, 2),
            self._host_ports(topology),
            np.array([about.number for about in links], np.int64),
            np.array([number_of.get(end, 0) for end in _host_ends(topology)], np.int64),
            tuple(titles[about.product] for about in links),
            np.array([about.stock_m for about in links], float),
        )

    def _host_ports(self, topology: Topology) -> np.ndarray:
        """The port of each endpoint, int32[endpoints]: the hosts of a switch in the order of its ports, unless listed."""
        neighbours, plugged = (table[: topology.switches] for table in (self.wiring.far, self.wiring.plugged))
        switch, port = np.nonzero(neighbours == HOST)
        if not self._host_cables:
            return (port + 1).astype(np.int32)
        hosts = [self.wiring.cables[cable].ends[1] for cable in plugged[switch, port].tolist()]
        at = dict(zip(hosts, (port + 1).tolist(), strict=True))
        return np.array([at[end] for end in _host_ends(topology)], np.int32)

    def cost(self, steps: list[ExpansionStep], after: Cabling) -> Cost:
        """The cost of new parts, of installation, and of moving cables; `after` has the cables at the end."""
        tasks = [task for step in steps for task in step.tasks]
        prices = np.array([self.wiring.cables[task.cable].usd for task in tasks if task.new]).reshape(-1, 2)
        switches = sum(len(step.new_switches) for step in steps)
        common = self._rates.common
        each = float(np.mean(self._parts.switch_usd_range(self.ports, common))) if switches and common else 0.0
        laid = sum(task.new for task in tasks)
        moved = sum(task.work != UNPLUG for task in tasks) - laid
        installation, moving = (float(np.mean(low_high(usd))) for usd in self._parts.laying_usd)
        further = self._further_usd(after)
        # In a network of several rates, each switch is bought for its own ports.
        switches_usd = switches * each if common is not None else further["switch"]
        return Cost(
            switches_usd,
            float(prices.mean(axis=1).sum()),
            laid * installation,
            further["transceiver"],
            further["nic"],
            further["rack"],
            moved * moving,
        )

    def _further_usd(self, after: Cabling) -> dict[str, float]:
        """The cost of switches, transceivers, NICs and racks, by the bills before and after; NaN where there is no bill."""
        kinds = ("switch", "transceiver", "nic", "rack")
        if self.before.layout.housing is None and not self._parts.transceiver and self._rates.common is not None:
            return dict.fromkeys(kinds, 0.0)
        try:
            bought = purchases(*(self._bill(cabling, after.layout.topology).lines for cabling in (self.before, after)))
        except InputError:
            return dict.fromkeys(kinds, math.nan)
        return {kind: total_usd(bought, kind) for kind in kinds}

    def _bill(self, cabling: Cabling, last: Topology) -> Bill:
        """The bill of a cabling, whose switches have the ports that they need in the last network."""
        layout, rate, hosts = cabling.layout, self._rates.common, cabling.with_hosts
        if rate is not None:
            return price(layout, self._parts, rate, self.ports, hosts, spares=False)
        terms = Terms(parts=self._parts, host_cables=hosts)
        return bill_with(layout, terms, kinds_of_part(switch_kinds(last, terms), layout.topology))


def _host_ends(topology: Topology) -> list[tuple[int, int]]:
    """The host of each endpoint, and the number of its port."""
    return list(zip(topology.host.tolist(), host_ports(topology.host).tolist(), strict=True))
