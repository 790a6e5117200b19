"""Path lengths, which the rest of the product asks for, are those of the verb `hops`."""

from graph_cases import topologies
from hypothesis import given

from topoloom.graph.connectivity import component_count
from topoloom.graph.hops import hops
from topoloom.graph.path_lengths import host_path_lengths, path_lengths


@given(topologies(most=14, hosts=True))
def test_path_lengths_are_those_of_the_verb(topology):
    """Any topology, connected or not: the same components, histogram, diameter and means, of switches and of hosts."""
    found, verb = path_lengths(topology), hops(topology)
    assert found.histogram.tolist() == verb.histogram.tolist()
    assert (found.switches, found.components) == (verb.switches, verb.components)
    assert (found.connected, found.largest_finite) == (verb.connected, verb.largest_finite)
    assert (found.diameter, found.aspl) == (verb.diameter, verb.aspl)
    assert found.components == component_count(topology)
    assert host_path_lengths(topology, found.histogram) == (verb.host_aspl, verb.host_diameter)
