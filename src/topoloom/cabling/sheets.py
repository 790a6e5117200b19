"""Sheets to print and take into the machine room: one HTML file a cabinet, in it a page for each of its switches."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

import numpy as np
from markupsafe import Markup

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels
from topoloom.cabling.ports import PORT_HEAD, cable_facts, port_rows
from topoloom.pages.templating import framed

#: Matches the names of cabinets' sheets.
SHEET_NAMES = "cabinet-*.html"

#: The columns of texts.
_LEFT = frozenset({"Cabinet", "To cabinet", "Cable numbers", "To", "Product"})


def sheets(cabling: Cabling, labels: Labels) -> dict[str, str]:
    """The sheets by file name: ``index.html``, and one for each cabinet; nothing in them is fetched from elsewhere."""
    layout = cabling.layout
    style = (files("topoloom.cabling") / "sheets.css").read_text(encoding="utf-8")
    book = _Book(cabling, labels)
    facts = cable_facts(cabling)
    rows, first = port_rows(cabling, labels, facts)
    order = np.argsort(layout.cabinet, kind="stable")
    edges = np.searchsorted(layout.cabinet[order], np.arange(layout.cabinets + 1))
    out = {"index.html": _page(f"Cabling of {layout.topology.name}", style, book.index())}
    for cabinet, name in enumerate(layout.cabinet_names):
        standing = order[edges[cabinet] : edges[cabinet + 1]].tolist()
        body = [*book.cabinet(cabinet, standing, facts)]
        for switch in standing:
            body += book.switch(switch, rows[first[switch] : first[switch + 1]])
        out[book.files[cabinet]] = _page(f"Cabinet {name}", style, body)
    return out


class _Book:
    """The pages, and what they say of every cabinet."""

    def __init__(self, cabling: Cabling, labels: Labels) -> None:
        self.files = _file_names(cabling.layout.cabinet_names)
        self._cabling, self._labels = cabling, labels
        cabinets = cabling.layout.cabinets
        both, bundle = cabling.pairs.T.ravel(), np.tile(np.arange(len(cabling.pairs)), 2)
        # Each cabinet's bundles in the order of work.
        order = np.lexsort((bundle, both))
        self._bundles = np.split(bundle[order], np.searchsorted(both[order], np.arange(1, cabinets)))
        # The cables of a bundle, and those that stay in a cabinet, follow one another.
        self._bundle_first = np.cumsum(cabling.bundle_sizes) - cabling.bundle_sizes
        at = cabling.layout.cabinet[cabling.ends[cabling.bundle < 0, 0]]
        self._inside = np.bincount(at, minlength=cabinets)
        self._inside_first = int(cabling.bundle_sizes.sum()) + np.cumsum(self._inside) - self._inside

    def index(self) -> Iterable[str]:
        """The front page."""
        cabling, layout = self._cabling, self._cabling.layout
        topology = layout.topology
        leaving = np.zeros(layout.cabinets, np.int64)
        np.add.at(leaving, cabling.pairs, cabling.bundle_sizes[:, None])
        yield f"<h1>Cabling of {escape(topology.name)}</h1>"
        yield (
            f'<p class="quiet">{topology.switches:,} switches in {layout.cabinets:,} cabinets on'
            f" {escape(layout.floor.name)}; {len(cabling):,} cables, {cabling.bundle_sizes.sum():,} of them in"
            f" {len(cabling.pairs):,} bundles between cabinets; {cabling.length_m.sum():,.0f} m</p>"
        )
        numbered = "numbered" if (np.diff(cabling.number) == 1).all() else "listed"
        yield (
            f"<p>Cables are {numbered} in the order of work: first the bundles, cabinet after cabinet, each cabinet's longest"
            " first; then the cables that stay inside a cabinet. A label such as <b>A01-U03-P12</b> is port 12 of the"
            " third switch from below in cabinet A01. Each cabinet has a sheet, with a page for each of its switches.</p>"
        )
        yield _head("Cabinet", "Switches", "Host ports", "Bundles", "Cables leaving", "Cables inside")
        hosts = np.bincount(layout.cabinet, topology.endpoints_at, layout.cabinets).astype(np.int64)
        counts = (np.bincount(layout.cabinet), hosts, map(len, self._bundles), leaving, self._inside)
        for name, file, *row in zip(
            layout.cabinet_names, self.files, *(map(str, each) for each in counts), strict=True
        ):
            cells = "".join(f"<td>{cell}</td>" for cell in row)
            yield f'<tr><td class="label"><a href="{file}">{escape(name)}</a></td>{cells}</tr>'
        yield "</tbody></table>"

    def cabinet(self, cabinet: int, standing: list[int], facts: list[str]) -> Iterable[str]:
        """The first page of a cabinet: what stands in it, which bundles leave it, and which cables do not."""
        layout = self._cabling.layout
        topology, (x, y) = layout.topology, layout.place_m[cabinet].tolist()
        yield f"<h1>Cabinet {escape(layout.cabinet_names[cabinet])}</h1>"
        yield (
            f'<p class="quiet">{escape(topology.name)} on {escape(layout.floor.name)}; x {x:g} m, y {y:g} m;'
            f' {len(standing)} switches <a class="screen" href="index.html">all cabinets</a></p>'
        )
        yield '<h2>What stands in it</h2><table class="rack"><tbody>'
        for switch in reversed(standing):
            yield (
                f'<tr><td class="unit">{layout.height[switch]}</td><td class="label"><a href="#s{switch}">'
                f'{escape(self._labels.switch[switch])}</a></td><td class="left">switch {switch}</td>'
                f"<td>{topology.degrees[switch]} links</td><td>{topology.endpoints_at[switch]} host ports</td></tr>"
            )
        yield "</tbody></table>"
        if self._bundles[cabinet].size:
            yield "<h2>Bundles that leave it</h2>"
            yield _head("", "Bundle", "To cabinet", "Cables", "Cable numbers", "Length m", "Stock m", "Product")
            yield from self._bundle_rows(cabinet, facts)
            yield "</tbody></table>"
        if self._inside[cabinet]:
            numbers = self._span(int(self._inside_first[cabinet]), int(self._inside[cabinet]))
            yield f"<h2>Cables that stay inside</h2><p>{self._inside[cabinet]}: {numbers}</p>"

    def _bundle_rows(self, cabinet: int, facts: list[str]) -> Iterable[str]:
        cabling, names = self._cabling, self._cabling.layout.cabinet_names
        mine = self._bundles[cabinet]
        # A pair less this cabinet is the other one.
        others = cabling.pairs[mine].sum(axis=1) - cabinet
        columns = (mine, others, self._bundle_first[mine], cabling.bundle_sizes[mine])
        for bundle, to, first, size in zip(*(column.tolist() for column in columns), strict=True):
            yield (
                f'<tr><td class="box"></td><td>{bundle + 1}</td><td class="label"><a href="{self.files[to]}">'
                f'{escape(names[to])}</a></td><td>{size}</td><td class="left">{self._span(first, size)}</td>{facts[first]}</tr>'
            )

    def _span(self, first: int, size: int) -> str:
        """The numbers of cables that are worked on one after another: those in a row as a span."""
        number, label = self._cabling.number[first : first + size], self._labels.cable
        ends = [*(np.flatnonzero(np.diff(number) != 1) + 1).tolist(), size]
        starts = [0, *ends[:-1]]
        spans = [(label[first + low], label[first + high - 1]) for low, high in zip(starts, ends, strict=True)]
        return ", ".join(low if low == high else f"{low} to {high}" for low, high in spans)

    def switch(self, switch: int, rows: list[str]) -> Iterable[str]:
        """The page of a switch. Its name is in the table's head, which is printed again where the table goes on."""
        name, fabric = escape(self._labels.switch[switch]), escape(self._cabling.layout.topology.name)
        title = f'<th class="name" colspan="{len(PORT_HEAD)}">{name} <span>switch {switch} of {fabric}</span></th>'
        # So that the 64 ports of a large switch fit a page.
        dense = ' class="dense"' if len(rows) > 44 else ""
        yield f'<section id="s{switch}"{dense}>{_head(*PORT_HEAD, above=f"<tr>{title}</tr>")}'
        yield from rows
        yield "</tbody></table></section>"


def _head(*titles: str, above: str = "") -> str:
    cells = "".join(f"<th{' class=left' if title in _LEFT else ''}>{title}</th>" for title in titles)
    return f"<table><thead>{above}<tr>{cells}</tr></thead><tbody>"


def _page(title: str, style: str, body: Iterable[str]) -> str:
    return framed(title, style, Markup("\n".join(body)))


def _file_names(cabinets: Sequence[str]) -> list[str]:
    """A file name for each cabinet: its number keeps names apart that are alike once odd letters are gone."""
    digits = max(3, len(str(len(cabinets))))
    plain = ["".join(x if x.isascii() and (x.isalnum() or x == "-") else "_" for x in name[:40]) for name in cabinets]
    return [f"cabinet-{number:0{digits}d}-{name}.html" for number, name in enumerate(plain, 1)]
