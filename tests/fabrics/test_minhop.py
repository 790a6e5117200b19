"""The model of OpenSM's minhop: the entries of opensm 3.3.23, and its maximum channel loads."""

import numpy as np
import pytest

from topoloom import build
from topoloom.core.errors import InputError
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.minhop import minhop_tables
from topoloom.fabric.tables_compared import table_figures

#: Maximum channel loads of opensm -R minhop on ibsim, on planned_fabric of these networks. Its entries were compared with the
#: model's on these and on 24 discovered fabrics, of up to 767 switches and 5,120 hosts: all are equal.
REAL = {
    "clos:leaves=8,spines=4,width=2,hosts=16": 224,
    "torus:dims=4x4,hosts=2": 48,
    "jellyfish:n=24,degree=5,hosts=3,seed=1": 156,
    "fat-tree:k=8": 448,
}


@pytest.mark.parametrize(("spec", "load"), REAL.items())
def test_loads_are_those_of_opensm(spec, load):
    """As measured."""
    fabric = planned_fabric(build(spec))
    assert table_figures(minhop_tables(fabric), fabric).max_channel_load == load


def test_shortest_paths_by_the_least_used_port():
    """Every entry leads one hop nearer, and the ports of a switch towards one neighbour differ by at most one host."""
    fabric = planned_fabric(build("clos:leaves=4,spines=2,width=2,hosts=6"))
    ports = minhop_tables(fabric)
    figures = table_figures(ports, fabric)
    assert (figures.unreachable_pairs, figures.max_hops) == (0, 2)
    for leaf in range(4):
        counts = np.bincount(ports[leaf, fabric.topology.endpoints != leaf])[7:]
        assert counts.tolist() == [5, 5, 4, 4]  # 18 hosts over 4 ports, the lowest first


def test_no_hosts_are_refused():
    """The sentence says what to add."""
    with pytest.raises(InputError, match="add them"):
        minhop_tables(planned_fabric(build("petersen")))
