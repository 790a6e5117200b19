"""`topoloom layout`: what it prints, what its folder holds, and what it refuses."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from topoloom import build, load, load_layout, open_network, save
from topoloom.cli.commands import cost, layout
from topoloom.core.errors import InputError

_RING = "ring-shortcuts:n=64,degree=5,hosts=2"


def run(*arguments, command=layout.command):
    """What the command prints; its errors are raised."""
    result = CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


@pytest.mark.sweep(3)
@pytest.mark.parametrize("cluster", ["sequential", "groups", "walktrap", "metis"])
@pytest.mark.parametrize("mapping", ["serpentine", "anneal", "tabu", "joint"])
def test_every_way_prints_the_same_facts(cluster, mapping):
    """All clusters with all maps; the means are those of the lengths, and the counts fit together."""
    options = [
        "--floor",
        "koibuchi-2013",
        "--switches-per-rack",
        "16",
        "--cluster",
        cluster,
        "--map",
        mapping,
        "--seed",
        "3",
        "--json",
    ]
    found = json.loads(run("slimfly:q=5,hosts=4", *options))
    assert found["racks"] >= 4
    assert found["switches_per_rack"] <= 16
    assert 0 < found["rack_pairs"] <= found["racks"] * (found["racks"] - 1) / 2
    inside = found["links"] - found["links_between"]
    total_m = inside * 2.0 + found["links_between"] * found["mean_between_m"]
    assert found["total_m"] == pytest.approx(total_m)
    assert found["mean_length_m"] == pytest.approx(total_m / 175)
    assert found["mean_between_m"] <= found["longest_m"]
    assert (found["least_mean_m"] is not None) == (mapping == "joint")


@pytest.mark.exhaustive
def test_the_folder_holds_what_it_takes_to_build_it(tmp_path):
    """Lists, sheets, NetBox files and pictures; the layout and the topology come back from it."""
    out = run(_RING, "--floor", "koibuchi-2013", "--switches-per-rack", "8", "-o", str(tmp_path / "out"), "--json")
    folder = tmp_path / "out"
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "cables.csv",
        "labels.csv",
        "network.json",
        "order.csv",
        "parts.json",
        "bundles.csv",
        "elevations",
        "elevations.html",
        "floor.toml",
        "netbox",
        "sheets",
        "floorplan.svg",
        "floorplan.png",
        "topology.json",
        "provenance.json",
    }
    assert (folder / "floorplan.png").read_bytes().startswith(b"\x89PNG")
    back = load_layout(folder)
    assert back.topology == build(_RING) == load(folder / "cables.csv")
    assert back.total_m == pytest.approx(json.loads(out)["total_m"])
    bill = json.loads(run(str(folder), "--json", command=cost.command))
    assert bill["length_m"] == pytest.approx(back.total_m)


@pytest.mark.exhaustive
def test_host_cables_are_listed_on_request(tmp_path):
    """A row for each of 128 hosts beside those of the links."""
    for options, rows in (([], 0), (["--host-cables"], 128)):
        run(_RING, "-o", str(tmp_path), *options)
        kinds = [line.split(",")[1] for line in (tmp_path / "cables.csv").read_text().splitlines()[1:]]
        assert kinds.count("host") == rows
        assert kinds.count("link") == len(build(_RING).links)


@pytest.mark.exhaustive
def test_objectives_do_what_they_say():
    """The longest cable is no longer than the shortest layout's; the cost's is no dearer."""
    options = ["--floor", "koibuchi-2013", "--switches-per-rack", "8", "--json"]
    found = {
        what: json.loads(run("ring-shortcuts:n=256,degree=5", *options, "--objective", what))
        for what in ("length", "longest", "cost")
    }
    assert found["longest"]["longest_m"] <= found["length"]["longest_m"]
    assert found["cost"]["links_between"] <= found["length"]["links_between"]


@pytest.mark.exhaustive
def test_a_floor_limits_the_power_of_a_rack(tmp_path):
    """7 ports at 2.8 W are 19.6 W per switch: two of them, not three, in a rack of 50 W."""
    rows = "".join(f"S{i},{i},0,9,50\n" for i in range(40))
    (tmp_path / "hall.csv").write_text("slot,x_m,y_m,switches,power_w\n" + rows)
    found = json.loads(run(_RING, "--floor", str(tmp_path / "hall.csv"), "--json"))
    assert found["switches_per_rack"] == 2
    assert found["racks"] == 32


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([_RING, "--floor", "moon"], "no floor named 'moon'"),
        (
            [_RING, "--rows", "2", "--columns", "2", "--switches-per-rack", "8"],
            "8 racks need more than its 2 x 2 = 4 places",
        ),
        (["jellyfish:n=20,degree=3", "--cluster", "groups"], "has no groups; use cluster='sequential'"),
        ([_RING, "--parts", "moon"], "slimfly-2014, slingshot); or give the path of a .toml file"),
        ([_RING, "-o", "/dev/null/x"], "/dev/null/x: there is no folder /dev/null; make it first"),
    ],
)
def test_mistakes_are_one_sentence(arguments, said):
    """Named, with what would do."""
    with pytest.raises(InputError, match=re.escape(said)):
        run(*arguments)


def test_slots_that_are_listed_take_no_rows_but_a_rack(tmp_path):
    """--rows means nothing there; --switches-per-rack lowers every slot's limit."""
    (tmp_path / "hall.csv").write_text("slot,x_m,y_m,switches\n" + "".join(f"S{i},{i},0,30\n" for i in range(20)))
    with pytest.raises(InputError, match="--rows: the slots of floor"):
        run(_RING, "--floor", str(tmp_path / "hall.csv"), "--rows", "2")
    found = json.loads(run(_RING, "--floor", str(tmp_path / "hall.csv"), "--switches-per-rack", "4", "--json"))
    assert found["switches_per_rack"] <= 4


def test_the_text_tells_what_the_json_does():
    """The mean, its bound and the total as numbers of the JSON document."""
    found = json.loads(run(_RING, "--json"))
    text = run(_RING)
    assert f"{found['mean_length_m']:.3f} m (no layout is below {found['least_mean_m']:.3f})" in text
    assert f"{found['total_m']:,.0f} m" in text
    assert np.isfinite(found["least_mean_m"])


@pytest.mark.exhaustive
def test_a_mixed_network_is_laid_out_with_its_rates(tmp_path, monkeypatch):
    """The cable list has the rate of each cable, and the folder opens with them."""
    mixed = build("fat-tree:k=4").with_rates(800, 400)
    save(mixed, tmp_path / "mixed.json")
    monkeypatch.chdir(tmp_path)
    run("mixed.json", "--map", "rows", "-o", "out")
    assert open_network("out").topology == mixed


def test_leaves_that_do_not_fit_on_their_hosts_are_named(tmp_path):
    """42 hosts of 1 U and a leaf of 1 U in 42 units: the racks that leaves take, and the remedy; with either, no sentence."""
    hosts = tmp_path / "hosts.toml"
    said = (
        r"A leaf and its 42 hosts take 43 units, and a rack has 42: 1 rack holds leaves without hosts, and 336 cables"
    )
    for count, units, expected in ((42, 42, True), (41, 42, False), (42, 43, False)):
        hosts.write_text(f"[host]\nu = 1\n[rack]\nu = {units}\n")
        options = ("--map", "rows", "--parts", "infiniband-2026", "--rate", "400", "--server", str(hosts))
        printed = run(f"clos:leaves=8,spines=4,hosts={count}", "--floor", "koibuchi-2013", *options)
        assert bool(re.search(said, printed)) == expected
        assert ("With at most 41 hosts per leaf, or u = 43 in [rack]" in printed) == expected


def test_leaves_of_racks_with_little_power_are_named(tmp_path):
    """Ten hosts of 1 kW and a leaf in 10.01 kW: the limit is named, in watts."""
    hosts = tmp_path / "hosts.toml"
    hosts.write_text("[host]\nu = 1\npower_w = 1_000\n[rack]\nu = 42\npower_w = 10_010\n")
    options = ("--map", "rows", "--parts", "slimfly-2014", "--rate", "40", "--server", str(hosts))
    printed = run("clos:leaves=8,spines=4,hosts=10", "--floor", "koibuchi-2013", *options)
    assert re.search(r"A leaf and its 10 hosts take 10,0[0-9]{2} W, and a rack has 10,010: [0-9]+ rack", printed)
