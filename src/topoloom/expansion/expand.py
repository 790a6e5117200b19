"""The verb `expand`: a plan, cable by cable, from a network on a floor to a larger one."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from topoloom.cabling.cabling import Cabling, cable
from topoloom.cabling.plugs import Plugs
from topoloom.cost.choose import choose_cables
from topoloom.cost.parts import Parts, load_parts
from topoloom.cost.products import low_high
from topoloom.errors import InputError
from topoloom.expansion.expansion import Cost, Expansion, Step
from topoloom.expansion.ground import Ground
from topoloom.expansion.into import into_network
from topoloom.expansion.order_of_work import Step as Work
from topoloom.expansion.order_of_work import plug_hosts
from topoloom.expansion.recognise import recognised
from topoloom.expansion.registry import Request, find_method
from topoloom.expansion.stages import Growth, Stage
from topoloom.expansion.wiring import Cable, Wiring
from topoloom.floors.floor import Floor
from topoloom.graph.distances import hops
from topoloom.layout.layout import Layout
from topoloom.layout.place import place
from topoloom.topology import Topology


def expand(
    network: Topology | Layout,
    to: int | None = None,
    method: str = "auto",
    *,
    into: Topology | None = None,
    floor: Floor | str = "slimfly-2014",
    parts: Parts | str | Path = "slimfly-2014",
    rate_gbps: float | None = None,
    radix: int | None = None,
    degree: int | None = None,
    hosts: int | None = None,
    batch: int | None = None,
    host_cables: bool = False,
    plugs: Plugs | None = None,
    seed: int = 1,
    jobs: int | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> Expansion:
    """Plan how a network grows: what is unplugged, moved and added, in an order that cuts no switch off where there is one.

    Parameters
    ----------
    network : Topology or Layout
        What stands. A topology is placed on `floor` first; a layout stays as it is, and new switches join it.
    to : int
        How large it becomes: switches, hosts or links, as the method counts.
    method : str
        ``auto`` (the family's own, else ``splice``) or a name of `topoloom.expansion.registry.methods`.
    into : Topology, optional
        The network that it becomes, in place of `to` and `method`: its switches are matched so that many cables stay.
    floor : Floor or str
    parts : Parts, str or path
        The catalogue of cables and switches.
    rate_gbps : float, optional
        The rate of every link, Gb/s.
    radix : int, optional
        Ports of a switch; the default is as many as the fullest switch of a step needs.
    degree, hosts : int, optional
        Links and hosts of a new switch, for methods that leave it open; the default is what most switches have.
    batch : int, optional
        New switches (or links) a step, for methods that leave it open.
    host_cables : bool
        Whether the cables of hosts are listed; method ``hosts`` lists them always.
    plugs : Plugs, optional
        Ports, numbers and products of the cables that stand; the default is a network as built.
    seed : int
        The same seed gives the same plan, for any number of threads.
    jobs : int, optional
        Threads; all cores by default.
    watch : callable, optional
        Called with the number of steps that are planned, and of all.

    Raises
    ------
    InputError
        A method, size or network that does not fit; a floor or switches without room.

    Examples
    --------
    >>> from topoloom.spec import build
    >>> plan = expand(build("dsn-f:n=24"), 32)
    >>> plan.removed, plan.added, plan.kept, [step.diameter for step in plan.steps]
    (0, 15, 48, [5, 5, 5])
    """
    parts = parts if isinstance(parts, Parts) else load_parts(parts)
    rate_gbps = parts.link_rate(rate_gbps)
    layout = network if isinstance(network, Layout) else place(network, floor, seed=seed, jobs=jobs)
    before = layout.topology
    if radix is not None and radix < before.radix:
        raise InputError(f"radix={radix} is too small: a switch of {before.name} uses {before.radix} ports")
    for name, value, least in (("degree", degree, 1), ("hosts", hosts, 0), ("batch", batch, 1)):
        if value is not None and value < least:
            raise InputError(f"{name}={value}: it must be {least} at least")
    name = "into" if into is not None else method
    if into is not None:
        if to is not None or method != "auto":
            raise InputError("into= names the network itself; leave the size and the method out")
        ground = _ground(layout, into.switches - before.switches, parts, rate_gbps)
        growth = into_network(before, into, ground, radix, seed, jobs)
    else:
        if to is None or to < 1:
            raise InputError(f"{before.name}: to how many switches does it grow? give a size (to), or a network (into)")
        family = recognised(before)
        chosen = find_method(method, family[0].name if family else None)
        name = chosen.name
        host_cables |= chosen.counts == "hosts"
        ground = _ground(layout, max(0, to - before.switches) * (chosen.counts == "switches"), parts, rate_gbps)
        growth = chosen.grow(Request(before, to, ground, radix, degree, hosts, batch, seed))
        if name == "splice-near":
            ground = _ground(layout, to - before.switches, parts, rate_gbps)
    most = max(stage.topology.radix for stage in growth.stages)
    if radix is not None and most > radix:
        raise InputError(f"{growth.stages[-1].topology.name}: a switch needs {most} ports; radix={radix} is too small")
    planner = _Planner(
        layout, parts, rate_gbps, host_cables, plugs, growth, max(most, before.radix, radix or 0), ground
    )
    steps = []
    for number, stage in enumerate(growth.stages):
        steps.append(planner.step(stage, jobs))
        if watch is not None:
            watch(number + 1, len(growth.stages))
    after = planner.after(growth)
    return Expansion(
        name, planner.before, after, tuple(steps), tuple(planner.wiring.cables), growth.goal, growth.number, planner.ports,
        planner.cost(steps), seed,
    )  # fmt: skip


def _ground(layout: Layout, more: int, parts: Parts, rate_gbps: float) -> Ground:
    watts = parts.switch_w(layout.topology.radix, rate_gbps) if layout.floor.limits_power else 0.0
    return Ground(layout, more, watts)


class _Planner:
    """Brings the wiring from stage to stage and writes down what is done."""

    def __init__(
        self, layout: Layout, parts: Parts, rate_gbps: float, host_cables: bool, plugs: Plugs | None, growth: Growth,
        ports: int, ground: Ground,
    ) -> None:  # fmt: skip
        topology = layout.topology
        plugs = Plugs.of(topology) if plugs is None else plugs
        self.before = cable(layout, parts, rate_gbps, host_cables, plugs)
        highest = max(int(plugs.link.max(initial=0)), int(plugs.endpoint.max(initial=0)))
        self.ports = max(ports, highest)
        self._parts, self._rate_gbps, self._host_cables = parts, rate_gbps, host_cables
        self._ground, self._slots_chosen = ground, growth.slot or {}
        self._now = topology
        self.wiring = Wiring(topology, plugs, growth.stages[-1].topology.switches, self.ports)
        self._take_stock(self.before)
        self._next = int(self.before.number.max(initial=0)) + 1

    def _take_stock(self, cabling: Cabling) -> None:
        """The cables that lie, each in its ports."""
        bought = cabling.bought
        usd = np.stack([bought.usd_low, bought.usd_high], axis=1).tolist()
        columns = (cabling.number, bought.product, bought.stock_m, bought.power_w, cabling.to_host)
        rows = zip(
            *(column.tolist() for column in columns), usd, cabling.ends.tolist(), cabling.port.tolist(), strict=True
        )
        for place_, (number, product, stock_m, power_w, host, prices, (a, b), (at_a, at_b)) in enumerate(rows):
            ends = (a, at_a), (b, at_b)
            self.wiring.cables.append(Cable(number, product, stock_m, tuple(prices), power_w, ends, host))
            self.wiring.plugged[a, at_a - 1] = place_
            if not host:
                self.wiring.plugged[b, at_b - 1] = place_

    def _buy(self, length_m: float, between: bool, host: bool) -> int:
        one = choose_cables(self._parts, np.array([length_m]), np.array([between]), self._rate_gbps)
        usd = float(one.usd_low[0]), float(one.usd_high[0])
        new = Cable(
            self._next,
            int(one.product[0]),
            float(one.stock_m[0]),
            usd,
            float(one.power_w[0]),
            ((-1, 0), (-1, 0)),
            host,
            False,
        )
        self._next += 1
        self.wiring.cables.append(new)
        return len(self.wiring.cables) - 1

    def step(self, stage: Stage, jobs: int | None) -> Step:
        """Work off one stage."""
        before, after = self._now, stage.topology
        stood = set(self._ground.slot.tolist())
        self._ground.settle(after, self._slots_chosen)
        slot = self._ground.slot
        buy = self._buy if self._host_cables else None
        inside_m = self._ground.floor.inside_m
        tasks = plug_hosts(self.wiring, before, after, True, buy, inside_m)
        padded = replace(before, switches=after.switches, labels={}) if after.switches > before.switches else before
        work = Work(self.wiring, padded, after, slot, self._ground.length_m, self._parts.slack_m, self._buy)
        tasks += work.work()
        tasks += plug_hosts(self.wiring, before, after, False, buy, inside_m)
        found = hops(after, jobs)
        self._now = after
        new_slots = sorted({int(s) for s in slot[before.switches :]} - stood)
        return Step(
            stage.title, tuple(tasks), after, tuple(range(before.switches, after.switches)),
            tuple(self._ground.slots.names[s] for s in new_slots), found.diameter, found.aspl, found.connected,
            max((task.cut_off for task in tasks), default=0),
        )  # fmt: skip

    def after(self, growth: Growth) -> Cabling:
        """All cables as they lie in the end."""
        topology = growth.stages[-1].topology
        if (
            growth.goal is not None
            and growth.number is not None
            and (growth.number == np.arange(topology.switches)).all()
        ):
            topology = topology.replace(spec=growth.goal.spec)
        layout = self._ground.layout(topology, self.before.layout.slots.rows)
        return cable(layout, self._parts, self._rate_gbps, self._host_cables, self._plugs(topology))

    def _plugs(self, topology: Topology) -> Plugs:
        """The plugs of the wiring, in the order of the topology's links and endpoints."""
        cables = [about for about in self.wiring.cables if about.plugged]
        links = [(*sorted(about.ends), about) for about in cables if not about.host]
        # As the topology has them: by both switches, parallel ones by their ports at the first.
        links.sort(key=lambda row: (row[0][0], row[1][0], row[0][1]))
        titles = [product.title for product in self._parts.cable]
        link = np.array([(u[1], v[1]) for u, v, _ in links], np.int32).reshape(-1, 2)
        # By switch and, among those of one switch, in the topology's order: hosts keep the ports that they were given.
        port_of = self._host_ports(topology)
        number_of = {about.ends[1][0]: about.number for about in cables if about.host}
        host_number = np.array([number_of.get(host, 0) for host in topology.host.tolist()], np.int64)
        return Plugs(
            link, port_of, np.array([about.number for *_, about in links], np.int64), host_number,
            tuple(titles[about.product] for *_, about in links), np.array([about.stock_m for *_, about in links], float),
        )  # fmt: skip

    def _host_ports(self, topology: Topology) -> np.ndarray:
        """The port of each endpoint, int32[endpoints]."""
        from topoloom.expansion.wiring import HOST

        switch, port = np.nonzero(self.wiring.far[: topology.switches] == HOST)
        # Hosts are numbered as they came, and got the lowest free port: of one switch both rise, but for freed ports.
        if not self._host_cables:
            return (port + 1).astype(np.int32)
        by_host = {
            self.wiring.cables[c].ends[1][0]: p + 1
            for c, p in zip(self.wiring.plugged[switch, port], port, strict=True)
        }
        return np.array([by_host[host] for host in topology.host.tolist()], np.int32)

    def cost(self, steps: list[Step]) -> Cost:
        """What is bought, and what installers are paid."""
        tasks = [task for step in steps for task in step.tasks]
        prices = np.array([self.wiring.cables[task.cable].usd for task in tasks if task.new]).reshape(-1, 2)
        switches = sum(len(step.new_switches) for step in steps)
        each = float(np.mean(self._parts.switch_usd_range(self.ports, self._rate_gbps))) if switches else 0.0
        laid = sum(task.work != "unplug" for task in tasks)
        installation = float(np.mean(low_high(self._parts.installation_usd)))
        return Cost(switches * each, float(prices.mean(axis=1).sum()), laid * installation)
