"""The register of rules, and what each rule says of small networks that are wrong in one way."""

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fabric_cases import cables_of, recabled

import topoloom as t
from topoloom.core.errors import InputError
from topoloom.fabric.diagnosis.diagnose import diagnose
from topoloom.fabric.diagnosis.evidence import HardwareLimits, PlanFacts
from topoloom.fabric.diagnosis.rule import RULES, chosen, rule
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.port_counters import read_counters
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

ROOT = Path(__file__).parents[2]
#: What each code means; a row never changes, and none goes.
CODES = {
    "TL101": "cable-missing",
    "TL102": "cable-extra",
    "TL103": "cable-misplaced",
    "TL104": "cables-swapped",
    "TL105": "cable-in-other-port",
    "TL106": "cable-one-sided",
    "TL107": "cable-slow",
    "TL108": "cable-overlong",
    "TL109": "cable-to-itself",
    "TL110": "port-taken-twice",
    "TL111": "port-beyond-switch",
    "TL112": "cable-errors",
    "TL113": "neighbours-unclear",
    "TL114": "port-whole-and-split",
    "TL115": "ends-set-differently",
    "TL116": "port-not-as-planned",
    "TL117": "breakout-differs",
    "TL201": "switch-missing",
    "TL202": "switch-unplanned",
    "TL203": "host-missing",
    "TL204": "host-unplanned",
    "TL205": "host-uncabled",
    "TL206": "host-fewer-interfaces",
    "TL207": "switch-uncabled",
    "TL208": "hosts-none",
    "TL209": "host-unseen",
    "TL301": "rail-miswired",
    "TL302": "plane-crossed",
    "TL303": "taper-changed",
    "TL304": "bundle-thinner",
    "TL305": "network-in-parts",
    "TL306": "uplinks-differ",
    "TL307": "taper-exceeded",
    "TL308": "bundles-differ",
    "TL401": "credit-loop",
    "TL402": "pairs-unreached",
    "TL403": "paths-not-minimal",
    "TL404": "virtual-channels-exceeded",
    "TL405": "levels-unknown",
    "TL406": "tables-notable",
    "TL407": "tables-not-installed",
    "TL408": "adaptive-unverified",
    "TL409": "adaptive-entries",
    "TL501": "guid-twice",
    "TL502": "lid-twice",
    "TL503": "name-twice",
    "TL504": "lids-exceeded",
    "TL505": "addresses-exceeded",
    "TL601": "fibres-exchanged",
    "TL602": "fibre-out",
    "TL603": "fibre-misplaced",
    "TL604": "panel-dark",
    "TL605": "loss-over-budget",
    "TL606": "polarity-not-crossed",
    "TL607": "connectors-exceeded",
    "TL608": "fibre-turned",
    "TL609": "fibre-of-other-type",
}


def codes(*arguments, **more):
    """The codes that are found."""
    return [one.code for one in diagnose(*arguments, **more).diagnostics]


def test_codes_keep_their_names():
    """A pipeline that ignores TL203 ignores the same thing for ever; new rules are added to the table."""
    assert {code: one.name for code, one in RULES.items() if RULES.origin(code) == "here"} == CODES


def test_the_page_is_made_from_the_register():
    """docs/reference/rules.md is what tools/rules_page.py writes, and every rule has its heading there."""
    page = runpy.run_path(str(ROOT / "tools" / "rules_page.py"))["rules_page"]()
    assert (ROOT / "docs" / "reference" / "rules.md").read_text(encoding="utf-8") == page
    for code, one in RULES.items():
        assert f"### {code}\n" in page
        assert one.page == f"docs/reference/rules.md#{code.lower()}"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["TL203"], ["TL203"]),
        (["tl203", "host-missing"], ["TL203"]),
        (["TL3xx,TL40x"], [code for code in CODES if code[:3] == "TL3" or code[:4] == "TL40"]),
        (["TLxxx"], [*CODES]),
    ],
)
def test_rules_are_named_by_code_name_and_group(words, found):
    """Capitals do not matter; what is asked and what is omitted are complements."""
    assert [one.code for one in chosen(only=words)] == found
    assert [one.code for one in chosen(ignore=words)] == [code for code in CODES if code not in found]


@pytest.mark.parametrize("word", ["TL999", "TL9xx", "cable-mising", "TL", "x", "", " ,"])
def test_what_names_no_rule_is_refused(word):
    """A code that is mistyped must not let a fault pass."""
    with pytest.raises(InputError):
        chosen(ignore=[word])
    with pytest.raises(InputError):
        chosen(only=[word])


@pytest.mark.parametrize(
    ("code", "name", "severity"),
    [("tl1", "a-b", "error"), ("XX101", "A b", "error"), ("XX101", "a-b", "fatal"), ("TL101", "mine", "note")],
)
def test_a_rule_that_is_none_is_refused(code, name, severity, monkeypatch):
    """Another package's rule has a code of its own, a name and a severity."""
    RULES.find("TL101")
    monkeypatch.setattr(RULES, "_loading", "stranger")
    with pytest.raises(InputError):
        rule(code, name, severity, "something", explanation="why", fix="how")(lambda evidence: [])


def test_a_rule_of_another_package_is_asked(monkeypatch):
    """It is found by its code, and what it yields is a diagnostic like any other."""
    from topoloom.fabric.diagnosis.finding import Finding

    monkeypatch.setattr(RULES, "_records", dict(RULES._records) if [*RULES] else {})
    monkeypatch.setattr(RULES, "_aliases", dict(RULES._aliases))

    @rule(
        "XY101", "odd-number", "warning", "An odd number of switches.", explanation="Odd.", fix="One more.", page="x#y"
    )
    def _odd(evidence):
        if evidence.plan.fabric.topology.switches % 2:
            yield Finding("odd", ("S0",))

    (found,) = diagnose(build("torus:dims=3x3"), only=["XY101"]).diagnostics
    assert (found.code, found.severity, found.page, found.fix) == ("XY101", "warning", "x#y", "One more.")


SPECS = [
    "slimfly:q=5,hosts=2",
    "fat-tree:hosts=1024,k=64",
    "fat-tree:hosts=4096,k=64+rails:nics=8",
    "fat-tree:k=8+planes:count=2",
    "torus:dims=4x4,hosts=1+nics:count=1",
    "dragonfly:h=2",
    "fat-tree:k=64,hosts=128+rail-only:rails=8",
    "petersen",
]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("spec", SPECS)
def test_a_plan_of_the_catalogue_is_clean_and_equal_to_itself(spec):
    """By itself, and beside itself: nothing is found."""
    plan = build(spec)
    assert codes(plan) == []
    assert codes(plan, plan) == []


def test_the_same_faults_by_comparison_and_by_rules():
    """Where no switch or host is missing, roots are the faults of `compare_fabrics`, one for one."""
    plan = planned_fabric(build("slimfly:q=5,hosts=2"))
    cables = cables_of(plan)
    far = [cable[2:] for cable in cables]
    turned = [[*cable[:2], *end] for cable, end in zip(cables, [*far[30:60], *far[:30], *far[60:]], strict=True)]
    there = recabled(plan, [new if new[0] != new[2] else old for new, old in zip(turned, cables, strict=True)])
    match = t.identify(plan, there)
    faults = t.compare_fabrics(plan, there, match).faults
    found = diagnose(plan, there, match=match).diagnostics
    assert sum(len(one.planned) for one in found) == sum(len(one.planned) for one in faults)
    assert {cable for one in found for cable in one.planned} == {cable for one in faults for cable in one.planned}
    assert found


def test_two_cables_in_a_port_that_is_compared():
    """However a fabric came to it, the comparison ends and the port is told."""
    plan = planned_fabric(build("slimfly:q=5,hosts=2"))
    there = replace(plan, link_ports=plan.link_ports[::-1].copy(), made="found.net")
    assert "TL110" in codes(plan, there)


def _leafless():
    """Three leaves of four hosts below two spines by two cables each, but for the last, which has one to each."""
    links = [(leaf, 3 + spine) for leaf in range(2) for spine in range(2) for _ in range(2)] + [(2, 3), (2, 4)]
    return Topology(links, 5, np.repeat([0, 1, 2], 4))


def test_leaves_with_fewer_links_upwards_and_tapers():
    """The odd one is named; with a limit every leaf above it, and none at it."""
    plan = _leafless()
    (note,) = diagnose(plan).diagnostics
    assert (note.code, note.nodes, note.severity) == ("TL306", ("S2",), "note")
    assert diagnose(plan).clean
    assert codes(plan, limits=HardwareLimits(taper=2.0)) == ["TL306"]
    found = diagnose(plan, limits=HardwareLimits(taper=1.0), only=["TL307"])
    assert [one.nodes for one in found.diagnostics] == [("S2",)]
    assert "4 host ports on 2 links upwards (2:1)" in found.diagnostics[0].text
    assert not found.clean


def test_uneven_bundles():
    """A leaf with two cables to one spine and one to the other."""
    plan = Topology([(0, 2), (0, 2), (0, 3), (1, 2), (1, 3), (1, 3)], 4, [0, 1])
    (note,) = diagnose(plan).diagnostics
    assert (note.code, set(note.nodes)) == ("TL308", {"S0", "S1"})


def test_what_follows_from_a_fault_says_so():
    """A missing uplink out of a bundle: one error; thinner bundle and taper follow from it by its number."""
    plan = planned_fabric(build("fat-tree:hosts=64,k=16"))
    topology = plan.topology
    there = replace(plan, topology=topology.replace(links=topology.links[1:]), link_ports=plan.link_ports[1:], made="x")
    found = diagnose(plan, there).diagnostics
    assert [(one.code, one.because_of) for one in found] == [("TL101", ()), ("TL303", (1,)), ("TL304", (1,))]
    assert str(found[1]).endswith("(follows from 1)")


def test_a_network_that_falls_in_two():
    """Two rings and one link between them: without it the network is in parts, and because of that."""
    links = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]
    plan = Topology(links, 6, np.arange(6))
    there = plan.replace(links=[link for link in links if link != (2, 3)])
    found = {one.code: one for one in diagnose(plan, there, ports=False).diagnostics}
    assert {*found} == {"TL101", "TL305"}
    assert found["TL305"].because_of == (found["TL101"].number,)
    (alone,) = diagnose(there).diagnostics
    assert (alone.code, {*alone.nodes}) == ("TL305", {"S0", "S1", "S2"})


def test_a_plane_in_parts():
    """Two planes that hosts join are no parts; one of them cut in two is."""
    whole = build("torus:dims=3x3,hosts=1+planes:count=2")
    assert codes(whole) == []
    cut = whole.replace(links=whole.links[(whole.links != 17).all(axis=1)])
    (found,) = diagnose(cut).diagnostics
    assert (found.code, found.nodes) == ("TL305", ("S17",))


def test_a_switch_that_is_off_is_one_fault():
    """It, its cables and its hosts: one diagnostic that names them."""
    plan = planned_fabric(build("slimfly:q=5,hosts=2"))
    t_ = plan.topology
    links, ends = (t_.links != 49).all(axis=1), t_.endpoints != 49
    gone = t_.replace(links=t_.links[links], endpoints=t_.endpoints[ends], host=t_.host[ends])
    left = Topology(gone.links, 49, gone.endpoints, gone.host)
    there = replace(
        planned_fabric(left), link_ports=plan.link_ports[links], endpoint_ports=plan.endpoint_ports[ends], made="x"
    )
    (found,) = diagnose(plan, there).diagnostics
    assert (found.code, {*found.nodes}) == ("TL201", {"S49", "H98", "H99"})
    assert len(found.planned) == 9
    assert "hosts H98, H99 with it" in found.text


def test_all_hosts_off_is_one_warning():
    """A fabric before its hosts: one sentence, and nothing without hosts."""
    plan = build("petersen:hosts=2")
    bare = Topology(plan.links, 10)
    found = diagnose(plan, bare, ports=False).diagnostics
    assert [(one.code, one.severity) for one in found] == [("TL208", "warning")]
    assert codes(plan, bare, ports=False, hosts=False) == []


def test_lengths_against_product_stock_and_limit():
    """Each of the three alone, at the cable's number and racks; at the limit itself nothing."""
    plan = build("petersen")
    length, stock = np.full(15, 2.0), np.full(15, 3.0)
    length[[3, 4, 5]], stock[4] = [3.0, 2.5, 7.0], 2.0
    stock[5] = np.nan
    facts = PlanFacts(length_m=length, stock_m=stock, product=("DAC",) * 15, racks=[f"A{s:02d}" for s in range(10)])
    found = diagnose(plan, facts=facts, limits=HardwareLimits(longest_m=3.0, reach_m={"DAC": 5.0})).diagnostics
    assert {one.code for one in found} == {"TL108"}
    assert [one.text.partition("long; ")[2] for one in found] == [
        "it is bought as 2 m",
        "DAC reaches 5 m and the limit is 3 m",
    ]
    u, v = plan.links[5].tolist()
    assert found[1].racks == (f"A{u:02d}", f"A{v:02d}")
    assert codes(plan, facts=facts, limits=HardwareLimits(longest_m=3.0), only=["TL108"]) == ["TL108", "TL108"]


def test_ports_beyond_the_radix():
    """With fewer ports than planned every switch that needs more is told; with enough none."""
    plan = build("petersen:hosts=2")
    assert codes(plan, limits=HardwareLimits(radix=5)) == []
    found = diagnose(plan, limits=HardwareLimits(radix=4)).diagnostics
    assert [one.code for one in found] == ["TL111"] * 10
    assert "port 5; the switch has 4" in found[0].text


def test_two_cables_in_a_planned_port():
    """A plan whose list has one port twice."""
    plan = planned_fabric(build("petersen"))
    ports = plan.link_ports.copy()
    ports[1] = ports[0]
    found = diagnose(replace(plan, link_ports=ports)).diagnostics
    assert {one.code for one in found} == {"TL110"}


def test_tables_that_can_deadlock_and_lanes():
    """Shortest paths on a ring of four wait in a circle; as many virtual channels as are used are enough, one fewer are not."""
    ring = build("ring:n=5,hosts=1")
    verification = t.verify_routing(t.route(ring, "minimal"))
    (loop,) = diagnose(ring, None, verification).diagnostics
    assert (loop.code, {*loop.nodes}) == ("TL401", {f"S{s}" for s in range(5)})
    routing = t.route(build("slimfly:q=5,hosts=2"), "orders")
    safe = t.verify_routing(routing)
    assert codes(routing.topology, None, safe, limits=HardwareLimits(virtual_channels=safe.virtual_channels_used)) == []
    assert codes(
        routing.topology, None, safe, limits=HardwareLimits(virtual_channels=safe.virtual_channels_used - 1)
    ) == ["TL404"]


def test_tables_that_take_detours_are_worth_a_note():
    """Up and down a tree on a torus: longer than needed, and clean."""
    routing = t.route(build("torus:dims=5x5,hosts=1"), "updown")
    verification = t.verify_routing(routing)
    assert not verification.minimal
    found = diagnose(routing.topology, None, verification)
    assert [one.code for one in found.diagnostics] == ["TL403"]
    assert found.clean


def test_tables_that_do_not_arrive():
    """Of a verdict that says so."""
    routing = t.route(build("petersen:hosts=1"), "minimal")
    verification = replace(
        t.verify_routing(routing), reached_pairs=80, fault="switch 3 sends to switch 4 in a circle", cycle=()
    )
    found = diagnose(routing.topology, None, verification, only=["TL402"]).diagnostics
    assert [one.text for one in found] == ["10 of 90 pairs are not reached: switch 3 sends to switch 4 in a circle"]


def test_more_ports_than_lids_and_addresses():
    """49,151 unicast LIDs a subnet; planes are subnets of their own. 2^19 links have addresses."""
    star = Topology([(0, 1)], 2, np.zeros(49_149, np.int64))
    assert codes(star, only=["TL504"]) == []
    assert codes(star.replace(endpoints=np.zeros(49_150, np.int64), host=None), only=["TL504"]) == ["TL504"]
    many = Topology(np.tile([0, 1], (1 << 19, 1)), 2, [0])
    assert codes(many, only=["TL505"]) == []
    more = Topology(np.tile([0, 1], ((1 << 19) + 1, 1)), 2, [0])
    assert codes(more, only=["TL505"]) == ["TL505"]


TEXT = """switchguid=0xb8cef60300000001
Switch 4 "S-b8cef60300000001" # "leaf" base port 0 lid 1 lmc 0
[1] "H-506b4b0300000010"[1] # "n1" lid 3 4xHDR
[2] "S-b8cef60300000002"[2] # "spine" lid 2 4xHDR
switchguid=0xb8cef60300000002
Switch 4 "S-b8cef60300000002" # "spine" base port 0 lid 2 lmc 0
[2] "S-b8cef60300000001"[2] # "leaf" lid 1 4xHDR
caguid=0x506b4b0300000010
Ca 1 "H-506b4b0300000010" # "n1 mlx5_0"
[1](506b4b0300000011) "S-b8cef60300000001"[1] # lid 3 lmc 0 "leaf" lid 1 4xHDR
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("", "", []),
        ("lid 3 lmc 0", "lid 2 lmc 0", ["TL502"]),
        ("lid 3 lmc 0", "lid 2 lmc 1", ["TL502"]),
        ('# "leaf" base', '# "spine" base', ["TL503"]),
        ('# "leaf" base', '# "Quantum Mellanox Technologies" base', []),
        ("switchguid=0xb8cef60300000001", "switchguid=0xb8cef60300000002", ["TL501"]),
        ('Switch 4 "S-b8cef60300000001"', 'Switch 1 "S-b8cef60300000001"', ["TL111"]),
        ('[2] "S-b8cef60300000001"[2] # "leaf" lid 1 4xHDR\n', "", ["TL106"]),
        ('[2] "S-b8cef60300000001"[2] #', '[2] "S-b8cef60300000001"[2] #\n[3] "S-b8cef60300000001"[2] #', ["TL110"]),
        ('[2] "S-b8cef60300000001"[2] #', '[2] "S-b8cef60300000001"[2] #\n[2] "S-b8cef60300000001"[4] #', ["TL110"]),
        ('[2] "S-b8cef60300000001"[2] #', '[2] "S-b8cef60300000001"[2] #\n[3] "S-b8cef60300000009"[2] #', ["TL106"]),
        ('[2] "S-b8cef60300000001"[2] #', '[2] "S-b8cef60300000001"[2] #\n[999999999] "S-1"[2] #', ["TL111"]),
        ('[2] "S-b8cef60300000001"[2] #', '[2] "S-b8cef60300000001"[2] #\n[3] "S-b8cef60300000002"[4] #', ["TL109"]),
        ("caguid", 'caguid=0x77\nCa 1 "H-0000000000000077" # "n2"\ncaguid', ["TL205"]),
    ],
)
def test_a_discovered_fabric_by_itself(old, new, found):
    """Each change of the file alone, with the line where it is one; the reader goes on with the rest."""
    assert not old or old in TEXT
    diagnostics = diagnose(read_fabric(TEXT.replace(old, new, 1), "x.net", lenient=True)).diagnostics
    assert [one.code for one in diagnostics] == found
    for one in diagnostics:
        assert one.line is None or one.text.startswith(f"line {one.line}: ")


def test_with_strict_parsing_the_same_files_are_refused_with_their_line():
    """Every other command stops at what cannot be."""
    bad = TEXT.replace('[2] "S-b8cef60300000001"[2] #', '[2] "S-b8cef60300000001"[2] #\n[3] "S-b8cef60300000001"[2] #')
    with pytest.raises(InputError, match=r"x\.net:8: "):
        read_fabric(bad, "x.net")


def test_counted_errors_are_notes():
    """Of a clean fabric with counters: the cable, its counters, and no difference."""
    fabric = read_fabric(TEXT, "x.net")
    counters = read_counters(
        'Errors for 0xb8cef60300000002 "spine"\n   GUID 0xb8cef60300000002 port 2: [SymbolErrorCounter == 7]\n', "c"
    )
    found = diagnose(fabric, fabric, counters=counters)
    assert [(one.code, one.severity) for one in found.diagnostics] == [("TL112", "note")]
    assert "7" in found.diagnostics[0].text
    assert found.clean


@pytest.mark.parametrize(
    "bad", [{"radix": 0}, {"virtual_channels": 0}, {"longest_m": 0.0}, {"taper": -1.0}, {"taper": float("nan")}]
)
def test_limits_that_are_none_are_refused(bad):
    """Zero ports, no virtual channels, a taper below 0."""
    with pytest.raises(InputError):
        HardwareLimits(**bad)


def test_what_is_no_network_is_refused():
    """One sentence, and no traceback."""
    with pytest.raises(InputError, match="diagnose takes a network"):
        diagnose(3)


def test_saved_and_loaded(tmp_path):
    """The record comes back as it was, with all diagnostics, causes and the comparison."""
    plan = planned_fabric(build("fat-tree:hosts=64,k=16"))
    topology = plan.topology
    there = replace(plan, topology=topology.replace(links=topology.links[1:]), link_ports=plan.link_ports[1:], made="x")
    found = diagnose(plan, there)
    found.save(tmp_path / "found.json")
    again = t.Diagnostics.load(tmp_path / "found.json")
    assert again.record() == found.record()
    assert again.diagnostics == found.diagnostics
    assert [row["code"] for row in found.rows()] == ["TL101", "TL303", "TL304"]
