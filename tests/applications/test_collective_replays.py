"""The same schedule by flows, SimGrid and routers: times, bytes on links, and what each refuses."""

import numpy as np
import pytest

from topoloom import AppSettings, InputError, Topology, build, collective, host_routings, place, route
from topoloom.simulation.applications.backends import backend_of, check_backend, run_schedule
from topoloom.simulation.applications.flits_backend import router_for
from topoloom.simulation.applications.machine import network_as_flows
from topoloom.simulation.applications.platform import layers_bytes
from topoloom.simulation.applications.schedule_run import FlitSettings
from topoloom.simulation.applications.simgrid_backend import schedule_bytes
from topoloom.simulation.collectives.messages import schedule_of_trees
from topoloom.simulation.flows.operations import SEND

#: Networks and the engine of their tables. Hosts hang on one switch, or on two planes or rails.
NETWORKS = {
    "torus": ("torus:dims=3x3,hosts=1", "orders"),
    "slimfly": ("slimfly:q=5,hosts=1", "orders"),
    "tree": ("fat-tree:k=4", "fat-tree"),
    "planes": ("ring:n=4,hosts=1+planes:count=2", "minimal"),
    "rails": ("complete:n=4,hosts=4+rails:nics=2", "minimal"),
}
CASES = [
    ("torus", "forest", "own"),
    ("torus", "forest", "tables"),
    ("torus", "ring", "own"),
    ("slimfly", "ring", "own"),
    ("slimfly", "ring", "tables"),
    ("tree", "forest", "own"),
    ("tree", "forest", "tables"),
    ("tree", "ring", "tables"),
    ("planes", "forest", "own"),
    ("rails", "forest", "own"),
    ("rails", "ring", "tables"),
]


def tables_of(name):
    """The tables of a network."""
    spec, engine = NETWORKS[name]
    return route(build(spec), engine).host_tables


def made(name, operation, algorithm, paths, size=1 << 20, **more):
    """A schedule by flows, and the tables that it is beside."""
    tables = tables_of(name)
    return tables, collective(tables, operation, size, algorithm=algorithm, paths_from=paths, **more)


@pytest.mark.sweep(1)
@pytest.mark.simgrid
@pytest.mark.parametrize("operation", ["allgather", "allreduce"])
@pytest.mark.parametrize(("name", "algorithm", "paths"), CASES)
def test_simgrid_takes_what_flows_take(name, operation, algorithm, paths):
    """To half a percent, on paths of its own and along the tables: bytes are whole there, and ties go another way."""
    tables, found = made(name, operation, algorithm, paths)
    again = collective(tables, found.schedule, simulator="simgrid")
    assert again.seconds == pytest.approx(found.seconds, rel=5e-3)
    assert (again.messages, again.provenance.settings["simulator"]) == (found.messages, "simgrid")


@pytest.mark.sweep(2)
@pytest.mark.parametrize("operation", ["allgather", "allreduce"])
@pytest.mark.parametrize(("name", "algorithm", "paths"), CASES)
def test_routers_take_nearly_what_flows_take(name, operation, algorithm, paths):
    """To 7 %, and never less than the bound; on rings where each channel carries one message at a time to half a percent."""
    # In planes pieces of 1 MiB would be short beside their delays; see docs/how-to/run-collectives.md.
    tables, found = made(name, operation, algorithm, paths, size=1 << (23 if name == "planes" else 20))
    again = collective(tables, found.schedule, simulator="flits")
    exact = operation == "allgather" and algorithm == "ring"
    assert again.seconds == pytest.approx(found.seconds, rel=5e-3 if exact else 0.07)
    assert again.seconds >= found.bound.seconds * 0.9999
    assert again.messages == found.messages


@pytest.mark.simgrid
@pytest.mark.parametrize("simulator", ["flows", "simgrid", "flits"])
@pytest.mark.parametrize("operation", ["broadcast", "reduce-scatter", "alltoall"])
def test_other_operations_keep_to_their_bound(simulator, operation):
    """Whoever simulates them."""
    tables = tables_of("torus")
    found = collective(tables, operation, 1 << 18, simulator=simulator)
    assert found.bound.seconds * 0.9999 <= found.seconds <= 3 * found.bound.seconds


@pytest.mark.sweep(2)
@pytest.mark.parametrize("simulator", ["flows", pytest.param("simgrid", marks=pytest.mark.simgrid), "flits"])
@pytest.mark.parametrize("layout", [False, True])
def test_a_lone_message_takes_its_delays_and_its_bytes(simulator, layout):
    """From a corner of a line to the other: delays of four switches and of cables, then bytes over the rate; flits to 1 %."""
    topology = Topology(links=[(0, 1), (1, 2), (2, 3)], switches=4, endpoints=[0, 3])
    settings = AppSettings(link_ns=0.0 if layout else 150.0, host_link_ns=70.0)
    placed = place(topology) if layout else None
    found = collective(
        topology,
        "broadcast",
        1 << 17,
        pieces=1,
        settings=settings,
        layout=placed,
        simulator=simulator,
        paths_from="tables",
    )
    cables_ns = placed.length_m.sum() * 5 + 2 * placed.floor.inside_m * 5 if layout else 3 * 150.0
    wanted = (cables_ns + 2 * 70 + 4 * 200) * 1e-9 + (1 << 17) / 5e9
    assert found.seconds == pytest.approx(wanted, rel=1e-2 if simulator == "flits" else 1e-6)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("simulator", ["flows", pytest.param("simgrid", marks=pytest.mark.simgrid), "flits"])
@pytest.mark.parametrize(
    ("name", "algorithm"), [("tree", "forest"), ("slimfly", "ring"), ("planes", "forest"), ("rails", "forest")]
)
def test_links_carry_what_the_paths_say(name, algorithm, simulator):
    """Bytes of each direction of each link, as a simulator counts them, are those of the paths that stand in the schedule."""
    tables, found = made(name, "allgather", algorithm, "own", size=1 << 22, pieces=1)
    schedule, routing = found.schedule, tables[0]
    net, back = network_as_flows(tables, AppSettings(), None), routing.channels.back.astype(np.int64)
    messages = schedule_of_trees(schedule, net, back)
    run = run_schedule(
        messages, tables, schedule.hosts, backend=backend_of(simulator), settings=AppSettings(), detached_bytes=0.0
    )
    wanted = np.zeros_like(run.link_bytes)
    link = routing.topology.csr[2]
    operations, paths = messages.operations, messages.paths
    for number, kind, amount in zip(paths.of, operations.kind, operations.amount, strict=True):
        for channel in paths.ways[number].channels if kind == SEND else ():
            against = int(routing.topology.links[link[channel], 0] != routing.channels.origin[channel])
            whole = {"flows": amount, "simgrid": round(amount), "flits": 32 * np.ceil(amount / 32)}
            wanted[link[channel], against] += whole[simulator]
    assert run.link_bytes == pytest.approx(wanted, rel=1e-12)


def test_routers_follow_from_the_settings():
    """A flit of 64 bytes at 100 Gb/s is 5.12 ns; a switch of 300 ns and 5 m of cable are 63.5 cycles, which buffers outlast."""
    routing = route(build("torus:dims=3x3,hosts=1"), "orders")
    settings = AppSettings(rate_gbps=100.0, switch_ns=300.0, cable_m=5.0)
    config, cables = router_for(routing, settings, FlitSettings(flit_bits=512, packet_flits=16), None)
    assert config.cycle_ns == pytest.approx(5.12)
    assert set((cables + 2 + config.pipeline_cycles).tolist()) == {round(325 / 5.12)}
    assert abs(2 * config.host_cycles + 2 + config.pipeline_cycles - 350 / 5.12) <= 1
    away = 2 * int(cables.max()) + config.pipeline_cycles
    assert config.buffer_flits / config.vcs > away + 16


def test_files_grow_only_where_there_are_paths():
    """A schedule by tables is written as ever; with addresses it has another beginning, and they stand at its end."""
    tables, found = made("torus", "allgather", "ring", "own")
    messages = schedule_of_trees(found.schedule)
    plain = schedule_bytes(messages, found.schedule.hosts, 0.0)
    out = np.arange(messages.operations.count)
    addressed = schedule_bytes(messages, found.schedule.hosts, 0.0, addresses=(out, out + 1))
    assert plain[:8] == b"TLORDERS"
    assert addressed[:8] == b"TLADDRES"
    assert addressed[8 : len(plain)] == plain[8:]
    assert np.frombuffer(addressed[len(plain) :], "<i4").tolist() == [*out.tolist(), *(out + 1).tolist()]
    topology = tables[0].topology
    layers = layers_bytes(topology, [tables[0].ports, tables[0].ports])
    assert len(layers) == 16 + 2 * 4 * topology.switches**2
    assert layers[:8] == b"TLLAYERS"


@pytest.mark.sweep(1)
@pytest.mark.simgrid
@pytest.mark.parametrize("simulator", ["simgrid", "flits"])
def test_tables_by_host_are_followed(simulator):
    """With a table for each host of a switch an all-to-all on a fat tree is quicker than with one for all."""
    topology = build("fat-tree:k=4")
    several, one = host_routings(topology, "fat-tree", 2), host_routings(topology, "minimal", 1)
    seconds = [collective(tables, "alltoall", 1 << 18, simulator=simulator).seconds for tables in (several, one)]
    assert seconds[0] < 0.9 * seconds[1]


@pytest.mark.parametrize(
    ("simulator", "settings", "words"),
    [
        ("flits", {"host_rate_gbps": 160.0}, "flits gives all links the same rate"),
        ("flits", {"duplex": "half"}, "duplex=half: flits has full-duplex links only"),
        ("flits", {"model": "smpi"}, "model=smpi"),
        ("flits:vcs=3", {}, "no flits setting 'vcs'"),
        ("flits:packet_flits=0", {}, "packet_flits='0'"),
        ("simgrid:window=0.2", {}, "simgrid takes no settings"),
        ("flow", {}, "no simulator 'flow'"),
        (7, {}, "simulator=7"),
    ],
)
def test_what_makes_no_sense_is_refused(simulator, settings, words):
    """In a sentence, before anything is packed."""
    with pytest.raises(InputError, match=words):
        check_backend(backend_of(simulator), AppSettings(**settings))


def test_cables_beyond_all_buffers_are_refused():
    """A link of a millisecond would need buffers that no router has."""
    with pytest.raises(InputError, match="increase flit_bits"):
        collective(
            build("ring:n=4,hosts=1"), "allgather", 1 << 16, settings=AppSettings(link_ns=1e5), simulator="flits"
        )


def test_tables_that_deadlock_are_told():
    """Shortest paths round a ring in one virtual channel: packets wait for each other, and a sentence says where."""
    routing = route(build("ring:n=8,hosts=1"), "minimal")
    with pytest.raises(InputError, match="deadlock by the tables of engine minimal"):
        collective(routing, "alltoall", 1 << 20, simulator="flits:table_router_vcs=1")
