"""Growth of several planes: each is grown by itself, one after the other, and new hosts join all of them."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from topoloom.cabling.expansion.stages import Growth, Stage
from topoloom.core.errors import InputError
from topoloom.graph.planes import Plane, planes_of
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.topologies.spec import build

#: What a network of planes is called: its plane, and the transform.
_MADE_OF = re.compile(r"(.*)(\+(?:planes:count|rail-only:rails)=[0-9]+)")

#: Grows one plane where it stands: its layout, and its number.
GrowOne = Callable[[Layout, int], Growth]


def grown_planes(layout: Layout, grow: GrowOne, goal: Topology | None = None) -> Growth:
    """The growth of a network out of those of its planes, one plane after the other.

    A new host has its first port with the plane that comes first, and one more with each of the others.

    Parameters
    ----------
    layout : Layout
        Of a network of several planes.
    grow : callable
        Grows one of them.
    goal : Topology, optional
        The network that comes out, of as many planes, where it is known; else it follows from those of the planes.

    Raises
    ------
    InputError
        Whatever `grow` refuses; planes that get different numbers of hosts; a method that looks for racks with room, which
        the other planes need, too.
    """
    before = layout.topology
    planes = planes_of(before)
    called = "rail" if "rail" in before.labels else "plane"
    named = [_own_name(plane, before) for plane in planes]
    growths = []
    for number, (plane, topology) in enumerate(zip(planes, named, strict=True)):
        growths.append(grow(Layout(topology, layout.floor, layout.slots, layout.slot[plane.switches]), number))
    if any(growth.slot for growth in growths):
        raise InputError(
            f"{before.name}: method splice-near chooses racks for one network, and there are {len(planes)} {called}s; take"
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
        name=name, labels=_labels([one.stages[-1].topology for one in growths], switch, called)
    )
    stages[-1] = Stage(stages[-1].title, last)
    wanted, numbers = _goal(before, growths, goal, switch)
    return Growth(tuple(stages), numbers, wanted, plane=plane_of)


def _own_name(plane: Plane, before: Topology) -> Topology:
    """A plane as it was before planes were made of it: name, spec, and groups counted from 0."""
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
    """The number in the whole of every switch of each plane, int64[...] each, new ones as they come; the plane of each."""
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
    """The number in the whole of every host of each plane: new ones that stand in the same place are the same host."""
    found: list[np.ndarray] = []
    first = None
    for number, (plane, growth) in enumerate(zip(planes, growths, strict=True)):
        last = growth.stages[-1].topology
        new = np.flatnonzero(last.host >= plane.hosts.size)
        place = last.endpoints[new] if growth.number is None else growth.number[last.endpoints[new]]
        order = last.host[new][np.lexsort((last.host[new], place))]
        if first is None:
            first = before.hosts + order - plane.hosts.size
        if order.size != first.size:
            raise InputError(
                f"{before.name}: {called} {number} gets {order.size} new hosts and {called} 0 {first.size}; hosts join all of"
                " them: grow them to as many hosts"
            )
        host = np.concatenate([plane.hosts, np.empty(order.size, np.int64)])
        host[order] = first
        found.append(host)
    return found


def _side_by_side(
    before: Topology, now: Sequence[Topology], switch: Sequence[np.ndarray], host: Sequence[np.ndarray]
) -> Topology:
    """The whole network while its planes stand so.

    Parameters
    ----------
    before : Topology
        What stood.
    now : sequence of Topology
        Each plane.
    switch, host : sequence of int64 arrays
        The numbers in the whole of their switches and hosts.

    Returns
    -------
    Topology
        Without labels.
    """
    every = list(zip(now, switch, host, strict=True))
    highest = max(int(own[one.switches - 1]) for one, own, _ in every)
    return Topology(
        links=np.concatenate([own[one.links] for one, own, _ in every]),
        switches=max(before.switches, highest + 1),
        endpoints=np.concatenate([own[one.endpoints] for one, own, _ in every]),
        host=np.concatenate([hosts[one.host] for one, _, hosts in every]),
        name=f"{before.name}, growing",
    )


def _labels(last: Sequence[Topology], switch: Sequence[np.ndarray], called: str) -> dict[str, np.ndarray]:
    """The labels of all planes, where they have the same ones, and which plane each switch is of."""
    count = sum(own.size for own in switch)
    plane = np.empty(count, np.int64)
    for number, own in enumerate(switch):
        plane[own] = number
    labels = {called: plane}
    for key in last[0].labels:
        if not all(key in one.labels and one.labels[key].dtype.kind == last[0].labels[key].dtype.kind for one in last):
            continue
        values = np.concatenate([one.labels[key] for one in last])
        if key == "group" and values.dtype.kind == "i":
            each = 1 + max(int(one.labels[key].max()) for one in last)
            values = values + each * np.repeat(np.arange(len(last)), [one.switches for one in last])
        labels[key] = np.empty_like(values)
        labels[key][np.concatenate(list(switch))] = values
    return labels


def _name_of(before: Topology, growths: Sequence[Growth]) -> str:
    """The name of one plane, and the transform; where planes had no name of their own, that of the first as it is."""
    made = _MADE_OF.fullmatch(before.name)
    name = growths[0].stages[-1].topology.name
    return f"{name}{made[2]}" if made else name


def _goal(
    before: Topology, growths: Sequence[Growth], goal: Topology | None, switch: Sequence[np.ndarray]
) -> tuple[Topology | None, np.ndarray | None]:
    """The network that comes out with its own numbers, and the number in it of each switch."""
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
    for there, mine, growth in zip(own, switch, growths, strict=True):
        if growth.number is None:
            return None, None
        numbers[mine] = there[growth.number]
    return goal, numbers
