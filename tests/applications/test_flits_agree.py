"""SimGrid and the flit simulator, where both model the same: a lone message's time, and which networks all-to-all prefers."""

import pytest
from msgspec import structs

from topoloom import build, route
from topoloom.core.random_streams import Draws
from topoloom.simulation.applications.program import RankTraces
from topoloom.simulation.applications.run import run_app
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.flits.execute import packets_of
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flits.simulate import simulate

pytestmark = pytest.mark.simgrid

#: A cycle is 1.6 ns and a flit 8 bytes: 40 Gb/s. A router of this preset takes two cycles beside its cables'. Its buffers
#: outlast the way of a credit, so a lone packet does not wait for one.
CYCLE_NS, FLIT_BYTES, ROUTER_CYCLES, CABLE_CYCLES, HOST_CYCLES = 1.6, 8, 2, 25, 3
ROUTERS = structs.replace(
    find_preset("booksim"), link_cycles=CABLE_CYCLES, host_cycles=HOST_CYCLES, vcs=2, buffer_flits=512
)
MACHINE = AppSettings(
    rate_gbps=FLIT_BYTES * 8 / CYCLE_NS,
    switch_ns=ROUTER_CYCLES * CYCLE_NS,
    link_ns=CABLE_CYCLES * CYCLE_NS,
    host_link_ns=HOST_CYCLES * CYCLE_NS,
)
#: What SimGrid adds to a message.
HEADER = 16


def one_message(source, destination, bytes_, ranks):
    """The traces of ranks of which one sends to another."""

    def text(rank):
        sends = {source: f"send {destination} 0 {bytes_} 6", destination: f"recv {source} 0 {bytes_} 6"}
        lines = ["init", *([sends[rank]] if rank in sends else []), "finalize"]
        return "".join(f"{rank} {line}\n" for line in lines)

    return RankTraces("one message", ranks, text)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("spec", "engine"),
    [("torus:dims=4x5,hosts=2", "dor"), ("jellyfish:n=20,degree=4,hosts=2", "orders"), ("fat-tree:k=4", "fat-tree")],
)
def test_a_lone_message_takes_as_long(spec, engine, tmp_path):
    """As many bytes as flits carry, over the same tables: to a thousandth of a cycle the same time, for pairs near and far."""
    routing = route(build(spec), engine)
    hosts = routing.topology.endpoints.size
    draws = Draws(7)
    pairs = [
        (a, b) for a, b in zip(draws.below(hosts, 6).tolist(), draws.below(hosts, 6).tolist(), strict=True) if a != b
    ]
    sent = [(1000 * (number + 1), a, b, 3 + 9 * number) for number, (a, b) in enumerate(pairs)]
    trace = tmp_path / "trace.csv"
    trace.write_text("cycle,source,destination,flits\n" + "".join(f"{c},{a},{b},{f}\n" for c, a, b, f in sent))
    rows = packets_of(routing, f"trace:{trace}", ROUTERS).rows
    cycles = {(row[0], row[1], row[2]): row[5] - row[3] for row in rows.tolist()}
    assert len(cycles) == len(sent)
    for _, a, b, flits in sent:
        run = run_app(routing, one_message(a, b, flits * FLIT_BYTES - HEADER, hosts), settings=MACHINE)
        assert run.seconds * 1e9 / CYCLE_NS == pytest.approx(cycles[a, b, flits], abs=1e-3)


def test_an_all_to_all_prefers_the_same_networks():
    """Sixteen hosts, from a ring to a complete graph: both put the networks in the same order."""
    networks = [
        ("ring:n=16,hosts=1", "dfsssp-switches"),
        ("torus:dims=4x4,hosts=1", "dor"),
        ("hyperx:dims=4x4,hosts=1", "dor"),
        ("complete:n=16,hosts=1", "minimal"),
    ]
    by_flits, by_simgrid = [], []
    for spec, engine in networks:
        routing = route(build(spec), engine)
        by_flits.append(
            simulate(routing, "all-to-all", structs.replace(ROUTERS, vcs=4), loads=[1.0]).points[0].accepted
        )
        run = run_app(routing, f"alltoall:bytes={1 << 20}", settings=AppSettings(algorithms="alltoall:basic_linear"))
        by_simgrid.append(1 / run.results["time"].value)
    assert by_flits == sorted(by_flits)
    assert by_simgrid == sorted(by_simgrid)
