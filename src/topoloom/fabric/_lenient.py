"""Lenient parsing of fabrics: cables that make no sense are omitted and reported, so that the rest can be examined."""

from topoloom.fabric._assembly import ReadCable, ReadNode
from topoloom.fabric.flaws import BLIND, NO_CABLE, PORT_BEYOND, PORT_TWICE, Flaws

#: The highest port number that is accepted at all.
MOST_PORTS = 65_535


def reconcile_ends(nodes: dict[str, ReadNode], twins: dict[str, list[str]], flaws: Flaws) -> None:
    """Make both ends of every cable agree; a cable for which this fails is removed and reported.

    Parameters
    ----------
    nodes : dict of str to ReadNode
        By id; modified in place.
    twins : dict of str to list of str
        The ids of nodes that share one id in the file, by that id.
    flaws : Flaws
    """
    named = {cable.to for node in nodes.values() for cable in node.cables.values()}
    for node in nodes.values():
        if not (node.switch or node.cables or node.id in named):
            flaws.report(NO_CABLE, node.line, f"host {node.name} has no cable", (node.name, 0))
    original = {id_: shared_id for shared_id, ids in twins.items() for id_ in ids}
    for node in nodes.values():
        own_ids = {node.id, original.get(node.id, node.id)}
        for port, cable in [*node.cables.items()]:
            # Of several nodes with the same id, prefer the one that lists this cable too.
            candidates = [nodes[id_] for id_ in twins.get(cable.to, [cable.to]) if id_ in nodes]
            confirming = [peer for peer in candidates if _lists_cable(peer, cable.port, own_ids, port, node)]
            peer = next(iter(confirming or candidates), None)
            if peer is None:
                if not cable.to.startswith("?"):  # a device that did not identify itself
                    text = f"{node.name} port {port} is cabled to '{cable.to[:60]}', which the file does not describe"
                    flaws.report(BLIND, cable.line, text, (node.name, port))
                    del node.cables[port]
                continue
            back = peer.cables.get(cable.port)
            this_end, other_end = f"{node.name} port {port} is cabled to", f"{peer.name} port {cable.port}"
            if confirming or (
                back is None and 1 <= cable.port <= peer.ports and not (peer is node and port == cable.port)
            ):
                node.cables[port] = cable._replace(to=peer.id)
            elif not 1 <= cable.port <= MOST_PORTS:
                flaws.report(PORT_BEYOND, cable.line, f"{this_end} {other_end}", (peer.name, cable.port))
                del node.cables[port]
            elif back is None and peer is not node:
                # The cable exists, though in a port that the switch does not have; a diagnosis rule reports that.
                peer.cables[cable.port] = ReadCable(node.id, port, cable.far_guid, cable.far_lid, 0, cable.line)
                node.cables[port] = cable._replace(to=peer.id)
            else:
                other = "" if back is None else f", which is cabled to {_name(back.to, nodes)} port {back.port}"
                flaws.report(
                    PORT_TWICE, cable.line, f"{this_end} {other_end}{other}", (peer.name, cable.port), (node.name, port)
                )
                del node.cables[port]


def _lists_cable(peer: ReadNode, at: int, own_ids: set[str], port: int, node: ReadNode) -> bool:
    """Whether the other node lists the same cable, from its end."""
    back = peer.cables.get(at)
    return back is not None and back.to in own_ids and back.port == port and not (peer is node and at == port)


def _name(id_: str, nodes: dict[str, ReadNode]) -> str:
    return nodes[id_].name if id_ in nodes else id_[:60]
