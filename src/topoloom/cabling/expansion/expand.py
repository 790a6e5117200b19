"""The operation `expand`: a plan, cable by cable, for growing a network on a floor."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.expansion.cable_order.planner import Planner
from topoloom.cabling.expansion.cable_rates import CableRates, own_cable_rates
from topoloom.cabling.expansion.expansion import Expansion, ExpansionStep
from topoloom.cabling.expansion.floors import feed_of_switch_w, floor_for_growth
from topoloom.cabling.expansion.larger_networks import grows_by_hosts, larger_networks
from topoloom.cabling.expansion.migration import into_network
from topoloom.cabling.expansion.planes import grown_planes
from topoloom.cabling.expansion.recognise import family_name, recognised
from topoloom.cabling.expansion.registry import ExpansionRequest, Method, find_method
from topoloom.cabling.expansion.stages import Growth
from topoloom.cabling.plugs import Plugs
from topoloom.core.errors import InputError, check_type
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.cost.rack_limits import within_power
from topoloom.graph.planes import plane_count, planes_of
from topoloom.model.link_rates import shown_rate
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, network_of, taken
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor
from topoloom.placement.hosts.housing import Housing
from topoloom.placement.layout.layout import Layout
from topoloom.topologies.spec import build

if TYPE_CHECKING:
    from topoloom.network import Network

#: The most switches of a network that is planned cable by cable.
MOST_SWITCHES = 1 << 20


def expand(
    network: NetworkSource,
    to: int | None = None,
    method: str = "auto",
    *,
    into: NetworkSource | None = None,
    floor: Floor | str | None = None,
    parts: Parts | str | Path | None = None,
    rate_gbps: float | None = None,
    radix: int | None = None,
    degree: int | None = None,
    hosts: int | None = None,
    batch: int | None = None,
    host_cables: bool | None = None,
    plugs: Plugs | None = None,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> Expansion:
    """Plan how a network grows: the cables to unplug, move and add, in an order that cuts off no switch if one exists.

    Parameters
    ----------
    network : NetworkSource
        The existing network. Without a layout it is placed on `floor` first; a layout stays unchanged, and new switches are
        added to it. Parameters omitted below are taken from the network.
    to : int
        Its new size: switches, hosts or links, as the method counts; for several planes the size of each. Of a network that
        `grows_by_hosts` (a fat tree for a number of hosts, ``+populated``, ``+part``): the hosts of the whole network.
    method : str
        ``auto`` (the family's own, else ``splice``) or a name of `topoloom.cabling.expansion.registry.METHODS`.
    into : NetworkSource, optional
        The target network, in place of `to` and `method`: its switches are matched so that as many cables as possible stay.
    floor : Floor or str, optional
        For a network without a layout; ``slimfly-2014`` when omitted.
    parts : Parts, str or path, optional
        The catalogue of cables and switches; the network's own, otherwise ``slimfly-2014``.
    rate_gbps : float, optional
        The rate of every link, Gb/s. In a network of several rates each new cable has that of its kind: between switches, or to
        a host.
    radix : int, optional
        Ports of a switch; when omitted, as many as the fullest switch of any step needs.
    degree, hosts : int, optional
        Links and hosts of a new switch, for methods that leave it open; by default those of most switches.
    batch : int, optional
        New switches (or links) per step, for methods that leave it open.
    host_cables : bool, optional
        Whether to list the cables of hosts; they are always listed if existing switches get more hosts.
    plugs : Plugs, optional
        Ports, numbers and products of installed cables; those of the network's cable list, otherwise those of a new network.
    seed : int
        The same seed gives the same plan, for any number of threads.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        Receives progress by steps, and may stop the planning.

    Returns
    -------
    Expansion

    Raises
    ------
    InputError
        The method, size or network does not fit, or the floor or switches have no space; links between switches differ in rate,
        or hosts' ports do.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> plan = expand(build("dsn-f:n=24"), 32)
    >>> plan.removed, plan.added, plan.kept, [step.diameter for step in plan.steps]
    (0, 15, 48, [5, 5, 5])
    """
    work = Work() if work is None else work
    stands = network_of(network, "expand")
    by_hosts = into is None and method == "auto" and isinstance(to, int | np.integer)
    if by_hosts and degree is None and hosts is None and batch is None and grows_by_hosts(stands.topology):
        _refuse_no_growth(stands.topology, int(to or 0))
        placed = _on_floor(stands, floor, parts, rate_gbps, seed, jobs)

        def become(larger: str) -> Expansion:
            return expand(
                placed,
                into=build(larger),
                parts=parts,
                rate_gbps=rate_gbps,
                radix=radix,
                host_cables=host_cables,
                plugs=plugs,
                seed=seed,
                jobs=jobs,
                work=work,
            )

        return _first_larger(stands.topology, int(to or 0), become)
    own = own_cable_rates(stands.topology)
    stands = _on_floor(stands, floor, parts, rate_gbps, seed, jobs)
    layout, terms, plugs = stands.part(Layout), stands.terms, stands.plugs if plugs is None else plugs
    before = layout.topology
    if layout.plant is not None:
        raise InputError(
            f"{before.name}: its links pass through panels, and a plan of cables per link does not fit; use expand_panels,"
            " which plans trunks and cords"
        )
    terms = terms.changed(parts=parts, rate_gbps=rate_gbps, radix=radix, host_cables=host_cables)
    parts, radix, host_cables = terms.catalogue, terms.radix, terms.host_cables
    if before.mixed:
        # Each switch is bought for its own ports; `radix` only limits them.
        terms = msgspec.structs.replace(terms.on(before, "expand"), radix=None)
    nominal = terms.rate_on(before)
    rates = own if own is not None and before.mixed else CableRates(nominal, nominal)
    planes = plane_count(before)
    if radix is not None and radix < before.radix:
        raise InputError(f"radix={radix} is too small: a switch of {before.name} uses {before.radix} ports")
    for name, value, least in (("degree", degree, 1), ("hosts", hosts, 0), ("batch", batch, 1)):
        if value is not None and value < least:
            raise InputError(f"{name}={value}: it must be at least {least}")
    if into is not None:
        if to is not None or method != "auto":
            raise InputError("into= gives the target network; omit the size and the method")
        into = taken(into, Topology, "expand")
        _refuse_other_rates(before, into)
        name, more = "into", into.switches - before.switches
        goals, matchings = _goal_per_plane(before, into, planes), dict[tuple[str, str], np.ndarray]()

        def grow(own: Layout, number: int) -> Growth:
            goal = goals[number]
            room = floor_for_growth(own, goal.switches - own.topology.switches, parts, nominal)
            return into_network(own.topology, goal, room, radix, seed, jobs, work, matchings)

    else:
        if to is not None:
            check_type(to, (int, np.integer), "expand", "to= is a number of switches")
            if to * max(1, planes) > MOST_SWITCHES:
                raise InputError(f"to={to}: plans are made for at most {MOST_SWITCHES:,} switches")
        if to is None or to < 1:
            raise InputError(f"{before.name}: to how many switches does it grow? give a size (to), or a network (into)")
        size, names = to, []

        def grow(own: Layout, number: int) -> Growth:
            stands = own.topology
            recognised_as = recognised(stands) if method == "auto" else None
            chosen = find_method(method, family_name(stands, recognised_as))
            _refuse_unused(chosen, {"degree": degree, "hosts": hosts, "batch": batch})
            names.append(chosen)
            room = floor_for_growth(own, (size - stands.switches) * (chosen.counts == "switches"), parts, nominal)
            return chosen.grow(ExpansionRequest(stands, size, room, radix, degree, hosts, batch, seed, recognised_as))

    growth = grow(layout, 0) if planes < 2 else grown_planes(layout, grow, into)
    if own is not None:
        rated = (replace(stage, topology=own.given_to(stage.topology)) for stage in growth.stages)
        growth = replace(growth, stages=tuple(rated))
    if into is None:
        name, more = names[0].name, (size * max(1, planes) - before.switches) * (names[0].counts == "switches")
    last = growth.stages[-1].topology
    # Their hosts would not be on the first ports, where a list without host cables places them.
    host_cables |= bool((last.endpoints_at[: before.switches] > before.endpoints_at).any())
    host_cables |= layout.housing is not None
    more += 0 if layout.housing is None else last.hosts - before.hosts
    most = max(stage.topology.radix for stage in growth.stages)
    if radix is not None and most > radix:
        raise InputError(f"{growth.stages[-1].topology.name}: a switch needs {most} ports; radix={radix} is too small")
    group = growth.stages[-1].topology.labels.get("group")
    ports = max(most, before.radix, radix or 0)
    plans: list[tuple[Planner, list[ExpansionStep], Cabling]] = []

    def planned(switch_w: float | np.ndarray, housing: Housing | None) -> Layout:
        stood = replace(layout, housing=housing)
        growing_floor = floor_for_growth(stood, more, parts, nominal, group, float(np.max(switch_w)))
        planner = Planner(layout, parts, rates, host_cables, plugs, growth, ports, growing_floor, stands.cabled)
        steps = []
        work.begin(len(growth.stages), "steps")
        for stage in growth.stages:
            work.check()
            steps.append(planner.step(stage, jobs))
            work.advance()
        plans.append((planner, steps, planner.after(growth)))
        return plans[-1][-1].layout

    plan_terms = terms.changed(parts=parts, rate_gbps=rates.common, host_cables=host_cables)
    within_power(planned, feed_of_switch_w(layout, parts, nominal), layout.housing, plan_terms)
    planner, steps, after = plans[-1]
    if after.layout.housing is not layout.housing:
        after = replace(after, layout=replace(after.layout, housing=layout.housing))
    asked = {"to": to, "into": None if into is None else into.spec or into.name, "radix": radix}
    asked |= {"degree": degree, "hosts": hosts, "batch": batch, "host_cables": host_cables}
    settings = {
        "parts": parts.name,
        "currency": parts.currency,
        "rate_gbps": rates.common,
        "floor": layout.floor.name,
        "layout": layout.made,
        **asked,
    }
    return Expansion(
        method=name,
        before=replace(planner.before, terms=terms.changed(parts=parts)),
        after=replace(after, terms=terms.changed(parts=parts)),
        steps=tuple(steps),
        cables=tuple(planner.wiring.cables),
        goal=growth.goal,
        number=growth.number,
        radix=planner.ports,
        cost=planner.cost(steps, after),
        start=planner.start(jobs),
        provenance=provenance_of(before, seed=seed, settings=settings),
    )


def _refuse_no_growth(before: Topology, hosts: int) -> None:
    """Refuse a number of hosts that a network has already."""
    if hosts <= before.hosts:
        raise InputError(f"{before.name}: it has {before.hosts:,} hosts; give more than these as its size (to)")


def _on_floor(
    network: "Network",
    floor: Floor | str | None,
    parts: Parts | str | Path | None,
    rate_gbps: float | None,
    seed: int,
    jobs: int | None,
) -> "Network":
    """The network with a layout: its own, otherwise one on `floor`."""
    search = {} if network.layout is not None else {"seed": seed, "jobs": jobs}
    return network.with_layout(floor, parts=parts, rate_gbps=rate_gbps, **search)


def _first_larger(before: Topology, hosts: int, become: Callable[[str], Expansion]) -> Expansion:
    """The plan into the first network for `hosts` hosts that the existing one can become.

    Raises
    ------
    InputError
        No such network keeps hosts and switches where they are.
    """
    refused: InputError | None = None
    for larger in larger_networks(before, hosts):
        try:
            return become(larger)
        except InputError as error:
            refused = error
    if refused is not None and "hosts would have to move" in str(refused):
        raise InputError(
            f"{before.name}: no network of its family for {hosts:,} hosts keeps every host on its switch; name a larger network"
            " that does (into)"
        )
    raise refused or InputError(
        f"{before.name}: its family has no network for {hosts:,} hosts that keeps its cables; name a larger network (into), or"
        " a method that counts switches (method splice)"
    )


def _refuse_other_rates(before: Topology, goal: Topology) -> None:
    """Refuse to grow into a network of other rates: cables that stay would have two rates."""
    rates = own_cable_rates(before), own_cable_rates(goal)
    if rates[0] is None and goal.mixed:
        raise InputError(
            f"expand: {goal.name} has links of {shown_rate(goal.rates_gbps)}, and {before.name} has no rates; give it its own"
            " (+rates:links=...,hosts=...)"
        )
    if rates[0] is not None and rates[1] is not None and rates[0] != rates[1]:
        words = [
            shown_rate(np.array([each.links]))
            if each.common
            else f"{each.links:g} Gb/s, and {each.hosts:g} Gb/s of hosts"
            for each in rates
            if each is not None
        ]
        raise InputError(
            f"expand: {before.name} has {words[0]}, and {goal.name} {words[1]}; a network grows with links of its own rates"
        )


def _goal_per_plane(before: Topology, goal: Topology, planes: int) -> list[Topology]:
    """The target of each plane; a single network if there are no planes.

    Raises
    ------
    InputError
        The target has another number of planes.
    """
    goal_planes = plane_count(goal)
    if max(1, goal_planes) != max(1, planes):
        raise InputError(
            f"{goal.name} has {max(1, goal_planes)} plane{'s' * (goal_planes > 1)}, and {before.name} has"
            f" {max(1, planes)}; a network grows only into one with the same number of planes"
        )
    return [goal] if planes < 2 else [plane.topology for plane in planes_of(goal)]


def _refuse_unused(chosen: Method, given: dict[str, int | None]) -> None:
    """Refuse parameters that the method does not take."""
    for name, value in given.items():
        if value is not None and name not in chosen.takes:
            raise InputError(f"{name}={value}: method {chosen.name} does not take it; omit it")
