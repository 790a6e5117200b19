"""The networks of the page of records, measured again."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from topoloom.formats import load
from topoloom.graph.bounds import bounds_of_order
from topoloom.graph.geometry import geometry_of, longest_link
from topoloom.graph.hops import hops
from topoloom.graph.host_switch_bounds import h_aspl_bound, h_diameter_bound
from topoloom.graph.path_lengths import path_lengths
from topoloom.optimizer.optimize import optimize
from topoloom.optimizer.traffic_goals import order_bound, uniform_certificate
from topoloom.topologies.spec import build

_ROOT = Path(__file__).parents[2]
_FOLDER = _ROOT / "docs" / "records"
_KINDS = runpy.run_path(str(_ROOT / "tools" / "records.py"))["KINDS"]
_RECORDS = {kind: json.loads((_FOLDER / f"{kind}.json").read_text())["networks"] for kind in _KINDS}
_ALL = [record for records in _RECORDS.values() for record in records]


def _by_file(record):
    return record["file"]


@pytest.mark.parametrize("record", _RECORDS["all-to-all"], ids=_by_file)
def test_the_files_are_worth_what_is_said(record):
    """Order, degree, the throughput as flow and as dual, and the bound of the order."""
    network = load(_FOLDER / record["file"])
    assert network.switches == record["switches"]
    assert set(network.degrees.tolist()) == {record["degree"]}
    flow = uniform_certificate(network)
    assert flow.lower == pytest.approx(record["throughput"], abs=1e-6)
    assert flow.upper == pytest.approx(record["throughput"], abs=1e-6)
    bound = order_bound(network, bounds_of_order(record["switches"], record["degree"]).aspl)
    assert bound == pytest.approx(record["bound"], abs=1e-6)


@pytest.mark.parametrize("record", [*_RECORDS["order-degree"], *_RECORDS["grids"]], ids=_by_file)
def test_hops_are_those_that_are_said(record):
    """Order, degree, diameter and ASPL; on a grid no link is longer, where the spec has the switches."""
    network = load(_FOLDER / record["file"])
    if "spec" in record:
        placed = build(record["spec"]).replace(links=network.links)
        assert network.switches == placed.switches
        assert longest_link(placed, geometry_of(placed)) <= record["length"]
    else:
        assert network.switches == record["switches"]
    assert int(network.degrees.max()) == record["degree"]
    assert np.ptp(network.degrees) <= 1
    found = path_lengths(network)
    assert found.diameter == record["diameter"]
    assert found.aspl == pytest.approx(record["aspl"], abs=1e-6)
    assert record["aspl"] >= record["aspl_bound"]


@pytest.mark.parametrize("record", _RECORDS["host-switch"], ids=_by_file)
def test_hosts_are_as_far_apart_as_said(record):
    """Hosts, switches, ports, h-diameter and h-ASPL, and the bounds of any network with these hosts and ports."""
    network = load(_FOLDER / record["file"])
    assert (network.hosts, network.switches) == (record["hosts"], record["switches"])
    assert network.radix <= record["radix"]
    found = hops(network)
    assert found.host_diameter + 2 == record["h_diameter"] >= record["h_diameter_bound"]
    assert found.h_aspl == pytest.approx(record["h_aspl"], abs=1e-6)
    assert record["h_diameter_bound"] == h_diameter_bound(record["hosts"], record["radix"])
    assert record["h_aspl_bound"] == pytest.approx(h_aspl_bound(record["hosts"], record["radix"]), abs=1e-6)
    page = (_FOLDER.parent / "reference" / "record-graphs.md").read_text()
    assert f"{record['h_aspl']:.4f}" in page


def test_a_command_gives_its_file_again():
    """Same moves and seed on one thread: the same graph."""
    (record,) = (record for record in _RECORDS["order-degree"] if record["file"] == "order-degree-36-3.edges")
    words = record["command"].split()
    assert words[:5] == ["topoloom", "optimize", "jellyfish:n=36,degree=3", "--start", "structured"]
    again = optimize(build(words[2]), start="structured", moves=int(words[6]), seed=1, jobs=1)
    assert again.topology.digest == load(_FOLDER / record["file"]).digest


def test_the_page_names_every_file():
    """Nothing is kept that the page does not show."""
    page = (_FOLDER.parent / "reference" / "record-graphs.md").read_text()
    files = {path.name for path in _FOLDER.iterdir() if path.suffix in {".edges", ".orp"}}
    assert files == {record["file"] for record in _ALL}
    for record in _ALL:
        assert record["file"] in page
        if "h_aspl" in record:
            continue
        assert f"{record['throughput']:.4f}" in page if "throughput" in record else f"{record['aspl']:.4f}" in page
