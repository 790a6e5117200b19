"""Building a fabric from a list of cables: nodes in the order of their appearance, each cable listed once or from both ends."""

from topoloom.core.errors import at
from topoloom.fabric._assembly import ReadCable, ReadNode, assembled
from topoloom.fabric._inside import is_aggregation_node, omit_internal
from topoloom.fabric.fabric import Fabric

_MOST_PORTS = 65_535
_LONGEST_NAME = 256


class Plugging:
    """Collects switches, hosts and cables in the order in which a file names them.

    Parameters
    ----------
    source : str
        The file, for messages.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._nodes: dict[str, ReadNode] = {}
        self._inside: dict[str, bool] = {}

    def node(
        self,
        id_: str,
        name: str,
        line: int,
        *,
        switch: bool,
        ports: int = 0,
        guid: int | None = None,
        lid: int = 0,
        lmc: int = 0,
        device: int = 0,
        system: int | None = None,
        router: bool = False,
    ) -> ReadNode:
        """The node with that id, created if new; otherwise properties that were unknown are filled in.

        Parameters
        ----------
        id_, name : str
            The node's identifier in the file, and its name.
        line : int
        switch : bool
        ports : int
            Number of ports; 0: as many as the cables need.
        guid : int, optional
        lid, lmc, device : int
            0 where not known.
        system : int, optional
            The GUID of the system that contains it.
        router : bool
            Whether the node is a router, which is omitted at the end with its cables.

        Raises
        ------
        InputError
            The name is not valid, the node was a host and is now a switch (or the reverse), or it has too many ports.
        """
        entry = self._nodes.get(id_)
        if entry is None:
            name = name.strip() or id_
            if not id_.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
                raise at(self.source, line, f"a name has 1 to {_LONGEST_NAME} printable characters")
            entry = ReadNode(id_, switch, max(1, ports), name, guid, lid, lmc, line, device=device, system=system)
            self._nodes[id_] = entry
            if router or (not switch and is_aggregation_node(entry)):
                self._inside[id_] = router
        if entry.switch != switch:
            kinds = ("a host", "a switch")
            reason = f"{entry.name} is {kinds[switch]} here, and {kinds[entry.switch]} on line {entry.line}"
            raise at(self.source, line, reason)
        entry.ports = max(entry.ports, ports)
        entry.lid, entry.lmc, entry.device = entry.lid or lid, entry.lmc or lmc, entry.device or device
        if not 1 <= entry.ports <= _MOST_PORTS:
            raise at(self.source, line, f"{entry.ports} ports; a switch or a host has 1 to {_MOST_PORTS}")
        return entry

    def known(self, id_: str) -> ReadNode | None:
        """The node with that id, or None."""
        return self._nodes.get(id_)

    def cable(
        self,
        one: tuple[ReadNode, int],
        other: tuple[ReadNode, int],
        line: int,
        *,
        width: int = 0,
        rate_gbps: float = 0.0,
        length_m: float = 0.0,
        part: str = "",
        guids: tuple[int | None, int | None] = (None, None),
        lids: tuple[int, int] = (0, 0),
    ) -> None:
        """Add a cable between two ports; a cable listed again from its other end is not a second one.

        Parameters
        ----------
        one, other : (Node, int)
            The node, and its port, from 1.
        line : int
        width : int
        rate_gbps, length_m : float
            0 where not known.
        part : str
            The part number.
        guids : (int or None, int or None)
            Of the two ports.
        lids : (int, int)
            Of the two ports.

        Raises
        ------
        InputError
            A port number is not valid, or the port has another cable.
        """
        for node, port in (one, other):
            if not 1 <= port <= _MOST_PORTS:
                raise at(self.source, line, f"port {port} of {node.name}; ports are 1 to {_MOST_PORTS}")
            node.ports = max(node.ports, port)
        ends = ((one, other, guids[0], lids[0]), (other, one, guids[1], lids[1]))
        for (node, port), (peer, peer_port), _, _ in ends:
            present = node.cables.get(port)
            if present is not None and (present.to, present.port) != (peer.id, peer_port):
                reason = f"port {port} of {node.name} already has the cable of line {present.line}"
                raise at(self.source, line, reason)
        for (node, port), (peer, peer_port), guid, lid in ends:
            old = node.cables.get(port)
            node.cables[port] = ReadCable(
                *(
                    peer.id,
                    peer_port,
                    guid if guid is not None or old is None else old.guid,
                    lid or (old.lid if old else 0),
                    0,
                ),
                line if old is None else old.line,
                width=width or (old.width if old else 0),
                rate_gbps=rate_gbps or (old.rate_gbps if old else 0.0),
                length_m=length_m or (old.length_m if old else 0.0),
                part=part or (old.part if old else ""),
            )

    def fabric(self, name: str, what: str) -> Fabric:
        """The complete fabric, without parts inside switches.

        Parameters
        ----------
        name : str
            The name of the topology.
        what : str
            The form of a line with a switch, for the message if there is none.

        Raises
        ------
        InputError
            There is no switch, or hosts are cabled to hosts.
        """
        if not any(node.switch for node in self._nodes.values()):
            raise at(self.source, None, f"names no switch; {what}")
        omit_internal(self._inside, self._nodes, self.source)
        return assembled(self._nodes, self.source, name)
