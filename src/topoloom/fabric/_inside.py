"""Parts of switches that appear as adapters or routers: SHARP's aggregation nodes, the routers of a Q3400.

Sources: public dumps of Mellanox/ufm_sdk_3.0 (devid 0xcf09 and the name; the sysimgguid equals that of its switch in all 707
cases), and NVIDIA's names of Q3400 (devid 0xc839, ``MF0;NAME:Q3400_RA/U2/RT``).
"""

import logging

from topoloom.fabric._assembly import ReadNode

log = logging.getLogger("topoloom")

_SHARP_DEVICE, _SHARP_NAME = 0xCF09, "Mellanox Technologies Aggregation Node"


def is_aggregation_node(node: ReadNode) -> bool:
    """Whether an adapter is an aggregation node inside a switch, by its device id or its name."""
    return node.device == _SHARP_DEVICE or _SHARP_NAME in node.name


def omit_internal(inside: dict[str, bool], nodes: dict[str, ReadNode], source: str) -> None:
    """Remove internal nodes with their cables, and the switches' last ports if they lead to such nodes; log the number.

    Parameters
    ----------
    inside : dict of str to bool
        The ids of the nodes to remove; whether each is a router.
    nodes : dict of str to ReadNode
    source : str
        The file, for the warning.
    """
    freed: dict[str, set[int]] = {}
    for id_, router in inside.items():
        removed = nodes.pop(id_)
        for port, far_id, at in _cables(removed, nodes):
            switch = nodes.get(far_id)
            if switch is None or (peer := switch.cables.get(at)) is None or (peer.to, peer.port) != (id_, port):
                continue
            del switch.cables[at]
            # A separate router uses an ordinary port; an internal node has a port that no cable can be plugged into.
            if not router or (removed.system is not None and removed.system == switch.system):
                freed.setdefault(far_id, set()).add(at)
    # A cable that only the switch's end lists.
    for node in nodes.values():
        for at in [at for at, cable in node.cables.items() if cable.to in inside]:
            del node.cables[at]
    for id_, ports in freed.items():
        while nodes[id_].ports in ports and nodes[id_].ports > 1:
            nodes[id_].ports -= 1
    routers = sum(inside.values())
    for count, text in (
        (len(inside) - routers, "aggregation node%s (SHARP) omitted: inside switches, no hosts"),
        (routers, "router%s omitted: topoloom reads one subnet, and the network behind a router is another"),
    ):
        if count:
            log.warning("%s: %d %s", source, count, text % ("s" * (count > 1)))


def _cables(node: ReadNode, nodes: dict[str, ReadNode]) -> list[tuple[int, str, int]]:
    return [(port, cable.to, cable.port) for port, cable in node.cables.items() if cable.to in nodes]
