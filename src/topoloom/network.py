"""Network: a topology, and what is known beside it: names and ports, floor, layout, tables, a plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from topoloom.cabling.plugs import Plugs
from topoloom.cost.parts_files import PARTS
from topoloom.errors import InputError
from topoloom.expansion.expansion import Expansion
from topoloom.fabrics.cable_lengths import CableLengths, lengths_in
from topoloom.fabrics.diagnosis.evidence import PlanFacts
from topoloom.fabrics.fabric import Fabric, planned_fabric
from topoloom.formats.cable_reader import CableList
from topoloom.layout.layout import Layout
from topoloom.results import Provenance
from topoloom.routing.routing import Routing
from topoloom.topology import Topology

Kind = Literal["spec", "file", "fabric", "folder"]

#: What a network may have beside its topology, and who writes it.
_WRITERS = {
    "layout": ("where its switches stand", "topoloom layout -o"),
    "tables": ("forwarding tables", "topoloom route -o"),
    "expansion": ("a plan of how it grows", "topoloom expand -o"),
    "design": ("a design", "topoloom design -o"),
}


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """What `open_network` found under a name.

    What takes long to read is read when it is first asked for.

    Attributes
    ----------
    topology : Topology
    source : str
        The name that was opened: a spec, a file, a folder.
    kind : "spec", "file", "fabric" or "folder"
        fabric: what a subnet manager discovered.
    provenance : Provenance
        Of the topology; of a folder, what its writer noted.
    folder : Path or None
        The folder that the network's files lie in.
    known : mapping of str to callable
        Reads what there is beside the topology, by name.
    """

    topology: Topology
    source: str
    kind: Kind
    provenance: Provenance
    folder: Path | None = None
    known: Mapping[str, Callable[[], Any]] = field(default_factory=dict)

    @cached_property
    def fabric(self) -> Fabric:
        """Names, GUIDs and ports: as discovered or cabled where that is known, else as topoloom plans them."""
        found: Fabric | None = self._read("fabric")
        return planned_fabric(self.topology) if found is None else found

    @cached_property
    def cables(self) -> CableList | None:
        """The cable list; None where there is none."""
        found: CableList | None = self._read("cables")
        return found

    @cached_property
    def layout(self) -> Layout | None:
        """Where every switch stands; None where that is not known."""
        found: Layout | None = self._read("layout")
        return found

    @cached_property
    def lengths(self) -> CableLengths | None:
        """How long every cable is, by the layout or by the cable list; None where that is not known."""
        if self.layout is not None:
            return lengths_in(self.layout, self.topology)
        if self.cables is None or not np.isfinite(self.cables.length_m).all() or not len(self.cables.length_m):
            return None
        # A list says how long the cables between switches are; hosts beside their switches are as the shortest of them.
        shortest_m = float(self.cables.length_m.min())
        return CableLengths(self.cables.length_m, np.full(self.topology.endpoints.size, shortest_m))

    @cached_property
    def rate_gbps(self) -> float | None:
        """The one rate that all products of the cable list carry, by topoloom's catalogues; None where they do not tell."""
        names = set() if self.cables is None else set(self.cables.product)
        return _rate_of(names) if names else None

    @cached_property
    def tables(self) -> Routing | None:
        """The tables that were saved with the network, with their verdict; None where there are none."""
        found: Routing | None = self._read("tables")
        return found

    @cached_property
    def expansion(self) -> Expansion | None:
        """The plan that begins with this network, where it was opened from the folder of one; None elsewhere."""
        found: Expansion | None = self._read("expansion")
        return found

    @cached_property
    def design(self) -> dict[str, Any] | None:
        """What ``design.json`` says, where the network won a design; None elsewhere."""
        found: dict[str, Any] | None = self._read("design")
        return found

    @cached_property
    def plugs(self) -> Plugs | None:
        """Ports, numbers and products of the cables that lie; None where there is no cable list."""
        return None if self.cables is None else Plugs.listed(self.cables)

    @cached_property
    def cabinets(self) -> tuple[str, ...]:
        """Where each switch stands, by the names of cabinets; empty where the cable list does not say."""
        names = [""] * self.topology.switches
        if self.cables is not None:
            for switch, cabinet, _ in self.cables.stands.tolist():
                names[switch] = self.cables.cabinets[cabinet].strip()
        return tuple(names)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What is printed on each switch (A01-U03); empty where the cable list does not say."""
        return ("",) * self.topology.switches if self.cables is None else self.cables.labels

    @cached_property
    def cable_numbers(self) -> dict[tuple[int, int], str]:
        """The number of the cable in each port of each switch, as the cable list has it."""
        if self.cables is None:
            return {}
        topology, cables = self.topology, self.cables
        switches = np.concatenate([topology.links[:, 0], topology.links[:, 1], topology.endpoints])
        ports = np.concatenate([cables.ports[:, 0], cables.ports[:, 1], cables.endpoint_ports])
        called = (*cables.cable, *cables.cable, *cables.endpoint_cable)
        plugs = zip(switches.tolist(), ports.tolist(), called, strict=True)
        return {(switch, port): number for switch, port, number in plugs if number}

    @cached_property
    def facts(self) -> PlanFacts:
        """What `diagnose` takes of it as a plan: cabinets, labels, and the numbers, lengths and products of its cables."""
        cables = self.cables
        if cables is None:
            return PlanFacts()
        return PlanFacts(
            self.cabinets, self.cable_numbers, self.labels, cables.length_m, cables.stock_m, cables.product
        )

    def needs(self, what: str, verb: str) -> Any:
        """What there is of `what` (layout, tables, expansion, design), for a verb that does nothing without.

        Raises
        ------
        InputError
            There is none: one sentence that says what to give instead.
        """
        found = getattr(self, what)
        if found is None:
            told, writer = _WRITERS[what]
            raise InputError(f"{self.source}: {verb} needs {told}; give a folder that '{writer}' wrote")
        return found

    def _read(self, what: str) -> Any:
        return self.known[what]() if what in self.known else None

    def __repr__(self) -> str:
        return f"Network({self.kind} {self.source!r}: {self.topology!r})"


def _rate_of(names: set[str]) -> float | None:
    """The only rate that cable products of all these names carry; None where one is not known, or there are several rates."""
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
