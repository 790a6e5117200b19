"""Network: a topology with all decisions and observations about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from topoloom.cabling.plugs import Plugs
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.bill import Bill, price
from topoloom.cost.parts_files import PARTS
from topoloom.cost.placed import placed_layout
from topoloom.cost.terms import Terms
from topoloom.fabric.cable_lengths import CableLengths, lengths_in, lengths_of
from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.stated_places import as_stated, tell_shared_units
from topoloom.formats.cable_reader import CableList
from topoloom.model.results import Provenance
from topoloom.model.topology import Topology
from topoloom.placement.hosts.housing import host_names
from topoloom.placement.layout.layout import Layout
from topoloom.routing.bundles import spread_over_bundles
from topoloom.routing.route import route
from topoloom.routing.routing import Routing, tables_for
from topoloom.simulation.flits.point_table import tables_digest

if TYPE_CHECKING:
    from topoloom.cabling.expansion.expansion import Expansion
    from topoloom.fabric.diagnosis.evidence import PlanFacts

Kind = Literal["spec", "file", "fabric", "folder", "memory"]
T = TypeVar("T")

#: The optional parts of a network: the text for messages, and the command that writes each.
_WRITERS = {
    "layout": ("where its switches stand", "topoloom layout -o"),
    "tables": ("forwarding tables", "topoloom route -o"),
    "expansion": ("a plan of how it grows", "topoloom expand -o"),
    "design": ("a design", "topoloom design -o"),
}
#: Parameters that apply only to a network without a layout.
_PLACING = ("room", "rows", "columns", "switches_per_rack", "cluster", "map", "hosts", "panels")


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """A topology with all decisions and observations about it, in memory and as a network folder.

    Large parts are read on first use. `placed`, `routed` and `priced` return new networks that keep the given terms; `save`
    writes the folder, and `open_network` of that folder returns an equal network.

    Attributes
    ----------
    topology : Topology
    source : str
        The spec, file or folder that was opened; the topology's name for an object of Python.
    kind : "spec", "file", "fabric", "folder" or "memory"
        fabric: discovered by a subnet manager; memory: an object of Python.
    provenance : Provenance
        Of the topology; for a folder, as its writer noted it.
    folder : Path or None
        The folder with the network's files.
    known : mapping of str to callable
        Readers of the other parts, by name.
    """

    topology: Topology
    source: str
    kind: Kind
    provenance: Provenance
    folder: Path | None = None
    known: Mapping[str, Callable[[], Any]] = field(default_factory=dict)

    @cached_property
    def terms(self) -> Terms:
        """Catalogue, rate and scope of the bill, as decided; an undecided rate is that of all links."""
        terms: Terms | None = self._read("terms")
        terms = Terms() if terms is None else terms
        return terms if self.topology.mixed else terms.on(self.topology, "terms")

    @cached_property
    def requirements(self) -> dict[str, Any] | None:
        """The requirement that the network was designed for, as plain data; None if it was not designed."""
        requirements: dict[str, Any] | None = self._read("requirements")
        return requirements

    @cached_property
    def bill(self) -> Bill:
        """What the network costs, by its terms; placed with the default settings if it has no layout."""
        return price(self)

    @cached_property
    def fabric(self) -> Fabric:
        """Names, GUIDs and ports: as discovered or cabled where known, otherwise as topoloom plans them."""
        fabric: Fabric | None = self._read("fabric")
        if fabric is None:
            fabric = planned_fabric(self.topology)
            if self.layout is not None:
                fabric = replace(fabric, link_ports=self.layout.link_ports)
            housing = None if self.layout is None else self.layout.housing
            if housing is not None:
                fabric = replace(fabric, host_names=tuple(host_names(housing, self.topology.hosts)))
        return fabric

    @property
    def cabled(self) -> Fabric | None:
        """The fabric, if its names or ports are not topoloom's own: discovered, adopted, or as a plan of others names them."""
        return None if "fabric" not in self.known or self.fabric.planned else self.fabric

    @cached_property
    def cables(self) -> CableList | None:
        """The cable list; None if the network has none."""
        cable_list: CableList | None = self._read("cables")
        return cable_list

    @cached_property
    def layout(self) -> Layout | None:
        """The rack and slot of every switch, and every cable's length; None where not known."""
        saved_layout: Layout | None = self._read("layout")
        return saved_layout

    @cached_property
    def lengths(self) -> CableLengths | None:
        """The length of every cable, by the layout, the cable list or the delays of a file; None where not known."""
        if self.layout is not None:
            return lengths_in(self.layout, self.topology)
        own: CableLengths | None = self._read("lengths")
        if own is not None:
            return own
        if self.stated_lengths is not None:
            return self.stated_lengths
        if self.cables is None or not np.isfinite(self.cables.length_m).all() or not len(self.cables.length_m):
            return None
        # A list gives the length of cables between switches; hosts next to their switches get the shortest of these.
        shortest_m = float(self.cables.length_m.min())
        return CableLengths(self.cables.length_m, np.full(self.topology.endpoints.size, shortest_m))

    @cached_property
    def stated_lengths(self) -> CableLengths | None:
        """The lengths that the source of a cabled network states, `UNKNOWN_M` for other cables; None if it states none."""
        return None if self.cabled is None else lengths_of(self.cabled)

    @property
    def delay_lengths_m(self) -> np.ndarray | None:
        """The length of each link's cable, float64[links], where the network has a layout or its source states lengths."""
        if self.layout is not None:
            return self.layout.length_m
        return None if self.stated_lengths is None else self.stated_lengths.link_m

    @property
    def decided_gbps(self) -> float | None:
        """The rate of every link as decided, Gb/s; None if nobody decided it, or if links have several rates."""
        terms = self.terms
        if self.topology.mixed:
            return None
        if terms.rate_gbps is None:
            return None if terms.parts is None else terms.parts.obvious_rate()
        return terms.link_rate_gbps

    @cached_property
    def rate_gbps(self) -> float | None:
        """The rate of every link, Gb/s: as decided, else the only rate that all products of the cable list carry, or None."""
        if self.decided_gbps is not None:
            return self.decided_gbps
        names = set() if self.cables is None else set(self.cables.product)
        return _rate_of(names) if names else None

    @cached_property
    def tables(self) -> Routing | None:
        """The tables saved with the network, with their verification; None if the network has none."""
        saved_tables: Routing | None = self._read("tables")
        return saved_tables

    @cached_property
    def expansion(self) -> "Expansion | None":
        """The plan that starts from this network, if it was opened from a plan's folder; otherwise None."""
        plan: Expansion | None = self._read("expansion")
        return plan

    @cached_property
    def design(self) -> dict[str, Any] | None:
        """The content of ``design.json``, if the network is the winner of a design; otherwise None."""
        document: dict[str, Any] | None = self._read("design")
        return document

    @cached_property
    def plugs(self) -> Plugs | None:
        """Ports, numbers and products of the installed cables; None without a cable list and a discovered fabric."""
        if self.cables is not None:
            return Plugs.listed(self.cables)
        if "fabric" not in self.known:
            return None
        return replace(Plugs.of(self.topology), link=self.fabric.link_ports, endpoint=self.fabric.endpoint_ports)

    @cached_property
    def racks(self) -> tuple[str, ...]:
        """The rack name of each switch; empty where neither the cable list nor the plan states it."""
        if self.cables is None and "fabric" in self.known:
            return tuple(self.fabric.switch_rack.tolist())
        names = [""] * self.topology.switches
        if self.cables is not None:
            for switch, rack, _ in self.cables.stands.tolist():
                names[switch] = self.cables.racks[rack].strip()
        return tuple(names)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The label on each switch (A01-U03); empty where the cable list does not state it."""
        return ("",) * self.topology.switches if self.cables is None else self.cables.labels

    @cached_property
    def cable_numbers(self) -> dict[tuple[int, int], str]:
        """The number of the cable in each port of each switch, from the cable list."""
        if self.cables is None:
            return {}
        topology, cables = self.topology, self.cables
        switches = np.concatenate([topology.links[:, 0], topology.links[:, 1], topology.endpoints])
        ports = np.concatenate([cables.ports[:, 0], cables.ports[:, 1], cables.endpoint_ports])
        called = (*cables.cable, *cables.cable, *cables.endpoint_cable)
        plugs = zip(switches.tolist(), ports.tolist(), called, strict=True)
        return {(switch, port): number for switch, port, number in plugs if number}

    @cached_property
    def facts(self) -> "PlanFacts":
        """The plan's facts for `diagnose`: racks, labels, and the numbers, lengths and products of its cables."""
        from topoloom.fabric.diagnosis.evidence import PlanFacts
        from topoloom.fabric.diagnosis.passive.facts import PassiveFacts

        cables, passive = self.cables, None if self.layout is None else PassiveFacts.of(self.layout, self.terms)
        if cables is None:
            if "fabric" not in self.known:
                return PlanFacts(passive=passive)
            # A plan with the racks of its switches has those of its hosts, too.
            fabric = self.fabric
            racks = (*fabric.switch_rack.tolist(), *fabric.host_rack.tolist())
            units = (*fabric.switch_unit.tolist(), *fabric.host_unit.tolist())
            return PlanFacts(racks if any(racks) else (), units=units if any(racks) and any(units) else ())
        of_cables = cables.length_m, cables.stock_m, cables.product
        return PlanFacts(self.racks, self.cable_numbers, self.labels, *of_cables, passive=passive)

    def needs(self, what: str, operation: str) -> Any:
        """The part `what` (layout, tables, expansion, design) of the network, for an operation that cannot run without it.

        Raises
        ------
        InputError
            The network has no such part; the message says what to give instead.
        """
        part = getattr(self, what)
        if part is None:
            content, writer = _WRITERS[what]
            raise InputError(f"{self.source}: {operation} needs {content}; give a folder that '{writer}' wrote")
        return part

    def part(self, kind: type[T]) -> T:
        """The network as the type that a function takes: a Topology, Layout, Routing or Fabric; placed or routed when needed.

        Raises
        ------
        InputError
            It cannot be placed or routed.
        """
        parts: dict[type, Callable[[], Any]] = {
            Topology: lambda: self.topology,
            Layout: lambda: self.with_layout().layout,
            Routing: lambda: self.with_tables().tables,
            Fabric: lambda: self.fabric,
        }
        part: T = parts[kind]()
        return part

    def placed(
        self,
        room: Any = None,
        *,
        hosts: Any = None,
        rows: int | None = None,
        columns: int | None = None,
        switches_per_rack: int | None = None,
        parts: Any = None,
        prices: Any = None,
        rate_gbps: float | None = None,
        panels: str | None = None,
        **search: Any,
    ) -> "Network":
        """This network with its switches placed in a machine room, even if it has a layout already.

        Parameters
        ----------
        room : Floor or str, optional
            A floor, the name of a preset, or the path of a .toml or .csv file; ``slimfly-2014`` when omitted.
        hosts : Housing, str or path, optional
            Hosts in separate racks: a server of the catalogue, or a file with the tables [host] and [rack].
        rows, columns, switches_per_rack : int, optional
            Changes to the room: its numbers of rows and columns, and the most switches in a rack.
        parts : Parts, str or path, optional
            A catalogue; the network's own when omitted.
        prices : path, optional
            Quotes, which replace prices of the catalogue.
        rate_gbps : float, optional
            The rate of every link, Gb/s.
        panels : str, optional
            Passive panels that links pass through: ``shuffle``, ``racks``, ``rows`` or ``field``.
        **search
            Further parameters of `topoloom.place`: cluster, map, objective (also ``cost`` and ``power``, by the catalogue),
            improve, seed, seconds, moves, runs, jobs, work.

        Returns
        -------
        Network
            With the layout and its terms, and without the names and ports of an earlier cable list.

        Raises
        ------
        InputError
            A catalogue, room or host cannot be used, or the switches do not fit.
        """
        terms = self._decided(parts=parts, prices=prices, rate_gbps=rate_gbps)
        # Where the fabric's source states the rack of every switch, the switches are there.
        racks = tuple(self.fabric.switch_rack.tolist()) if "fabric" in self.known else ()
        racks = racks if all(racks) else ()
        layout = placed_layout(
            self.topology,
            terms,
            room,
            hosts=hosts,
            rows=rows,
            columns=columns,
            switches_per_rack=switches_per_rack,
            racks=racks,
            panels=panels,
            **search,
        )
        return self._with((), terms=terms).standing(layout)

    def with_layout(self, room: Any = None, **placing: Any) -> "Network":
        """This network with a layout: its own if it has one, otherwise that of `placed`, with the same parameters.

        Raises
        ------
        InputError
            The network has a layout, and a parameter applies to placing only; or as `placed`.
        """
        if self.layout is None:
            return self.placed(room, **placing)
        for name, value in {"room": room, **placing}.items():
            if name in _PLACING and value is not None:
                raise InputError(
                    f"{name}={value}: {self.source} is laid out already, and its layout stays as it is; omit it"
                )
        terms = {name: placing.get(name) for name in ("parts", "prices", "rate_gbps")}
        return self.priced(**terms) if any(value is not None for value in terms.values()) else self

    def standing(self, layout: Layout) -> "Network":
        """This network with the given layout, and the same terms.

        Raises
        ------
        InputError
            The layout is of another network.
        """
        if layout.topology != self.topology:
            raise InputError(f"{self.source}: the layout is of another network, {layout.topology.name}")
        # Names and ports of a cable list end with it; those of a discovered fabric stay.
        listed = "cables" in self.known and self.fabric.planned
        dropped = ("cables", "expansion", *(("fabric",) if listed else ()))
        if self.cabled is not None:
            layout = as_stated(layout, self.cabled)
            tell_shared_units(layout, self.cabled)
        return self._with(dropped, layout=layout, terms=self._decided())

    def priced(self, **terms: Any) -> "Network":
        """This network with other terms: parts, prices, factors, rate_gbps, radix, spare_ports, host_cables, spares.

        Parameters
        ----------
        **terms
            As `Terms.changed` takes them; omitted ones stay as they are.

        Returns
        -------
        Network
            Its `bill` is by these terms.

        Raises
        ------
        InputError
            A catalogue or a file of quotes that cannot be used.
        """
        return self._with((), terms=self._decided(**terms))

    def routed(
        self,
        engine: str | None = None,
        *,
        virtual_channels: int | None = None,
        seed: int = 1,
        jobs: int | None = None,
        work: Work | None = None,
    ) -> "Network":
        """This network with new tables: of the fitting engine when `engine` is omitted.

        Parameters
        ----------
        engine, virtual_channels, seed, jobs, work
            As in `topoloom.route`.

        Returns
        -------
        Network

        Raises
        ------
        InputError
            As `topoloom.route`.
        """
        tables = route(
            self.topology,
            engine,
            virtual_channels=virtual_channels,
            seed=seed,
            jobs=jobs,
            layout=self.layout,
            work=work,
        )
        return self._with((), tables=tables)

    def with_tables(
        self, engine: str | None = None, *, virtual_channels: int | None = None, **routing: Any
    ) -> "Network":
        """This network with tables: the installed ones, unless an engine or virtual channels are given; otherwise as `routed`.

        If neither is given and no tables are installed, the hosts of a switch take the parallel cables between two switches in
        turn (`topoloom.routing.bundles`).

        Parameters
        ----------
        engine, virtual_channels, **routing
            As `routed` takes them.

        Returns
        -------
        Network

        Raises
        ------
        InputError
            As `routed`.
        """
        if engine is None and virtual_channels is None and self.tables is not None:
            return self
        made = self.routed(engine, virtual_channels=virtual_channels, **routing)
        if engine is not None or virtual_channels is not None or made.tables is None:
            return made
        return self._with((), tables=spread_over_bundles(made.tables, routing.get("jobs"), routing.get("work")))

    def with_installed(self, tables: Routing) -> "Network":
        """This network with the given tables as the installed ones.

        Raises
        ------
        InputError
            They are of another network.
        """
        return self._with((), tables=tables_for(self.topology, tables))

    def with_fabric(self, fabric: Fabric) -> "Network":
        """This network with the actual names, GUIDs and ports of its parts.

        Raises
        ------
        InputError
            The fabric is of another network.
        """
        if fabric.topology != self.topology:
            raise InputError(f"{self.source}: the fabric is of another network, {fabric.topology.name}")
        return self._with((), fabric=fabric)

    def with_requirements(self, requirements: Mapping[str, Any] | None) -> "Network":
        """This network with the requirement that it was designed for, as plain data."""
        return self._with((), requirements=None if requirements is None else dict(requirements))

    def save(self, folder: Any) -> list[Path]:
        """Write the network folder, all of it or nothing; returns the paths of its files.

        Parameters
        ----------
        folder : path
            Created if missing; its parent folder must exist. Files of other commands for the same network stay.

        Returns
        -------
        list of Path

        Raises
        ------
        InputError
            The folder is of another network, or cannot be created or written; nothing has changed then.
        """
        from topoloom.network.folder import save_network

        return save_network(self, folder)

    def adopt(self, folder: Any) -> "Network":
        """Write what is cabled as a network folder, which every command opens.

        The folder keeps the names of switches and hosts, the numbers and names of ports, rates, lengths, racks, what only one
        end lists, and where and when all this was collected. Entries that are no cable are not adopted: warnings list them,
        and the folder keeps them (`Fabric.flaws`).

        Parameters
        ----------
        folder : path
            A new or an empty folder; its parent folder must exist.

        Returns
        -------
        Network
            As opened from the folder.

        Raises
        ------
        InputError
            The folder exists; or the network is a spec, a folder, or a file without names and ports.
        """
        from topoloom.network.adopting import adopt

        return adopt(self, folder)

    def _decided(self, **changes: Any) -> Terms:
        """The terms with these changes, and with the content of the catalogue instead of its path."""
        terms = self.terms.changed(**changes)
        return terms.changed(parts=terms.catalogue)

    def _with(self, dropped: tuple[str, ...], **parts: Any) -> "Network":
        """A network with other parts; `dropped` names the parts that no longer apply."""
        readers = {name: read for name, read in self.known.items() if name not in dropped}
        # Parts that were read already are not read again.
        readers |= {name: _Value(vars(self)[name]) for name in readers if name in vars(self)}
        return replace(self, folder=None, known=readers | {name: _Value(value) for name, value in parts.items()})

    def _read(self, what: str) -> Any:
        return self.known[what]() if what in self.known else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return (
            self.topology == other.topology
            and self.terms == other.terms
            and self.layout == other.layout
            and self.requirements == other.requirements
            and _content(self.tables) == _content(other.tables)
            and self.fabric.same_ports(other.fabric)
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        """All parts as values, for another process: readers of files stay here."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return fields | {"known": {name: _Value(read()) for name, read in self.known.items()}}

    def __repr__(self) -> str:
        return f"Network({self.kind} {self.source!r}: {self.topology!r})"


def _content(tables: Routing | None) -> tuple[str, ...] | None:
    """The content of tables that equality compares."""
    return None if tables is None else (tables.engine, tables.virtual_channel_rule, tables_digest(tables))


@dataclass(frozen=True, eq=False)
class _Value:
    """The reader of a part that is in memory; unlike a closure it can be sent to another process."""

    value: Any

    def __call__(self) -> Any:
        return self.value


def _rate_of(names: set[str]) -> float | None:
    """The only rate that cable products of all these names carry; None if a name is not known, or they share several rates."""
    rates: set[float] | None = None
    for name in names:
        carried = {
            float(rate)
            for parts in PARTS.values()
            for product in parts.cable
            for rate in product.rates_gbps
            if product.title == name
        }
        rates = carried if rates is None else rates & carried
    return rates.pop() if rates and len(rates) == 1 else None
