"""What the room supplies: sums of racks are the total, the total is the bill's and the hosts', limits are tested."""

import csv
import dataclasses
import io
import json

import msgspec
import numpy as np
import pytest

from topoloom import facility, price
from topoloom.cabling.cabling import cable
from topoloom.cabling.lists import racks_csv
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.facility import rack_power
from topoloom.designer.assessment.steps.cost import COST
from topoloom.designer.assessment.subject import Subject
from topoloom.network.opening import open_network
from topoloom.placement.floors.floor import preset
from topoloom.placement.floors.rows import row_names
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.placement.hosts.rack_device import FacilityRule, RackDevice
from topoloom.placement.layout.layout import Layout

#: DGX H100: 10.2 kW, 130.45 kg, 1,105 CFM, six inlets, four per rack (user guide; SuperPOD RA-11333-001).
H100 = Housing(
    host=HostType(name="DGX H100", air_m3h=1_105 * 1.699, inlets=6),
    rack=RackRule(u=48, power_w=44_000, leaf="mor"),
    facility=FacilityRule(pue=1.3),
)
POD = "fat-tree:hosts=1016,k=64+rails:nics=8+populated:hosts=127"
#: A switch of 2 units whose typical and maximum power, weight and airflow are known, and its cables.
PARTS = """
name = "made-up"
source = "made up for this test"
unpriced = ["switch", "cable"]

[[switch.product]]
name = "S64"
vendor = "Maker"
ports = 64
rate_gbps = 400
u = 2
power_w = 900
power_max_w = 2_000
weight_kg = 27
air_m3h = 500

[[cable]]
name = "copper"
medium = "passive copper"
use = "inside"
power_w_per_end = 0.1

[[cable]]
name = "fibre"
medium = "fibre"
use = "between"
modules = ["twin", "single"]

[[transceiver]]
name = "twin"
links = 2
side = "switch"
power_w = 15
power_max_w = 17

[[transceiver]]
name = "single"
side = "host"
power_w = 8
power_max_w = 9
"""
HOST = HostType(
    name="server", nics=1, u=2, power_w=1_000, typical_w=600, weight_kg=30, air_m3h=200, inlets=2, connector=None
)
#: The same without the maximum, so that transceivers and cables count in addition.
NO_MAXIMUM = PARTS.replace("power_max_w = 2_000\n", "")


def placed(spec, tmp_path, housing, parts=PARTS):
    """A network in a room, with the parts above."""
    path = tmp_path / "parts.toml"
    path.write_text(parts)
    return open_network(spec).placed("koibuchi-2013", hosts=housing, map="rows", parts=str(path), rate_gbps=400)


def added(supplies, name):
    """The sum of one field."""
    return sum(getattr(supply, name) or 0 for supply in supplies)


def test_racks_and_rows_add_up_to_the_room(tmp_path):
    """Every sum over the racks, and over the rows, is the total; the typical power is the bill's and that of the hosts."""
    housing = Housing(host=HOST, rack=RackRule(u=30, leaf="mor", row=3), facility=FacilityRule(air_k=15))
    network = placed("fat-tree:k=16,hosts=256", tmp_path, housing)
    room, bill = facility(network), price(network)
    for name in (field.name for field in dataclasses.fields(room.total) if field.name != "name"):
        for several in (room.racks, room.rows_of_floor):
            assert added(several, name) == pytest.approx(getattr(room.total, name) or 0), name
    total = room.total
    assert total.network_w == pytest.approx(bill.power_w)
    assert total.typical_w == pytest.approx(bill.power_w + 256 * 600)
    assert total.max_w == total.hosts_w + total.switches_w + total.optics_w
    assert total.hosts_w == 256 * 1_000
    assert total.switches_w == bill.switches * 2_000
    assert total.weight_kg == 256 * 30 + bill.switches * 27
    assert total.air_m3h == 256 * 200 + bill.switches * 500
    assert total.inlets == 512
    assert (total.max_unknown, total.typical_unknown, total.weight_unknown, total.air_unknown) == (0, 0, 0, 0)


def test_optics_count_where_they_are_plugged_in(tmp_path):
    """By hand: two switches of 4 hosts with 3 links between racks: 2 twin modules each, the odd port half used."""
    housing = Housing(host=HOST, rack=RackRule(u=12, leaf="tor"))
    room = facility(placed("complete:n=2,hosts=4", tmp_path, housing, NO_MAXIMUM))
    # Hosts hang on copper inside their rack: 4 cables, both ends of 0.1 W in the rack. The link needs one twin module per end.
    assert len(room.racks) == 2
    for rack in room.racks:
        assert rack.optics_w == pytest.approx(17 + 4 * 0.2)
        assert rack.network_w == pytest.approx(900 + 15 + 4 * 0.2)
        assert rack.max_w == pytest.approx(4 * 1_000 + 900 + 17 + 0.8)
    # A maker's maximum of the switch includes what is plugged into it.
    for rack in facility(placed("complete:n=2,hosts=4", tmp_path, housing)).racks:
        assert rack.optics_w == pytest.approx(4 * 0.1)
        assert rack.network_w == pytest.approx(900 + 15 + 4 * 0.2)
        assert rack.max_w == pytest.approx(4 * 1_000 + 2_000 + 4 * 0.1)


def test_the_superpod_of_127_h100():
    """1,295.4 kW of hosts in 32 racks of at most four and 508 twin modules; switches without a stated power are unknown."""
    network = open_network(POD).placed("koibuchi-2013", hosts=H100, map="rows", parts="infiniband-2026", rate_gbps=400)
    room = facility(network)
    hosts = [rack for rack in room.racks if rack.hosts]
    assert (len(room.racks), len(hosts)) == (37, 32)
    assert room.total.hosts_w == 127 * 10_200
    full = next(rack for rack in hosts if rack.hosts == 4)
    # Four twin modules of 17 W per host.
    assert full.max_w == 4 * (10_200 + 4 * 17)
    assert full.weight_kg == pytest.approx(4 * 130.45)
    assert full.air_m3h == pytest.approx(4 * 1_105 * 1.699)
    assert full.inlets == 24
    leaves = next(rack for rack in room.racks if rack.switches == 8)
    assert leaves.max_unknown == 8
    assert leaves.weight_kg is None or leaves.weight_unknown == 0
    assert room.total.max_unknown == 48
    power = rack_power(network.part(Layout), network.terms)
    assert power is not None
    words = dict(zip((rack.name for rack in room.racks), power.words, strict=True))
    assert words[full.name] == "41.1 kW"
    assert words[leaves.name] == f"at least {leaves.optics_w / 1000:,.1f} kW"
    assert power.unknown == 48
    assert room.facility_w == pytest.approx(1.3 * room.total.max_w)
    assert room.heat_btu_h == pytest.approx(3.412 * room.total.max_w, rel=1e-4)


def test_air_and_liquid_by_temperature(tmp_path):
    """1.76 CFM per W and K, and 14.3 L/min of water per kW and K; liquid takes its share of the heat."""
    host = msgspec.structs.replace(HOST, air_m3h=None, liquid_share=0.8, power_w=10_000)
    housing = Housing(host=host, rack=RackRule(u=20, leaf="mor"))
    network = placed("complete:n=2,hosts=4", tmp_path, housing)
    room = facility(network, air_k=16, liquid_k=10)
    hosts = [rack for rack in room.racks if rack.hosts]
    optics = added(hosts, "optics_w")
    typical_optics = added(hosts, "network_w") - sum(rack.switches * 900 for rack in hosts)
    assert optics > 0
    wanted = 1.76 * 1.699 * (8 * 10_000 * 0.2 + typical_optics) / 16
    assert added(hosts, "air_m3h") - sum(rack.switches * 500 for rack in hosts) == pytest.approx(wanted, rel=2e-3)
    assert room.total.liquid_w == pytest.approx(8 * 8_000)
    # 14.3 L/min per kW and K: 91.5 L/min of 64 kW and 10 K, all in the rack that holds the hosts.
    layout = network.part(Layout)
    for limits, words in (
        (
            {"rack_liquid_l_min": 45},
            r"rack \w+ needs 92 L/min, but its limit is 45: raise rack_liquid_l_min in \[facility\]",
        ),
        ({"row_liquid_l_min": 45}, r"row \w needs 92 L/min of liquid, but its limit is 45: raise row_liquid_l_min"),
        ({"liquid_l_min": 90}, r"all racks need 92 L/min of liquid, but \[facility\] liquid_l_min is 90"),
    ):
        limited = msgspec.structs.replace(housing, facility=FacilityRule(**limits))
        of_limits = dataclasses.replace(layout, housing=limited)
        with pytest.raises(InputError, match=words):
            facility(of_limits, network.terms.catalogue, 400, air_k=16, liquid_k=10)
        with pytest.raises(InputError, match="give liquid_k"):
            facility(of_limits, network.terms.catalogue, 400)
    assert room.total.liquid_l_min == pytest.approx(14.3 * 64 / 10, rel=2e-3)
    unknown = facility(network)
    assert (unknown.total.liquid_l_min, unknown.total.liquid_unknown) == (None, 8)
    assert unknown.total.air_unknown == 8


def test_a_rack_gives_what_no_product_says_of_a_switch(tmp_path):
    """Weight and airflow of `[rack]`, for switches whose product has none."""
    bare = PARTS.replace("weight_kg = 27\n", "").replace("air_m3h = 500\n", "")
    rack = RackRule(u=12, leaf="tor", switch_kg=25, switch_air_m3h=400)
    total = facility(placed("complete:n=2,hosts=4", tmp_path, Housing(host=HOST, rack=rack), bare)).total
    assert (total.weight_kg, total.air_m3h) == (8 * 30 + 2 * 25, 8 * 200 + 2 * 400)
    assert (total.weight_unknown, total.air_unknown) == (0, 0)
    known = facility(placed("complete:n=2,hosts=4", tmp_path, Housing(host=HOST, rack=rack))).total
    assert (known.weight_kg, known.air_m3h) == (8 * 30 + 2 * 27, 8 * 200 + 2 * 500), "a product's own figures count"


def test_the_heat_of_a_switch_with_its_optics_counts_once(tmp_path):
    """The air of all heat is that of the maximum power, whether the maximum of the switch includes its optics or not."""
    host = msgspec.structs.replace(HOST, air_m3h=None)
    housing = Housing(host=host, rack=RackRule(u=12, leaf="tor"))
    for parts in (PARTS, NO_MAXIMUM):
        network = placed("complete:n=2,hosts=4", tmp_path, housing, parts.replace("air_m3h = 500\n", ""))
        total = facility(network, air_k=16).total
        assert total.air_m3h == pytest.approx(1.76 * 1.699 * total.max_w / 16, rel=2e-3)


def test_what_is_not_known_is_counted_and_never_zero(tmp_path):
    """Hosts and switches without figures: None, and how many lack them."""
    bare = PARTS.replace("power_w = 900\n", "").replace("power_max_w = 2_000\n", "").replace("weight_kg = 27\n", "")
    housing = Housing(host=HostType(nics=1, u=2), rack=RackRule(u=12, device=(RackDevice("PDU", count=2, u=0),)))
    room = facility(placed("complete:n=2,hosts=4", tmp_path, housing, bare))
    total = room.total
    assert total.weight_kg is None
    assert (total.weight_unknown, total.max_unknown, total.typical_unknown) == (8 + 2 + 4, 8 + 2 + 4, 8 + 2 + 4)
    assert '"weight_kg": null' in json.dumps(room.record())
    rows = list(csv.DictReader(io.StringIO(room.csv())))
    assert rows[-1]["level"] == "total"
    assert rows[-1]["weight_kg"] == ""


@pytest.mark.parametrize(
    ("rack", "rule", "words"),
    [
        ({"power_w": 4_910}, {}, r"rack A01 takes 4,918 W, but its limit is 4,910: raise power_w in \[rack\]"),
        (
            {"feed_w": 3_500},
            {},
            r"rack A01 with 1 of 2 feeds takes 4,918 W, but its limit is 3,500: raise feed_w or feeds",
        ),
        ({"feed_w": 3_500, "feeds": 3}, {}, None),
        ({"feed_w": 3_500, "feeds": 1}, {}, "rack A01 with its feed takes"),
        (
            {"empty_kg": 100},
            {"rack_kg": 240},
            r"rack A01 weighs 247 kg, but its limit is 240: raise rack_kg in \[facility\]",
        ),
        ({}, {"rack_kg": 147}, None),
        ({}, {"power_w": 9_800}, r"all IT takes 9,836 W, but \[facility\] power_w is 9,800"),
        (
            {},
            {"row_power_w": 4_900},
            r"row A takes [0-9,]+ W, but its limit is 4,900: raise row_power_w in \[facility\]",
        ),
        ({}, {"row_power_w": 9_836}, None),
        ({}, {"row_air_m3h": 1_200}, r"row A needs [0-9,]+ m³/h of air, but its limit is 1,200: raise row_air_m3h"),
        ({}, {"row_air_m3h": 2_600}, None),
    ],
)
def test_limits_are_tested(rack, rule, words, tmp_path):
    """One sentence names the rack, the value, the limit and the remedy; at the limit nothing is refused."""
    housing = Housing(host=HOST, rack=RackRule(u=12, leaf="tor"))
    network = placed("complete:n=2,hosts=4", tmp_path, housing, NO_MAXIMUM)
    limited = Housing(host=HOST, rack=RackRule(u=12, leaf="tor", **rack), facility=FacilityRule(**rule))
    layout = dataclasses.replace(network.part(Layout), housing=limited)
    if words is None:
        facility(layout, network.terms.catalogue, 400)
    else:
        with pytest.raises(InputError, match=words):
            facility(layout, network.terms.catalogue, 400)


def test_a_floor_limits_the_power_of_a_rack(tmp_path):
    """The power of a place counts transceivers and cables, too."""
    path = tmp_path / "parts.toml"
    path.write_text(NO_MAXIMUM)
    floor = dataclasses.replace(preset("koibuchi-2013"), power_w_per_rack=4_910)
    housing = Housing(host=HOST, rack=RackRule(u=12, leaf="tor"))
    network = placed("complete:n=2,hosts=4", tmp_path, housing, NO_MAXIMUM)
    layout = dataclasses.replace(network.part(Layout), floor=floor, slots=floor.slots_for(2))
    with pytest.raises(
        InputError, match=r"rack A01 takes 4,918 W, but its limit is 4,910: raise the power of its place"
    ):
        facility(layout, network.terms.catalogue, 400)
    with pytest.raises(InputError, match="do not fit into one rack"):
        open_network("complete:n=2,hosts=4").placed(floor, hosts=housing, map="rows", parts=str(path), rate_gbps=400)


def test_rows_have_the_names_of_their_slots():
    """A01 to A03 are row A; slots without a common name have their y."""
    slots = preset("koibuchi-2013").slots_for(9)
    assert row_names(slots) == ["A"] * 3 + ["B"] * 3 + ["C"] * 3
    odd = dataclasses.replace(slots, names=("x", "y", "z", *slots.names[3:]))
    assert row_names(odd) == ["y 0 m"] * 3 + ["y 2.1 m"] * 3 + ["y 4.2 m"] * 3


def test_all_parts_of_the_program_have_one_sum_of_a_rack(tmp_path):
    """The command, the floor plan, the list of racks and the assessment: hosts, switches, optics and further devices."""
    device = RackDevice(name="shelf", count=2, power_w=55, weight_kg=9)
    housing = Housing(host=HOST, rack=RackRule(u=30, leaf="mor", device=(device,)))
    network = placed("fat-tree:k=16,hosts=64", tmp_path, housing)
    room, layout = facility(network), network.part(Layout)
    watts = [rack.max_w for rack in room.racks]
    by_hand = np.bincount(layout.host_rack, minlength=layout.racks) * (1_000 + 9)
    assert room.total.devices_w == 2 * 55 * sum(rack.hosts > 0 for rack in room.racks) > 0
    assert (np.array(watts) > by_hand).all()
    power = rack_power(layout, network.terms)
    assert power is not None
    assert power.max_w.tolist() == watts
    rows = list(csv.DictReader(io.StringIO(racks_csv(cable(network)))))
    assert [1000 * float(row["power_kw"]) for row in rows] == pytest.approx(watts)
    assert [row["power_unknown"] for row in rows] == ["0"] * len(rows)
    (figure,) = [one for one in COST.run(Subject(network), Work()).figures if one.key == "rack_w"]
    assert (figure.low, figure.value, figure.high) == (min(watts), max(watts), max(watts))


@pytest.mark.parametrize("limit", ["power_w", "feed_w"])
def test_racks_of_limited_power_supply_their_transceivers(tmp_path, limit):
    """Five servers of 1,000 W take 5,045 W with their modules of 9 W: a rack of 5,010 W holds four of them, not five."""
    watts = {"power_w": 5_010.0} if limit == "power_w" else {"feed_w": 1_670.0, "feeds": 4}
    parts = PARTS.replace("power_max_w = 2_000", "power_max_w = 1_500")
    for more, hosts in ((0.0, 4), (40.0, 5)):
        rule = {name: value + (more if name != "feeds" else 0) for name, value in watts.items()}
        housing = Housing(host=HOST, rack=RackRule(u=42, leaf="mor", **rule))
        room = facility(placed("fat-tree:k=16,hosts=60,levels=2", tmp_path, housing, parts))
        assert max(rack.hosts for rack in room.racks) == hosts
        assert max(rack.max_w for rack in room.racks) <= 5_010 + 3 * more


def test_a_limit_below_one_server_with_its_module_is_an_error(tmp_path):
    """1,000 W of a server fit, 1,009 W do not."""
    housing = Housing(host=HOST, rack=RackRule(u=42, leaf="mor", power_w=1_005.0))
    parts = PARTS.replace("power_max_w = 2_000", "power_max_w = 950")
    with pytest.raises(InputError, match=r"a rack of 42 units and 1,005 W holds no host of 1,009 W"):
        placed("fat-tree:k=16,hosts=60,levels=2", tmp_path, housing, parts)
