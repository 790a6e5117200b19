"""A layout and a cabling as results: records, tables, folders."""

import json

import numpy as np
import pytest

from topoloom import Cabling, Layout, build, cable, place
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.schemas import json_schema


@pytest.fixture(scope="module")
def layout():
    """A small network, row by row."""
    return place(build("slimfly:q=5,hosts=4"), "koibuchi-2013", map="rows")


def test_the_record_of_a_layout_is_json_with_its_sums(layout):
    """Its sums are those of the cables; every switch has its rack; the schema has its keys."""
    record = layout.record()
    assert json.loads(json.dumps(record)) == record
    assert record["total_m"] == pytest.approx(sum(row["length_m"] for row in layout.rows()))
    assert record["rack_of_switch"] == [layout.rack_names[rack] for rack in layout.rack]
    assert set(json_schema(Layout)["properties"]) == set(record)
    with pytest.raises(InputError, match="does not hold its floor"):
        Layout.from_record(record)


@pytest.mark.exhaustive
def test_two_equal_runs_give_the_same_record():
    """But for the timings."""
    records = [place(build("ring:n=40"), "koibuchi-2013", jobs=1).record() for _ in range(2)]
    for record in records:
        record["provenance"]["timings"] = {}
    assert records[0] == records[1]


def test_folders_come_back(layout, tmp_path):
    """`save` and `load` of a layout and of a cabling: the same switches, cables, ports and products."""
    layout.save(tmp_path / "layout")
    assert Layout.load(tmp_path / "layout") == layout
    cables = cable(layout, host_cables=True)
    cables.save(tmp_path / "cables")
    again = Cabling.load(tmp_path / "cables")
    assert again.rows() == cables.rows()
    assert np.array_equal(again.port, cables.port)
    assert again.record()["host_cables"] == 200


def test_a_cabling_has_a_row_a_cable(layout):
    """In the order of work; sums fit."""
    cables = cable(layout)
    rows = cables.rows()
    assert [row["cable"] for row in rows] == list(range(1, len(cables) + 1))
    assert cables.record()["total_m"] == pytest.approx(layout.total_m)
    assert set(json_schema(Cabling)["properties"]) == set(cables.record())


def test_work_that_is_stopped_ends_a_placement_with_what_it_has():
    """A whole layout, no worse than row by row, and it says who ended it."""
    network = build("jellyfish:n=512,degree=8")
    work = Work()
    work.stop()
    found = place(network, work=work)
    assert found.ended == "interrupted"
    assert found.total_m <= place(network, map="rows").total_m + 1e-6
    timed = Work(seconds=0.3)
    assert place(network, seconds=600, work=timed).ended == "deadline"
