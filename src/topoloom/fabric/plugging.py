"""Building a fabric from a list of cables: nodes as they are met, each cable once or from both of its ends."""

from topoloom.core.errors import at
from topoloom.fabric._assembly import ReadCable, ReadNode, assembled
from topoloom.fabric._inside import is_aggregation_node, omit_internal
from topoloom.fabric.fabric import Fabric

_MOST_PORTS = 65_535
_LONGEST_NAME = 256


class Plugging:
    """Switches, hosts and cables as a file names them, one after the other.

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
        """The node of that id, made when it is new; of one that is known what was not known is added.

        Parameters
        ----------
        id_, name : str
            What the file knows it by, and what it is called.
        line : int
        switch : bool
        ports : int
            How many; 0: as many as cables need.
        guid : int, optional
        lid, lmc, device : int
            0 where not known.
        system : int, optional
            The GUID of the system that it is a part of.
        router : bool
            Left out in the end, with its cables.

        Raises
        ------
        InputError
            A name that is none; a switch that was a host before; too many ports.
        """
        known = self._nodes.get(id_)
        if known is None:
            name = name.strip() or id_
            if not id_.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
                raise at(self.source, line, f"a name has 1 to {_LONGEST_NAME} printable characters")
            known = ReadNode(id_, switch, max(1, ports), name, guid, lid, lmc, line, device=device, system=system)
            self._nodes[id_] = known
            if router or (not switch and is_aggregation_node(known)):
                self._inside[id_] = router
        if known.switch != switch:
            kinds = ("a host", "a switch")
            reason = f"{known.name} is {kinds[switch]} here, and {kinds[known.switch]} on line {known.line}"
            raise at(self.source, line, reason)
        known.ports = max(known.ports, ports)
        known.lid, known.lmc = known.lid or lid, known.lmc or lmc
        if not 1 <= known.ports <= _MOST_PORTS:
            raise at(self.source, line, f"{known.ports} ports; a switch or a host has 1 to {_MOST_PORTS}")
        return known

    def known(self, id_: str) -> ReadNode | None:
        """The node of that id, where there is one."""
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
        """A cable between two ports; the same one again, told by its other end, is no second one.

        Parameters
        ----------
        one, other : (Node, int)
            The node, and its port from 1.
        line : int
        width : int
        rate_gbps, length_m : float
            0 where not known.
        part : str
            Its part number.
        guids : (int or None, int or None)
            Of the two ports.
        lids : (int, int)
            Of the two ports.

        Raises
        ------
        InputError
            A port that cannot be, or one that has another cable.
        """
        for node, port in (one, other):
            if not 1 <= port <= _MOST_PORTS:
                raise at(self.source, line, f"port {port} of {node.name}; ports are 1 to {_MOST_PORTS}")
            node.ports = max(node.ports, port)
        ends = ((one, other, guids[0], lids[0]), (other, one, guids[1], lids[1]))
        for (node, port), (far, at_far), _, _ in ends:
            there = node.cables.get(port)
            if there is not None and (there.to, there.port) != (far.id, at_far):
                reason = f"port {port} of {node.name} already has the cable of line {there.line}"
                raise at(self.source, line, reason)
        for (node, port), (far, at_far), guid, lid in ends:
            old = node.cables.get(port)
            node.cables[port] = ReadCable(
                *(
                    far.id,
                    at_far,
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
        """All of it, without what is inside switches.

        Parameters
        ----------
        name : str
            The topology's.
        what : str
            How a line with a switch looks, for the message where there is none.

        Raises
        ------
        InputError
            No switch; hosts that are cabled to hosts.
        """
        if not any(node.switch for node in self._nodes.values()):
            raise at(self.source, None, f"names no switch; {what}")
        omit_internal(self._inside, self._nodes, self.source)
        return assembled(self._nodes, self.source, name)
