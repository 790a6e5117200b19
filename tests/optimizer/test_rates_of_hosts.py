"""`optimize` on networks with rates: hosts may have another rate than links, links may not differ."""

import numpy as np
import pytest

from topoloom import InputError, build, optimize
from topoloom.cost.parts_files import load_parts
from topoloom.graph.geometry import Geometry
from topoloom.optimizer.goals import Goal
from topoloom.optimizer.link_lengths import LinkLengths


@pytest.mark.parametrize("objective", ["hops", "all-to-all"])
def test_hosts_of_another_rate_change_no_move(objective):
    """The links found are those of the same network without rates; they keep their rate, and hosts theirs."""
    plain = "jellyfish:n=16,degree=3,hosts=2"
    found, alike = (
        optimize(spec, objective, moves=2_000, jobs=1).topology
        for spec in (f"{plain}+rates:links=400,hosts=100", plain)
    )
    assert np.array_equal(found.links, alike.links)
    assert found == alike.with_rates(400, 100)


def test_costs_and_caps_take_the_rate_of_the_links():
    """A goal without a rate has the links' own: the cost is the sum of the catalogue's prices at 100 Gb/s, and caps hold it."""
    grid, parts = build("torus:dims=4x4,hosts=2+rates:links=100,hosts=25"), load_parts("slimfly-2014")
    lengths = LinkLengths.of_geometry(Geometry.grid(4, 4))
    goal = Goal(cost=1.0, mean=1.0, parts=parts)
    found = optimize(grid, goal, lengths=lengths, moves=500, jobs=1)
    links = found.topology.links
    between = lengths.between[lengths.kind[links[:, 0], links[:, 1]]]
    usd = parts.link_usd(lengths.between_m(*links.T), between, 100.0).sum()
    assert found.values["cable_usd"] == pytest.approx(usd)


def test_links_of_several_rates_are_refused():
    """A move would give a switch a port of another rate."""
    with pytest.raises(
        InputError, match=r"optimize: .* links of 100 and 400 Gb/s, and optimize takes one rate for all"
    ):
        optimize("kary-tree:k=2,n=3+rates:levels=100x400", moves=10)
