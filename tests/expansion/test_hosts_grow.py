"""Growth of hosts with several ports, of hosts in racks, and into idle ports: what stands stays, plans check themselves."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from topoloom import InputError, build, check_plan, expand, load_expansion, place, save_expansion
from topoloom.cabling.expansion.stages import switches_of_hosts
from topoloom.cost.facility import supplies
from topoloom.cost.terms import Terms
from topoloom.placement.hosts.housing import HostType, Housing, RackRule

ROOM = Housing(host=HostType(name="srv", u=8, power_w=10_000), rack=RackRule(u=48, power_w=45_000, price_usd=2_000))
#: What stands, what it becomes, and the cables between switches that are removed: none where the tree was sized for it.
GROWING = {
    "rails": ("fat-tree:k=8,hosts=16+rails:nics=4", "fat-tree:k=8,hosts=32+rails:nics=4", 8),
    "rails, second unit": ("pgft:m=4x4,w=1x4,p=1x2+rails:nics=4", "pgft:m=4x8,w=1x4,p=1x2+rails:nics=4", 0),
    "idle ports of rails": (
        "fat-tree:k=8,hosts=32+rails:nics=4+populated:hosts=5",
        "fat-tree:k=8,hosts=32+rails:nics=4",
        0,
    ),
    "idle ports, hosts with one port": ("slimfly:q=5,hosts=4+populated:hosts=101", "slimfly:q=5,hosts=4", 0),
    "nics on one switch": ("torus:dims=4x4,hosts=4+nics:count=2", "torus:dims=4x6,hosts=4+nics:count=2", 4),
    "two planes with rails": (
        "pgft:m=4x4,w=1x4,p=1x2+rails:nics=2+planes:count=2",
        "pgft:m=4x8,w=1x4,p=1x2+rails:nics=2+planes:count=2",
        0,
    ),
}


def _cables(cabling):
    """Every cable by its number: kind, both ends with their ports, product."""
    return {row["cable"]: (row["kind"], row["a"], row["a_port"], row["b"], row["b_port"]) for row in cabling.rows()}


@pytest.mark.parametrize("housed", [False, True], ids=["with switches", "in racks"])
@pytest.mark.parametrize("name", GROWING)
def test_what_stands_stays_and_the_plan_checks_itself(name, housed, tmp_path):
    """Hosts keep their ports, switches and racks; the folder's check carries the plan out, and reads back as the same plan."""
    before, goal, removed = GROWING[name]
    layout = place(build(before), "koibuchi-2013", map="rows", housing=ROOM if housed else None)
    plan = expand(layout, into=build(goal), host_cables=True)
    assert plan.hosts == build(goal).hosts
    assert plan.removed == removed
    standing, now = plan.before.layout, plan.after.layout
    assert now.rack_names == tuple(sorted(now.rack_names, key=now.slots.names.index))
    assert np.array_equal(now.slot[: standing.topology.switches], standing.slot) or now.slots.columns
    hosts = switches_of_hosts(standing.topology.endpoints, standing.topology.host)
    assert switches_of_hosts(now.topology.endpoints, now.topology.host)[: len(hosts)] == hosts
    listed = _cables(plan.after)
    assert sum(listed.get(number) == cable for number, cable in _cables(plan.before).items()) == plan.kept
    if housed:
        assert now.housing == ROOM
        assert [now.rack_names[r] for r in now.host_rack[: len(hosts)]] == [
            standing.rack_names[r] for r in standing.host_rack
        ]
        assert now.hosts_per_rack <= 4  # 45 kW
        units = np.bincount(now.host_rack, minlength=now.racks) * 8 + np.bincount(now.rack, minlength=now.racks)
        assert units.max() <= 48
    save_expansion(plan, tmp_path / "plan")
    assert check_plan(tmp_path / "plan").cables == len(plan.after)
    again = load_expansion(tmp_path / "plan")
    assert again.record() == plan.record()
    assert again.after.layout.housing == now.housing


def test_racks_and_adapters_are_in_the_cost():
    """16 more hosts of four in a rack, and eight leaves in one rack of switches: racks at their price."""
    small, large = "pgft:m=4x4,w=1x4,p=1x2+rails:nics=4", "pgft:m=4x8,w=1x4,p=1x2+rails:nics=4"
    plan = expand(place(build(small), "koibuchi-2013", map="rows", housing=ROOM), into=build(large))
    assert plan.hosts - build(small).hosts == 4
    assert plan.cost.racks_usd == 2_000 * plan.racks_new > 0
    assert plan.cost.by_kind.keys() == {
        "switches",
        "cables",
        "transceivers",
        "adapters",
        "racks",
        "installation",
        "moving",
    }
    assert plan.cost_usd["total"] == pytest.approx(sum(plan.cost.by_kind.values()))


def test_grown_racks_supply_their_transceivers():
    """Four hosts of 10 kW fit into 40,050 W, but not with their cables: `place` and `expand` put three into a rack."""
    host = HostType(name="srv", u=8, power_w=10_000, nics=4)
    room, sold = Housing(host=host, rack=RackRule(u=48, power_w=40_050)), {"parts": "infiniband-2026", "rate_gbps": 400}
    small, large = (build(f"pgft:m=4x{leaves},w=1x4,p=1x2+rails:nics=4") for leaves in (4, 8))
    terms = Terms().changed(**sold)
    layout = place(small, "koibuchi-2013", map="rows", housing=room, **sold)
    plan = expand(layout, into=large, **sold)
    fresh = place(large, "koibuchi-2013", map="rows", housing=room, **sold)
    for whole in (plan.after.layout, fresh):
        assert max(rack.max_w for rack in supplies(whole, terms)) <= 40_050
        assert whole.hosts_per_rack == 3
    assert plan.after.layout.housing == room
    # An existing rack that its new cables overload is named.
    tight = msgspec.structs.replace(room, rack=RackRule(u=48, hosts=3, power_w=30_072))
    with pytest.raises(InputError, match=r"rack A02 takes 30,[0-9]+ W with its transceivers and cables, but its limit"):
        expand(replace(fresh, housing=tight), into="pgft:m=4x16,w=1x4,p=1x2+rails:nics=4", **sold)


def test_hosts_whose_leaves_part_are_refused():
    """Rails of four leaves cannot become rails of two: a host would have to move."""
    with pytest.raises(InputError, match=r"host 0 has ports on switches 0, 1, 2, 3, and no free host"):
        expand(build("pgft:m=4x4,w=1x4,p=1x2+rails:nics=4"), into=build("pgft:m=4x8,w=1x4,p=1x2+rails:nics=2"))
