"""The platform obeys our tables: routes link by link, delays, bytes; and it is quick to make."""

from itertools import pairwise

import numpy as np
import pytest
from msgspec import structs

from topoloom import InputError, Topology, build, place, route
from topoloom.core.random_streams import Draws
from topoloom.graph.host_ports import ports_by_host
from topoloom.graph.latency import latencies
from topoloom.routing.host_routings import host_routings
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.launch import run_smpi, workplace
from topoloom.simulation.applications.platform import platform_bytes, write_fabric
from topoloom.simulation.applications.processes import ProcessLimits
from topoloom.simulation.applications.program import RankTraces, Source
from topoloom.simulation.applications.run import run_app
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.tools import compiled, platform_library

SETTINGS = AppSettings(switch_ns=100, cable_ns_per_m=5, cable_m=4, rate_gbps=8)
_PROGRAM = "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); }\n"


def routes(routings, pairs, layout=None, settings=SETTINGS):
    """SimGrid's routes between pairs of hosts: the delay in seconds and the names of the links."""
    routings = [routings] if isinstance(routings, Routing) else routings
    with workplace() as folder:
        (folder / "p.c").write_text(_PROGRAM)
        program = compiled((folder / "p.c",), ProcessLimits())
        write_fabric(folder / "fabric.bin", routings, settings, layout)
        (folder / "routes").write_text("".join(f"{a} {b}\n" for a, b in pairs))
        environment = {"TOPOLOOM_FABRIC": str(folder / "fabric.bin"), "TOPOLOOM_ROUTES": str(folder / "routes")}
        run_smpi(
            folder,
            platform_library(ProcessLimits()),
            [0, 1],
            [str(program)],
            settings.options(replay=False),
            environment,
            "test",
            ProcessLimits(),
        )
        lines = (folder / "routes.out").read_text().splitlines()
    return [(float(line.split()[0]), line.split()[1:]) for line in lines]


@pytest.mark.simgrid
@pytest.mark.parametrize(
    ("spec", "engine"),
    [
        ("torus:dims=4x5,hosts=2", "dor"),
        ("jellyfish:n=30,degree=4,hosts=3", "orders"),
        ("slimfly:q=5,hosts=2", "minimal"),
        ("fat-tree:k=4", "fat-tree"),
    ],
)
def test_routes_are_the_tables_hop_by_hop(spec, engine):
    """Each sampled route has the cables of our tables in their order and direction; every switch delays."""
    routing = route(build(spec), engine)
    topology = routing.topology
    hosts = topology.endpoints.size
    draws = Draws(5)
    pairs = [
        (a, b) for a, b in zip(draws.below(hosts, 60).tolist(), draws.below(hosts, 60).tolist(), strict=True) if a != b
    ]
    offsets, neighbours, link = topology.csr
    home = dict(zip(topology.host.tolist(), topology.endpoints.tolist(), strict=True))
    for (a, b), (delay_s, names) in zip(pairs, routes(routing, pairs), strict=True):
        at, goal = home[a], home[b]
        wanted = [f"plug{a}_UP"]
        cables = 0
        while at != goal:
            place_ = offsets[at] + int(routing.ports[goal, at])
            cable, far = int(link[place_]), int(neighbours[place_])
            wanted += [f"cable{cable}_{'UP' if at < far else 'DOWN'}"]
            at, cables = far, cables + 1
        wanted.append(f"plug{b}_DOWN")
        assert names == wanted
        # Every switch, every cable and both hosts' cables delay.
        assert delay_s == pytest.approx(1e-9 * (100 * (cables + 1) + 5 * 4 * (cables + 2)))


@pytest.mark.simgrid
@pytest.mark.parametrize(
    ("spec", "engine"), [("fat-tree:k=4", "fat-tree"), ("hyperx:dims=4,width=2,hosts=4", "minimal")]
)
def test_hosts_of_a_switch_have_tables_of_their_own(spec, engine):
    """Host i of a switch is led by table i modulo their number, from wherever a message comes."""
    routings = host_routings(build(spec), engine, 2)
    topology = routings[0].topology
    hosts = topology.endpoints.size
    pairs = [(a, b) for a in range(0, hosts, 3) for b in range(hosts) if topology.endpoints[a] != topology.endpoints[b]]
    for (a, b), (_, names) in zip(pairs, routes(routings, pairs), strict=True):
        goal = int(topology.endpoints[b])
        table = routings[int((topology.endpoints[:b] == goal).sum()) % 2]
        ends = [topology.links[int(name[5:].split("_")[0])].tolist() for name in names if name.startswith("cable")]
        path = table.path(int(topology.endpoints[a]), goal)
        assert [sorted(step) for step in pairwise(path)] == ends
    assert any((one.ports != two.ports).any() for one, two in pairwise(routings))


@pytest.mark.simgrid
@pytest.mark.parametrize(
    "spec",
    ["slimfly:q=5,hosts=2+planes:count=3", "fat-tree:k=4,hosts=8+rails:nics=2", "torus:dims=3x3,hosts=4+nics:count=2"],
)
def test_two_hosts_choose_one_of_their_ports(spec):
    """Port (a + b) modulo ports at both ends, and between them the tables of its plane or rail; delays as ever."""
    routing = route(build(spec))
    topology = routing.topology
    ports = ports_by_host(topology)
    offsets, neighbours, link = topology.csr
    pairs = [(a, b) for a in range(0, topology.hosts, 3) for b in range(topology.hosts) if a != b]
    for (a, b), (delay_s, names) in zip(pairs, routes(routing, pairs), strict=True):
        port = (a + b) % ports.shape[1]
        at, goal = (int(topology.endpoints[ports[host, port]]) for host in (a, b))
        wanted = [f"plug{a}.{port}_UP"]
        while at != goal:
            place_ = offsets[at] + int(routing.ports[goal, at])
            cable, far = int(link[place_]), int(neighbours[place_])
            wanted.append(f"cable{cable}_{'UP' if at < far else 'DOWN'}")
            at = far
        wanted.append(f"plug{b}.{port}_DOWN")
        assert names == wanted
        assert delay_s == pytest.approx(1e-9 * (100 * (len(wanted) - 1) + 5 * 4 * len(wanted)))


@pytest.mark.simgrid
def test_planes_carry_messages_side_by_side():
    """Three hosts send one message each to a fourth: by three planes at once, by one port after one another."""
    size = 1_000_000

    def text(rank):
        lines = [f"send 0 0 {size} 6"] if rank else [*(f"irecv {by} 0 {size} 6" for by in (1, 2, 3)), "waitall 3"]
        return "".join(f"{rank} {line}\n" for line in ("init", *lines, "finalize"))

    one, three = (
        run_app(build(f"complete:n=4,hosts=1{more}"), RankTraces("gather", 4, text), settings=SETTINGS).seconds
        for more in ("", "+planes:count=3")
    )
    assert three == pytest.approx(size / 1e9, rel=0.01)
    assert one == pytest.approx(3 * size / 1e9, rel=0.01)


@pytest.mark.sweep(2)
@pytest.mark.simgrid
@pytest.mark.parametrize("shift", [1, 4, 5, 37])
def test_shifts_do_not_meet_in_a_fat_tree_by_host(shift):
    """d-mod-k: every host of a fat tree sends to the same number of hosts further on, as fast as if alone (Zahavi, 2010)."""
    topology = build("fat-tree:k=8")
    ranks, size = topology.hosts, 1_000_000

    def text(rank):
        to, by = (rank + shift) % ranks, (rank - shift) % ranks
        lines = ("init", f"isend {to} 0 {size} 6", f"recv {by} 0 {size} 6", "waitall 1", "finalize")
        return "".join(f"{rank} {line}\n" for line in lines)

    alone = size / 1e9
    run = run_app(host_routings(topology, "fat-tree", 4), RankTraces("shift", ranks, text), settings=SETTINGS)
    assert run.seconds == pytest.approx(alone, rel=0.01)
    if shift > 1:  # by switch, the hosts of one that send to another share a way
        together = run_app(route(topology, "fat-tree"), RankTraces("shift", ranks, text), settings=SETTINGS)
        assert together.seconds > 1.9 * alone


@pytest.mark.simgrid
def test_parallel_links_are_two():
    """Of two cables between two switches each carries what the tables send over it."""
    topology = Topology(links=[(0, 1), (0, 1), (1, 2), (1, 2)], switches=3, endpoints=[0, 1, 2])
    routing = route(topology, "minimal")
    ((_, names),) = routes(routing, [(0, 2)])
    offsets, _, link = topology.csr
    first = int(link[offsets[0] + int(routing.ports[2, 0])])
    second = int(link[offsets[1] + int(routing.ports[2, 1])])
    assert [name for name in names if name.startswith("cable")] == [f"cable{first}_UP", f"cable{second}_UP"]


@pytest.mark.simgrid
def test_a_layout_gives_the_cables_lengths():
    """With a layout each cable delays by its own length, and a host's by that inside a rack."""
    topology = build("torus:dims=4x4,hosts=1")
    layout = place(topology, "koibuchi-2013", map="rows")
    routing = route(topology, "dor")
    settings = AppSettings(switch_ns=0, cable_ns_per_m=10)
    ((delay_s, names),) = routes(routing, [(0, 15)], layout, settings)
    metres = [layout.length_m[int(name[5:].split("_")[0])] for name in names if name.startswith("cable")]
    assert delay_s == pytest.approx(1e-8 * (sum(metres) + 2 * layout.floor.inside_m))


@pytest.mark.simgrid
@pytest.mark.parametrize("bytes_", [1, 1000, 100_000])
def test_a_message_takes_delays_and_bytes(bytes_, tmp_path):
    """On an empty network: switches, cables and 16 bytes more than it has, over the rate of a link."""
    topology = build("torus:dims=4x4,hosts=1")
    program = tmp_path / "p.c"
    program.write_text(
        "#include <mpi.h>\n#include <stdio.h>\nstatic char m[100000];\nint main(int c, char **v) { int r; MPI_Init(&c, &v);"
        f" MPI_Comm_rank(MPI_COMM_WORLD, &r); double t = MPI_Wtime(); if (r == 0) MPI_Send(m, {bytes_}, MPI_CHAR, 10, 0,"
        f" MPI_COMM_WORLD); if (r == 10) {{ MPI_Recv(m, {bytes_}, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        ' printf("result time %.12g s\\n", MPI_Wtime() - t); } MPI_Finalize(); }\n'
    )
    run = run_app(topology, Source("one", (program,)), settings=SETTINGS)
    hops = 4  # from (0, 0) to (2, 2)
    wanted = 1e-9 * (100 * (hops + 1) + 20 * (hops + 2)) + (bytes_ + 16) / 1e9
    assert run.results["time"].value == pytest.approx(wanted, rel=1e-9)
    # Each link of the way has carried the message, and no other has.
    assert run.link_bytes.sum() == hops * (bytes_ + 16)
    assert np.count_nonzero(run.link_bytes) == hops


@pytest.mark.simgrid
@pytest.mark.parametrize(("duplex", "share"), [("full", 1), ("half", 2)])
def test_both_ways_at_once(duplex, share, tmp_path):
    """Two ranks send to each other: over full duplex as if alone; over half duplex each gets half of the rate."""
    text = ["isend {0} 0 1000000 6", "recv {0} 0 1000000 6", "waitall 1"]
    trace = RankTraces(
        "swap", 2, lambda rank: "".join(f"{rank} {line.format(1 - rank)}\n" for line in ("init", *text, "finalize"))
    )
    settings = structs.replace(SETTINGS, duplex=duplex, switch_ns=0, cable_m=0)
    run = run_app(build("torus:dims=4x4,hosts=1"), trace, 2, settings=settings)
    assert run.seconds == pytest.approx(share * (1_000_000 + 16) / 1e9, rel=1e-6)
    assert run.link_bytes.sum() == 2 * (1_000_000 + 16)


@pytest.mark.simgrid
def test_near_and_far_messages_share_a_link_evenly():
    """Two messages over one cable, one hop and three: each gets half of the rate, so both arrive as late but for the delay."""
    pairs = {0: (1, 2), 1: (2, 6), 2: (1, 0), 6: (2, 1)}  # two hosts per switch: from switch 0 to 1, and to 3

    def text(rank):
        tag, other = pairs.get(rank, (0, 0))
        call = f"{'send' if rank < 2 else 'recv'} {other} {tag} 1000000 6"
        return "".join(f"{rank} {line}\n" for line in ("init", *([call] if tag else []), "finalize"))

    routing = route(build("ring:n=8,hosts=2"), "minimal")
    both = run_app(routing, RankTraces("two", 8, text), 8, settings=SETTINGS)
    delay = 1e-9 * (100 * 4 + 20 * 5)
    assert both.seconds == pytest.approx(2 * (1_000_000 + 16) / 1e9 + delay, rel=1e-3)


@pytest.mark.simgrid
def test_a_short_message_may_travel_ahead():
    """Its receiver computes 10 ms first: by itself it is there then; else it sets out then."""
    texts = {0: ["send 1 0 1000 6"], 1: ["compute 1e9", "recv 0 0 1000 6"]}
    trace = RankTraces(
        "late", 2, lambda rank: "".join(f"{rank} {line}\n" for line in ("init", *texts[rank], "finalize"))
    )
    waits, ahead = (
        run_app(
            build("torus:dims=4x4,hosts=1"), trace, 2, settings=structs.replace(SETTINGS, eager_bytes=limit)
        ).seconds
        for limit in (0, 65536)
    )
    assert ahead == pytest.approx(1e-2, rel=1e-9)
    assert waits == pytest.approx(1e-2 + 1e-9 * (100 * 2 + 20 * 3) + 1016 / 1e9, rel=1e-9)


@pytest.mark.simgrid
def test_delays_are_our_own_zero_load_latency():
    """Mean and most over all pairs of hosts: those of `latencies`, which the designer and Nakano 2016's claims take."""
    topology = build("jellyfish:n=16,degree=4,hosts=1")
    pairs = [(a, b) for a in range(16) for b in range(16) if a != b]
    settings = AppSettings(switch_ns=60, cable_ns_per_m=5, cable_m=5)
    found = np.array([delay_s for delay_s, _ in routes(route(topology, "minimal"), pairs, settings=settings)])
    wanted = latencies(topology, 5.0, 60, 5)
    hosts_ns = 2 * 5 * 5
    assert found.mean() * 1e9 - hosts_ns == pytest.approx(wanted.mean_ns)
    assert found.max() * 1e9 - hosts_ns == pytest.approx(wanted.max_ns)


def test_the_file_holds_the_network():
    """Counts, rates and next hops, read back by hand; without SimGrid."""
    routing = route(build("torus:dims=3x3,hosts=2"), "dor")
    data = platform_bytes([routing], SETTINGS, cores=2)
    assert data[:8] == b"TLFABRIC"
    assert np.frombuffer(data, "<i8", 9, 8).tolist() == [9, 18, 18, 9, 1, 2, 0, 1, 1]
    assert np.frombuffer(data, "<f8", 5, 80)[0] == 1e11
    # 120 bytes of numbers, 18 links with their delays, and then the rates of links; those of 18 ports follow their switches.
    assert np.frombuffer(data, "<f8", 18, 120 + 18 * 16).tolist() == [1e9] * 18
    assert np.frombuffer(data, "<f8", 18, 120 + 18 * 28).tolist() == [1e9] * 18
    following = np.frombuffer(data, "<i4", 81, len(data) - 4 * 81).reshape(9, 9)
    links = routing.topology.links
    for goal in range(9):
        for at in range(9):
            far, hops = at, 0
            while far != goal and hops < 9:
                channel = following[goal, far]
                far, hops = int(links[channel // 2][1 - channel % 2]), hops + 1
            assert far == goal


def test_what_simgrid_cannot_take():
    """Adaptive tables, networks without hosts, hosts with more ports than others, layouts of other networks."""
    with pytest.raises(InputError, match=r"chooses among paths, but SimGrid's routes are fixed; .*the simulator flows"):
        platform_bytes([route(build("torus:dims=4x4,hosts=1"), "ecmp")], SETTINGS)
    with pytest.raises(InputError, match="no hosts for the ranks; add hosts"):
        run_app(build("torus:dims=4x4"), "pingpong")
    two = build("complete:n=3").replace(endpoints=[0, 1, 2], host=[0, 0, 1])
    with pytest.raises(InputError, match="hosts have 1 to 2 ports"):
        platform_bytes([route(two, "minimal")], SETTINGS)
    with pytest.raises(InputError, match="the layout is of another network"):
        platform_bytes(
            [route(build("torus:dims=4x4,hosts=1"), "dor")], SETTINGS, place(build("torus:dims=4x5"), map="rows")
        )


@pytest.mark.simgrid
def test_256_switches():
    """Four hosts per switch: the platform is made, and two ranks start and end; how soon is recorded."""
    routing = route(build("torus:dims=16x16,hosts=4"), "minimal")
    run = run_app(routing, "pingpong", 2)
    assert run.provenance.timings["cpu_s"] > 0
