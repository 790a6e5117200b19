"""The networks of the page of records, measured anew."""

import json
from pathlib import Path

import pytest

from topoloom.formats import load
from topoloom.graph.bounds import bounds_of_order
from topoloom.optimizer.traffic_goals import order_bound, uniform_certificate

_FOLDER = Path(__file__).parents[2] / "docs" / "records"
_NETWORKS = json.loads((_FOLDER / "all-to-all.json").read_text())["networks"]


@pytest.mark.parametrize("record", _NETWORKS, ids=lambda record: record["file"])
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


def test_the_page_names_every_file():
    """Nothing is kept that the page does not show."""
    page = (_FOLDER.parent / "records.md").read_text()
    assert {path.name for path in _FOLDER.glob("*.edges")} == {record["file"] for record in _NETWORKS}
    for record in _NETWORKS:
        assert record["file"] in page
        assert f"{record['throughput']:.4f}" in page
