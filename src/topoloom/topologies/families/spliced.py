"""Shuffled networks that have grown: new boxes in their trunks, and new switches with all cords in the new boxes."""

from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._shuffle_boxes import ShuffleBoxes, cords_of_unit, splices
from topoloom.topologies.families.shuffled import boxes_of
from topoloom.topologies.spec import Integer, Seed, transform


@transform(
    "spliced",
    switches=Integer(1, 1 << 16, "new switches, which fill whole boxes"),
    hosts=Integer(0, 1 << 12, "hosts of each new switch", default=0),
    batch=Integer(1, 1 << 16, "most new switches per step; as many as a box has r-ports when omitted", default=None),
    seed=Seed(),
    source="Growth of flat quasi-random networks by whole shuffle boxes: arXiv:2604.15261, 2026, section 6 and appendix A",
)
def spliced(topology: Topology, switches: int, hosts: int, batch: int | None, seed: int) -> Topology:
    """Splice new shuffle boxes into trunks, and plug new switches into them, as method `boxes` of growth does.

    Returns
    -------
    Topology
        The new switches follow the existing ones; those of a step have the next number of label ``group``. New links and host
        ports have the rate of the existing ones.

    Raises
    ------
    InputError
        The network has no shuffle boxes, or the new switches do not fill whole boxes.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> build("shuffled:n=64,degree=16,r=8,hosts=2+spliced:switches=2,hosts=2").degrees[[0, 65]].tolist()
    [16, 16]
    """
    existing = boxes_of(topology)
    whole_boxes(topology.name, existing, topology.switches, switches)
    for boxes in splices(existing, switches, batch, seed):
        first = topology.switches
        new = int(boxes.switch_at.max()) + 1 - first
        added = np.repeat(np.arange(first, first + new), hosts)
        ends: dict[str, Any] = {"links": boxes.links, "switches": first + new}
        if hosts:
            ends["endpoints"] = np.concatenate([topology.endpoints, added])
            ends["host"] = np.concatenate([topology.host, topology.hosts + np.arange(added.size)])
        topology = topology.replace(**ends, labels=labels_of_step(topology, new))
    return topology


def whole_boxes(name: str, boxes: ShuffleBoxes, has: int, more: int) -> None:
    """Refuse new switches that leave r-ports of a new box free.

    Parameters
    ----------
    name : str
        Of the network, for the message.
    boxes : ShuffleBoxes
    has, more : int
        Existing and new switches.

    Raises
    ------
    InputError
        With the nearest sizes that fill whole boxes.
    """
    cords, unit = cords_of_unit(boxes)
    if more % unit:
        below = has + max(unit, more // unit * unit)
        raise InputError(
            f"{name}: {unit} new switches of {cords} cords fill whole boxes of {boxes.switch_at.shape[1]} ports; grow by a"
            f" multiple of that number (nearest: {below}, {below + unit})"
        )


def labels_of_step(topology: Topology, new: int) -> dict[str, np.ndarray]:
    """The labels ``group`` and ``member`` of a network and of `new` more switches, which are a group of their own."""
    group, member = topology.labels["group"], topology.labels["member"]
    return {"group": np.append(group, np.full(new, group.max() + 1)), "member": np.append(member, np.arange(new))}
