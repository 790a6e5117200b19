"""Growth of networks with shuffle panels: few trunks change, everything else stays, and the crew's tasks lead there."""

import csv
import re
from collections import Counter

import numpy as np
import pytest
from planted_parts import Planted, fabric_of, lldp
from test_plant import PARTS

from in_process import run
from topoloom import InputError, build, cable, diagnose, expand_panels, open_network, save_panel_expansion
from topoloom.cabling.expansion.panels.check import check_panel_plan
from topoloom.cabling.expansion.panels.pieces import pieces_of
from topoloom.cabling.labels import label
from topoloom.placement.fibre.plant_files import plant_from_json, plant_json
from topoloom.placement.fibre.shuffled import boxes_in
from topoloom.topologies.families.shuffled import boxes_of

SPEC = "shuffled:n=32,degree=16,r=8,hosts=4"
TWO_UNITS = PARTS.replace('kind = "shuffle panel"', 'kind = "shuffle panel"\nu = 2')


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    path = tmp_path_factory.mktemp("parts") / "parts.toml"
    path.write_text(PARTS)
    return path


@pytest.fixture(scope="module")
def network(parts):
    """32 switches with four cords each, in 16 shuffle panels with 32 trunks of eight links."""
    return open_network(SPEC).placed(parts=parts, rate_gbps=100, panels="shuffle")


@pytest.fixture(scope="module")
def plan(network):
    """Two steps: 8 switches in four boxes, then 2 in one."""
    return expand_panels(network, 42, batch=8)


@pytest.fixture(scope="module")
def folder(plan, tmp_path_factory):
    path = tmp_path_factory.mktemp("grown") / "plan"
    save_panel_expansion(plan, path)
    return path


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def links_by_light(folder, front, lanes):
    """Every link as two (device, port), found by following light through the list of cords and trunks of a folder.

    Of its own: panels join lane l of front port f with pair f of rear port l; trunks are straight.
    """
    cord_at, trunk_at, start = {}, {}, []
    for row in rows(folder / "fibre_cables.csv"):
        ends = [(row["a_device"], row["a_port"]), (row["b_device"], row["b_port"])]
        if row["kind"] == "trunk":
            trunk_at[ends[0]], trunk_at[ends[1]] = ends[1], ends[0]
            continue
        (switch, ports), panel = ends if ends[0][0].startswith("S") and ".." in ends[0][1] else ends[::-1]
        first = int(ports.partition("..")[0].lstrip("P"))
        cord_at[panel] = (switch, first)
        start += [(switch, first + lane, panel, lane) for lane in range(lanes)]
    found = set()
    for switch, port, (panel, plug), lane in start:
        other, rear = trunk_at.get((panel, f"R{lane + 1}"), ("", "R0"))
        at = cord_at.get((other, plug))
        if at is not None:
            found.add(frozenset([(switch, port), (at[0], at[1] + int(rear[1:]) - 1)]))
    assert front == max(int(plug.lstrip("F")) for _, plug in cord_at)
    return found


def test_what_stays_keeps_everything_and_the_rest_is_the_plan(network, plan):
    """Old pieces without those unplugged, and those plugged, are the new ones: ends, number, stock and length of each."""
    old, new = network.layout.plant, plan.after.layout.plant
    number = dict(zip(pieces_of(new), new.number.tolist(), strict=True))
    laid = plan.before.laid
    own = {
        pieces_of(old)[fibre]: n
        for fibre, n in zip(laid.fibre[~laid.own].tolist(), laid.number[~laid.own].tolist(), strict=True)
    }
    pieces, gone, moved = dict(own), [], 0
    by_number = {n: piece for piece, n in own.items()}
    for step in plan.steps:
        for task in step.tasks:
            if task.work == "unplug":
                gone.append(by_number.pop(task.number))
                del pieces[gone[-1]]
            elif task.ends and task.work in ("plug", "connect") and task.piece != "host":
                assert task.ends not in pieces
                pieces[task.ends] = task.number
                by_number[task.number] = task.ends
                moved += task.work == "connect"
    assert pieces == number
    assert moved == plan.moved
    assert len(gone) == sum(step.trunk_work.trunks_cut for step in plan.steps)
    stays = [piece for piece in own if piece in number]
    assert len(stays) == plan.kept
    assert all(own[piece] == number[piece] for piece in stays)
    length = [dict(zip(pieces_of(each), each.length_m.tolist(), strict=True)) for each in (old, new)]
    stock = [dict(zip(pieces_of(each), each.stock_m.tolist(), strict=True)) for each in (old, new)]
    assert all(length[0][piece] == length[1][piece] and stock[0][piece] == stock[1][piece] for piece in stays)
    assert new.names[: len(old.names)] == old.names
    was, now = plan.before.layout, plan.after.layout
    assert [was.slots.names[s] for s in old.slot] == [now.slots.names[s] for s in new.slot[: old.slot.size]]
    assert [was.slots.names[s] for s in was.slot] == [now.slots.names[s] for s in now.slot[:32]]


def test_links_of_the_grown_graph_are_those_of_its_plant(plan, folder):
    """Light that is followed through the lists before and after, by code of its own, meets the links of both graphs."""
    for state, layout in (("before", plan.before.layout), ("after", plan.after.layout)):
        expected = {
            frozenset([(f"S{a}", at_a), (f"S{b}", at_b)])
            for (a, b), (at_a, at_b) in zip(layout.topology.links.tolist(), layout.plant.ports.tolist(), strict=True)
        }
        assert links_by_light(folder / state, 8, 4) == expected


def test_no_more_links_are_down_than_are_allowed(network, parts):
    """A trunk at a time without a limit; with one, as many trunks as it allows. New links come up after cords are plugged."""
    for most, rounds, drained in ((None, 6, 8), (8, 6, 8), (20, 3, 16), (64, 1, 48)):
        plan = expand_panels(network, 40, most_down=most)
        (step,) = plan.steps
        assert step.trunk_work.trunks_cut == 6  # the other two are those of boxes that came just before
        assert (plan.rounds, plan.most_drained, step.cut_off) == (rounds, drained, 0)
        works = [task.work for task in step.tasks if task.round == 0]
        assert set(works) == {"set up", "plug", "verify"}
        assert max(i for i, work in enumerate(works) if work == "plug") < works.index("verify") == len(works) - 1
        down = [len(task.links) for task in step.tasks if task.work == "drain"]
        come = [len(task.links) for task in step.tasks if task.work == "verify"]
        assert sum(down) == step.trunk_work.drained_links == len(network.topology.links) + sum(come) - plan.links
    with pytest.raises(
        InputError, match=r"a trunk carries 8 links, which are down while it is exchanged; allow at least"
    ):
        expand_panels(network, 40, most_down=7)


def test_the_plan_on_paper_gives_the_list_after(plan, folder, tmp_path):
    """The check reads only files; a task that is changed, left out or exchanged is found."""
    checked = check_panel_plan(folder)
    assert (checked.steps, checked.pieces, checked.most_down) == (2, len(plan.after.layout.plant.fibre), 8)
    assert checked.tasks == len(rows(folder / "plan.csv"))
    ran = run("expand", folder, "--check")
    assert "cords and trunks of after/fibre_cables.csv, exactly; up to 8 links are down at a time" in ran.out
    text = (folder / "plan.csv").read_text().splitlines(keepends=True)
    of = {
        work: next(i for i, line in enumerate(text) if f",{work}," in line)
        for work in ("drain", "unplug", "connect", "verify")
    }
    cord = next(i for i, line in enumerate(text) if ",plug,cord," in line)
    for line, reason in (
        (of["drain"], "still carries links that are up"),
        (of["unplug"], "has no free end|already has"),
        (of["verify"], "links differ"),
        (cord, "differs at the end"),
    ):
        (folder / "plan.csv").write_text("".join(text[:line] + text[line + 1 :]))
        with pytest.raises(InputError, match=reason):
            check_panel_plan(folder)
    (folder / "plan.csv").write_text("".join(text).replace(",connect,", ",bend,", 1))
    with pytest.raises(InputError, match=r"plan.csv:\d+: work is 'bend'; it must be set up, plug, drain"):
        check_panel_plan(folder)
    (folder / "plan.csv").write_text("".join(text))


def test_the_bill_of_growth_counts_what_the_tasks_plug(plan):
    """New panels, cords and trunks of the tasks are the items to buy; trunks that were cut are not bought again."""
    tasks = Counter(
        task.piece for step in plan.steps for task in step.tasks if task.source == "new" or task.work == "set up"
    )
    bought = Counter()
    for item in plan.bought:
        bought[item.product] += item.count
    laid = bought.pop("installation")
    assert bought == Counter(box=tasks["panel"], cord=tasks["cord"], trunk=tasks["trunk"], S=tasks["switch"], DR4=40)
    assert laid == tasks["cord"] + tasks["trunk"]
    assert (tasks["panel"], tasks["cord"], tasks["switch"]) == (5, 40, 10)
    cut = sum(step.trunk_work.trunks_cut for step in plan.steps)
    assert plan.after.layout.plant.trunks == plan.before.layout.plant.trunks - cut + plan.moved + tasks["trunk"]


@pytest.mark.exhaustive
def test_a_grown_network_hears_itself_and_grows_again(plan, folder, parts, tmp_path):
    """Its folder is read with the same plant; nothing is found in its own light; it is cabled, priced and grown once more."""
    grown = open_network(folder / "after")
    plant = grown.layout.plant
    assert plant == plan.after.layout.plant
    assert cable(grown).laid.number.tolist() == plan.after.laid.number.tolist()
    assert not diagnose(grown, fabric_of(grown.fabric, Planted.of(grown)), hosts=False).diagnostics
    stated, _ = boxes_in(plant)
    assert build(grown.topology.spec) == grown.topology
    assert np.array_equal(boxes_of(grown.topology).far, stated.far)
    again = expand_panels(grown, 44, seed=5)
    assert again.topology.spec == f"{grown.topology.spec}+spliced:switches=2,hosts=4,seed=5"
    assert again.after.layout.plant.names[:21] == plant.names
    fresh = {task.number for step in again.steps for task in step.tasks if task.source == "new"}
    assert len(fresh) == again.new_cords + again.new_trunks
    assert not fresh & set(plant.number.tolist())
    afresh = open_network(again.topology.spec).placed(parts=parts, rate_gbps=100, panels="shuffle")
    assert set(pieces_of(afresh.layout.plant)) == set(pieces_of(again.after.layout.plant))
    heard = lldp(tmp_path / "heard", Planted.of(grown))
    ran = run("verify", folder / "after", heard, "--skip-hosts")
    assert ran.code == 0, ran.out + ran.err
    assert open_network(folder).topology.switches == 32
    assert open_network(folder).expansion is None


@pytest.mark.exhaustive
def test_hosts_in_racks_get_cables_and_keep_theirs(tmp_path, parts):
    """Hosts stand in racks of their own: existing cables keep numbers and ports, and the new ones are tasks."""
    hosts = tmp_path / "hosts.toml"
    hosts.write_text("[host]\nu = 1\npower_w = 500\n[rack]\nu = 42\npower_w = 20000\n")
    network = open_network(SPEC).placed(parts=parts, rate_gbps=100, panels="shuffle", hosts=hosts)
    plan = expand_panels(network, 34)
    listed = [
        {
            (*ends, port): number
            for ends, port, number in zip(
                c.ends[c.to_host].tolist(), c.port[c.to_host, 0].tolist(), c.number[c.to_host].tolist(), strict=True
            )
            for ends in [tuple(ends)]
        }
        for c in (plan.before, plan.after)
    ]
    assert listed[0].items() <= listed[1].items()
    tasks = [task for task in plan.steps[0].tasks if task.piece == "host"]
    assert len(tasks) == len(listed[1]) - len(listed[0]) == 8
    save_panel_expansion(plan, tmp_path / "plan")
    check_panel_plan(tmp_path / "plan")
    assert cable(open_network(tmp_path / "plan" / "after")).number.tolist() == plan.after.number.tolist()


def test_new_panels_fill_racks_before_they_take_new_ones(tmp_path):
    """A rack holds 21 panels of two units: 16 stand, five more fit, and the next step begins a rack."""
    (tmp_path / "parts.toml").write_text(TWO_UNITS)
    network = open_network(SPEC).placed(parts=tmp_path / "parts.toml", rate_gbps=100, panels="shuffle")
    rack = np.unique(network.layout.plant.slot).size
    five = expand_panels(network, 42).after.layout.plant
    more = expand_panels(network, 44).after.layout.plant
    assert (rack, np.unique(five.slot).size, np.unique(more.slot).size) == (1, 1, 2)


@pytest.mark.exhaustive
def test_hosts_of_another_rate_grow_with_their_own():
    """Links of 100 and hosts of 200 Gb/s: the grown network has both rates, and its spec builds it."""
    small = open_network("shuffled:n=64,degree=32,hosts=4+rates:links=100,hosts=200").placed(
        parts="ethernet-2026", panels="shuffle", map="rows"
    )
    grown = expand_panels(small, 68).topology
    assert grown.rates_gbps.tolist() == [100.0, 200.0]
    assert build(grown.spec) == grown


def test_labels_stay_also_where_switches_have_several_units(tmp_path):
    """Switches of two units: whoever stands keeps its label, in the plan and in the folder after it."""
    tall = open_network("shuffled:n=64,degree=32,hosts=32").placed(
        parts="ethernet-2026", rate_gbps=100, panels="shuffle", map="rows"
    )
    assert tall.layout.switch_u == 2
    plan = expand_panels(tall, 68)
    was, now = label(plan.before), label(plan.after)
    assert now.switch[:64] == was.switch
    assert now.panel[:16] == was.panel
    moved = {task.number for task in plan.steps[0].tasks if task.work == "unplug"}
    of_number = [{int(line[0]): set(line[1:]) for line in labels.laid} for labels in (was, now)]
    assert {number for number, ends in of_number[0].items() if of_number[1][number] != ends} == moved
    save_panel_expansion(plan, tmp_path / "plan")
    check_panel_plan(tmp_path / "plan")
    assert label(cable(open_network(tmp_path / "plan" / "after"))).laid == now.laid


def test_what_cannot_grow_says_so(network, tmp_path):
    """Panels of other methods, other methods of growth, other sizes, and options that do not fit: one sentence each."""
    tree = open_network("fat-tree:k=8").placed(
        parts="ethernet-2026", rate_gbps=400, panels="racks", map="rows", switches_per_rack=16
    )
    for source, to, more, reason in (
        (
            tree,
            100,
            {},
            r"its panels are those of 'racks', and growth with panels is planned for 'shuffle' only; grow its spec",
        ),
        (
            network,
            34,
            {"method": "splice"},
            r"method splice: a network with shuffle panels grows by method boxes; omit the method",
        ),
        (network, 33, {}, r"2 new switches of 4 cords fill whole boxes of 8 ports; .*nearest: 34, 36"),
        (network, 32, {}, r"it has 32 switches already"),
        (network, 34, {"most_down": 0}, r"most_down=0: it must be at least 1"),
        (SPEC, 34, {}, r"it has no panels; use expand"),
    ):
        with pytest.raises(InputError, match=reason):
            expand_panels(source, to, **more)
    network.save(tmp_path / "net")
    for options, reason in (
        (("--to", 34, "--degree", 4), "--degree: a network with panels grows by whole panels"),
        ((), "to how many switches does it grow"),
    ):
        ran = run("expand", tmp_path / "net", *options)
        assert ran.code == 2
        assert reason in ran.err
    ran = run("expand", SPEC, "--to", 34, "--most-down", 8)
    assert ran.code == 2
    assert "--most-down is for networks with shuffle panels" in ran.err


def test_numbers_of_pieces_are_read_back_or_refused(plan):
    """Numbers and lengths of a grown plant are in its file; damaged ones are refused."""
    layout = plan.after.layout
    text = plant_json(layout.plant, layout.slots).decode()
    assert plant_from_json(text, "fibre.json", layout.topology, layout.slots) == layout.plant
    first = re.search(r'"number":\[(\d+),(\d+)', text)
    for other in (f'"number":[{first[2]},{first[2]}', f'"number":[0,{first[2]}', '"number":[7'):
        with pytest.raises(InputError, match=r"fibre.json: is not the fibre plant of"):
            plant_from_json(text.replace(first[0], other), "fibre.json", layout.topology, layout.slots)


def test_planned_switches_are_plugged_into_panels_that_stand(parts):
    """Boxes and trunks for 40 switches, 24 of them plugged in: later ones need cords only, and no link is drained."""
    spec = "shuffled:n=24,degree=16,r=8,planned=40,hosts=4"
    first = open_network(spec).placed(parts=parts, rate_gbps=100, panels="shuffle")
    whole = open_network("shuffled:n=40,degree=16,r=8,hosts=4").placed(parts=parts, rate_gbps=100, panels="shuffle")
    assert first.layout.plant.trunks == whole.layout.plant.trunks == 40
    plan = expand_panels(first, 40)
    assert [step.trunk_work.cords_connected for step in plan.steps] == [32, 32]
    assert (plan.rounds, plan.most_drained, plan.new_trunks, plan.moved, plan.new_panels) == (0, 0, 0, 0, 0)
    assert {task.work for step in plan.steps for task in step.tasks} == {"set up", "plug", "verify"}
    up = [len(task.links) for step in plan.steps for task in step.tasks if task.work == "verify"]
    assert len(first.topology.links) + sum(up) == len(whole.topology.links) == plan.links
    assert plan.topology.spec == "shuffled:n=40,degree=16,r=8,c=4,passes=100,planned=40,seed=1,hosts=4"
    assert np.array_equal(plan.topology.links, whole.topology.links)
    assert set(pieces_of(plan.after.layout.plant)) == set(pieces_of(whole.layout.plant))
    beyond = expand_panels(first, 42, batch=16)
    assert [step.trunk_work.new_boxes for step in beyond.steps] == [0, 1]
    assert beyond.topology.spec.endswith("planned=40,seed=1,hosts=4+spliced:switches=2,hosts=4,batch=16,seed=1")
    assert build(beyond.topology.spec) == beyond.topology


@pytest.mark.exhaustive
def test_two_switches_of_64_lanes_join_960():
    """One panel, two trunks cut, four ends and 32 cords, 64 links drained, 32 at a time; nothing else moves."""
    network = open_network("shuffled:n=960,degree=64,hosts=64").placed(
        parts="ethernet-2026", rate_gbps=100, panels="shuffle", switches_per_rack=1
    )
    plan = expand_panels(network, 962)
    (step,) = plan.steps
    work = step.trunk_work
    counts = work.new_boxes, work.trunks_cut, work.trunk_ends_connected, work.cords_connected, work.drained_links
    assert counts == (1, 2, 4, 32, 64)
    assert (plan.kept, plan.new_panels, plan.new_cords, plan.most_drained, step.cut_off) == (16_318, 1, 32, 32, 0)
    assert plan.after.layout.plant.ways.arrival.min() >= 0
