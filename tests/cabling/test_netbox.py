"""The NetBox files, read again by the rules of NetBox's bulk import."""

import json
from collections import Counter

import numpy as np
import pytest
from cabling_cases import FABRIC, odd_floor, stand

from netbox_import import imported, read
from topoloom import build, place
from topoloom.cabling.cabling import cable
from topoloom.cabling.labels import label
from topoloom.cabling.netbox import netbox_files
from topoloom.cabling.netbox_breakouts import carriers
from topoloom.cost.parts_files import load_parts
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout

ODD = odd_floor("A,1", '"B"', "=C;")
LAYOUTS = {
    "slimfly": stand(build("slimfly:q=5,hosts=4"), 10),
    "no slug": stand(FABRIC, 3, name="Ω"),
    "odd names": Layout(FABRIC, ODD, ODD.fixed, np.array([0, 0, 1, 1, 2, 2, 2], np.int32)),
    "more than a rack holds": stand(build("complete:n=120,hosts=1"), 120),
    "one each": stand(build("torus:dims=4x4,hosts=1"), 1, "nakano-grid"),
    "fractions": stand(build("torus:dims=4x4"), 2, "koibuchi-2013", width_m=1 / 3),
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("hosts", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_netbox_would_import_the_files(layout, hosts):
    """Read by NetBox's rules in the order given, a rack for each rack, a device for each switch, a cable each."""
    done = cable(layout, host_cables=hosts)
    tables = imported(netbox_files(done, label(done)))
    topology = layout.topology
    assert [row["name"] for row in tables["racks.csv"]] == [name.strip() for name in layout.rack_names]
    placed = {row["name"]: row for row in tables["devices.csv"]}
    assert len(placed) == topology.switches + (topology.hosts if hosts else 0)
    for switch in range(topology.switches):
        device = placed[f"S{switch}"]
        assert device["rack"] == layout.rack_names[layout.rack[switch]].strip()
        assert device["position"] in (str(layout.height[switch]), "" if layout.height[switch] > 100 else "never")
    ends = {
        frozenset((row[f"side_{side}_device"], row[f"side_{side}_name"]) for side in "ab")
        for row in tables["cables.csv"]
    }
    ports = zip(topology.links.tolist(), topology.link_ports.tolist(), strict=True)
    assert {frozenset([(f"S{u}", f"P{p}"), (f"S{v}", f"P{q}")]) for (u, v), (p, q) in ports} <= ends
    assert len(ends) == len(topology.links) + (topology.endpoints.size if hosts else 0)
    assert len(tables["interfaces.csv"]) == 2 * len(topology.links) + topology.endpoints.size * (1 + hosts)
    assert np.allclose([float(row["length"]) for row in tables["cables.csv"]], done.bought.stock_m, atol=0.005)


def test_the_cable_columns_are_those_of_the_import():
    """The twelve columns, in NetBox's order; a medium becomes NetBox's word for it."""
    done = cable(LAYOUTS["slimfly"])
    text = netbox_files(done, label(done))["cables.csv"]
    assert text.splitlines()[0] == (
        "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,"
        "type,status,label,color,length,length_unit"
    )
    kinds = [row["type"] for row in read(text)]
    assert kinds == ["aoc" if medium == "fibre" else "dac-passive" for medium in done.medium]


#: Profiles of cables of one connector that a catalogue may need, with the most ends that each side may have (4.6.8).
PROFILES = {"single-1c2p": (1, 1), "breakout-1c2p-2c1p": (1, 2), "breakout-1c4p-4c1p": (1, 4)}


def several_links():
    """A cabling of 400 Gb/s with twin-port cages: hosts on breakouts, switches on cables of two links where they fit."""
    parallel = Topology(links=[(0, 2), (0, 2), (1, 2), (1, 2)], switches=3, endpoints=[0, 0, 0, 1, 1], host=range(5))
    layout = stand(parallel, 3)
    return cable(layout, "infiniband-2026", 400, host_cables=True)


def test_cables_of_several_links_are_one_object():
    """As many as are bought: the shares of their links sum to one; every link and every host is in one of them."""
    done = several_links()
    groups = carriers(done)
    assert sorted(row for group in groups for row in group) == list(range(len(done)))
    assert len(groups) == round(float(done.bought.share.sum()))
    assert sorted(map(len, groups)) == [1, 2, 2, 2, 2]


def test_netbox_4_7_would_import_breakouts():
    """Interfaces: channels of a cage that comes before them, each number once; cables: ends that are no channel, used once, as
    many as the profile has; followed through channels, they join the ports that the plain list joins."""
    done = several_links()
    files = netbox_files(done, label(done))
    interfaces = {}
    for row in read(files["4.7/interfaces.csv"]):
        key = row["device"], row["name"]
        assert key not in interfaces
        if row["parent"]:
            cage = interfaces[row["device"], row["parent"]]
            assert 1 <= int(row["channel_id"]) <= int(cage["channels"])
            assert int(cage["speed"]) == int(cage["channels"]) * int(row["speed"])
        interfaces[key] = row
    inside = {(k[0], row["parent"], row["channel_id"]): k for k, row in interfaces.items() if row["parent"]}
    assert len(inside) == sum(bool(row["parent"]) for row in interfaces.values())
    joined, used = set(), set()
    for row in read(files["4.7/cables.csv"]):
        sides = []
        for side in "ab":
            devices, names = row[f"side_{side}_device"].split(","), row[f"side_{side}_name"].split(",")
            assert len(devices) == len(names)
            ends = list(zip(devices, names, strict=True))
            assert all(not interfaces[end]["parent"] for end in ends)
            assert not used & set(ends)
            used |= set(ends)
            sides.append(ends)
        if row["profile"]:
            assert tuple(map(len, sides)) <= PROFILES[row["profile"]]
        ports = []
        for ends in sides:
            # A cage stands for its channels in their order, a port for itself.
            ports.append([])
            for end in ends:
                count = int(interfaces[end]["channels"] or 0)
                ports[-1] += [inside[(*end, str(k + 1))] for k in range(count) if (*end, str(k + 1)) in inside] or [end]
        assert len(ports[0]) == len(ports[1]) == len(row["label"].split("+"))
        joined |= {frozenset(pair) for pair in zip(*ports, strict=True)}
    plain = {
        frozenset((row[f"side_{side}_device"], row[f"side_{side}_name"]) for side in "ab")
        for row in read(files["cables.csv"])
    }
    assert joined == plain
    profiles = [row["profile"] for row in read(files["4.7/cables.csv"])]
    assert sorted(profiles) == ["breakout-1c2p-2c1p"] * 3 + ["single-1c2p"] * 2


def test_cages_of_several_rates_have_their_own_speed(tmp_path):
    """Hosts on breakouts of 4 x 100G, links on cables of 2 x 400G: cages of 400G and 800G, each with channels of one rate."""
    (tmp_path / "parts.toml").write_text("""
name = "two rates"
source = "made up for this test"
unpriced = ["switch"]

[[switch.product]]
name = "any"
ports = [{ count = 8, rate_gbps = 100 }, { count = 4, rate_gbps = 400 }]

[[switch.product]]
name = "spine"
ports = 8
rate_gbps = 400

[[cable]]
name = "breakout"
medium = "copper"
use = "any"
to = "host"
links = 4
breakout = true
rates_gbps = [100]
base_usd = 10

[[cable]]
name = "twin"
medium = "fibre"
use = "any"
links = 2
rates_gbps = [400]
base_usd = 50
""")
    parts = load_parts(tmp_path / "parts.toml")
    layout = place(build("pgft:m=8x2,w=1x1,p=1x4+rates:links=400,hosts=100"), map="rows", parts=parts)
    done = cable(layout, parts, host_cables=True)
    rows = read(netbox_files(done, label(done))["4.7/interfaces.csv"])
    cages = Counter((row["channels"], row["speed"]) for row in rows if row["channels"])
    # Two leaves of 8 hosts (2 breakouts each), 4 links each: 2 twin cables per leaf, with a cage at both ends.
    assert cages == {("4", "400000000"): 4, ("2", "800000000"): 8}
    speed = {(row["device"], row["name"]): int(row["speed"]) for row in rows}
    assert all(
        speed[row["device"], row["parent"]] == 4 * 100_000_000 or speed[row["device"], row["name"]] == 400_000_000
        for row in rows
        if row["parent"]
    )


def test_the_rest_data_has_the_same_cables():
    """A list for each side, with type, device and name; as many cables as the lines of the import."""
    done = several_links()
    files = netbox_files(done, label(done))
    for one, row in zip(json.loads(files["cables.rest.json"]), read(files["4.7/cables.csv"]), strict=True):
        for side in "ab":
            ends = one[f"{side}_terminations"]
            assert {end["object_type"] for end in ends} == {"dcim.interface"}
            assert ",".join(end["device"] for end in ends) == row[f"side_{side}_device"]
            assert ",".join(end["name"] for end in ends) == row[f"side_{side}_name"]
        assert one.get("profile", "") == row["profile"]
        assert one["label"] == row["label"]


def test_a_catalogue_of_single_cables_has_no_such_files():
    """Where every cable has one link, the plain files say all."""
    done = cable(LAYOUTS["slimfly"])
    assert "cables.rest.json" not in netbox_files(done, label(done))
