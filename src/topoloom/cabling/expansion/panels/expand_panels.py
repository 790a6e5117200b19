"""The operation `expand_panels`: growing a network whose links pass through shuffle panels."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from topoloom.cabling.cabling import Cabling, cable
from topoloom.cabling.expansion.cable_rates import own_cable_rates
from topoloom.cabling.expansion.expand import MOST_SWITCHES
from topoloom.cabling.expansion.floors import feed_of_switch_w, floor_for_growth
from topoloom.cabling.expansion.grown_fabric import grown_fabric
from topoloom.cabling.expansion.panels.expansion import PanelExpansion, PanelStep
from topoloom.cabling.expansion.panels.pieces import grown_plant, pieces_of
from topoloom.cabling.expansion.panels.places import place_panels
from topoloom.cabling.expansion.panels.rounds import Owned, Rounds
from topoloom.cabling.expansion.panels.tasks import PanelTask
from topoloom.cabling.expansion.registry import ExpansionRequest, find_method
from topoloom.cabling.expansion.stages import Growth, Stage
from topoloom.cabling.plugs import Plugs
from topoloom.core.errors import InputError, check_type
from topoloom.core.work import Work
from topoloom.cost.bill import price
from topoloom.cost.panelled import refuse_over_budget
from topoloom.cost.purchases import purchases
from topoloom.cost.rack_limits import within_power
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.stated_places import as_stated
from topoloom.formats.cables import host_ports
from topoloom.graph.path_lengths import part_path_lengths
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.model.topology import Topology
from topoloom.placement.fibre.methods import RACK_U
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.fibre.shuffled import boxes_in
from topoloom.placement.hosts.housing import Housing
from topoloom.placement.layout.layout import Layout
from topoloom.topologies.families._shuffle_boxes import ShuffleBoxes


def expand_panels(
    network: NetworkSource,
    to: int,
    method: str = "auto",
    *,
    hosts: int | None = None,
    batch: int | None = None,
    most_down: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> PanelExpansion:
    """Plan how a network with shuffle panels grows: panels to set up, trunks to cut, cords and trunks to plug.

    New panels are spliced into trunks. Everything else stays: panels, cords and the other trunks keep names, ports, numbers and
    lengths. New panels stand in racks of panels with free units, else in new racks; new switches where their cords are short.
    In each round the links of one trunk are drained, or of several with at most `most_down` links together.

    Parameters
    ----------
    network : NetworkSource
        Laid out with ``panels="shuffle"``.
    to : int
        Its new number of switches.
    method : str
        ``auto``, or the method of growth by whole boxes.
    hosts : int, optional
        Hosts of a new switch; those of the existing ones when omitted.
    batch : int, optional
        Most new switches per step.
    most_down : int, optional
        Most links that may be drained at a time; those of one trunk when omitted.
    seed : int
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        Receives progress by steps, and may stop the planning.

    Returns
    -------
    PanelExpansion

    Raises
    ------
    InputError
        The network has no shuffle panels; the method or the size does not fit; the floor has no space; a link loses more than
        its transceivers allow.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom import open_network
    >>> flat = open_network("shuffled:n=64,degree=64").placed(parts="ethernet-2026", rate_gbps=100, panels="shuffle")
    >>> plan = expand_panels(flat, 66)
    >>> plan.new_panels, plan.new_cords, plan.moved, plan.new_trunks, plan.rounds, plan.most_drained
    (1, 32, 2, 2, 2, 32)
    """
    work = Work() if work is None else work
    stands = network_of(network, "expand_panels")
    layout = stands.layout
    if layout is None or layout.plant is None:
        raise InputError(f"{stands.topology.name}: it has no panels; use expand, which plans cables")
    plant, before = layout.plant, layout.topology
    check_type(to, (int, np.integer), "expand_panels", "to= is a number of switches")
    if to > MOST_SWITCHES:
        raise InputError(f"to={to}: plans are made for at most {MOST_SWITCHES:,} switches")
    if plant.method != "shuffle":
        raise InputError(
            f"{before.name}: its panels are those of '{plant.method}', and growth with panels is planned for 'shuffle' only;"
            " grow its spec without panels (topoloom expand SPEC), and lay out the result with the same panels"
        )
    if method not in ("auto", "boxes"):
        raise InputError(f"method {method}: a network with shuffle panels grows by method boxes; omit the method")
    if most_down is not None and most_down < 1:
        raise InputError(f"most_down={most_down}: it must be at least 1")
    terms = stands.terms
    parts, nominal = terms.catalogue, terms.rate_on(before)
    # In a network of several rates each cable has its own.
    rate_gbps = None if before.mixed else nominal
    boxes, cord_port = boxes_in(plant)
    request = ExpansionRequest(before, int(to), None, hosts=hosts, batch=batch, seed=seed, boxes=boxes)  # type: ignore[arg-type]
    growth = find_method("boxes", None).grow(request)
    own = own_cable_rates(before)
    if own is not None:
        rated = (replace(stage, topology=own.given_to(stage.topology)) for stage in growth.stages)
        growth = replace(growth, stages=tuple(rated))
    standing = cable(layout, parts, rate_gbps, terms.host_cables, stands.plugs, stands.cabled)
    group = growth.stages[-1].topology.labels.get("group")
    more = growth.stages[-1].topology.hosts - before.hosts if layout.housing is not None else 0
    more += int(to) - before.switches + len(_boxes(growth.stages[-1]).switch_at) - len(boxes.switch_at)
    made: list[tuple[list[PanelStep], Rounds, Layout]] = []

    def planned(switch_w: float | np.ndarray, housing: Housing | None) -> Layout:
        stood = replace(layout, housing=housing)
        floor = floor_for_growth(stood, more, parts, nominal, group, float(np.max(switch_w)))
        rack_u = RACK_U if housing is None else float(housing.rack.u)
        fit = int(rack_u / plant.panels[0].u + 1e-9) if plant.panels[0].u else len(plant.panel) + more
        rounds = Rounds(plant, _installed(standing, plant), int(standing.laid.number.max(initial=0)), most_down)
        steps = []
        work.begin(len(growth.stages), "steps")
        for stage in growth.stages:
            work.check()
            stood_in, last = floor.in_use, rounds.plant
            place_panels(floor, _boxes(stage), fit)
            floor.settle(stage.topology, {})
            now = grown_plant(plant, cord_port, _boxes(stage), stage.topology, floor.panel_slot)
            now = now.placed(floor.slots, floor.floor, floor.slot)
            racks = tuple(floor.slots.names[slot] for slot in sorted(floor.in_use - stood_in))
            steps.append(_step(stage, rounds, last, now, racks, jobs))
            work.advance()
        topology = _named(growth)
        final = _with_numbers(rounds.plant, rounds)
        grown = floor.layout(topology, layout.slots.rows, final)
        made.append((steps, rounds, grown))
        return grown

    within_power(planned, feed_of_switch_w(layout, parts, nominal), layout.housing, terms)
    steps, rounds, grown = made[-1]
    if grown.housing is not layout.housing:
        grown = replace(grown, housing=layout.housing)
    grown, plugs, fabric = _cabled(grown, standing, rounds)
    refuse_over_budget(grown, terms)
    after = cable(grown, parts, rate_gbps, terms.host_cables, plugs, fabric)
    steps = _with_devices(steps, before, after)
    tasks = [task for step in steps for task in step.tasks]
    bills = [
        price(each.layout, parts, rate_gbps, terms.radix, each.with_hosts, orders=True, spares=False)
        for each in (standing, after)
    ]
    settings = {"parts": parts.name, "rate_gbps": rate_gbps, "to": int(to), "hosts": hosts, "batch": batch}
    return PanelExpansion(
        method="boxes",
        before=replace(standing, terms=terms),
        after=replace(after, terms=terms),
        steps=tuple(steps),
        kept=len(set(pieces_of(plant)) & set(pieces_of(rounds.plant))),
        moved=sum(task.work == "connect" for task in tasks),
        left=tuple((left.number, left.owned_m) for left in rounds.shelf),
        bought=purchases(*(bill.items for bill in bills)),
        currency=parts.currency,
        provenance=provenance_of(before, seed=seed, settings=settings | {"most_down": most_down}),
    )


def _boxes(stage: Stage) -> ShuffleBoxes:
    if stage.boxes is None:
        raise InputError("a step without boxes; use method boxes")
    return stage.boxes


def _installed(cabling: Cabling, plant: Plant) -> dict[tuple[tuple[int, int, int], tuple[int, int, int]], Owned]:
    """The number on every cord and trunk, and the length in which it was bought if it was used elsewhere before."""
    fibres = ~cabling.laid.own
    number = np.zeros(plant.fibre.size, np.int64)
    number[cabling.laid.fibre[fibres]] = cabling.laid.number[fibres]
    owned_m = plant.owned_m if plant.owned_m.size else np.zeros(plant.fibre.size)
    rows = zip(pieces_of(plant), number.tolist(), owned_m.tolist(), strict=True)
    return {piece: Owned(on_it, length_m) for piece, on_it, length_m in rows}


def _with_numbers(plant: Plant, rounds: Rounds) -> Plant:
    """The plant with the numbers on its pieces, and the lengths of those that were used elsewhere before."""
    owned = [rounds.installed[piece] for piece in pieces_of(plant)]
    return replace(
        plant, number=np.array([each.number for each in owned]), owned_m=np.array([each.owned_m for each in owned])
    )


def _step(
    stage: Stage, rounds: Rounds, before: Plant, now: Plant, racks: tuple[str, ...], jobs: int | None
) -> PanelStep:
    """Carry out a stage."""
    done = rounds.step(now)
    paths = part_path_lengths(stage.topology.links, np.zeros(stage.topology.switches, np.int64), jobs)
    if stage.trunk_work is None:
        raise InputError("a step without work on trunks; use method boxes")
    return PanelStep(
        title=stage.title,
        tasks=done.tasks,
        topology=stage.topology,
        new_switches=tuple(range(before.switches, now.switches)),
        new_panels=now.names[len(before.names) :],
        new_racks=racks,
        rounds=done.rounds,
        most_drained=done.most_drained,
        cut_off=done.cut_off,
        diameter=paths.diameter,
        aspl=paths.aspl,
        connected=paths.connected,
        trunk_work=stage.trunk_work,
    )


def _named(growth: Growth) -> Topology:
    """The last network, with the name and the spec of the one that it is."""
    topology = growth.stages[-1].topology
    if growth.goal is None:
        return topology
    spec = growth.goal.spec if topology.rated == growth.goal.rated else None
    return topology.replace(name=growth.goal.name, spec=spec)


def _cabled(grown: Layout, before: Cabling, rounds: Rounds) -> tuple[Layout, Plugs, Fabric | None]:
    """The layout, the ports and numbers of hosts' cables, and the names of devices: what exists keeps its own."""
    topology, old = grown.topology, before.layout.topology
    m, k = len(topology.links), old.endpoints.size
    endpoint = topology.endpoint_ports.astype(np.int32).copy()
    number = np.zeros(topology.endpoints.size, np.int64)
    if before.with_hosts:
        rows = np.flatnonzero(before.to_host)
        switch, host = before.ends[rows].T.tolist()
        listed = zip(switch, host, before.port[rows, 1].tolist(), strict=True)
        of_end = dict(zip(listed, rows.tolist(), strict=True))
        ends = zip(old.endpoints.tolist(), old.host.tolist(), host_ports(old.host).tolist(), strict=True)
        at = np.array([of_end[end] for end in ends], np.int64)
        endpoint[:k], number[:k] = before.port[at, 0], before.number[at]
        number[k:] = [rounds.next_number() for _ in range(topology.endpoints.size - k)]
    plugs = Plugs(grown.link_ports, endpoint, np.zeros(m, np.int64), number, ("",) * m, np.full(m, np.nan))
    fabric = None if before.fabric is None else grown_fabric(before.fabric, grown, plugs)
    return grown if fabric is None else as_stated(grown, fabric), plugs, fabric


def _with_devices(steps: list[PanelStep], before: Topology, after: Cabling) -> list[PanelStep]:
    """The steps, each begun by the devices that are set up and the cables of their hosts."""
    done = []
    panels = 0 if after.layout.plant is None else len(after.layout.plant.names) - sum(len(s.new_panels) for s in steps)
    for step in steps:
        tasks = [PanelTask("set up", "panel", 0, panels + new) for new in range(len(step.new_panels))]
        panels += len(step.new_panels)
        tasks += [PanelTask("set up", "switch", 0, switch) for switch in step.new_switches]
        done.append(replace(step, tasks=(*tasks, *_host_tasks(step, before, after), *step.tasks)))
    return done


def _host_tasks(step: PanelStep, before: Topology, after: Cabling) -> Iterator[PanelTask]:
    """The cables of the hosts of a step's switches, where they are listed."""
    new = np.isin(after.ends[:, 0], step.new_switches) & after.to_host & (after.ends[:, 0] >= before.switches)
    for row in np.flatnonzero(new).tolist():
        (switch, host), (port, plug) = after.ends[row].tolist(), after.port[row].tolist()
        ends = (0, switch, port), (2, host, plug)
        metres = float(after.length_m[row]), float(after.bought.stock_m[row])
        yield PanelTask("plug", "host", 0, int(after.number[row]), "new", ends, (), (), *metres)
