"""Racks of hosts: filled by units, watts and hosts, leaves where they are wanted, every host cable as long as it runs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import build, place
from topoloom.core.errors import InputError
from topoloom.placement.hosts.housing import HostType, Housing, RackRule, host_names
from topoloom.placement.hosts.racks import HOSTS, LEAVES, SPINES, racks_of_units

NO_LIMITS = np.full(3, np.inf)
#: DGX H100 in racks of 44 kW: four each, and eight leaves in the middle of a unit's eight racks (SuperPOD H100, RA V11).
POD = Housing(
    host=HostType(name="DGX H100", nics=8, u=8, power_w=10_200), rack=RackRule(u=48, power_w=44_000, leaf="mor")
)


def test_a_superpod_stands_as_its_reference_architecture_says():
    """127 hosts in racks of four, a rack of eight leaves in the middle of every unit's, the spines in the middle of all."""
    pod = build("fat-tree:hosts=1016,k=64+rails:nics=8")
    racks = racks_of_units(pod, POD, 1_700.0, NO_LIMITS)
    kinds = "".join("hls"[kind] for kind in racks.kind)
    unit = "hhhhlhhhh"
    assert kinds == unit * 2 + "s" + unit * 2
    assert np.bincount(racks.host).max() == 4
    switches = np.bincount(racks.switch, minlength=len(racks))
    assert switches[racks.kind == LEAVES].tolist() == [8] * 4
    assert switches[racks.kind == SPINES].tolist() == [16]
    loads = racks.loads(10_200, 1_700)
    assert loads[:, 2].max() <= 44_000


def test_small_units_stand_under_their_own_leaf():
    """A leaf with four hosts of two units fits a rack: it stands on top of them, and their cables stay inside."""
    housing = Housing(host=HostType(nics=1, u=2), rack=RackRule(u=12))
    layout = place(build("fat-tree:k=8,hosts=64"), "koibuchi-2013", housing=housing, map="rows")
    assert layout.housing == housing
    assert not layout.host_between.any()
    assert np.array_equal(layout.host_length_m, np.full(64, layout.floor.inside_m))


@settings(max_examples=examples(40), deadline=None)
@given(
    st.sampled_from(
        ["fat-tree:k=8,hosts=64", "slimfly:q=5,hosts=4", "fat-tree:k=8,hosts=64+rails:nics=4", "ring:n=5,hosts=3"]
    ),
    st.integers(1, 4),
    st.sampled_from([None, 4_000.0, 9_000.0]),
    st.sampled_from(["auto", "mor", "eor"]),
    st.integers(1, 5),
)
def test_every_rack_holds_what_it_may(spec, units, power_w, leaf, row):
    """Units and watts of every rack are within its own; every host and switch stands in one; kinds are true."""
    network = build(spec)
    housing = Housing(host=HostType(u=units, power_w=700), rack=RackRule(u=12, power_w=power_w, leaf=leaf, row=row))
    racks = racks_of_units(network, housing, 300.0, NO_LIMITS)
    loads = racks.loads(700, 300)
    assert (loads[:, 0] + loads[:, 1] * units <= 12).all()
    assert power_w is None or (loads[:, 2] <= power_w).all()
    assert loads[:, 0].sum() == network.switches
    assert loads[:, 1].sum() == network.hosts
    assert ((loads[:, 1] > 0) == (racks.kind == HOSTS)).all()


def test_host_cables_run_from_leaf_to_rack():
    """Each is as long as the distance of the two racks and what the floor adds; in the leaf's rack, as inside."""
    pod = build("fat-tree:hosts=512,k=64+rails:nics=8")
    layout = place(pod, "koibuchi-2013", housing=POD, map="rows")
    place_m = layout.slots.place_m
    apart = np.abs(place_m[layout.slot[pod.endpoints]] - place_m[layout.host_slot[pod.host]]).sum(axis=1)
    assert np.allclose(layout.host_length_m, apart + 2 * layout.floor.overhead_end_m)
    assert layout.host_total_m == pytest.approx(layout.host_length_m.sum())


def test_the_search_never_lengthens_the_cables():
    """Racks in the order of their units are where it begins; hosts' cables count."""
    pod = build("fat-tree:hosts=512,k=64+rails:nics=8")
    total = {}
    for how in ("rows", "joint"):
        layout = place(pod, "koibuchi-2013", housing=POD, map=how)
        total[how] = layout.total_m + layout.host_total_m
    assert total["joint"] <= total["rows"]


@pytest.mark.parametrize(
    ("host", "rack", "words"),
    [
        (
            {"nics": 8, "u": 10, "power_w": 14_300, "name": "DGX B200"},
            {"power_w": 10_000},
            r"10,000 W holds no host of 14,300 W .*'DGX B200'",
        ),
        ({"nics": 8, "u": 50}, {}, "a rack of 42 units holds no host"),
        ({"nics": 8, "name": "MI300X"}, {}, r"the height of the host 'MI300X' is not known: give `u` in \[host\]"),
        ({"nics": 2}, {}, r"host 0 has 8 ports on the network, but 'host' has 2 \(2 x 1\)"),
        (
            {"nics": 8, "u": 8},
            {"leaf": "tor"},
            r"leaf = \"tor\": 32 hosts and their 8 switches do not fit into one rack",
        ),
    ],
)
def test_what_no_rack_can_hold_is_said(host, rack, words):
    """One sentence that names the two numbers that do not go together."""
    pod = build("fat-tree:hosts=512,k=64+rails:nics=8")
    with pytest.raises(InputError, match=words):
        place(pod, "koibuchi-2013", housing=Housing(host=HostType(**host), rack=RackRule(**rack)))


def test_networks_without_hosts_have_none_to_house():
    """And a floor with too few slots says how many racks are left."""
    with pytest.raises(InputError, match="has no hosts to put into racks"):
        place(build("petersen"), housing=Housing())


def test_names_count_from_one():
    """With as many digits as the last needs."""
    assert host_names(Housing(host=HostType(node="gpu")), 12_345)[-1] == "gpu12345"
    assert host_names(Housing(), 3)[0] == "node0001"
