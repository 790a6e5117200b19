"""Shuffled networks by whole boxes: new boxes are spliced into trunks, and new switches are plugged into them."""

from math import gcd

import numpy as np

from topoloom.cabling.expansion.recognise import one_of, per_switch
from topoloom.cabling.expansion.registry import ExpansionRequest, method, must_grow
from topoloom.cabling.expansion.stages import Growth, Stage, TrunkWork, grown_name, hosts_with
from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.topologies.families._shuffle_boxes import ShuffleBoxes, spliced
from topoloom.topologies.families.shuffled import boxes_of
from topoloom.topologies.spec import make


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
    record, values, _ = one_of(request, ("shuffled",), "boxes")
    original = make(record, values)
    if not np.array_equal(original.links, topology.links):
        raise InputError(
            f"{topology.name}: its switches have other numbers than in its spec; use method splice, or start from the spec"
        )
    cords, r = values["degree"] // values["c"], values["r"]
    unit = r // gcd(cords, r)
    more = request.to - topology.switches
    if more % unit:
        below = topology.switches + max(unit, more // unit * unit)
        raise InputError(
            f"{topology.name}: {unit} new switches of {cords} cords fill whole boxes of {r} ports; grow by a multiple of that"
            f" number (nearest: {below}, {below + unit})"
        )
    each = unit * max(1, (r if request.batch is None else request.batch) // unit)
    hosts = (per_switch(topology) or 0) if request.hosts is None else request.hosts
    draws, state, stages = Draws(request.seed), boxes_of(original), []
    group, member = topology.labels["group"], topology.labels["member"]
    for first in range(topology.switches, request.to, each):
        new = min(each, request.to - first)
        before, state = state, spliced(state, new, draws)
        group = np.append(group, np.full(new, group.max() + 1))
        member = np.append(member, np.arange(new))
        work = _work(before, state)
        endpoints, host = hosts_with(topology, first + new, hosts)
        grown = Topology(
            links=state.links,
            switches=first + new,
            endpoints=endpoints,
            host=host,
            labels={"group": group, "member": member},
            name=grown_name(topology, f"{request.to} switches"),
        )
        title = f"switches {first} to {first + new - 1}" if new > 1 else f"switch {first}"
        title += f", {work.new_boxes} box{'es' * (work.new_boxes > 1)}, {work.trunks_cut} trunks cut"
        stages.append(Stage(title, grown, work))
    return Growth(tuple(stages))


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
