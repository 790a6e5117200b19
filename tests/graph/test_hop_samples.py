"""Hops from a sample of the switches, and what is measured beside them: estimates hold what is exact, records read back."""

import numpy as np
import pytest
from graph_cases import regular, ring, torus

from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.graph.connectivity import edge_disjoint_paths
from topoloom.graph.distances import eccentricities
from topoloom.graph.hops import Hops, hops
from topoloom.graph.latency import Delays, latencies
from topoloom.graph.paths import shortest_path_counts
from topoloom.graph.spectrum import Spectrum, spectrum
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build


def test_a_sample_of_all_switches_is_exact():
    """As many samples as switches, or more: the same result as without."""
    topology = regular(60, 4)
    assert hops(topology, samples=60).histogram.tolist() == hops(topology).histogram.tolist()
    assert not hops(topology, samples=1000).sampled


def test_a_symmetric_network_is_known_from_one_switch():
    """Every switch of a torus sees the same: the sample's mean is exact, its interval nothing, its diameter too."""
    whole, part = hops(torus(8, 8).with_hosts(2)), hops(torus(8, 8).with_hosts(2), samples=5)
    assert (part.sources, part.sampled) == (5, True)
    assert part.aspl == pytest.approx(whole.aspl)
    assert part.aspl_ci95 == pytest.approx(0, abs=1e-12)
    assert (part.diameter, part.host_diameter) == (whole.diameter, whole.host_diameter)
    assert part.host_aspl == pytest.approx(whole.host_aspl)
    assert (part.histogram * 64).tolist() == (whole.histogram * 5).tolist()


def test_intervals_hold_the_exact_mean_nearly_always():
    """Of 40 seeds on a random graph, about 95 % of the intervals hold the ASPL; the diameter is never overestimated."""
    topology = build("watts-strogatz:n=300,degree=4,beta=0.1")
    exact = hops(topology)
    found = [hops(topology, samples=30, seed=seed) for seed in range(40)]
    assert sum(abs(one.aspl - exact.aspl) <= one.aspl_ci95 for one in found) >= 33
    assert all(one.diameter <= exact.diameter for one in found)


def test_samples_are_the_same_for_any_threads():
    """One seed, one sample."""
    topology = regular(200, 5)
    records = [hops(topology, jobs, samples=20, seed=3).record() for jobs in (1, 3)]
    assert records[0] == records[1]


def test_a_sample_of_a_disconnected_network_says_so():
    """Components are counted exactly; means are infinite, as ever."""
    found = hops(Topology(links=[(0, 1), (2, 3)], switches=6), samples=2)
    assert (found.components, found.diameter, found.aspl, found.aspl_ci95) == (4, float("inf"), float("inf"), None)


def test_hosts_of_uneven_numbers_are_not_estimated():
    """None in place of a guess."""
    found = hops(Topology(links=[(0, 1), (1, 2)], switches=3, endpoints=[0, 0, 1]), samples=2)
    assert (found.host_aspl, found.host_diameter) == (None, None)


def test_the_optional_parts_are_those_of_their_verbs():
    """Eccentricities, paths and latency, as `eccentricities`, `shortest_path_counts` and others measure them."""
    topology = build("fat-tree:k=4")
    found = hops(topology, eccentricities=True, paths=True, latency=Delays(), length_m=2.0)
    assert found.eccentricities.histogram.tolist() == np.bincount(eccentricities(topology)).tolist()
    assert found.paths.shortest == shortest_path_counts(topology, 1000)
    assert found.paths.disjoint.mean == edge_disjoint_paths(topology).mean
    assert found.latency == latencies(topology, 2.0, 60.0, 5.0)
    again = Hops.from_record(found.record())
    assert again.record() == found.record()
    assert again.paths == found.paths
    plain = hops(topology)
    assert (plain.eccentricities, plain.paths, plain.latency) == (None, None, None)


def test_a_spectrum_is_a_record():
    """It reads back what it says."""
    found = spectrum(ring(12))
    assert Spectrum.from_record(found.record()) == found


def test_delays_are_checked():
    """A delay is a number of nanoseconds from 0."""
    with pytest.raises(InputError, match="delays: switch_ns"):
        Delays(switch_ns=-1.0)


@pytest.mark.parametrize("wanted", [{}, {"samples": 5}, {"paths": True}, {"eccentricities": True}])
def test_stopped_work_ends_in_the_one_exception(wanted):
    """No part is measured after the stop."""
    work = Work()
    work.stop()
    with pytest.raises(Stopped):
        hops(regular(60, 4), work=work, **wanted)


def test_the_histogram_is_drawn():
    """A bar a distance, in per cent; their sum is all pairs."""
    import matplotlib as mpl

    mpl.use("Agg")
    axes = hops(torus(4, 4)).plot()
    assert len(axes.patches) == 4
    assert sum(bar.get_height() for bar in axes.patches) == pytest.approx(100)
