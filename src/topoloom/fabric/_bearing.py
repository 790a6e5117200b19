"""What a reader of fabrics can bear: cables that make no sense are omitted and told, so that the rest can be looked at."""

from dataclasses import replace

from topoloom.fabric._assembly import ReadCable, ReadNode
from topoloom.fabric.flaws import BLIND, NO_CABLE, PORT_BEYOND, PORT_TWICE, Flaws

#: Ports beyond this are no ports, whatever the file says.
MOST_PORTS = 65_535


def bear(nodes: dict[str, ReadNode], twins: dict[str, list[str]], flaws: Flaws) -> None:
    """Make the ends of all cables agree: what does not goes, and is reported.

    Parameters
    ----------
    nodes : dict of str to ReadNode
        By their ids; changed.
    twins : dict of str to list of str
        The ids of nodes that are called the same in the file, by what they are called.
    flaws : Flaws
    """
    named = {cable.to for node in nodes.values() for cable in node.cables.values()}
    for node in nodes.values():
        if not (node.switch or node.cables or node.id in named):
            flaws.report(NO_CABLE, node.line, f"host {node.name} has no cable", (node.name, 0))
    original = {id_: called for called, ids in twins.items() for id_ in ids}
    for node in nodes.values():
        mine = {node.id, original.get(node.id, node.id)}
        for port, cable in [*node.cables.items()]:
            # Of two that are called the same the one that knows of the cable.
            likely = [nodes[id_] for id_ in twins.get(cable.to, [cable.to]) if id_ in nodes]
            knowing = [far for far in likely if _knows(far, cable.port, mine, port, node)]
            far = next(iter(knowing or likely), None)
            if far is None:
                if not cable.to.startswith("?"):  # a device that did not say what it is
                    text = f"{node.name} port {port} is cabled to '{cable.to[:60]}', which the file does not describe"
                    flaws.report(BLIND, cable.line, text, (node.name, port))
                    del node.cables[port]
                continue
            back = far.cables.get(cable.port)
            here, there = f"{node.name} port {port} is cabled to", f"{far.name} port {cable.port}"
            if knowing or (back is None and 1 <= cable.port <= far.ports and not (far is node and port == cable.port)):
                node.cables[port] = replace(cable, to=far.id)
            elif not 1 <= cable.port <= MOST_PORTS:
                flaws.report(PORT_BEYOND, cable.line, f"{here} {there}", (far.name, cable.port))
                del node.cables[port]
            elif back is None and far is not node:
                # It is there, though in a port that the switch does not have: a rule tells of that.
                far.cables[cable.port] = ReadCable(node.id, port, cable.far_guid, cable.far_lid, 0, cable.line)
                node.cables[port] = replace(cable, to=far.id)
            else:
                other = "" if back is None else f", which is cabled to {_name(back.to, nodes)} port {back.port}"
                flaws.report(
                    PORT_TWICE, cable.line, f"{here} {there}{other}", (far.name, cable.port), (node.name, port)
                )
                del node.cables[port]


def _knows(far: ReadNode, at: int, called: set[str], port: int, node: ReadNode) -> bool:
    """Whether the far port is cabled to this one, too."""
    back = far.cables.get(at)
    return back is not None and back.to in called and back.port == port and not (far is node and at == port)


def _name(id_: str, nodes: dict[str, ReadNode]) -> str:
    return nodes[id_].name if id_ in nodes else id_[:60]
