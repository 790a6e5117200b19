"""What shows itself as an adapter or a router and is a part of a switch: SHARP's aggregation nodes, the routers of a Q3400.

Sources: dumps that are public with Mellanox/ufm_sdk_3.0 (devid 0xcf09 and the name; the sysimgguid of its switch in all of 707
cases), and NVIDIA's names of Q3400 (devid 0xc839, ``MF0;NAME:Q3400_RA/U2/RT``).
"""

import logging

from topoloom.fabric._assembly import ReadNode

log = logging.getLogger("topoloom")

_SHARP_DEVICE, _SHARP_NAME = 0xCF09, "Mellanox Technologies Aggregation Node"


def is_aggregation_node(node: ReadNode) -> bool:
    """Whether an adapter sums up messages inside a switch: by its device, or by its name."""
    return node.device == _SHARP_DEVICE or _SHARP_NAME in node.name


def leave_out(inside: dict[str, bool], nodes: dict[str, ReadNode], source: str) -> None:
    """Take nodes out with their cables, and from switches the last ports where these are inside; say how many.

    Parameters
    ----------
    inside : dict of str to bool
        The ids of the nodes; whether each is a router.
    nodes : dict of str to ReadNode
    source : str
        The file, for the warning.
    """
    freed: dict[str, set[int]] = {}
    for id_, router in inside.items():
        out = nodes.pop(id_)
        for port, far_id, at in _cables(out, nodes):
            far = nodes.get(far_id)
            if far is None or (there := far.cables.get(at)) is None or (there.to, there.port) != (id_, port):
                continue
            del far.cables[at]
            # A router of its own hangs in an ordinary port; what is inside has a port that nothing can be plugged into.
            if not router or (out.system is not None and out.system == far.system):
                freed.setdefault(far_id, set()).add(at)
    # One that only its switch tells of.
    for node in nodes.values():
        for at in [at for at, cable in node.cables.items() if cable.to in inside]:
            del node.cables[at]
    for id_, ports in freed.items():
        while nodes[id_].ports in ports and nodes[id_].ports > 1:
            nodes[id_].ports -= 1
    routers = sum(inside.values())
    for many, what in (
        (len(inside) - routers, "aggregation node%s (SHARP) omitted: inside switches, no hosts"),
        (routers, "router%s omitted: topoloom reads a subnet, and what lies behind a router is another"),
    ):
        if many:
            log.warning("%s: %d %s", source, many, what % ("s" * (many > 1)))


def _cables(node: ReadNode, nodes: dict[str, ReadNode]) -> list[tuple[int, str, int]]:
    return [(port, cable.to, cable.port) for port, cable in node.cables.items() if cable.to in nodes]
