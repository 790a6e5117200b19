"""Faults of passive parts: the cord, trunk or panel is named from what switches hear, once for all its links."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from planted_parts import Planted, fabric_of, lldp, plant_fault
from test_plant import PARTS

from in_process import run
from topoloom import diagnose, open_network
from topoloom.fabric.diagnosis.evidence import HardwareLimits
from topoloom.fabric.diagnosis.passive.wiring import Wiring
from topoloom.fabric.net_text import discovered_text
from topoloom.placement.fibre.tracing import PlugTable

SPEC = "shuffled:n=32,degree=16,r=8,hosts=4"
KINDS = ("trunks exchanged", "cords exchanged", "out", "panel dark", "other switch", "turned", "other type")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """32 switches with four cords each, in 16 shuffle panels with 32 trunks of eight links."""
    path = tmp_path_factory.mktemp("passive")
    (path / "parts.toml").write_text(PARTS)
    open_network(SPEC).placed(parts=path / "parts.toml", rate_gbps=100, panels="shuffle").save(path / "net")
    return path / "net"


@pytest.fixture(scope="module")
def network(folder):
    return open_network(folder)


@pytest.fixture(scope="module")
def tree():
    """A fat tree with a trunk of twelve links, and a cord per link at both ends, between racks."""
    return open_network("fat-tree:k=8").placed(
        parts="ethernet-2026", rate_gbps=400, panels="racks", map="rows", switches_per_rack=16
    )


def named(network, planted, without=(), **more):
    """The findings; each planted fault has exactly one, which names its part, and no other finding is a root."""
    found = diagnose(network, fabric_of(network.fabric, planted, without), hosts=False, **more).diagnostics
    passive = [each for each in found if each.code.startswith("TL60")]
    assert Counter(each.code for each in passive) == Counter(code for _, code, _ in planted.faults), found
    for _, code, words in planted.faults:
        assert any(each.code == code and any(word in each.text for word in words) for each in passive), (words, passive)
    assert not [each for each in found if each not in passive and not each.because_of]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_fault_is_one_finding_with_all_its_links(network, kind):
    """All links that are not as planned are in the one finding that names the part."""
    planted = Planted.of(network)
    plant_fault(planted, kind, np.random.default_rng(3), set(range(network.layout.plant.fibre.size)))
    (finding,) = [each for each in named(network, planted) if not each.because_of]
    plan = {tuple(sorted(map(tuple, zip(*cable, strict=True)))) for cable in _cables(network.fabric)}
    real = {
        tuple(sorted(map(tuple, zip(*cable, strict=True)))) for cable in _cables(fabric_of(network.fabric, planted))
    }
    assert len(finding.planned) == len(plan - real)
    assert f"{len(finding.planned)} links follow" in finding.text
    assert finding.parts
    assert finding.racks


def roots(network, planted):
    """The findings that follow from no other."""
    found = diagnose(network, fabric_of(network.fabric, planted), hosts=False).diagnostics
    return [each for each in found if not each.because_of]


def _cables(fabric):
    return zip(fabric.topology.links.tolist(), fabric.link_ports.tolist(), strict=True)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(60))
def test_random_faults_at_the_same_time_are_all_named(network, seed):
    """Up to four of parts without a link in common: as many findings, each with the name of a planted part."""
    rng, planted = np.random.default_rng(seed), Planted.of(network)
    free = set(range(network.layout.plant.fibre.size))
    for kind in rng.choice(KINDS, 4):
        try:
            plant_fault(planted, kind, rng, free)
        except ValueError:  # all other parts share links with those at fault
            break
    named(network, planted)


@pytest.mark.parametrize("kind", KINDS[:4])
def test_trunks_between_racks_and_the_cords_at_their_ends(tree, kind):
    """A panel with one trunk is dark if its trunk is out: the text names both. A cord of one link may be that at either end."""
    planted = Planted.of(tree)
    plant_fault(planted, kind, np.random.default_rng(1), set(range(tree.layout.plant.fibre.size)))
    named(tree, planted)


def test_switches_that_are_off_are_no_fault_of_cords(network):
    """Three switches without links: each is reported by itself, and the exchanged trunks as before."""
    planted = Planted.of(network)
    plant_fault(planted, "trunks exchanged", np.random.default_rng(4), set(range(network.layout.plant.fibre.size)))
    found = diagnose(network, fabric_of(network.fabric, planted, (3, 17, 20)), hosts=False).diagnostics
    assert Counter(each.code for each in found if not each.because_of) == {"TL207": 3, "TL601": 1}


def test_three_trunks_in_each_others_ports_are_one_finding(network):
    """A ring of three plugs: each trunk is listed with the port where it is and the port where it should be."""
    planted = Planted.of(network)
    plant = network.layout.plant
    first, second, third = (int(fibre) for fibre in np.flatnonzero(plant.is_trunk)[[0, 5, 9]])
    planted.exchange((first, 0), (second, 0))
    planted.exchange((second, 0), (third, 0))
    (finding,) = roots(network, planted)
    assert finding.code == "TL603"
    assert finding.text.count("should be in") == 3
    assert len(finding.parts) == 3


def test_a_cord_in_the_port_of_another_that_hangs_out(network):
    """One plug displaced another: both are in one finding, with what to move and what to plug in."""
    planted = Planted.of(network)
    plant = network.layout.plant
    cord, other = (int(fibre) for fibre in np.flatnonzero(~plant.is_trunk)[[0, 100]])
    planted.move((cord, 0), plant.ends[other, 0])
    planted.out.add(other)
    (finding,) = roots(network, planted)
    assert finding.code == "TL603"
    assert "is out" in finding.text
    assert {planted.plant.label(*plant.ends[fibre, 1]) for fibre in (cord, other)} <= {
        word for part in finding.parts for word in part.replace(",", "").split()
    }


def test_plugs_moved_one_by_one_are_those_of_a_new_plant(network):
    """Random moves between ports of panels, to ports of switches beyond all planned ones, and out: lights go the same ways."""
    plant, rng = network.layout.plant, np.random.default_rng(5)
    wiring = Wiring(plant)
    for _ in range(60):
        trunk = bool(rng.integers(2))
        first, second = (
            (int(fibre), int(rng.integers(2))) for fibre in rng.choice(np.flatnonzero(plant.is_trunk == trunk), 2)
        )
        if rng.random() < 0.2 and not trunk:
            wiring.move(first, (int(rng.integers(32)), int(rng.integers(200, 400)) * 4))
        elif rng.random() < 0.2:
            wiring.move(first, None)
        elif first[0] != second[0]:
            before = wiring.position(first), wiring.position(second)
            for end in (first, second):
                wiring.move(end, None)
            for end, position in zip((first, second), reversed(before), strict=True):
                wiring.move(end, position)
    assert (wiring.ends != plant.ends).any()
    fresh = PlugTable(plant, wiring.ends)
    start = np.argwhere(np.ones((plant.switches, 1700)))
    mine, again = wiring.followed(start), fresh.followed(start)
    for name in ("arrival", "fibre", "end", "leaving", "panel", "port", "pair"):
        assert np.array_equal(getattr(mine, name), getattr(again, name)), name


@pytest.mark.parametrize("trunk", [False, True])
def test_a_turned_cord_or_trunk_is_named_by_the_order_of_its_links(network, trunk):
    """Links 1 to 4 of a cord arrive as 4 to 1, the eight links of a trunk in the opposite order: one finding, all lit."""
    planted = Planted.of(network)
    fibre = int(np.flatnonzero(network.layout.plant.is_trunk == trunk)[7])
    planted.turned.add(fibre)
    assert len(planted.light()) == 256
    (finding,) = roots(network, planted)
    assert finding.code == "TL608"
    assert finding.text.startswith(f"turned at one of its ends: {'trunk' if trunk else 'cord'} ")
    assert planted.label((fibre, 1)) in finding.text
    assert f"{8 if trunk else 4} links follow" in finding.text


def test_a_turned_trunk_between_racks_is_no_exchange_of_its_cords(tree):
    """Twelve links of a trunk in the opposite order could also be six exchanges of cords: the trunk explains all at once."""
    planted = Planted.of(tree)
    planted.turned.add(int(np.flatnonzero(tree.layout.plant.is_trunk)[2]))
    (finding,) = roots(tree, planted)
    assert (finding.code, finding.parts[0].split()[0]) == ("TL608", "trunk")


@pytest.mark.parametrize("trunk", [False, True])
def test_one_part_of_the_other_type_is_dark_as_one_that_is_out(network, trunk):
    """A in place of B: no light on all its links, which no discovery tells from a cord that is out; the text says both."""
    planted = Planted.of(network)
    fibre = int(np.flatnonzero(network.layout.plant.is_trunk == trunk)[3])
    planted.other.add(fibre)
    (finding,) = roots(network, planted)
    assert finding.code == "TL602"
    assert finding.text.startswith("out, or of the other type: ")
    assert planted.label((fibre, 1)) in finding.text


def crossing(network, fibres):
    """Cords with a link in common."""
    ways = network.layout.plant.ways.fibre
    link = ways[np.isin(ways[:, 0], fibres)][0]
    return int(link[0]), int(link[2])


def test_a_link_over_two_cords_of_the_other_type_tells_them_from_cords_that_are_out(network):
    """Both are dark but for their common link, which is lit: each is named, and the link is right."""
    planted = Planted.of(network)
    first, second = crossing(network, [12])
    planted.other |= {first, second}
    found = roots(network, planted)
    assert [each.code for each in found] == ["TL609", "TL609"]
    assert {each.parts[0].split(" - ")[1].split()[-1] for each in found} == {
        planted.label((fibre, 1)) for fibre in (first, second)
    }
    assert [len(each.planned) for each in found] == [3, 3]


def test_three_dark_lanes_of_a_cord_with_one_lit_are_no_cord_of_the_other_type(network):
    """Its fourth link has no second part of the other type: the links are listed as they are."""
    planted = Planted.of(network)
    plant = network.layout.plant
    links, first = plant.carried
    dark = {
        (tuple(plant.start[link].tolist()), tuple(plant.planned_arrival[link].tolist()))
        for link in links[first[12] : first[13]][:3]
    }
    lit = [row for row in planted.light() if ((row[0], row[1]), (row[2], row[3])) not in dark]
    assert len(lit) == 253
    planted.light = lambda: lit
    assert [each.code for each in roots(network, planted)] == ["TL101"] * 3


def pieces(network, planted, without=()):
    """The counts of cords and trunks: planned, right, wrong, not heard of."""
    found = diagnose(network, fabric_of(network.fabric, planted, without), hosts=False).passive
    return [(each.planned, each.right, each.wrong, each.not_heard) for each in (found.cords, found.trunks)]


def test_cords_and_trunks_are_counted_as_pieces(network):
    """128 cords and 32 trunks: two trunks exchanged, and a cord out; a switch that is off takes its four cords from sight."""
    planted = Planted.of(network)
    plant = network.layout.plant
    assert pieces(network, planted) == [(128, 128, 0, 0), (32, 32, 0, 0)]
    first, second = (int(fibre) for fibre in np.flatnonzero(plant.is_trunk)[[0, 5]])
    planted.exchange((first, 0), (second, 0))
    cord = int(np.flatnonzero(plant.ends[:, 0, 0] == 9)[0])
    planted.out.add(cord)
    cords, trunks = pieces(network, planted)
    assert (cords[2], trunks) == (1, (32, 30, 2, 0))
    cords, trunks = pieces(network, planted, without=(20,))
    assert cords == (128, 123, 1, 4)
    assert diagnose(network).passive is None


def test_a_turned_part_is_wrong_and_the_cords_in_it_are_right_elsewhere(network):
    """A trunk whose eight links are exchanged among each other: its cords have other links that are right."""
    planted = Planted.of(network)
    planted.turned.add(int(np.flatnonzero(network.layout.plant.is_trunk)[7]))
    assert pieces(network, planted) == [(128, 128, 0, 0), (32, 31, 1, 0)]


def test_links_that_no_part_explains_are_listed_as_they_are(network):
    """Single lanes exchanged, which no cord or trunk can do: the faults are those of links."""
    planted = Planted.of(network)
    lit = planted.light()
    (a, p, b, q), (c, r, d, s) = lit[10], lit[200]
    lit[10], lit[200] = [*min((a, p), (d, s)), *max((a, p), (d, s))], [*min((c, r), (b, q)), *max((c, r), (b, q))]
    planted.light = lambda: sorted(map(tuple, lit))
    codes = {each.code for each in diagnose(network, fabric_of(network.fabric, planted), hosts=False).diagnostics}
    assert codes <= {"TL104", "TL105"}
    assert codes


def test_a_wrong_trunk_and_a_wrong_cord_from_lldp(folder, network, tmp_path):
    """From the files that lldpd prints, by the command: two findings, with ports as the crew reads them, and what to do."""
    planted = Planted.of(network)
    free = set(range(network.layout.plant.fibre.size))
    rng = np.random.default_rng(11)
    plant_fault(planted, "trunks exchanged", rng, free)
    plant_fault(planted, "cords exchanged", rng, free)
    heard = lldp(tmp_path / "lldp", planted)
    assert (
        "cords                         126 right, 2 wrong, 0 not heard of"
        in run("verify", folder, heard, "--skip-hosts").out
    )
    done = run("verify", folder, heard, "--skip-hosts", "--json")
    assert done.code == 3
    assert done.record["passive"]["trunks"] == {"planned": 32, "right": 30, "wrong": 2, "not_heard": 0}
    found = done.record["diagnostics"]
    assert [each["code"] for each in found] == ["TL601", "TL601"]
    trunks, cords = found
    assert trunks["text"].startswith("exchanged: the trunks in ")
    assert trunks["fix"].startswith("Exchange the trunks in ")
    assert [part.split()[0] for part in trunks["parts"]] == ["trunk", "trunk"]
    assert cords["text"].startswith("exchanged: the cords in ")
    assert len(cords["planned"]) == 8
    for each, (_, _, words) in zip(found, planted.faults, strict=True):
        assert any(word in each["text"] for word in words)
    # Some switches were not read, and those that were have not heard of them.
    some = lldp(tmp_path / "some", planted, without=range(0, 32, 8))
    done = run("verify", folder, some, "--skip-hosts", "--json", "--only", "TL6xx")
    assert [each["text"].split(";")[0] for each in done.record["diagnostics"]] == [
        each["text"].split(";")[0] for each in found
    ]


def test_an_infiniband_fabric_with_trunks_between_racks(tree, tmp_path):
    """What ibnetdiscover prints shows no panels either: the exchanged trunks are one finding, with hosts compared."""
    planted = Planted.of(tree)
    plant_fault(planted, "trunks exchanged", np.random.default_rng(1), set(range(tree.layout.plant.fibre.size)))
    tree.save(tmp_path / "tree")
    (tmp_path / "found.net").write_text(discovered_text(fabric_of(tree.fabric, planted)))
    done = run("verify", tmp_path / "tree", tmp_path / "found.net", "--json")
    roots = [each for each in done.record["diagnostics"] if not each["because_of"] and each["severity"] == "error"]
    assert [each["code"] for each in roots] == ["TL601"]
    assert any(word in roots[0]["text"] for word in planted.faults[0][2])


def test_the_crew_has_one_task_per_part(folder, network, tmp_path):
    """watch: an exchange of trunks is one task with 16 links, a part that is out one thing to install; sheets have both."""
    planted = Planted.of(network)
    free = set(range(network.layout.plant.fibre.size))
    rng = np.random.default_rng(8)
    plant_fault(planted, "trunks exchanged", rng, free)
    right = lldp(tmp_path / "monday", Planted.of(network))
    wrong = lldp(tmp_path / "tuesday", planted)
    done = run("watch", folder, right, wrong, "--skip-hosts", "--json", "-o", tmp_path / "sheets")
    (task,) = done.record["open"]
    assert task["kind"] == "part"
    assert task["text"].startswith("exchanged: the trunks in ")
    assert task["since"] == str(wrong)
    planted.out.add(min(free))
    gone = lldp(tmp_path / "wednesday", planted)
    done = run("watch", folder, right, wrong, gone, "--skip-hosts", "--json")
    assert [each["kind"] for each in done.record["open"]] == ["part", "lost"]
    assert any("exchanged: the trunks in " in path.read_text() for path in (tmp_path / "sheets").glob("todo-*.html"))


def changed(network, **of_panels):
    """The network's facts with other panels, trunks of 500 m, and cords of no length."""
    facts = network.facts
    plant = facts.passive.plant
    panels = tuple(replace(panel, **of_panels) for panel in plant.panels)
    plant = replace(plant, panels=panels, length_m=np.where(plant.is_trunk, 500.0, 0.0))
    return replace(facts, passive=replace(facts.passive, plant=plant))


@pytest.mark.parametrize(("connector_db", "over"), [(0.35, False), (0.75, True)])
def test_four_connectors_and_500_m_are_within_3_db_or_over(network, connector_db, over):
    """4 x 0.35 + 0.25 = 1.65 dB pass, 4 x 0.75 + 0.25 = 3.25 dB do not, by the budget that the catalogue states."""
    assert set(network.facts.passive.budget_db.tolist()) == {3.0}
    found = diagnose(network, facts=changed(network, connector_db=connector_db), only=["TL605"]).diagnostics
    assert [each.text.split(":")[0] for each in found] == [
        "256 of 256 links through panels lose more than their transceivers allow, up to 3.25 dB of 3"
    ] * over


@pytest.mark.parametrize("connector_db", [0.35, 0.50, 0.75])
def test_a_limit_on_connectors_is_what_a_budget_of_275_db_holds(network, connector_db):
    """Seven, five or three pairs in 2.75 dB: the four of these links pass the first two limits only."""
    most = int(2.75 / connector_db)
    assert most == {0.35: 7, 0.5: 5, 0.75: 3}[connector_db]
    found = diagnose(network, limits=HardwareLimits(connectors=most), only=["TL607"]).diagnostics
    assert [each.code for each in found] == ["TL607"] * (most < 4)


@pytest.mark.parametrize(
    ("reversals", "fibre", "crossed"), [(0, "B", True), (0, "A", False), (1, "B", True), (1, "A", False)]
)
def test_a_plan_whose_transmitters_meet_is_refused(network, reversals, fibre, crossed):
    """Three cables of type B and two adapters without reversal, or two with one: odd. Of type A: even."""
    facts = changed(network, reversals=reversals)
    plant = facts.passive.plant
    plant = replace(plant, fibres=tuple(replace(each, polarity=fibre) for each in plant.fibres))
    facts = replace(facts, passive=replace(facts.passive, plant=plant))
    found = diagnose(network, facts=facts, only=["TL606"]).diagnostics
    assert [each.code for each in found] == ([] if crossed else ["TL606"])


def test_a_plan_with_panels_has_no_fault(folder):
    """Neither lengths nor losses of links through panels are wrong, by the command and its limit of seven connectors."""
    done = run("verify", folder, "--connectors", 7, "--json")
    assert (done.code, done.record["diagnostics"]) == (0, [])
