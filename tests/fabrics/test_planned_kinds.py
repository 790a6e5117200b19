"""Which devices are switches and which hosts: the plan decides, in Python, on the command line and in a plain record alike."""

import json

import pytest

from in_process import run
from topoloom import diagnose, open_network
from topoloom.fabric.compare import compare_fabrics
from topoloom.fabric.identify import identify
from topoloom.fabric.planned_kinds import as_planned
from topoloom.operations.context import RunContext
from topoloom.operations.operation import OPERATIONS, operation_of

#: Names and ports that do not tell: x1 and x2 are servers, y1 and y2 switches.
CABLES = [("y1", "p1", "x1", "p1"), ("y2", "p1", "x2", "p1"), ("y1", "p9", "y2", "p9")]


@pytest.fixture
def files(tmp_path):
    """A plan with the kinds of devices, and a folder of neighbours without them; x2 is in another port than planned."""
    kind = {"x": "Host", "y": "Switch"}
    rows = [f"{a},{kind[a[0]]},{p},{b},{kind[b[0]]},{q}" for a, p, b, q in CABLES]
    plan = tmp_path / "plan.csv"
    plan.write_text("\n".join(["A-Node Name,A-Type,A-Port,Z-Node Name,Z-Type,Z-Port", *rows]) + "\n")
    folder = tmp_path / "lldp"
    folder.mkdir()
    for device in ("x1", "x2", "y1", "y2"):
        heard = []
        for a, p, b, q in [(*CABLES[0],), ("y2", "p2", "x2", "p1"), (*CABLES[2],)]:
            for port, far, at in ((p, b, q), (q, a, p)):
                if device == (a if far == b else b):
                    entry = {"id": {"type": "ifname", "value": at}}
                    heard.append({port: {"via": "LLDP", "chassis": {far: {"id": {}}}, "port": entry}})
        (folder / f"{device}.json").write_text(json.dumps({"lldp": {"interface": heard}}))
    return plan, folder


def test_the_three_ways_give_the_same(files):
    """Without the plan all four are switches; with it, the same diagnostics from each surface."""
    plan, folder = files
    found = open_network(folder)
    assert found.fabric.topology.hosts == 0
    arguments = {"plan": str(plan), "actual": str(folder)}
    of_python = diagnose(plan, found).record()["diagnostics"]
    assert [entry["code"] for entry in of_python] == ["TL105"]
    assert run("verify", plan, folder, "--json").record["diagnostics"] == of_python
    assert operation_of(OPERATIONS.find("verify"), arguments).run(RunContext()).record()["diagnostics"] == of_python


def test_what_is_matched_by_hand_is_made_as_planned_before(files):
    """`as_planned`, then `identify`, then `compare_fabrics` give the comparison of `diagnose`."""
    plan, found = (open_network(path).fabric for path in files)
    there = as_planned(plan, found)
    assert (there.topology.switches, there.topology.hosts) == (2, 2)
    assert as_planned(plan, there) is there
    match = identify(plan, there)
    by_hand = compare_fabrics(plan, there, match)
    assert by_hand.record()["faults"] == diagnose(plan, found).comparison["faults"]
    assert diagnose(plan, there, match=match).comparison["faults"] == by_hand.record()["faults"]
