"""Sheets to print for the machine room: one HTML file per rack, with one page per switch and panel."""

from collections.abc import Iterable, Sequence
from importlib.resources import files

import numpy as np
from markupsafe import Markup

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels
from topoloom.cabling.laid import panel_units_of
from topoloom.cabling.lists import longest_of_bundles
from topoloom.cabling.ports import Facts, cable_facts, port_rows
from topoloom.core.pages.templating import framed, rendered
from topoloom.placement.hosts.housing import host_names

#: Matches the names of racks' sheets.
SHEET_NAMES = "rack-*.html"


def sheets(cabling: Cabling, labels: Labels) -> dict[str, str]:
    """The sheets by file name: ``index.html``, and one per rack; they refer to no other files."""
    layout = cabling.layout
    style = (files("topoloom.cabling") / "sheets.css").read_text(encoding="utf-8")
    book = _Book(cabling, labels)
    facts = cable_facts(cabling)
    rows, first = port_rows(cabling, labels, facts)
    order = np.argsort(layout.rack, kind="stable")
    edges = np.searchsorted(layout.rack[order], np.arange(layout.racks + 1))
    panels: dict[int, list[int]] = {}
    slots = () if layout.plant is None else np.searchsorted(layout.used, layout.plant.slot).tolist()
    for device, rack in enumerate(slots, layout.topology.switches):
        panels.setdefault(rack, []).append(device)
    out = {"index.html": framed(f"Cabling of {layout.topology.name}", style, book.index())}
    for rack, name in enumerate(layout.rack_names):
        standing = order[edges[rack] : edges[rack + 1]].tolist()
        standing += panels.get(rack, [])
        ports = [rows[first[device] : first[device + 1]] for device in standing]
        out[book.files[rack]] = framed(f"Rack {name}", style, book.rack(rack, standing, ports, facts))
    return out


class _Book:
    """Builds the pages, from the bundles and cables of every rack."""

    def __init__(self, cabling: Cabling, labels: Labels) -> None:
        self.files = _file_names(cabling.layout.rack_names)
        self._cabling, self._labels = cabling, labels
        self._host_names: list[str] = []
        self._units = panel_units_of(cabling.layout).tolist()
        racks = cabling.layout.racks
        both, bundle = cabling.pairs.T.ravel(), np.tile(np.arange(len(cabling.pairs)), 2)
        # Each rack's bundles in the order of work.
        order = np.lexsort((bundle, both))
        self._bundles = np.split(bundle[order], np.searchsorted(both[order], np.arange(1, racks)))
        # The cables of a bundle, and those within a rack, have consecutive positions.
        self._bundle_first = np.cumsum(cabling.bundle_sizes) - cabling.bundle_sizes
        self._longest = longest_of_bundles(cabling).tolist()
        at = cabling.laid.racks[cabling.laid.bundle < 0, 0]
        self._inside = np.bincount(at, minlength=racks)
        self._inside_first = int(cabling.bundle_sizes.sum()) + np.cumsum(self._inside) - self._inside

    def index(self) -> Markup:
        """The front page."""
        cabling, layout = self._cabling, self._cabling.layout
        topology = layout.topology
        leaving = np.zeros(layout.racks, np.int64)
        np.add.at(leaving, cabling.pairs, cabling.bundle_sizes[:, None])
        summary = (
            f"{topology.switches:,} switches{self._panels_in_all()} in {layout.racks:,} racks on {layout.floor.name};"
            f" {cabling.cables:,} cables, {cabling.bundle_sizes.sum():,} of them in {len(cabling.pairs):,} bundles between"
            f" racks; {cabling.total_m:,.0f} m"
        )
        hosts = np.bincount(layout.rack, topology.endpoints_at, layout.racks).astype(np.int64)
        if layout.housing is not None:
            hosts = np.bincount(layout.host_rack, minlength=layout.racks)
        switches = np.bincount(layout.rack, minlength=layout.racks)
        counts = (switches, hosts, map(len, self._bundles), leaving, self._inside)
        return rendered(
            "sheets_index.html",
            network=topology.name,
            summary=summary,
            of_hosts="Host ports" if layout.housing is None else "Hosts",
            numbered="numbered" if (np.diff(cabling.laid.number) == 1).all() else "listed",
            racks=zip(layout.rack_names, self.files, *counts, strict=True),
        )

    def rack(self, rack: int, standing: list[int], ports: list[list[str]], facts: list[Facts]) -> Markup:
        """The sheet of a rack: its switches and hosts, its bundles, the cables within it, and a page for each switch.

        Parameters
        ----------
        rack : int
            Index of the rack.
        standing : list of int
            Its switches, then its panels, which are numbered after all switches.
        ports : list of list of str
            The rows of the ports of each, HTML.
        facts : list of (str, str, str)
            Facts of each cable, from `cable_facts`.

        Returns
        -------
        Markup
            The page without its frame.
        """
        layout, names = self._cabling.layout, self._cabling.names
        topology, (x, y) = layout.topology, layout.place_m[rack].tolist()
        inside = int(self._inside[rack])
        switches = [
            {
                "number": switch,
                "name": self._labels.switch[switch],
                "called": f"switch {switch}" if names is None else names.switches[switch],
                "unit": layout.height[switch],
                "facts": (f"{topology.degrees[switch]} links", f"{topology.endpoints_at[switch]} host ports"),
                "ports": len(used),
                "rows": Markup("\n".join(used)),
            }
            for switch, used in zip(standing, ports, strict=True)
            if switch < topology.switches
        ]
        panels = [
            self._panel(device - topology.switches, device, used)
            for device, used in zip(standing, ports, strict=True)
            if device >= topology.switches
        ]
        return rendered(
            "sheets_rack.html",
            name=layout.rack_names[rack],
            network=topology.name,
            floor=layout.floor.name,
            place=f"x {x:g} m, y {y:g} m",
            switches=switches,
            panels=panels,
            hosts=self._standing_hosts(rack),
            bundles=list(self._bundle_rows(rack, facts)),
            inside=inside,
            inside_numbers=self._span(int(self._inside_first[rack]), inside) if inside else "",
        )

    def _panel(self, panel: int, device: int, used: list[str]) -> dict[str, object]:
        """A panel, like a switch; `device` is its number after all switches."""
        plant = self._cabling.layout.plant
        product = "" if plant is None else plant.panels[plant.panel[panel]].name
        label = self._labels.panel[panel]
        unit = self._units[panel]
        return {
            "number": device,
            "name": label,
            "called": product,
            "unit": "" if np.isnan(unit) else int(unit),
            "facts": (f"{len(used)} ports in use", ""),
            "ports": len(used),
            "rows": Markup("\n".join(used)),
        }

    def _panels_in_all(self) -> str:
        """The number of panels in words; empty without panels."""
        plant = self._cabling.layout.plant
        return "" if plant is None else f" and {plant.panel.size:,} panels"

    def _standing_hosts(self, rack: int) -> list[tuple[str, str]]:
        """The hosts in a rack, highest first: the lowest unit of each, and its name."""
        layout = self._cabling.layout
        if layout.housing is None:
            return []
        if not self._host_names:
            self._host_names = host_names(layout.housing, layout.topology.hosts)
        standing = np.flatnonzero(layout.host_rack == rack)[::-1]
        return [(f"{layout.host_unit[host]:g}", self._host_names[host]) for host in standing.tolist()]

    def _bundle_rows(self, rack: int, facts: list[Facts]) -> Iterable[tuple[object, ...]]:
        cabling, names = self._cabling, self._cabling.layout.rack_names
        bundles = self._bundles[rack]
        # The sum of a pair minus this rack is the other rack.
        others = cabling.pairs[bundles].sum(axis=1) - rack
        columns = (bundles, others, self._bundle_first[bundles], cabling.bundle_sizes[bundles])
        for bundle, to, first, size in zip(*(column.tolist() for column in columns), strict=True):
            yield bundle + 1, names[to], self.files[to], size, self._span(first, size), *facts[self._longest[bundle]]

    def _span(self, first: int, size: int) -> str:
        """The numbers of cables that are installed one after another: consecutive ones as a range."""
        number, labels = self._cabling.laid.number[first : first + size], self._labels.laid[first : first + size]
        ends = [*(np.flatnonzero(np.diff(number) != 1) + 1).tolist(), size]
        starts = [0, *ends[:-1]]
        spans = [(labels[low][0], labels[high - 1][0]) for low, high in zip(starts, ends, strict=True)]
        return ", ".join(low if low == high else f"{low} to {high}" for low, high in spans)


def _file_names(racks: Sequence[str]) -> list[str]:
    """A file name for each rack; the number distinguishes names that are equal without special characters."""
    digits = max(3, len(str(len(racks))))
    plain = ["".join(x if x.isascii() and (x.isalnum() or x == "-") else "_" for x in name[:40]) for name in racks]
    return [f"rack-{number:0{digits}d}-{name}.html" for number, name in enumerate(plain, 1)]
