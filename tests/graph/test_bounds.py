"""Moore's, Cerf's and the grid bounds, against the recomputed tables of Nakano 2016."""

import json
import math
from pathlib import Path

import pytest
from graph_cases import regular, ring, topologies
from hypothesis import given
from hypothesis import strategies as st

from topoloom.core.errors import InputError
from topoloom.graph.bounds import Bounds, bounds, bounds_on_grid
from topoloom.graph.geometry import Geometry
from topoloom.graph.grid_bounds import BalancedPairs, balanced_pairs, grid_bounds, most_within
from topoloom.graph.hops import hops
from topoloom.graph.moore import moore_aspl, moore_diameter, moore_order, moore_within
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

PAPER = json.loads((Path(__file__).parents[1] / "reference" / "paper001_bounds.json").read_text())
GRID = Geometry.grid(30, 30)


@pytest.mark.parametrize(
    ("geometry", "key"),
    [
        (Geometry.grid(10, 10), "grid_10x10_degree_4_length_3"),
        (Geometry.diagrid(14, 7), "diagrid_14_rows_of_7_degree_4_length_3"),
    ],
)
def test_functions_and_bounds_of_tables_one_and_three(geometry, key):
    """Nakano 2016, Tables I and III: m, d and md of a corner, and D-, A-, A_m- and A_d-."""
    found, expected = grid_bounds(geometry, degree=4, length=3), PAPER[key]
    m, d, md = most_within(geometry, 4, 3, 0)
    assert (m.tolist(), d.tolist(), md.tolist()) == (expected["m"], expected["d"], expected["md"])
    assert found.diameter == expected["diameter"]
    for name in ("aspl", "aspl_degree", "aspl_length"):
        assert getattr(found, name) == pytest.approx(expected[name], abs=1e-12)


def test_the_corners_of_a_diagrid_differ():
    """Errata Nakano 2016, 9: two corners see (1, 8, 25, ...), two (1, 10, 28, ...); the bound takes the worst point."""
    geometry = Geometry.diagrid(14, 7)
    for point, expected in PAPER["diagrid_14_rows_of_7_corners"].items():
        assert most_within(geometry, 4, 3, int(point))[1].tolist() == expected


@pytest.mark.parametrize("degree", range(3, 17))
def test_diameter_bounds_of_table_two(degree):
    """Nakano 2016, Table II: D- for every length 2 to 16 on 30 x 30."""
    table = PAPER["diameter_30x30"]
    found = [grid_bounds(GRID, degree, length).diameter for length in table["lengths"]]
    assert found == table["by_degree"][str(degree)]


def test_aspl_bounds_on_thirty_by_thirty():
    """Nakano 2016, Table IV and Figures 4 and 5: A_d- of each length, A_m- of each degree, A- of pairs, to six digits."""
    for length, expected in PAPER["aspl_length_30x30"].items():
        assert grid_bounds(GRID, 4, int(length)).aspl_length == pytest.approx(expected, abs=1e-6)
    for degree, expected in PAPER["aspl_degree_900"].items():
        assert moore_aspl(900, int(degree)) == pytest.approx(expected, abs=1e-6)
    for pair, expected in PAPER["aspl_30x30_degree_length"].items():
        degree, length = map(int, pair.split(","))
        assert grid_bounds(GRID, degree, length).aspl == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("side", "degrees"), [(10, range(3, 17)), (20, range(3, 33)), (30, range(3, 33))])
def test_balanced_pairs(side, degrees):
    """Nakano 2016, VII: the pairs of degree and length whose two bounds are closest."""
    expected = [tuple(pair) for pair in PAPER["balanced"][f"{side}x{side}"]]
    found = balanced_pairs(Geometry.grid(side, side), degrees)
    assert [(pair.degree, pair.length) for pair in found.pairs] == expected


def test_moore_bounds_of_graphs_that_meet_them():
    """Petersen and Hoffman-Singleton fill Moore's bound; a ring has the least diameter and ASPL for degree 2."""
    assert (moore_order(3, 2), moore_order(7, 2), moore_order(2, 5), moore_order(1, 4)) == (10, 50, 11, 2)
    assert moore_aspl(10, 3) == pytest.approx(5 / 3)
    found = bounds(ring(31))
    assert (found.diameter, found.aspl) == (hops(ring(31)).diameter, hops(ring(31)).aspl)


@pytest.mark.parametrize(("switches", "degree"), [(2, 0), (3, 1), (900, 1)])
def test_a_degree_that_cannot_connect_has_infinite_bounds(switches, degree):
    """With no link, or one, a switch reaches none or one other."""
    assert moore_diameter(switches, degree) == math.inf
    assert moore_aspl(switches, degree) == math.inf


def test_one_switch_is_no_hops_from_all_others():
    """An order of one has diameter and ASPL 0."""
    assert (moore_diameter(1, 0), moore_aspl(1, 0), moore_within(1, 5)) == (0, 0.0, [1])
    found = bounds(Topology(links=[], switches=1, labels={"x": [0], "y": [0]}))
    assert (found.diameter, found.aspl, found.length) == (0, 0.0, None)


@given(topologies(connected=True, simple=True))
def test_no_graph_beats_its_bounds(topology):
    """Whatever the graph, its diameter and ASPL are no less than the bounds for its order and highest degree."""
    found, measured = bounds(topology), hops(topology)
    assert measured.diameter >= found.diameter
    assert measured.aspl >= found.aspl - 1e-12


@given(st.integers(2, 6), st.integers(2, 6), st.integers(0, 2**32))
def test_no_graph_on_a_grid_beats_the_grid_bounds(rows, columns, seed):
    """A random graph on grid points, or on the same numbers as diagrid points, respects both bounds of Nakano 2016."""
    import numpy as np

    n = rows * columns
    u = np.arange(1, n)
    links = np.stack([u, np.random.default_rng(seed).integers(0, u)], axis=1)
    number = np.arange(n)
    for labels in (
        {"x": number % columns, "y": number // columns},
        {"column": number % columns, "row": number // columns},
    ):
        topology = Topology(links=links, switches=n, labels=labels)
        found, measured = bounds(topology), hops(topology)
        assert found.length is not None
        assert measured.diameter >= found.diameter
        assert measured.aspl >= found.aspl - 1e-12


def test_without_coordinates_only_the_order_and_degree_bind():
    """A topology whose labels say nothing of places has no grid bounds."""
    found = bounds(regular(60, 4))
    assert found.length is None
    assert found.diameter == moore_diameter(60, 4)


@pytest.mark.parametrize(("degree", "length"), [(-1, 3), (4, 0)])
def test_impossible_numbers_are_refused(degree, length):
    """A negative degree or a length of nothing is answered by a sentence."""
    with pytest.raises(InputError):
        grid_bounds(GRID, degree, length)


def test_bounds_and_balanced_pairs_are_records_that_read_back():
    """What a record says is what was found: the least possible, a point's functions and the pairs of the grid."""
    topology = build("grid:rows=6,columns=6,degree=4,length=3")
    found = bounds(topology, measured=True, point=2, balanced=True)
    both = grid_bounds(Geometry.grid(6, 6), 4, 3)
    assert (found.diameter, found.aspl, found.length) == (both.diameter, both.aspl, 3)
    assert found.md.tolist() == most_within(Geometry.grid(6, 6), 4, 3, 2)[2].tolist()
    assert found.measured_diameter == hops(topology).diameter
    assert found.provenance.spec == topology.spec
    assert Bounds.from_record(found.record()).record() == found.record()
    pairs = balanced_pairs(Geometry.diagrid(8, 4))
    assert (pairs.provenance.settings["rows"], pairs.provenance.settings["columns"]) == (8, 4)
    assert BalancedPairs.from_record(pairs.record()) == pairs
    assert pairs.rows()[0]["diameter_bound"] == pairs.pairs[0].diameter_bound


@pytest.mark.exhaustive
def test_balanced_pairs_that_would_take_long_are_refused_at_once():
    """In Python and in both commands, before anything is counted; longer links take less time."""
    large = Geometry.grid(1024, 1024)
    for told in (lambda: balanced_pairs(large), lambda: bounds_on_grid(large, 4, 400, balanced=True)):
        with pytest.raises(InputError, match=r"1024 x 1024 switches with links as short as 2 take too long.*`lengths`"):
            told()
    assert balanced_pairs(large, [9], [900]).pairs == ()
