"""Shuffled networks by whole boxes: new boxes are spliced into trunks, and new switches are plugged into them."""

import numpy as np

from topoloom.cabling.expansion.recognise import per_switch, recognised
from topoloom.cabling.expansion.registry import ExpansionRequest, method, must_grow
from topoloom.cabling.expansion.stages import Growth, Stage, TrunkWork, grown_name, hosts_with
from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._shuffle_boxes import ShuffleBoxes, splices
from topoloom.topologies.families.shuffled import boxes_of
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

    Source: arXiv:2604.15261, 2026, section 6 and appendix A: links that are worked on are drained.
    """
    topology = request.topology
    must_grow(request, topology.switches)
    state = request.boxes or _boxes(topology)
    more = request.to - topology.switches
    whole_boxes(topology.name, state, topology.switches, more)
    hosts = (per_switch(topology) or 0) if request.hosts is None else request.hosts
    stages, now = [], topology
    for after in splices(state, more, request.batch, request.seed):
        first, now = now.switches, _stage(topology, now, after, hosts, request.to)
        work = _work(state, after)
        state = after
        title = f"switches {first} to {now.switches - 1}" if now.switches > first + 1 else f"switch {first}"
        title += f", {work.new_boxes} box{'es' * (work.new_boxes > 1)}, {work.trunks_cut} trunks cut"
        stages.append(Stage(title, now, work, state))
    goal = _goal(topology, more, hosts, request)
    if goal is None or goal.without_rates() != now:
        return Growth(tuple(stages))
    return Growth(tuple(stages), np.arange(goal.switches), goal)


def _boxes(topology: Topology) -> ShuffleBoxes:
    """The boxes of a network, by its spec, or by that which its name states."""
    known = None if topology.spec else recognised(topology)
    try:
        return boxes_of(topology if known is None else topology.replace(spec=known[0].spec_of(known[1])))
    except InputError as error:
        if "no boxes are known" not in str(error):
            raise
    raise InputError(
        f"{topology.name}: method boxes grows networks that 'shuffled:...' builds; use method splice for any other"
    )


def _stage(before: Topology, now: Topology, boxes: ShuffleBoxes, hosts: int, to: int) -> Topology:
    """The network with these boxes: `now` and the switches in its new boxes; `before` is that before the first step."""
    switches = int(boxes.switch_at.max()) + 1
    endpoints, host = hosts_with(before, switches, hosts)
    return Topology(
        links=boxes.links,
        switches=switches,
        endpoints=endpoints,
        host=host,
        labels=labels_of_step(now, switches - now.switches),
        name=grown_name(before, f"{to} switches"),
    )


def _goal(topology: Topology, more: int, hosts: int, request: ExpansionRequest) -> Topology | None:
    """The network that its spec and the growth as a transform build; None without a spec."""
    if topology.spec is None:
        return None
    values = {"switches": more, "hosts": hosts, "batch": request.batch, "seed": request.seed}
    shown = spec_text(TRANSFORMS.find("spliced").parameters, values)
    return build(f"{topology.spec}+spliced:{','.join(shown)}")


def _work(before: ShuffleBoxes, after: ShuffleBoxes) -> TrunkWork:
    """The work between two states of the boxes."""
    old = len(before.switch_at)
    cut = before.trunks[(after.far[:old] != before.far)[tuple(before.trunks[:, 0].T)]]
    lanes = before.switch_at[cut[:, :, 0]]
    return TrunkWork(
        new_boxes=len(after.switch_at) - old,
        trunks_cut=len(cut),
        trunk_ends_connected=int((after.far[old:] >= 0).sum() + ((before.far < 0) & (after.far[:old] >= 0)).sum()),
        cords_connected=int((after.switch_at[old:] >= 0).sum()),
        drained_links=int(((lanes >= 0).all(axis=1) & (lanes[:, 0] != lanes[:, 1])).sum()),
    )
