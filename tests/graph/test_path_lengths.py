"""Path lengths, which the rest of the product asks for, are those of the operation `hops`."""

from graph_cases import topologies
from hypothesis import given

from topoloom.graph.connectivity import component_count
from topoloom.graph.hops import hops
from topoloom.graph.path_lengths import host_path_lengths, path_lengths


@given(topologies(most=14, hosts=True))
def test_path_lengths_are_those_of_the_verb(topology):
    """Any topology, connected or not: the same components, histogram, diameter and means, of switches and of hosts."""
    found, operation = path_lengths(topology), hops(topology)
    assert found.histogram.tolist() == operation.histogram.tolist()
    assert (found.switches, found.components) == (operation.switches, operation.components)
    assert (found.connected, found.largest_finite) == (operation.connected, operation.largest_finite)
    assert (found.diameter, found.aspl) == (operation.diameter, operation.aspl)
    assert found.components == component_count(topology)
    assert host_path_lengths(topology, found.histogram) == (operation.host_aspl, operation.host_diameter)
