"""Step 1 of Nakano 2016: neighbours are linked, every switch gets its degree, and no link is too long."""

import numpy as np
import pytest

from topoloom import InputError, build
from topoloom.graph.geometry import geometry_of
from topoloom_papers.papers.nakano_2016._lattice import lattice


@pytest.mark.parametrize("degree", [3, 4, 5, 6])
@pytest.mark.parametrize("floor", ["grid:rows=10,columns=10", "grid:rows=5,columns=7", "diagrid:rows=14,columns=7"])
def test_it_is_regular_and_restricted(floor, degree):
    """K links at each switch (one has K - 1 where n K is odd), each at most L long, and none twice."""
    topology = build(f"{floor},degree={degree},length=3")
    found = lattice(topology, degree, 3)
    assert found.degrees.sum() == topology.switches * degree - topology.switches * degree % 2
    assert found.degrees.max() == degree
    assert len(np.unique(found.links, axis=0)) == len(found.links)
    assert geometry_of(found).distance(found.links[:, 0], found.links[:, 1]).max() <= 3


def test_inside_it_is_the_mesh():
    """10 x 10 with K = 4: every switch with four neighbours is linked to exactly those."""
    found = lattice(build("grid:rows=10,columns=10,degree=4,length=3"), 4, 3)
    links = {tuple(link) for link in found.links.tolist()}
    mesh = {(u, u + 1) for u in range(100) if u % 10 < 9} | {(u, u + 10) for u in range(90)}
    assert len(mesh - links) <= 2
    assert len(links) == 200


def test_what_cannot_be_is_refused():
    """No places, or more links than a corner has neighbours."""
    with pytest.raises(InputError, match="needs switches on a grid"):
        lattice(build("petersen"), 3, 3)
    with pytest.raises(InputError, match="no lattice of degree 6 with links up to 2"):
        lattice(build("grid:rows=10,columns=10,degree=4,length=3"), 6, 2)
