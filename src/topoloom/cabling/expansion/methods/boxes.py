"""Shuffled networks by whole boxes: new boxes are spliced into trunks, and new switches are plugged into them."""

from collections.abc import Iterator

import numpy as np

from topoloom.cabling.expansion.recognise import per_switch, recognised
from topoloom.cabling.expansion.registry import ExpansionRequest, method, must_grow
from topoloom.cabling.expansion.stages import Growth, Stage, TrunkWork, grown_name, hosts_with
from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._shuffle_boxes import ShuffleBoxes, splices
from topoloom.topologies.families.shuffled import (
    boxes_of,
    group_labels,
    planned_boxes,
    planned_switches,
    with_more_plugged,
)
from topoloom.topologies.families.spliced import labels_of_step, whole_boxes
from topoloom.topologies.spec import TRANSFORMS, build
from topoloom.topologies.spec.registry import spec_text


@method(
    "boxes",
    "shuffled: new boxes are spliced into trunks; for every two c-ports one trunk is cut, and no existing cord moves",
    families=("shuffled",),
    takes=("hosts", "batch"),
)
def boxes(request: ExpansionRequest) -> Growth:
    """Every step adds as many switches as fill its new boxes; each opened link u - v becomes u - x - v, as in a splice.

    Planned switches come first: their cords are plugged into boxes that are placed for them, and no trunk is touched.

    Source: arXiv:2604.15261, 2026, section 6 and appendix A: links that are worked on are drained.
    """
    topology = request.topology
    must_grow(request, topology.switches)
    state = request.boxes or _boxes(topology)
    hosts = (per_switch(topology) or 0) if request.hosts is None else request.hosts
    stages, now, spec = [], topology, topology.spec
    for after, labels in _plugged(topology, request):
        stages.append(_stage(topology, now, state, after, labels, hosts, request.to))
        now, state = stages[-1].topology, after
    if stages and spec is not None:
        spec = with_more_plugged(spec, now.switches)
    more = request.to - now.switches
    if more:
        whole_boxes(topology.name, state, now.switches, more)
        for after in splices(state, more, request.batch, request.seed):
            new = int(after.switch_at.max()) + 1 - now.switches
            stages.append(_stage(topology, now, state, after, labels_of_step(now, new), hosts, request.to))
            now, state = stages[-1].topology, after
        if spec is not None:
            values = {"switches": more, "hosts": hosts, "batch": request.batch, "seed": request.seed}
            spec += f"+spliced:{','.join(spec_text(TRANSFORMS.find('spliced').parameters, values))}"
    goal = None if spec is None else build(spec)
    if goal is None or goal.without_rates() != now:
        return Growth(tuple(stages))
    return Growth(tuple(stages), np.arange(goal.switches), goal)


def _plugged(topology: Topology, request: ExpansionRequest) -> Iterator[tuple[ShuffleBoxes, dict[str, np.ndarray]]]:
    """The boxes and the labels after each step that plugs in planned switches."""
    plugged = planned_boxes(topology)
    if plugged is None:
        return
    planned = planned_switches(topology)
    last = min(planned, request.to)
    r = plugged(last).switch_at.shape[1]
    each = r if request.batch is None else request.batch
    for n in [*range(topology.switches + each, last, each), last]:
        yield plugged(n), group_labels(n, r, planned)


def _boxes(topology: Topology) -> ShuffleBoxes:
    """The boxes of a network, by its spec, or by that which its name states."""
    family = None if topology.spec else recognised(topology)
    try:
        return boxes_of(topology if family is None else topology.replace(spec=family[0].spec_of(family[1])))
    except InputError as error:
        if "no boxes are known" not in str(error):
            raise
    raise InputError(
        f"{topology.name}: method boxes grows networks that 'shuffled:...' builds; use method splice for any other"
    )


def _stage(
    start: Topology,
    now: Topology,
    before: ShuffleBoxes,
    after: ShuffleBoxes,
    labels: dict[str, np.ndarray],
    hosts: int,
    to: int,
) -> Stage:
    """The step from `now` to the network with the boxes `after`; `start` is the existing network."""
    switches = int(after.switch_at.max()) + 1
    endpoints, host = hosts_with(start, switches, hosts)
    topology = Topology(
        links=after.links,
        switches=switches,
        endpoints=endpoints,
        host=host,
        labels=labels,
        name=grown_name(start, f"{to} switches"),
    )
    work, first = _work(before, after), now.switches
    title = f"switches {first} to {switches - 1}" if switches > first + 1 else f"switch {first}"
    title += f", {work.new_boxes} box{'es' * (work.new_boxes > 1)}, {work.trunks_cut} trunks cut" * (work.new_boxes > 0)
    return Stage(title, topology, work, after)


def _work(before: ShuffleBoxes, after: ShuffleBoxes) -> TrunkWork:
    """The work between two states of the boxes."""
    old = len(before.switch_at)
    cut = before.trunks[(after.far[:old] != before.far)[tuple(before.trunks[:, 0].T)]]
    lanes = before.switch_at[cut[:, :, 0]]
    joined = (after.far[:old] >= 0) & ~after.is_loop[:old]
    was_free = (before.far < 0) | before.is_loop
    box, port = before.loops[:, :2].T
    unplugged = joined[box, port] & (before.loop_lanes >= 0).all(axis=1)
    return TrunkWork(
        new_boxes=len(after.switch_at) - old,
        trunks_cut=len(cut),
        trunk_ends_connected=int((after.far[old:] >= 0).sum() + (was_free & joined).sum()),
        cords_connected=int((after.switch_at >= 0).sum() - (before.switch_at >= 0).sum()),
        drained_links=int(((lanes >= 0).all(axis=1) & (lanes[:, 0] != lanes[:, 1])).sum() + unplugged.sum()),
    )
