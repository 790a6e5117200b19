"""Grids and diagrids: distances along their lines."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoloom.core.errors import InputError
from topoloom.graph.geometry import Geometry, geometry_of, longest_link
from topoloom.model.topology import Topology

PAPER = json.loads((Path(__file__).parents[1] / "reference" / "paper001_bounds.json").read_text())


def all_distances(geometry):
    """Distance of every ordered pair."""
    every = np.arange(len(geometry.points))
    return geometry.distance(every[:, None], every)


@pytest.mark.parametrize(
    ("geometry", "key", "farthest"),
    [(Geometry.grid(10, 10), "grid_10x10", 18), (Geometry.diagrid(14, 7), "diagrid_14_rows_of_7", 13)],
)
def test_mean_and_largest_distance(geometry, key, farthest):
    """Nakano 2016, VI and errata of Nakano 2016,
    3: a 10 x 10 grid and a diagrid of 14 rows of 7 have nearly the same mean distance.
    """
    found = all_distances(geometry)
    n = len(geometry.points)
    assert found.max() == farthest
    assert found.sum() / (n * (n - 1)) == pytest.approx(PAPER["mean_distance"][key])


def test_neighbours_in_a_diagrid():
    """Errata Nakano 2016, 4: horizontal neighbours are 2 apart, diagonal ones 1, along even and odd rows."""
    diagrid = Geometry.diagrid(4, 3)
    assert [int(diagrid.distance(a, b)) for a, b in [(0, 1), (0, 3), (1, 3), (3, 4), (3, 6), (3, 7), (0, 6)]] == [
        2,
        1,
        1,
        2,
        1,
        1,
        2,
    ]


@given(
    st.lists(st.tuples(st.integers(-5, 9), st.integers(-4, 7)), min_size=1, max_size=30),
    st.sampled_from(["grid", "diagrid"]),
    st.integers(1, 6),
)
def test_points_within_are_those_that_distances_count(points, kind, length):
    """The table of prefix sums counts, for scattered and repeated points too, what all the distances say."""
    geometry = Geometry(np.array(points), kind)
    found = geometry.points_within(length)
    distances = all_distances(geometry)
    for i in range(found.shape[1]):
        assert found[:, i].tolist() == (distances <= i * length).sum(axis=1).tolist()
    assert (found[:, -1] == len(points)).all()


def test_labels_tell_the_geometry():
    """x and y make a grid, row and column a diagrid, anything else nothing; a link's length is the distance it spans."""
    links = [(0, 3), (1, 2)]
    grid = Topology(links=links, switches=4, labels={"x": [0, 1, 0, 1], "y": [0, 0, 1, 1]})
    diagrid = Topology(links=links, switches=4, labels={"column": [0, 1, 0, 1], "row": [0, 0, 1, 1]})
    assert geometry_of(grid).kind == "grid"
    assert longest_link(grid, geometry_of(grid)) == 2
    assert geometry_of(diagrid).kind == "diagrid"
    assert longest_link(diagrid, geometry_of(diagrid)) == 3
    assert geometry_of(Topology(links=links, switches=4, labels={"x": [0, 1, 2, 3]})) is None
    assert longest_link(Topology(links=[], switches=4), Geometry.grid(2, 2)) == 0


def test_empty_grids_are_refused():
    """A grid of no rows holds nothing."""
    with pytest.raises(InputError, match="at least 1"):
        Geometry.grid(0, 5)
