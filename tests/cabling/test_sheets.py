"""The sheets: every port on the page of its switch, nothing fetched, every name escaped."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from cabling_cases import FABRIC, odd_floor, stand

from topoloom import build
from topoloom.cabling.cabling import cable
from topoloom.cabling.labels import label
from topoloom.cabling.sheets import sheets
from topoloom.placement.layout.layout import Layout

TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "h1",
    "h2",
    "p",
    "a",
    "b",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "section",
    "span",
}
NASTY = odd_floor('<script>alert("x")</script>', "a&b/../c", "a?b")
LAYOUTS = [
    stand(build("slimfly:q=5,hosts=4"), 10),
    stand(build("complete:n=9,hosts=56"), 10),
    Layout(FABRIC, NASTY, NASTY.fixed, np.array([0, 0, 1, 1, 2, 2, 2], np.int32)),
]


class Page(HTMLParser):
    """What a page shows: its tags, its links, the cells of its table rows, by section."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.rows, self.anchors, self._open = set(), [], {}, set(), []
        self._section, self._cell = "", None
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.add(tag)
        if tag not in ("meta",):
            self._open.append(tag)
        if "id" in given:
            self.anchors.add(given["id"])
        if tag == "section":
            self._section = given["id"]
        if tag == "a":
            self.links.append(given["href"])
        if tag == "tr":
            self.rows.setdefault(self._section, []).append([])
        if tag in ("td", "th"):
            self._cell = ""

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data

    def handle_endtag(self, tag):
        assert self._open.pop() == tag
        if tag in ("td", "th"):
            self.rows[self._section][-1].append(self._cell)
            self._cell = None


@pytest.mark.parametrize("hosts", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS, ids=["slimfly", "64 ports", "nasty names"])
def test_every_port_is_on_the_page_of_its_switch(layout, hosts):
    """A row for each port in use, with the cable, and the label at its far end; bundles and racks on the first page."""
    done = cable(layout, host_cables=hosts)
    labels = label(done)
    found = sheets(done, labels)
    pages = {name: Page(text) for name, text in found.items()}
    assert len(pages) == layout.racks + 1
    wanted = {}
    for row in range(len(done)):
        (a, b), (p, q) = done.ends[row].tolist(), done.port[row].tolist()
        wanted[a, p] = [labels.cable[row], labels.b[row]]
        if not done.to_host[row]:
            wanted[b, q] = [labels.cable[row], labels.a[row]]
    if not hosts:
        topology = layout.topology
        ends = zip(topology.endpoints.tolist(), topology.endpoint_ports.tolist(), topology.host.tolist(), strict=True)
        wanted |= {(switch, port): ["", f"host {host}"] for switch, port, host in ends}
    seen = {}
    for page in pages.values():
        for section, table in page.rows.items():
            if section:
                title, head, *ports = table
                switch = int(section.removeprefix("s"))
                assert title[0].startswith(labels.switch[switch])
                assert head[1:4] == ["Port", "Cable", "To"]
                assert [int(row[1]) for row in ports] == sorted(int(row[1]) for row in ports)
                seen |= {(switch, int(row[1])): row[2:4] for row in ports}
    assert seen == wanted


@pytest.mark.sweep(2)
@pytest.mark.parametrize("hosts", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS, ids=["slimfly", "64 ports", "nasty names"])
def test_the_first_page_of_a_rack(layout, hosts):
    """Its switches from the top down, its bundles with the other rack and their cables, the cables that stay inside."""
    done = cable(layout, host_cables=hosts)
    labels = label(done)
    found = sheets(done, labels)
    names, ends = layout.rack_names, layout.rack[done.ends[:, 0]]
    assert len(found) > 1
    for number, (name, text) in enumerate([one for one in found.items() if one[0] != "index.html"]):
        standing = [row[:3] for row in Page(text).rows[""] if len(row) == 5]
        mine = np.flatnonzero(layout.rack == number)[::-1]
        assert standing == [[str(layout.height[i]), labels.switch[i], f"switch {i}"] for i in mine], name
        wanted = []
        for bundle, pair in enumerate(done.pairs.tolist()):
            cables = [labels.cable[i] for i in np.flatnonzero(done.bundle == bundle)]
            span = cables[0] if len(cables) == 1 else f"{cables[0]} to {cables[-1]}"
            if number in pair:
                wanted.append([str(bundle + 1), names[pair[pair[0] == number]], str(len(cables)), span])
        assert [row[1:5] for row in Page(text).rows[""] if len(row) == 8 and row[1] != "Bundle"] == wanted
        inside = [labels.cable[i] for i in np.flatnonzero((done.bundle < 0) & (ends == number))]
        told = re.findall(r"<h2>Cables inside the rack</h2><p>(.*?)</p>", text)
        assert told == ([f"{len(inside)}: {inside[0]} to {inside[-1]}"] if len(inside) > 1 else told)
        assert bool(told) == bool(inside)


@pytest.mark.parametrize("layout", LAYOUTS, ids=["slimfly", "64 ports", "nasty names"])
def test_sheets_fetch_nothing_and_lead_to_one_another(layout):
    """No script, no picture, no address; every link is a sheet of this folder or a place on the page."""
    done = cable(layout)
    found = sheets(done, label(done))
    for name, text in found.items():
        page = Page(text)
        assert page.tags <= TAGS
        assert not re.search(r"https?:|url\(|@import|src=", text)
        assert all(link in found or link.removeprefix("#") in page.anchors for link in page.links)
        assert re.fullmatch(r"[\w.-]+", name)
        assert name == "index.html" or f'href="{name}"' in found["index.html"]


def test_names_stay_apart():
    """Slots whose names differ in odd letters only have sheets of their own."""
    floor = odd_floor("a/b", "a?b", "a" * 200)
    done = cable(Layout(FABRIC, floor, floor.fixed, np.array([0, 0, 1, 1, 2, 2, 2], np.int32)))
    assert sorted(sheets(done, label(done))) == [
        "index.html",
        "rack-001-a_b.html",
        "rack-002-a_b.html",
        f"rack-003-{'a' * 40}.html",
    ]
