"""Goals beyond hops: lengths of links, bounds on latency, what a graph weighs, and what is refused."""

import numpy as np
import pytest

from topoloom import build, place
from topoloom.core.errors import InputError
from topoloom.cost.parts_files import load_parts
from topoloom.graph.geometry import Geometry, geometry_of
from topoloom.graph.latency import Delays
from topoloom.optimizer.goals import Goal, latency_bounds, parse_goal, weigh
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.placement.floors.floor import PRESETS


@pytest.mark.parametrize("geometry", [Geometry.grid(5, 7), Geometry.diagrid(6, 4)])
def test_on_racks_of_a_metre_a_link_is_as_long_as_the_geometry_says(geometry: Geometry) -> None:
    """At a pitch of 1 m the length is the distance along the lines; overhead comes on top at both ends."""
    every = np.arange(len(geometry.points))
    apart = geometry.distance(every[:, None], every)
    plain, over = LinkLengths.of_geometry(geometry), LinkLengths.of_geometry(geometry, overhead_end_m=1.5)
    assert np.array_equal(plain.between_m(every[:, None], every), apart)
    assert np.array_equal(over.between_m(0, every[1:]), apart[0, 1:] + 3.0)


def test_axes_of_a_diagrid_are_its_diagonals() -> None:
    """A step along one diagonal is one pitch, along the other the other; sideways it is both."""
    lengths = LinkLengths.of_geometry(Geometry.diagrid(4, 4), pitch_m=(0.6, 2.1))
    # Switch 5 is (X, Y) = (3, 1); 8, 9 and 1 are at (0, 2), (2, 2) and (2, 0).
    assert lengths.between_m(5, 1) == pytest.approx(0.6)
    assert lengths.between_m(5, 9) == pytest.approx(2.1)
    assert lengths.between_m(8, 9) == pytest.approx(2.7)


def test_lengths_of_a_layout_are_those_of_its_cables() -> None:
    """Between racks and inside, by the floor's own rule."""
    layout = place(build("slimfly:q=5"), "koibuchi-2013", map="rows")
    lengths = LinkLengths.of_layout(layout)
    u, v = layout.topology.links.T
    assert np.allclose(lengths.between_m(u, v), layout.length_m, atol=5e-4)
    assert np.array_equal(lengths.between[lengths.kind[u, v]], layout.between)
    assert layout.between.any()
    assert not layout.between.all()


def test_within_lists_exactly_the_switches_that_a_cable_reaches() -> None:
    """Each switch's list is ascending, without itself, and has all that are at most so far."""
    lengths = LinkLengths.of_geometry(Geometry.grid(4, 6), pitch_m=(0.6, 2.1), overhead_end_m=1.0)
    offsets, near = lengths.within(5.0)
    for u in range(24):
        reached = [v for v in range(24) if v != u and lengths.between_m(u, v) <= 5.0]
        assert near[offsets[u] : offsets[u + 1]].tolist() == reached


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("geometry", "mean", "worst"), [(Geometry.grid(64, 72), 716, 2050), (Geometry.diagrid(96, 48), 708, 1435)]
)
def test_bounds_of_4608_switches_are_those_of_the_case_study(geometry: Geometry, mean: int, worst: int) -> None:
    """716/708 and 2,050/1,435 ns at K = 6, L = 6, rounded up as a bound is."""
    found = latency_bounds(LinkLengths.of_geometry(geometry), degree=6, cap_m=6)
    assert (np.ceil(found.mean_ns), found.worst_ns) == (mean, worst)
    both = latency_bounds(LinkLengths.of_geometry(geometry), degree=6, cap_m=6, both_ends=True)
    assert both.worst_ns == worst + 60


@pytest.mark.parametrize(
    "spec", ["grid:rows=8,columns=6,degree=4,length=3", "diagrid:rows=10,columns=5,degree=5,length=4"]
)
@pytest.mark.parametrize("overhead_m", [0.0, 1.0])
def test_no_graph_beats_the_bounds(spec: str, overhead_m: float) -> None:
    """Mean and worst latency of a random graph are at or above the bounds for its degree and longest link."""
    topology = build(spec)
    geometry = geometry_of(topology)
    assert geometry is not None
    lengths = LinkLengths.of_geometry(geometry, (0.6, 2.1), overhead_m)
    found = weigh(topology.links, lengths, Goal(mean=1))
    least = latency_bounds(lengths, int(topology.degrees.max()), found.longest_m)
    assert 0 < least.mean_ns <= found.mean_ns
    assert 0 < least.worst_ns <= found.worst_ns


def test_a_full_mesh_on_a_line_meets_its_bounds() -> None:
    """Where every pair has a straight link, bounds and latencies are the same."""
    n = 6
    links = np.array([(u, v) for u in range(n) for v in range(u + 1, n)])
    lengths = LinkLengths.of_geometry(Geometry.grid(1, n), overhead_end_m=0.5)
    found, least = weigh(links, lengths, Goal(mean=1)), latency_bounds(lengths, n - 1)
    assert least.mean_ns == pytest.approx(found.mean_ns)
    assert least.worst_ns == found.worst_ns


def test_bounds_of_a_layout_hold_inside_and_between_racks() -> None:
    """Several switches per rack: a way may go through racks with shorter cables than those between them."""
    layout = place(build("torus:dims=4x4x4"), PRESETS["koibuchi-2013"], map="rows")
    lengths = LinkLengths.of_layout(layout)
    found = weigh(layout.topology.links, lengths, Goal(mean=1))
    least = latency_bounds(lengths, 6, layout.longest_m)
    assert least.mean_ns <= found.mean_ns
    assert least.worst_ns <= found.worst_ns


def test_both_ends_add_a_switch_to_every_pair() -> None:
    """A way of h hops counts h switches, h + 1 with both ends; the watts and dollars stay."""
    parts = load_parts("nakano-2016")
    links, lengths = np.array([[0, 1], [1, 2]]), LinkLengths.of_geometry(Geometry.grid(1, 3), pitch_m=8.0)
    one, two = (weigh(links, lengths, Goal(mean=1, parts=parts, both_ends=ends)) for ends in (False, True))
    assert (two.mean_ns - one.mean_ns, two.worst_ns - one.worst_ns) == (60, 60)
    assert one.worst_ns == 2 * (60 + 40)
    assert one.longest_m == 8
    # Two cables beyond 7 m are optical: (200.4 - 111.54) / 36 W at each of four ends.
    assert one.cable_w == two.cable_w == pytest.approx(4 * 88.86 / 36)
    assert np.isnan(one.cable_usd)


def test_words_and_weights_make_goals() -> None:
    """Names stand for weights; a mix may be written out."""
    parts = load_parts("slimfly-2014")
    assert parse_goal("latency") == Goal(mean=1)
    assert parse_goal("mean=1, worst=0.5") == Goal(mean=1, worst=0.5)
    assert parse_goal("cost", cap_ns=1000, parts=parts).cost == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("speed", "'speed' is unknown"),
        ("mean=fast", "'mean=fast' is unknown"),
        ("hops=1", "give mean, worst"),
        ("power", "catalogue"),
        ("mean=-1", "mean=-1.0; it is a number from 0 to 1,000,000,000"),
        ("worst=1,hops=1", "hops need a weight of mean"),
    ],
)
def test_a_goal_that_makes_no_sense_is_refused(text: str, words: str) -> None:
    """The message says what would do."""
    with pytest.raises(InputError, match=words):
        parse_goal(text)


def test_power_alone_wants_a_cap() -> None:
    """Without one, the shortest cables would win, however long the ways."""
    parts = load_parts("nakano-2016")
    with pytest.raises(InputError, match="cap_ns"):
        Goal(power=1, parts=parts)
    with pytest.raises(InputError, match="cap"):
        Goal(power=1, parts=parts, cap_ns=-1)


@pytest.mark.parametrize("wrong", [{"pitch_m": 0.0}, {"pitch_m": (1.0, np.nan)}, {"overhead_end_m": -1.0}])
def test_a_floor_that_is_none_is_refused(wrong: dict[str, float]) -> None:
    """Pitches are above 0, overheads not below."""
    with pytest.raises(InputError):
        LinkLengths.of_geometry(Geometry.grid(2, 2), **wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        Goal(mean=1, delays=Delays(switch_ns=0, cable_ns_per_m=0))
