"""Plans and lists of an adopted network name devices and ports as people do; what has no name in the source is said."""

import csv
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from test_adopted_commands import _sheet

from in_process import run
from topoloom import diagnose, expand, open_network
from topoloom.cabling.expansion.expansion import Expansion, unnamed_ports


def sheet():
    """The sheet without lengths: then the plan moves the ends of cables at the leaves."""
    return re.sub(r",[0-9]+$", ",", _sheet(), flags=re.MULTILINE)


@pytest.fixture(scope="module")
def hall(tmp_path_factory):
    folder = tmp_path_factory.mktemp("named")
    (folder / "cables.csv").write_text(sheet())
    open_network(folder / "cables.csv").adopt(folder / "hall")
    return folder / "hall"


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def ends(fabric):
    """Every cable as a pair of device and port: names where there are any."""
    topology = fabric.topology
    near = zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
    return {
        frozenset(
            (fabric.switch_names[s], fabric.switch_port_names[s].get(p, p)) for s, p in zip(at, ports, strict=True)
        )
        for at, ports in near
    }


def test_a_plan_names_what_is_there_and_counts_what_it_adds(hall, tmp_path):
    """Every cable that stays has the ends of the source; tasks name them; new switches have names that nothing has."""
    done = run("expand", hall, "--to", "7", "--radix", "64", "--method", "splice", "-o", tmp_path / "plan", "--check")
    assert done.code == 0, done.err
    assert "2 free ports that are used have no name in the source, and only a number in the plan" in done.out
    was, before = open_network(hall).fabric, open_network(tmp_path / "plan" / "before").fabric
    after = open_network(tmp_path / "plan" / "after").fabric
    assert ends(before) == ends(was)
    assert after.switch_names == (*was.switch_names, "S5", "S6")
    moved = {("leaf1", "swp52"), ("leaf2", "swp52")}
    assert ends(was) - ends(after) == {end for end in ends(was) if end & moved}
    tasks = rows(tmp_path / "plan" / "plan.csv")
    named = {(row["from_name"], row["from_port_name"]) for row in tasks if row["work"] == "move"}
    assert named == moved
    assert {(row["a_name"], row["a_port_name"]) for row in tasks if row["work"] == "add"} == {
        ("leaf1", "5"),
        ("leaf2", "5"),
    }
    for text in ("spine2 swp1", "leaf1 swp52", "R09-U12-swp1"):
        assert text in (tmp_path / "plan" / "plan.html").read_text()
    # The columns that programs read are as before.
    assert list(tasks[0])[:3] == ["task", "step", "work"]
    assert list(tasks[0])[-6:] == [f"{side}_{what}" for side in ("a", "b", "from") for what in ("name", "port_name")]


def test_a_plan_is_read_back_with_its_names(hall, tmp_path):
    """The record and the fabrics of both ends are equal."""
    plan = expand(hall, 7, "splice", radix=64)
    assert len(unnamed_ports(plan)) == 2
    plan.save(tmp_path / "plan")
    again = Expansion.load(tmp_path / "plan")
    assert again.record() == plan.record()
    for one, other in ((plan.before, again.before), (plan.after, again.after)):
        assert one.fabric.same_ports(other.fabric)
        assert one.fabric.switch_port_names == other.fabric.switch_port_names


def test_what_was_built_by_the_plan_is_as_planned(hall, tmp_path):
    """Whichever names the free ports have: the plan did not state them, so nothing is wrong there; a swap still is."""
    expand(hall, 7, "splice", radix=64).save(tmp_path / "plan")
    after = tmp_path / "plan" / "after"
    assert run("convert", after, tmp_path / "built.p2p.csv").code == 0
    built = (tmp_path / "built.p2p.csv").read_text()
    assert built.count("leaf1,Switch,,") == 1
    (tmp_path / "built.p2p.csv").write_text(built.replace("Switch,,", "Switch,swp9,"))
    assert not diagnose(after, tmp_path / "built.p2p.csv").diagnostics
    one, other = "spine2,Switch,swp1,", "spine2,Switch,swp2,"
    swapped = built.replace(one, "~").replace(other, one).replace("~", other)
    (tmp_path / "swapped.p2p.csv").write_text(swapped)
    assert {each.code for each in diagnose(after, tmp_path / "swapped.p2p.csv").diagnostics} == {"TL105"}


def test_free_ports_that_the_source_names_are_used(tmp_path):
    """Before others; a number that may be read as another port's name is taken last, a loop's port never."""
    text = sheet().replace("swp51", "Ethernet0").replace("swp52", "Ethernet5")
    (tmp_path / "cables.csv").write_text(text)
    network = open_network(tmp_path / "cables.csv")
    fabric = network.fabric
    leaf = fabric.switch_names.index("leaf1")
    names = {**fabric.switch_port_names[leaf], 40: "Ethernet40"}
    called = tuple(names if s == leaf else of for s, of in enumerate(fabric.switch_port_names))
    ports = np.maximum(fabric.switch_ports, 40)
    named = replace(fabric, switch_port_names=called, switch_ports=ports)
    plan = expand(named, 7, "splice", radix=64)
    used = {end for step in plan.steps for task in step.tasks for end in task.ends if end[0] == leaf}
    assert (leaf, 40) in used
    assert leaf not in {switch for switch, _ in unnamed_ports(plan)}


def test_new_names_avoid_those_of_the_source(tmp_path):
    """A network with a switch S5 and a host h12 gets no second one."""
    (tmp_path / "cables.csv").write_text(sheet().replace("spine1", "S5").replace("gpu11", "h12"))
    grown = expand(tmp_path / "cables.csv", 7, "splice", radix=64).after.fabric
    assert grown.switch_names[-2:] == ("S5-new", "S6")
    assert "H12-new" in grown.host_names
    assert len({name.lower() for name in (*grown.switch_names, *grown.host_names)}) == len(
        (*grown.switch_names, *grown.host_names)
    )


def test_a_layout_lists_names(hall, tmp_path):
    """In cables.csv, on labels and sheets, and for NetBox; the folder opens the same without and with its lists."""
    assert run("layout", hall, "-o", tmp_path / "plan").code == 0
    listed = rows(tmp_path / "plan" / "cables.csv")
    fabric = open_network(hall).fabric
    links = [row for row in listed if row["kind"] == "link"]
    of_list = {frozenset(((r["a_name"], r["a_port_name"]), (r["b_name"], r["b_port_name"]))) for r in links}
    assert of_list == ends(fabric)
    assert [row["a_name"] for row in listed if row["kind"] == "switch"] == list(fabric.switch_names)
    labels = (tmp_path / "plan" / "labels.csv").read_text()
    assert "swp51" in labels
    netbox = {row["name"] for row in rows(tmp_path / "plan" / "netbox" / "devices.csv")}
    assert set(fabric.switch_names) <= netbox
    ports = {(row["device"], row["name"]) for row in rows(tmp_path / "plan" / "netbox" / "interfaces.csv")}
    assert {end for cable in ends(fabric) for end in cable} <= ports
    sheets = "".join(path.read_text() for path in (tmp_path / "plan" / "sheets").iterdir())
    assert "spine2" in sheets
    assert "gpu34" in sheets
    again = open_network(tmp_path / "plan")
    assert again.fabric.same_ports(fabric)
    shutil.copytree(tmp_path / "plan", tmp_path / "copy")
    again.save(tmp_path / "copy")
    assert rows(tmp_path / "copy" / "cables.csv") == listed


def test_planned_networks_have_no_columns_of_names(tmp_path):
    """Lists of a network that nobody has cabled are as they were."""
    assert run("layout", "petersen", "-o", tmp_path / "plan").code == 0
    header = (tmp_path / "plan" / "cables.csv").read_text().splitlines()[0]
    assert "name" not in header
    assert not (tmp_path / "plan" / "cabled.json").exists()


def test_what_failures_leave_keeps_its_names(hall, tmp_path):
    """In a format that holds names; another one says what it omits, as `convert` does."""
    done = run("damage", hall, "--share", "20%", "-o", tmp_path / "left.p2p.csv")
    assert "omits" not in done.err
    left = open_network(tmp_path / "left.p2p.csv").fabric
    assert len(ends(left)) == 5
    assert ends(left) < ends(open_network(hall).fabric)
    done = run("damage", hall, "--share", "20%", "-o", tmp_path / "left.json")
    assert "topoloom omits names of hosts, names of ports" in done.err
    done = run("damage", hall, "--fail", "switches", "--share", "20%", "-o", tmp_path / "switch.p2p.csv")
    assert done.code == 0, done.err
    assert ends(open_network(tmp_path / "switch.p2p.csv").fabric) < ends(open_network(hall).fabric)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("optimize N --moves 3 --chains 1 -o O/new.json", "it keeps no names of hosts and ports"),
        ("phases N --hosts 6,12 -o O/phases", "names are not kept"),
    ],
)
def test_commands_that_make_another_network_say_so(hall, tmp_path, caplog, words, sentence):
    """A network of other links, or of other numbers, has no names; it is said."""
    done = run(*[{"N": hall}.get(word, word.replace("O/", f"{tmp_path}/")) for word in words.split()])
    assert done.code == 0, done.err
    assert sentence in caplog.text + done.err
