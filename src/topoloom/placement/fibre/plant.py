"""The fibre plant of a network: where its panels stand, which cord or trunk joins which ports, and the way of every link."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from topoloom.core.errors import InputError
from topoloom.placement.fibre.parts import Fibre, FibreUse, Panel
from topoloom.placement.fibre.tracing import PlantWays, followed
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import Slots

#: The passive parts that a link may pass through.
PASSIVE = ("cord", "trunk", "panel")


@dataclass(frozen=True, eq=False)
class Plant:
    """The passive parts between the ports of switches: immutable.

    Devices are numbered: switches 0 to n - 1, then panels. The ports of a switch are numbered as in its tables, from 1, one per
    link; those of a panel from 0, front ports first. A cord at a switch begins at a port and serves as many ports from there on
    as it has links.

    Attributes
    ----------
    method : str
        How it was planned: ``shuffle``, ``racks``, ``rows`` or ``field``.
    switches : int
    link_pairs : int
        Pairs of fibres of one link.
    panels : tuple of Panel
        The kinds of panels.
    fibres : tuple of Fibre
        The kinds of cords and trunks.
    panel : int32[panels]
        The kind of each panel.
    slot : int32[panels]
        The slot of the floor where its rack stands.
    fibre : int32[cords and trunks]
        The kind of each.
    ends : int32[cords and trunks, 2, 2]
        Device and port of both ends.
    links : int32[links, 2]
        The switches of every link of the topology.
    ports : int32[links, 2]
        Its ports at both; 0 where the link is a cable of its own.
    names : tuple of str
        The name of each panel: SP001, SP002, .. for shuffle panels, PP for patch panels.
    length_m : float64[cords and trunks], optional
        The way of each on the floor; a layout computes it.
    number : int64[cords and trunks], optional
        The numbers on them, where these are fixed because some were installed before; empty: by the order of work.
    owned_m : float64[cords and trunks], optional
        The length in which each was bought, where it was used elsewhere before; 0: the shortest that spans its way. Empty: 0
        for all.
    """

    method: str
    switches: int
    link_pairs: int
    panels: tuple[Panel, ...]
    fibres: tuple[Fibre, ...]
    panel: np.ndarray
    slot: np.ndarray
    fibre: np.ndarray
    ends: np.ndarray
    links: np.ndarray
    ports: np.ndarray
    names: tuple[str, ...] = ()
    length_m: np.ndarray = field(default_factory=lambda: np.zeros(0))
    number: np.ndarray = field(default_factory=lambda: np.zeros(0))
    owned_m: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        for name, kind in (
            ("panel", np.int32),
            ("slot", np.int32),
            ("fibre", np.int32),
            ("ends", np.int32),
            ("links", np.int32),
            ("ports", np.int32),
            ("length_m", np.float64),
            ("number", np.int64),
            ("owned_m", np.float64),
        ):
            array = np.array(getattr(self, name), kind)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if not self.names:
            object.__setattr__(self, "names", _names(self.panels, self.panel))

    def placed(self, slots: Slots, floor: Floor, switch_slot: np.ndarray) -> "Plant":
        """The plant with the lengths of its cords and trunks on a floor.

        Parameters
        ----------
        slots : Slots
        floor : Floor
        switch_slot : int32[switches]
            The slot of each switch.

        Returns
        -------
        Plant
        """
        a, b = self.slots_of_ends(switch_slot).T
        return replace(self, length_m=np.where(self.is_loop, 0.0, floor.cable_m(slots.apart_m(a, b), a != b)))

    def slots_of_ends(self, switch_slot: np.ndarray) -> np.ndarray:
        """The slots at both ends of each cord and trunk, int32[cords and trunks, 2], by the slot of each switch."""
        return np.asarray(np.concatenate([np.asarray(switch_slot, np.int32), self.slot])[self.ends[:, :, 0]])

    def __eq__(self, other: object) -> bool:
        """Equal by content, apart from lengths."""
        if not isinstance(other, Plant):
            return NotImplemented
        arrays = ("panel", "slot", "fibre", "ends", "links", "ports", "number", "owned_m")
        plain = ("method", "switches", "link_pairs", "panels", "fibres", "names")
        return all(getattr(self, name) == getattr(other, name) for name in plain) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays
        )

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def through(self) -> np.ndarray:
        """Whether each link passes through the plant, bool[links]; the others are cables of their own."""
        return np.asarray(self.ports[:, 0] > 0)

    @cached_property
    def is_trunk(self) -> np.ndarray:
        """Whether each fibre cable is a trunk, bool[cords and trunks]."""
        return self.of_use("trunk")

    @cached_property
    def is_loop(self) -> np.ndarray:
        """Whether each is a loop plug, bool[cords and trunks]."""
        return self.of_use("loop plug")

    def of_use(self, use: FibreUse) -> np.ndarray:
        """Whether each is a cord, a trunk or a loop plug, bool[cords and trunks].

        Parameters
        ----------
        use : "cord", "trunk" or "loop plug"
        """
        return np.asarray(np.array([fibre.use == use for fibre in self.fibres], bool)[self.fibre])

    @cached_property
    def piece(self) -> np.ndarray:
        """The piece that each cord and trunk belongs to, from 0, int64[cords and trunks]: legs of one piece have its number.

        A piece of several legs serves links at successive ports of one switch that need one length, as a breakout cable does.
        """
        device, port = self.ends[:, 0].T
        legs = np.array([fibre.legs for fibre in self.fibres], np.int64)[self.fibre]
        legs[device >= self.switches] = 1
        if (legs == 1).all():
            return np.arange(self.fibre.size)
        length = np.unique(np.round(self.stock_m, 6), return_inverse=True)[1]
        order = np.lexsort((port, length, device, self.fibre))
        alike = np.stack([self.fibre, device, length])[:, order]
        fresh = np.append(True, (alike[:, 1:] != alike[:, :-1]).any(axis=0))
        begins = np.flatnonzero(fresh)[np.cumsum(fresh) - 1]
        piece = np.empty(self.fibre.size, np.int64)
        piece[order] = np.cumsum((np.arange(order.size) - begins) % legs[order] == 0) - 1
        return piece

    @cached_property
    def pieces(self) -> np.ndarray:
        """The first leg of each piece, int64[pieces]; all cords and trunks, where none has several legs."""
        return np.asarray(np.unique(self.piece, return_index=True)[1])

    @property
    def trunks(self) -> int:
        """Number of trunks."""
        return int(self.is_trunk[self.pieces].sum())

    @property
    def cords(self) -> int:
        """Number of cords; legs of one piece are one."""
        return int(self.of_use("cord")[self.pieces].sum())

    @property
    def units(self) -> np.ndarray:
        """The height of each panel in rack units, float64[panels]."""
        return np.asarray(np.array([panel.u for panel in self.panels])[self.panel])

    @cached_property
    def pairs(self) -> np.ndarray:
        """Pairs of fibres of each cord and trunk, int64[cords and trunks]."""
        return np.asarray(np.array([fibre.pairs for fibre in self.fibres], np.int64)[self.fibre])

    @cached_property
    def stock_m(self) -> np.ndarray:
        """The length in which each cord and trunk is bought, float64[cords and trunks].

        Raises
        ------
        InputError
            One is not sold that long.
        """
        out = np.zeros(self.fibre.size)
        for number, fibre in enumerate(self.fibres):
            own = self.fibre == number
            out[own] = fibre.stock_m(self.length_m[own])
        if np.isnan(out).any():
            worst = int(np.where(np.isnan(out), self.length_m, -1.0).argmax())
            fibre = self.fibres[self.fibre[worst]]
            raise InputError(
                f"panels: no {fibre.use} '{fibre.name}' spans {self.length_m[worst]:.1f} m (the longest has"
                f" {fibre.lengths_m[-1]:g} m); add a length to the catalogue"
            )
        return np.where(self.owned_m > 0, self.owned_m, out) if self.owned_m.size else out

    @cached_property
    def ways(self) -> PlantWays:
        """The way of each link through the plant, in the order of the links that pass through it.

        Raises
        ------
        InputError
            A link does not arrive at its other switch.
        """
        ways = self.traced(self.ends)
        wrong = np.flatnonzero((ways.arrival != self.planned_arrival).any(axis=1))
        if wrong.size:
            link = int(np.flatnonzero(self.through)[wrong[0]])
            raise InputError(
                f"panels: {wrong.size} of {len(ways)} links do not arrive at their other port, first link {link}; plan the"
                " panels again"
            )
        return ways

    @cached_property
    def start(self) -> np.ndarray:
        """The switch and the port where each link through the plant begins, int32[links through it, 2]."""
        return np.stack([self.links[self.through, 0], self.ports[self.through, 0]], axis=1)

    @cached_property
    def planned_arrival(self) -> np.ndarray:
        """The switch and the port where each of these links ends, int32[links through it, 2]."""
        return np.stack([self.links[self.through, 1], self.ports[self.through, 1]], axis=1)

    def traced(self, ends: np.ndarray) -> PlantWays:
        """The ways of the links if the cords and trunks ended elsewhere: where each link would arrive.

        Parameters
        ----------
        ends : int32[cords and trunks, 2, 2]
            As `Plant.ends`.

        Returns
        -------
        PlantWays
        """
        return followed(self, ends, self.start)

    @cached_property
    def link_m(self) -> np.ndarray:
        """The length of each link that passes through the plant, float64[links through it]: of all its cords and trunks."""
        return self.ways.sums(self.length_m)

    @cached_property
    def loss_db(self) -> np.ndarray:
        """The loss of each of these links between its two transceivers, float64[links through it]."""
        per_m = np.array([fibre.loss_db_per_km / 1000 for fibre in self.fibres])[self.fibre]
        return np.asarray(
            self.ways.sums(self.length_m * per_m) + self._in_panels([panel.pass_db for panel in self.panels])
        )

    @cached_property
    def connectors(self) -> np.ndarray:
        """The mated connector pairs that each passes between its transceivers, int64[links through it]."""
        return np.asarray(self._in_panels([float(panel.connectors) for panel in self.panels]), np.int64)

    @cached_property
    def crossed(self) -> np.ndarray:
        """Whether each meets a receiver with its transmitter, bool[links through it]: an odd number of reversals on its way."""
        turns = np.array([fibre.polarity != "A" for fibre in self.fibres], float)[self.fibre]
        own = self.ways.sums(turns) + self._in_panels([float(panel.reversals) for panel in self.panels])
        return np.asarray(own.astype(np.int64) % 2 == 1)

    def _in_panels(self, of_kind: list[float]) -> np.ndarray:
        """The sum over the panels that each link passes."""
        return np.asarray(self.ways.sums_of_panels(np.array(of_kind)[self.panel]))

    @cached_property
    def carried(self) -> tuple[np.ndarray, np.ndarray]:
        """The links of the topology that each cord and trunk carries, each by its pairs of fibres.

        int64[...], cord by cord and trunk by trunk in the order of the plant; and int64[cords and trunks + 1]: those of cord or
        trunk i are ``links[first[i] : first[i + 1]]``.
        """
        row, step = np.nonzero(self.ways.fibre >= 0)
        fibre = self.ways.fibre[row, step]
        order = np.lexsort((self.ways.pair[row, step], fibre))
        links = np.flatnonzero(self.through)[row[order]]
        return links, np.searchsorted(fibre[order], np.arange(self.fibre.size + 1))

    def links_of(self, kind: str) -> tuple[list[str], list[np.ndarray]]:
        """The name of each panel, trunk or cord, and the links of the topology that pass through it.

        A trunk or a cord has the name of a port where it ends: ``SP012:R1``.

        Parameters
        ----------
        kind : "panel", "trunk" or "cord"

        Returns
        -------
        (list of str, list of int64[...])
        """
        if kind == "panel":
            row, column = np.nonzero(self.ways.panel >= 0)
            through = np.stack([self.ways.panel[row, column], np.flatnonzero(self.through)[row]], axis=1)
            # A link may pass a panel twice.
            number, links = np.unique(through, axis=0).T
            return list(self.names), np.split(links, np.searchsorted(number, np.arange(1, self.panel.size)))
        links, first = self.carried
        each = np.split(links, first[1:-1])
        wanted = np.flatnonzero(self.of_use("trunk" if kind == "trunk" else "cord")).tolist()
        at_panel = np.where(self.ends[:, 0, 0] >= self.switches, 0, 1)
        ends = self.ends[np.arange(self.fibre.size), at_panel].tolist()
        return [self.label(*ends[fibre]) for fibre in wanted], [np.sort(each[fibre]) for fibre in wanted]

    def links_at(self, kind: str, name: str) -> np.ndarray | None:
        """The links through the panel of this name, or through the trunk or cord in this port of a panel; None without one.

        Parameters
        ----------
        kind : "panel", "trunk" or "cord"
        name : str
            ``SP012``, or ``SP012:R1``.
        """
        panel, _, port_name = name.partition(":")
        if panel not in self.names or bool(port_name) == (kind == "panel"):
            return None
        number = self.names.index(panel)
        if kind == "panel":
            return self.links_of(kind)[1][number]
        port = self.panels[self.panel[number]].port_number(port_name)
        here = (self.ends == [self.switches + number, -1 if port is None else port]).all(axis=2).any(axis=1)
        own = np.flatnonzero(here & self.of_use("trunk" if kind == "trunk" else "cord"))
        if not own.size:
            return None
        links, first = self.carried
        return np.sort(links[first[own[0]] : first[own[0] + 1]])

    def label(self, device: int, port: int) -> str:
        """The name of a panel and its port: ``SP012:F05``."""
        panel = device - self.switches
        return f"{self.names[panel]}:{self.panels[self.panel[panel]].port_name(port)}"


_PREFIX = {"patch panel": "PP", "cassette": "CS", "shuffle panel": "SP", "loop plug": "LP"}


def _names(panels: tuple[Panel, ...], kind: np.ndarray) -> tuple[str, ...]:
    """The name of each panel: SP001, SP002, .. for shuffle panels, PP for patch panels."""
    prefix = [_PREFIX[panel.kind] for panel in panels]
    count: dict[str, int] = {}
    digits = max(3, len(str(kind.size)))
    names = []
    for number in kind.tolist():
        count[prefix[number]] = count.get(prefix[number], 0) + 1
        names.append(f"{prefix[number]}{count[prefix[number]]:0{digits}d}")
    return tuple(names)
