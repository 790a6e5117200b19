"""Schedules: files carried out by an interpreter that shares no code with them, loads, and times beside the bound."""

import json

import numpy as np
import pytest
from collective_oracle import arcs_of, loads_of, right_output, run_record, run_xml

from topoloom import (
    AppSettings,
    CollectiveSchedule,
    InputError,
    Topology,
    build,
    collective,
    host_routings,
    read_schedule,
    route,
    run_app,
)
from topoloom.simulation.collectives.msccl import MOST_COUNT, msccl_xml, over_limits
from topoloom.simulation.collectives.schedule import chain_trees

SETTINGS = AppSettings(rate_gbps=8.0)
#: Networks, and the rate of their hosts.
NETWORKS = {
    "star": ("complete:n=2,hosts=3", 8.0),
    "ring": ("ring:n=6,hosts=1", 16.0),
    "boxes": ("complete:n=2,hosts=4", 40.0),
    "torus": ("torus:dims=3x3,hosts=1", 32.0),
    "tree": ("fat-tree:k=4", 8.0),
    "planes": ("ring:n=4,hosts=1+planes:count=2", 8.0),
    "rails": ("complete:n=4,hosts=4+rails:nics=2", 8.0),
    "odd": ("petersen:hosts=1", 20.0),
}
OPERATIONS = ("allgather", "reduce-scatter", "allreduce", "broadcast", "alltoall")


def network_of(name):
    """The network, and its settings."""
    spec, host_rate = NETWORKS[name]
    return build(spec), AppSettings(rate_gbps=8.0, host_rate_gbps=host_rate)


def made(name, operation, **more):
    """A schedule of about a million bytes on a network, and its bound."""
    topology, settings = network_of(name)
    if operation == "broadcast":
        more.setdefault("root_rank", 1)
    return collective(topology, operation, 1_000_000, settings=settings, **more)


@pytest.mark.sweep(10)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", NETWORKS)
def test_everybody_gets_what_is_due(name, operation, tmp_path):
    """The files of a forest, or of an all-to-all, carried out step by step: JSON by its trees, XML in three orders."""
    schedule = made(name, operation, pieces=1).schedule
    schedule.save(tmp_path / "it.json")
    record = json.loads((tmp_path / "it.json").read_text())
    n, root = schedule.ranks, 1 if operation == "broadcast" else 0
    if operation != "alltoall":
        held = run_record(record)
        each = schedule.chunks // n
        for rank in range(n):
            due = range(rank * each, (rank + 1) * each) if operation == "reduce-scatter" else range(schedule.chunks)
            for c in due:
                wanted = dict.fromkeys(range(n), 1)
                if operation in ("allgather", "broadcast"):
                    wanted = {root if operation == "broadcast" else c // each: 1}
                assert held[rank][c] == wanted
    text = msccl_xml(schedule)
    right = right_output(operation, n, schedule.chunks if operation != "alltoall" else n, root)
    for seed in range(3):
        buffers = run_xml(text, seed)
        for rank in range(n):
            assert buffers[rank]["o"] == right[rank]
    assert not over_limits(schedule)


@pytest.mark.parametrize("operation", ["allgather", "allreduce", "reduce-scatter"])
@pytest.mark.parametrize("paths", ["own", "tables"])
def test_rings_are_right_too(operation, paths):
    """A ring on a torus: every rank ends with the right sums, or all parts."""
    schedule = made("torus", operation, algorithm="ring", paths_from=paths).schedule
    for seed in range(2):
        buffers = run_xml(msccl_xml(schedule), seed)
        assert [one["o"] for one in buffers] == right_output(operation, 9, schedule.chunks)


def test_messages_of_many_chunks_are_cut():
    """A step of MSCCL has at most 71 chunks: longer messages are several."""
    topology = Topology(links=[(0, 1)], switches=2, endpoints=[0, 1])
    found = collective(topology, "allgather", 10**6, settings=AppSettings(rate_gbps=200.0, host_rate_gbps=97.0))
    text = msccl_xml(found.schedule)
    assert found.schedule.chunks > 2 * MOST_COUNT
    assert max(int(part.partition('"')[0]) for part in text.split('cnt="')[1:]) == MOST_COUNT
    assert [one["o"] for one in run_xml(text)] == right_output("allgather", 2, found.schedule.chunks)


@pytest.mark.exhaustive
def test_limits_of_msccls_executor_are_told():
    """A ring of 260 ranks has more steps a block than it takes; the words say how many."""
    n = 260
    trees = chain_trees(list(range(n)), [(0,)] * n)
    ring = CollectiveSchedule("allgather", n, 10 * n, "ring", "own", n, 1, np.arange(n), trees)
    assert over_limits(ring) == "259 steps of a block (256 at most)"


@pytest.mark.sweep(8)
@pytest.mark.parametrize("operation", ["allgather", "reduce-scatter", "allreduce", "broadcast"])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_forest_loads_no_channel_beyond_the_bound(name, operation):
    """Chunks counted along the paths of the file: the fullest channel takes what is said to be reached, and no more."""
    topology, settings = network_of(name)
    found = made(name, operation, algorithm="forest")
    record = found.schedule.record()
    capacity = arcs_of(topology, settings.rate_gbps, settings.host_rate_gbps)
    chunk = found.bytes / found.schedule.chunks
    worst = max(count * chunk * 8e-9 / capacity[ends] for ends, count in loads_of(record).items())
    assert worst == pytest.approx(found.bound.reached_s, rel=1e-9)
    assert found.fullest_s == pytest.approx(worst, rel=1e-9)


@pytest.mark.parametrize("ports", [1, 7])
def test_parallel_links_and_ports_share_evenly(ports):
    """Seven cables side by side, and hosts with one wide port or seven: none carries more than a seventh."""
    topology = Topology(
        links=[(0, 1)] * 7, switches=2, endpoints=[0] * ports + [1] * ports, host=[0] * ports + [1] * ports
    )
    settings = AppSettings(rate_gbps=1.0, host_rate_gbps=7.0 / ports)
    found = collective(topology, "allgather", 7000, settings=settings)
    assert found.fullest_s == pytest.approx(found.bound.bandwidth_s) == pytest.approx(3500 * 8e-9 / 7)


@pytest.mark.parametrize("seed", range(6))
def test_forests_of_any_network(seed):
    """Random networks, hosts anywhere, links in parallel: an all-gather's forest loads channels as the bound says."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(3, 8))
    links = [(i, int(draw.integers(0, i))) for i in range(1, n)]
    links += [(int(a), int(b)) for a, b in draw.integers(0, n, (6, 2)) if a != b]
    topology = Topology(links=links, switches=n, endpoints=draw.integers(0, n, 7))
    rate = float(draw.choice([4, 8, 24]))
    found = collective(topology, "allgather", 70_000, settings=AppSettings(rate_gbps=8.0, host_rate_gbps=rate))
    assert found.fullest_s == pytest.approx(found.bound.bandwidth_s, rel=1e-9)
    capacity = arcs_of(topology, 8.0, rate)
    chunk = found.bytes / found.schedule.chunks
    worst = max(count * chunk * 8e-9 / capacity[ends] for ends, count in loads_of(found.schedule.record()).items())
    assert worst == pytest.approx(found.bound.bandwidth_s, rel=1e-9)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", ["ring", "boxes", "torus", "planes"])
@pytest.mark.parametrize("operation", ["allgather", "reduce-scatter", "allreduce"])
def test_a_forest_in_pieces_comes_near_the_bound(name, operation):
    """Simulated as flows on its own paths: never below the bound, and within a tenth of it where delays are small."""
    topology, settings = network_of(name)
    found = collective(topology, operation, 1 << 26, settings=settings)
    assert found.algorithm == "forest"
    assert found.bound.seconds * (1 - 1e-9) <= found.seconds <= 1.1 * found.bound.seconds
    assert found.share == pytest.approx(1 / (1 + found.gap))


def test_a_ring_round_a_tree_is_as_quick_as_the_bound():
    """Round a depth-first walk no link carries more than once each way, so that hosts' links alone count."""
    found = made("tree", "allreduce", algorithm="ring")
    assert found.fullest_s == pytest.approx(found.bound.bandwidth_s)
    assert found.seconds <= 1.1 * found.bound.seconds


def test_a_ring_of_simgrids_takes_as_long():
    """The ring along the tables on a complete graph: SimGrid's time of the same messages, step by step, to half a percent."""
    from topoloom.simulation.applications.tools import simgrid_available

    if not simgrid_available():
        pytest.skip("SimGrid is not installed (Debian: libsimgrid-dev, g++)")
    routing = route(build("complete:n=6,hosts=1"))
    ours = collective(routing, "allreduce", 6_000_000, algorithm="ring", paths_from="tables", settings=SETTINGS)
    theirs = run_app(routing, "collective:operation=allreduce,algorithm=ring,bytes=6000000", settings=SETTINGS)
    assert ours.seconds == pytest.approx(theirs.seconds, rel=5e-3)
    assert theirs.bound_s == pytest.approx(ours.bound.seconds)
    assert theirs.bound_s <= theirs.seconds


@pytest.mark.sweep(1)
@pytest.mark.parametrize("simulator", ["flows", "flows:window=0.2"])
@pytest.mark.parametrize("duplex", ["full", "half"])
def test_nothing_simulated_is_below_its_bound(simulator, duplex):
    """Every collective that flows run, on networks and placements of all kinds."""
    apps = (
        "alltoall:bytes=5000,repeats=2",
        "allreduce:bytes=100000",
        "collective:operation=allreduce,algorithm=ring",
        "collective:operation=allreduce,algorithm=doubling",
        "collective:operation=allreduce,algorithm=halving,repeats=3",
        "collective:operation=allreduce,algorithm=hierarchical,group=2",
        "collective:operation=reduce-scatter",
        "collective:operation=allgather",
        "collective:operation=alltoall,bytes=3000",
        "collective:operation=moe,bytes=3000",
        "collective:operation=broadcast",
    )
    for name in ("star", "torus", "tree", "planes", "rails"):
        spec, host_rate = NETWORKS[name]
        settings = AppSettings(rate_gbps=8.0, host_rate_gbps=host_rate, duplex=duplex)
        network = route(build(spec), "minimal")
        for app in apps:
            for placement in ("linear", "random"):
                run = run_app(network, app, 4, placement=placement, settings=settings, simulator=simulator)
                assert run.bound_s is not None
                assert run.bound_s <= run.seconds * (1 + 1e-9), (name, app)
                assert run.bound_share <= 1 + 1e-9


def test_ranks_of_one_host_are_bounded_too(tmp_path):
    """Two ranks a host exchange through it; what both have for others leaves by its one link."""
    (tmp_path / "homes").write_text("0\n0\n1\n1\n")
    network = build("ring:n=4,hosts=1")
    app = "collective:operation=alltoall,bytes=1000000"
    run = run_app(network, app, 4, placement=f"file:{tmp_path / 'homes'}", settings=SETTINGS, simulator="flows")
    assert run.bound_s == pytest.approx(4e-3, rel=1e-3)
    assert run.bound_s <= run.seconds


def test_other_programs_have_no_bound():
    """A pipeline is no collective, nor are experts in groups."""
    network = route(build("ring:n=4,hosts=1"))
    for app in ("collective:operation=pipeline", "collective:operation=moe,group=2"):
        run = run_app(network, app, simulator="flows")
        assert run.bound_s is run.bound_share is None


def test_an_all_to_all_by_the_tables_of_a_fat_tree():
    """Every host with a table of its own: what the tables carry is the bound."""
    found = collective(host_routings(build("fat-tree:k=4"), "fat-tree", 2), "alltoall", 10_000_000)
    assert found.fullest_s == pytest.approx(found.bound.bandwidth_s, rel=1e-5)
    assert found.seconds <= 1.01 * found.bound.seconds


def test_a_schedule_is_read_back(tmp_path):
    """What was saved is what is read, and a file that leaves somebody out is refused, with its name."""
    found = made("odd", "allreduce").schedule
    path = tmp_path / "it.json"
    found.save(path)
    assert read_schedule(str(path)).record() == found.record()
    record = found.record()
    assert CollectiveSchedule.from_record(record).trees == found.trees
    for change, words in (
        (lambda r: r["trees"][0]["edges"].pop(), "reaches 9 of 10 ranks"),
        (lambda r: r["trees"].pop(), "not every chunk is carried exactly once"),
        (lambda r: r["trees"][0]["edges"].reverse(), "data that it does not have"),
        (lambda r: r["trees"][0].update(root=77), "unknown ranks or chunks"),
        (lambda r: r.update(chunks=1 << 60), "do not belong to its root"),
        (lambda r: r.update(hosts=[1]), "a host for each rank"),
    ):
        damaged = json.loads(path.read_text())
        change(damaged)
        (tmp_path / "damaged.json").write_text(json.dumps(damaged))
        with pytest.raises(InputError, match=words):
            read_schedule(str(tmp_path / "damaged.json"))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"algorithm": "direct"}, "allreduce has no algorithm 'direct'"),
        ({"paths_from": "some"}, "paths_from 'some'"),
        ({"simulator": "ns3"}, "no simulator 'ns3'"),
        ({"pieces": 0}, "pieces=0"),
        ({"placement": "optimised"}, "all ranks of a collective are equivalent"),
        ({"settings": AppSettings(model="smpi")}, "model=smpi"),
    ],
)
def test_what_makes_no_sense_is_refused(more, words):
    """In a sentence."""
    with pytest.raises(InputError, match=words):
        collective(build("ring:n=4,hosts=1"), "allreduce", **more)


def test_too_many_ranks_for_a_schedule():
    """Trees of 1,200 ranks are refused, and a ring of 1,000, with what there is instead."""
    with pytest.raises(InputError, match="1,438,800 messages, at most 1,200,000 are possible; use collective_bound"):
        collective(build("complete:n=2,hosts=600"), "allreduce")
    with pytest.raises(InputError, match="too many for a ring, at most 400 are possible; use algorithm forest"):
        collective(build("complete:n=2,hosts=500"), "allreduce", algorithm="ring")


def test_a_schedule_goes_on_another_network():
    """The same times where it was made; with twice the rate half the bytes' time; over a link that is gone a sentence."""
    topology, settings = network_of("torus")
    found = collective(topology, "allgather", 1 << 24, settings=settings, pieces=8)
    again = collective(topology, found.schedule, settings=settings)
    assert (again.seconds, again.fullest_s, again.bound.seconds) == (
        found.seconds,
        found.fullest_s,
        found.bound.seconds,
    )
    twice = collective(topology, found.schedule, settings=AppSettings(rate_gbps=16.0, host_rate_gbps=64.0))
    assert twice.fullest_s == pytest.approx(found.fullest_s / 2)
    torn = topology.replace(links=topology.links[1:])
    with pytest.raises(InputError, match="which the network does not have"):
        collective(torn, found.schedule)
    with pytest.raises(InputError, match="ranks must run on hosts 0 to 3"):
        collective(build("ring:n=4,hosts=1"), found.schedule)


def test_one_rank_has_nothing_to_do():
    """No time, no trees."""
    found = collective(build("ring:n=3,hosts=1"), "allreduce", ranks=1)
    assert (found.seconds, found.bound.seconds, found.trees, found.share) == (0, 0, 0, 1)


@pytest.mark.parametrize("seed", range(20))
def test_the_next_edge_leaves_others_theirs(seed):
    """Beside all sides tried one by one: the first edge out of a tree, the widest first, that cuts have room for."""
    from topoloom.simulation.collectives.kernels.spanning import next_edge

    draw = np.random.default_rng(seed)
    n, batches = 6, 5
    capacity = draw.integers(0, 4, (n, n)) * draw.integers(0, 2, (n, n))
    np.fill_diagonal(capacity, 0)
    member = draw.random((batches, n)) < 0.4
    member[np.arange(batches), draw.integers(0, n, batches)] = True
    member[0, draw.integers(0, n)] = False
    trees = draw.integers(1, 3, batches)
    order = draw.permutation(np.flatnonzero(member[0]))
    wanted = (0, 0, 0)
    for x in order.tolist():
        for y in sorted(range(n), key=lambda y, x=x: (-capacity[x, y], y)):
            room = min(int(capacity[x, y]), int(trees[0])) if not member[0, y] else 0
            for mask in range(1 << n):
                side = np.array([mask >> v & 1 for v in range(n)], bool)
                if side[x] and not side[y]:
                    inside = sum(int(trees[b]) for b in range(1, batches) if side[member[b]].all())
                    room = min(room, int(capacity[side][:, ~side].sum()) - inside)
            if room > 0 and wanted == (0, 0, 0):
                wanted = (x, y, room)
    assert tuple(next_edge(capacity, order, member, trees, 0)) == wanted


def test_more_ranks_where_trees_are_asked_for():
    """256 ranks of a torus whose hosts carry as much as its links; unasked 128, and never what would take many minutes."""
    from topoloom.simulation.collectives.forest import why_no_forest
    from topoloom.simulation.collectives.network import rank_network

    def why(spec, host_rate, asked=True):
        topology = build(spec)
        homes = np.arange(topology.hosts)
        lone = rank_network(topology, homes, 40.0, host_rate, alike=False, apart=None)
        return why_no_forest(lone, asked=asked)

    assert why("torus:dims=16x16,hosts=1", 160.0) == why("torus:dims=12x12,hosts=1", 40.0) == ""
    assert why("torus:dims=16x16,hosts=1", 40.0) == "256 switches between 256 ranks are too many for packing trees"
    assert why("torus:dims=12x12,hosts=1", 160.0, False) == "144 ranks; trees are packed for at most 128"
    assert why("torus:dims=17x16,hosts=1", 160.0) == "272 ranks; trees are packed for at most 256"
