"""Growth of several planes: planes are grown separately, one after the other, and new hosts join all of them."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from topoloom.cabling.expansion.stages import Growth, Stage
from topoloom.core.errors import InputError
from topoloom.graph.planes import Plane, planes_of
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.topologies.spec import build

#: The name of a network of planes: the name of a plane, and the transform.
_MADE_OF = re.compile(r"(.*)(\+(?:planes:count|rail-only:rails)=[0-9]+)")

#: Grows one plane in place: given its layout and its number.
GrowOne = Callable[[Layout, int], Growth]


def grown_planes(layout: Layout, grow: GrowOne, goal: Topology | None = None) -> Growth:
    """The growth of a network from those of its planes, one plane after the other.

    A new host has its first port in the plane that comes first, and one more in each of the others.

    Parameters
    ----------
    layout : Layout
        Of a network with several planes.
    grow : callable
        Grows one of them.
    goal : Topology, optional
        The resulting network, with the same number of planes, if known; otherwise it derives from those of the planes.

    Raises
    ------
    InputError
        As `grow`; planes get different numbers of hosts; the method searches for racks with space, which the other planes need
        as well.
    """
    before = layout.topology
    planes = planes_of(before)
    called = "rail" if "rail" in before.labels else "plane"
    named = [_own_name(plane, before) for plane in planes]
    growths = []
    for number, (plane, topology) in enumerate(zip(planes, named, strict=True)):
        host_slot = None if layout.host_slot is None else layout.host_slot[plane.hosts]
        slot = layout.slot[plane.switches]
        own = Layout(topology, layout.floor, layout.slots, slot, housing=layout.housing, host_slot=host_slot)
        growths.append(grow(own, number))
    if any(growth.slot for growth in growths):
        raise InputError(
            f"{before.name}: method splice-near chooses racks for one network, but there are {len(planes)} {called}s; use"
            " method splice"
        )
    switch, plane_of = _numbered(before, planes, growths)
    host = _hosts(before, planes, growths, called)
    now = list(named)
    stages = []
    for number, growth in enumerate(growths):
        for stage in growth.stages:
            now[number] = stage.topology
            stages.append(Stage(f"{called} {number}: {stage.title}", _side_by_side(before, now, switch, host)))
    name = _name_of(before, growths)
    last = stages[-1].topology.replace(
        name=name, labels=_labels([growth_of_plane.stages[-1].topology for growth_of_plane in growths], switch, called)
    )
    stages[-1] = Stage(stages[-1].title, last)
    wanted, numbers = _goal(before, growths, goal, switch)
    return Growth(tuple(stages), numbers, wanted, plane=plane_of)


def _own_name(plane: Plane, before: Topology) -> Topology:
    """A plane as it was before the transform: with its own name and spec, and groups counted from 0."""
    topology = plane.topology
    name, spec = (_MADE_OF.fullmatch(text or "") for text in (before.name, before.spec))
    group = topology.labels.get("group")
    labels = dict(topology.labels)
    if group is not None and group.dtype.kind == "i" and group.size:
        labels["group"] = group - group.min()
    return topology.replace(name=name[1] if name else topology.name, spec=spec[1] if spec else None, labels=labels)


def _numbered(
    before: Topology, planes: Sequence[Plane], growths: Sequence[Growth]
) -> tuple[list[np.ndarray], np.ndarray]:
    """The overall number of every switch of each plane, int64[...] each, new ones in order of arrival; and their planes."""
    switch, count = [], before.switches
    for plane, growth in zip(planes, growths, strict=True):
        more = growth.stages[-1].topology.switches - plane.switches.size
        switch.append(np.concatenate([plane.switches, count + np.arange(more)]))
        count += more
    plane_of = np.empty(count, np.int64)
    for number, own in enumerate(switch):
        plane_of[own] = number
    return switch, plane_of


def _hosts(before: Topology, planes: Sequence[Plane], growths: Sequence[Growth], called: str) -> list[np.ndarray]:
    """The overall number of every host of each plane: new hosts at the same place in each plane are the same host."""
    host_numbers: list[np.ndarray] = []
    first = None
    for number, (plane, growth) in enumerate(zip(planes, growths, strict=True)):
        last = growth.stages[-1].topology
        # A new host comes where its first port is; its further ports in this plane are on switches of the same unit.
        hosts, first_port = np.unique(last.host, return_index=True)
        new = hosts >= plane.hosts.size
        switch = last.endpoints[first_port[new]]
        place = switch if growth.number is None else growth.number[switch]
        order = hosts[new][np.lexsort((hosts[new], place))]
        if first is None:
            first = before.hosts + order - plane.hosts.size
        if order.size != first.size:
            raise InputError(
                f"{before.name}: {called} {number} gets {order.size} new hosts and {called} 0 {first.size}; hosts join all of"
                " them: grow them to the same number of hosts"
            )
        host = np.concatenate([plane.hosts, np.empty(order.size, np.int64)])
        host[order] = first
        host_numbers.append(host)
    return host_numbers


def _side_by_side(
    before: Topology, now: Sequence[Topology], switch: Sequence[np.ndarray], host: Sequence[np.ndarray]
) -> Topology:
    """The whole network for given states of its planes.

    Parameters
    ----------
    before : Topology
        The existing network.
    now : sequence of Topology
        The state of each plane.
    switch, host : sequence of int64 arrays
        The overall numbers of their switches and hosts.

    Returns
    -------
    Topology
        Without labels.
    """
    every = list(zip(now, switch, host, strict=True))
    highest = max(int(own[plane.switches - 1]) for plane, own, _ in every)
    return Topology(
        links=np.concatenate([own[plane.links] for plane, own, _ in every]),
        switches=max(before.switches, highest + 1),
        endpoints=np.concatenate([own[plane.endpoints] for plane, own, _ in every]),
        host=np.concatenate([hosts[plane.host] for plane, _, hosts in every]),
        name=f"{before.name}, growing",
    )


def _labels(last: Sequence[Topology], switch: Sequence[np.ndarray], called: str) -> dict[str, np.ndarray]:
    """The labels of all planes, if they have the same ones, and the plane of each switch."""
    count = sum(own.size for own in switch)
    plane = np.empty(count, np.int64)
    for number, own in enumerate(switch):
        plane[own] = number
    labels = {called: plane}
    for key in last[0].labels:
        if not all(
            key in topology.labels and topology.labels[key].dtype.kind == last[0].labels[key].dtype.kind
            for topology in last
        ):
            continue
        values = np.concatenate([topology.labels[key] for topology in last])
        if key == "group" and values.dtype.kind == "i":
            each = 1 + max(int(topology.labels[key].max()) for topology in last)
            values = values + each * np.repeat(np.arange(len(last)), [topology.switches for topology in last])
        labels[key] = np.empty_like(values)
        labels[key][np.concatenate(list(switch))] = values
    return labels


def _name_of(before: Topology, growths: Sequence[Growth]) -> str:
    """The name of one plane with the transform; without the transform, the name of the first plane."""
    made = _MADE_OF.fullmatch(before.name)
    name = growths[0].stages[-1].topology.name
    return f"{name}{made[2]}" if made else name


def _goal(
    before: Topology, growths: Sequence[Growth], goal: Topology | None, switch: Sequence[np.ndarray]
) -> tuple[Topology | None, np.ndarray | None]:
    """The resulting network with its own numbers, and the number in it of each switch."""
    numbers = np.empty(sum(own.size for own in switch), np.int64)
    made = _MADE_OF.fullmatch(before.spec or before.name)
    first = growths[0].goal
    if goal is not None:
        own = [plane.switches for plane in planes_of(goal)]
    elif made and first is not None and first.spec and all(growth.goal == first for growth in growths):
        goal = build(first.spec + made[2])
        own = [number * first.switches + np.arange(first.switches) for number in range(len(growths))]
    else:
        return None, None
    for goal_numbers, switches_of_plane, growth in zip(own, switch, growths, strict=True):
        if growth.number is None:
            return None, None
        numbers[switches_of_plane] = goal_numbers[growth.number]
    return goal, numbers
