"""Racks as built: whole rack-scale units, the heights of all devices, and the limits of height, power, weight and air."""

import csv
import io
import itertools

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import build, cable, place
from topoloom.cabling.files import load_layout, save_cabling
from topoloom.cabling.labels import label
from topoloom.core.errors import InputError
from topoloom.network.opening import open_network
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.placement.hosts.rack_device import RackDevice
from topoloom.placement.hosts.racks import HOSTS, racks_of_units
from topoloom.placement.hosts.stack import Stack

NO_LIMITS = np.full(3, np.inf)
#: A rack of an NVL72 (48 units; docs.nvidia.com, DGX GB200 user guide and NVL72 AI factory): 18 compute trays, 9 NVLink switch
#: trays, 8 power shelves of 33 kW and two SN2201. Its trays draw all of its 120 kW here.
NVL72 = RackRule(
    u=48,
    power_w=132_000,  # half of the shelves
    unit_hosts=18,
    device=(
        RackDevice("power shelf", count=4, hosts_below=0, power_w=0),
        RackDevice("NVLink switch tray", count=9, hosts_below=8, power_w=0),
        RackDevice("power shelf", count=4, power_w=0),
        RackDevice("SN2201", count=2, power_w=0, weight_kg=7.41),
    ),
)
TRAY = HostType(name="GB200 tray", nics=4, u=1, power_w=120_000 / 18, scale_up=72)


def test_144_trays_of_gb200_are_8_racks_of_18():
    """A scalable unit of the DGX GB200 SuperPOD: 8 racks, 4 rails of 8 leaves with 18 trays each."""
    pod = build("fat-tree:hosts=576,k=64,leaf=18:18+rails:nics=4")
    layout = place(pod, "koibuchi-2013", housing=Housing(host=TRAY, rack=NVL72), map="rows")
    full = np.bincount(layout.host_rack, minlength=layout.racks)
    assert sorted(full[full > 0].tolist()) == [18] * 8
    # Two power shelves of 4 units, 18 + 9 trays, 2 switches: 37 of 48 units; no network switch stands between them.
    assert {layout.stack.height(0, count) for count in full[full > 0].tolist()} == {37}
    assert not np.bincount(layout.rack, minlength=layout.racks)[full > 0].any()


@pytest.mark.parametrize("hosts", [1, 17, 18, 19, 144, 159, 160])
def test_rack_scale_units_stay_whole(hosts):
    """Hosts 0 to 17 stand in one rack, hosts 18 to 35 in another, and so on, whatever leaves they share."""
    pod = build(f"fat-tree:hosts=640,k=64+rails:nics=4+populated:hosts={hosts}")
    racks = racks_of_units(pod, Housing(host=TRAY, rack=NVL72), 1_700.0, NO_LIMITS)
    unit = np.arange(hosts) // 18
    assert len(np.unique(racks.host)) == -(-hosts // 18)
    assert all(len(np.unique(racks.host[unit == each])) == 1 for each in range(unit[-1] + 1))
    assert (np.bincount(racks.host, minlength=len(racks)) <= 18).all()


def test_two_half_units_share_a_rack():
    """A rack of 36 hosts holds two units of 16, not 36 hosts; three racks hold 5 units as 2, 2 and 1."""
    pod = build("fat-tree:hosts=384,k=64+rails:nics=4+populated:hosts=80")
    rule = RackRule(u=40, unit_hosts=16)
    racks = racks_of_units(pod, Housing(host=TRAY, rack=rule), 0.0, NO_LIMITS)
    full = np.bincount(racks.host, minlength=len(racks))
    assert full[racks.kind == HOSTS].tolist() == [32, 32, 16]


@pytest.mark.parametrize(
    ("host", "rack", "each"),
    [
        # DGX H100: 8 units and 10.2 kW, four per rack (DGX SuperPOD H100, RA-11333-001: 38 racks for 127 hosts and the rest).
        (HostType(u=8, power_w=10_200), RackRule(u=48, power_w=44_000, leaf="mor"), 4),
        # DGX B200: 10 units and 14.3 kW, two per rack of 28.6 kW, four per rack of 57.2 kW.
        (HostType(u=10, power_w=14_300), RackRule(u=48, power_w=28_600, leaf="mor"), 2),
        (HostType(u=10, power_w=14_300), RackRule(u=48, power_w=57_200, leaf="mor"), 4),
        # DGX B300: 10 units, about 56 kW for four.
        (HostType(u=10, power_w=14_000), RackRule(u=48, power_w=56_000, leaf="mor"), 4),
        # The same by weight (130 kg) and by air (1,105 CFM = 1,877 m³/h).
        (HostType(u=8, weight_kg=130.45), RackRule(u=48, load_kg=400, leaf="mor"), 3),
        (HostType(u=8, air_m3h=1_877), RackRule(u=48, air_m3h=4_000, leaf="mor"), 2),
    ],
)
def test_hosts_per_rack_by_height_power_weight_and_air(host, rack, each):
    """Every rack but the last of a unit is full: min(floor(rack / host)) over height, power, weight and air."""
    pod = build("fat-tree:hosts=1016,k=64+rails:nics=8+populated:hosts=127")
    racks = racks_of_units(pod, Housing(host=host, rack=rack), 1_700.0, NO_LIMITS)
    full = np.bincount(racks.host, minlength=len(racks))[racks.kind == HOSTS]
    assert full.max() == each
    assert len(full) == 3 * -(-32 // each) + -(-31 // each)
    assert full.min() >= each - 1


def test_whole_units_spread_over_the_racks():
    """Nine leaves of two hosts, four per rack by height: three racks of three, not 4, 4 and 1."""
    network = build("ring:n=9,hosts=2")
    racks = racks_of_units(network, Housing(host=HostType(u=2), rack=RackRule(u=20)), 0.0, NO_LIMITS)
    assert np.bincount(racks.switch).tolist() == [3, 3, 3]


def occupied(layout):
    """The units of each device, as (rack, unit) in halves of a unit, with the device."""
    spans = []
    stack, housing = layout.stack, layout.housing
    for switch, (rack, bottom) in enumerate(zip(layout.rack.tolist(), layout.height.tolist(), strict=True)):
        spans.append((rack, bottom, stack.switch_u, f"S{switch}"))
    for host, (rack, bottom) in enumerate(zip(layout.host_rack.tolist(), layout.host_unit.tolist(), strict=True)):
        spans.append((rack, bottom, stack.host_u, f"H{host}"))
    for rack in range(layout.racks):
        counts = int(layout.switches_in_rack[rack]), int(layout.hosts_in_rack[rack])
        units = stack.device_units(*counts)
        for device, unit in zip(stack.present(counts[1]), units, strict=True):
            if unit is not None:
                spans.append((rack, unit, device.u, device.name))
    return spans, housing


@settings(max_examples=examples(60), deadline=None)
@given(
    st.sampled_from(["fat-tree:k=8,hosts=64", "slimfly:q=5,hosts=4", "fat-tree:k=8,hosts=64+rails:nics=4"]),
    st.sampled_from([1, 1.5, 2, 4, 0.5, 0.25]),
    st.sampled_from([1, 2, 0.5, 3.3]),
    st.lists(
        st.builds(
            RackDevice,
            st.just("shelf"),
            count=st.integers(1, 3),
            racks=st.sampled_from(["hosts", "switches", "all"]),
            hosts_below=st.sampled_from([None, 0, 1, 3, 7]),
            u=st.integers(0, 3),
        ),
        max_size=3,
    ),
    st.sampled_from(["auto", "mor"]),
)
def test_no_two_devices_stand_in_one_unit(spec, host_u, switch_u, devices, leaf):
    """Spans of units of one rack are disjoint, begin at 1 and end within the rack, whose height in use they fill to its top."""
    housing = Housing(
        host=HostType(u=host_u), rack=RackRule(u=52, switch_u=switch_u, device=tuple(devices), leaf=leaf, hosts=9)
    )
    layout = place(build(spec), "koibuchi-2013", housing=housing, map="rows")
    spans, _ = occupied(layout)
    for rack in range(layout.racks):
        here = sorted((bottom, tall, name) for at, bottom, tall, name in spans if at == rack)
        counts = int(layout.switches_in_rack[rack]), int(layout.hosts_in_rack[rack])
        assert here[0][0] == 1
        if min(host_u, switch_u) >= 1:
            for (low, tall, name), (high, _, other) in itertools.pairwise(here):
                assert low + tall <= high + 1e-9, (name, other)
        top = max(bottom + tall - 1 for bottom, tall, _ in here)
        assert top <= housing.rack.u
        assert top <= layout.stack.height(*counts) + 1e-9 <= top + 1


def test_a_tall_switch_takes_its_units():
    """Q3400-RA has 4 units: with hosts in racks and without, its switches stand at units 1, 5, 9, ..."""
    for hosts in ("DGX B300", None):
        network = open_network("fat-tree:hosts=576,k=144+rails:nics=8").placed(
            "koibuchi-2013",
            parts="infiniband-2026",
            rate_gbps=800,
            map="rows",
            **({} if hosts is None else {"hosts": Housing(HostType(name=hosts, u=10), RackRule(u=48))}),
        )
        layout = network.layout
        for rack in range(layout.racks):
            heights = layout.height[layout.rack == rack]
            base = layout.stack.switch_base(int(layout.hosts_in_rack[rack]))
            assert heights.tolist() == [base + 1 + 4 * i for i in range(len(heights))]


def test_labels_and_lists_have_the_units(tmp_path):
    """Labels, cable list and host list name the same rack and unit; the folder opens as the same layout."""
    pod = build("fat-tree:hosts=576,k=64,leaf=18:18+rails:nics=4")
    layout = place(pod, "koibuchi-2013", housing=Housing(host=TRAY, rack=NVL72), map="rows")
    cables = cable(layout)
    save_cabling(cables, tmp_path / "pod")
    assert load_layout(tmp_path / "pod") == layout
    assert load_layout(tmp_path / "pod").housing == layout.housing

    def rows(name):
        return list(csv.DictReader(io.StringIO((tmp_path / "pod" / name).read_text())))

    hosts = {row["name"]: (row["rack"], row["unit"]) for row in rows("hosts.csv")}
    for row in rows("cables.csv"):
        if row["kind"] == "host":
            place_of, port = row["b_label"].split(" ")
            rack, unit = hosts[port.split(":")[0]]
            assert (row["b_rack"], row["b_height"]) == (rack, unit)
            assert place_of == f"{rack}-U{int(unit):02d}"
    texts = label(cables)
    for switch, text in enumerate(texts.switch):
        assert text == f"{layout.rack_names[layout.rack[switch]]}-U{layout.height[switch]:02d}"


@pytest.mark.parametrize(
    ("host", "rack", "words"),
    [
        (
            TRAY,
            msgspec.structs.replace(NVL72, u=20),
            r"a rack of 20 units and 132,000 W holds 1 host, but a rack-scale unit has 18",
        ),
        (TRAY, msgspec.structs.replace(NVL72, u=10), r"holds no host .* with the devices of \[rack\]"),
        (
            TRAY,
            msgspec.structs.replace(NVL72, leaf="tor"),
            r'32 hosts share leaves, which would divide .* give leaf = "mor"',
        ),
        (
            TRAY,
            RackRule(load_kg=900),
            r"load_kg is 900 kg, but weight_kg of 'GB200 tray' is not known; give it in \[host\]",
        ),
        (HostType(u=1, weight_kg=130), RackRule(load_kg=100), "a rack of 42 units and 100 kg holds no host"),
    ],
)
def test_what_does_not_fit_is_refused(host, rack, words):
    """One sentence that names the rack, the limit and the remedy."""
    pod = build("fat-tree:hosts=512,k=64+rails:nics=4")
    with pytest.raises(InputError, match=words):
        place(pod, "koibuchi-2013", housing=Housing(host=host, rack=rack))


def test_a_device_is_below_as_many_hosts_as_it_says():
    """Shelves at the bottom, trays above eight hosts, and the rest at the top: NVL72 from the bottom."""
    stack = Stack.of(Housing(host=TRAY, rack=NVL72))
    assert stack.host_bottoms(18).tolist() == [*range(5, 13), *range(22, 32)]
    assert stack.device_units(0, 18) == [1, 2, 3, 4, *range(13, 22), 32, 33, 34, 35, 36, 37]
    assert (stack.height(0, 18), stack.height(3, 18), stack.height(3, 0)) == (37, 40, 3)
