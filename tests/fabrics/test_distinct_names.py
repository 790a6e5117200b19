"""Names that several nodes have: the GUID or the LID follows them wherever nodes are named."""

from dataclasses import replace

import numpy as np

from topoloom.fabric.compare import compare_fabrics
from topoloom.fabric.diagnosis.diagnose import diagnose
from topoloom.fabric.distinct_names import distinct_names, unplanned_nodes
from topoloom.fabric.exports.registry import write_export
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.identify import identify
from topoloom.model.topology import Topology

#: What a switch without a name reports.
DEFAULT = "SwitchIB Mellanox Technologies"
RING = Topology(links=[(0, 1), (1, 2), (0, 2)], switches=3, endpoints=[0, 1, 2])


def nameless():
    """Three switches without names, and hosts of which two have one name."""
    fabric = planned_fabric(RING)
    return replace(fabric, switch_names=(DEFAULT,) * 3, host_names=("n1", "N1", "n2"), made="found.net")


def test_names_are_unique_and_stay_where_they_are():
    """GUIDs follow the names that several nodes have; another name is not touched."""
    switches, hosts = distinct_names(nameless())
    assert switches == tuple(f"{DEFAULT} 0x{0x200000 + s:016x}" for s in range(3))
    assert hosts == ("n1 0x0000000000100000", "N1 0x0000000000100002", "n2")
    assert distinct_names(planned_fabric(RING)) == (("S0", "S1", "S2"), ("H0", "H1", "H2"))


def test_lids_and_numbers_where_guids_do_not_help():
    """Two devices with one GUID have LIDs; without LIDs they are counted."""
    same = np.full(3, 7, np.uint64)
    fabric = replace(nameless(), switch_guids=same, switch_lids=np.array([3, 4, 0], np.int32))
    assert distinct_names(fabric)[0] == (f"{DEFAULT} LID 3", f"{DEFAULT} LID 4", f"{DEFAULT} #3")


def test_findings_name_each_device():
    """The text, the nodes and the ends of a missing cable name the switches by GUID; so does an unplanned one."""
    plan = nameless()
    found = replace(plan, topology=RING.replace(links=RING.links[1:]), link_ports=plan.link_ports[1:])
    found = replace(found, **{name: getattr(plan, name)[1:] for name in ("link_width", "link_rate_gbps")})
    result = diagnose(plan, found, only=["TL101"])
    missing = result.diagnostics[0]
    ends = [f"{DEFAULT} 0x{0x200000 + s:016x}" for s in (0, 1)]
    assert missing.nodes == tuple(ends)
    assert all(end in missing.text for end in ends)
    assert {entry["actual"] for entry in result.comparison["switches"]} == {DEFAULT}


def test_an_unplanned_node_with_a_planned_name():
    """A switch that is not planned but has the name of a planned one is told apart by its GUID."""
    plan = planned_fabric(Topology(links=[(0, 1)], switches=2))
    found = replace(
        planned_fabric(RING.replace(endpoints=[], host=[])), switch_names=("S0", "S1", "S1"), made="found.net"
    )
    comparison = compare_fabrics(plan, found, identify(plan, found, "guid"), ports=False)
    assert comparison.names == ("S0", "S1", "S1 0x0000000000200002")
    assert comparison.nodes == ("switch S1 0x0000000000200002 is not in the plan",)


def test_cable_plans_of_nameless_fabrics(tmp_path):
    """The exports of cable plans take such a fabric."""
    write_export("ibutils", nameless(), tmp_path)
    assert f"{DEFAULT.replace(' ', '_')}_0x0000000000200001 P1" in (tmp_path / "fabric.topo").read_text()


def test_lists_do_not_depend_on_the_order_of_a_discovery():
    """Unplanned nodes are listed by name, numbers by value, whatever the order in the file."""
    names = ("s10", "S9", "s2", "s1")
    assert unplanned_nodes(np.array([-1, -1, -1, 0]), names).tolist() == [2, 1, 0]
