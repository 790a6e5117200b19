"""Work in routing: progress is told, a stop is heard in every stage, and what search has found so far is kept."""

import threading

import pytest

from topoloom import (
    balance_paths,
    balance_routing,
    build,
    host_routings,
    product_routing,
    reroute,
    route,
    verify_routing,
)
from topoloom.core.errors import Stopped
from topoloom.core.work import Work
from topoloom.routing.registry import engines

#: A network that each engine can route.
SPECS = {
    "fat-tree-hosts": "fat-tree:k=4",
    "ancestors": "oft:q=3",
    "dor": "torus:dims=4x4",
    "dor-pairs": "torus:dims=4x4",
    "dor-random": "torus:dims=4x4",
    "duato": "torus:dims=4x4",
    "dal": "hyperx:dims=4x4",
    "omniwar": "hyperx:dims=4x4",
    "fat-tree": "fat-tree:k=4",
    "nca": "fat-tree:k=4",
    "anca": "fat-tree:k=4",
    "dragonfly": "dragonfly:h=2",
    "dsn-f": "dsn-f:n=64",
    "product": "product:(petersen)*(petersen)",
}


@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", [name for name in engines if name != "latency"])
def test_every_engine_hears_a_stop_and_tells_how_far_it_is(name):
    """Stopped beforehand, no tables come; not stopped, the verifier's last stage is told to its end."""
    topology = build(SPECS.get(name, "jellyfish:n=40,degree=4"))
    stopped = Work()
    stopped.stop()
    with pytest.raises(Stopped):
        route(topology, name, work=stopped)
    told = []
    route(topology, name, work=Work(on_progress=told.append))
    assert any(one.done == one.total and one.what == "destinations followed" for one in told)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["orders", "lash", "nue", "dfsssp-switches", "lnmp", "segments"])
def test_a_stop_amid_an_engine_is_heard(name):
    """In whatever kernel the engine is: there are no tables."""
    route(build("jellyfish:n=60,degree=5"), name)  # compiled
    topology, work = build("jellyfish:n=3000,degree=10"), Work()
    timer = threading.Timer(0.5, work.stop)
    timer.start()
    with pytest.raises(Stopped):
        route(topology, name, work=work, jobs=1)
    timer.join()


def test_the_other_verbs_hear_a_stop():
    """Judge, repair, products and tables by host have nothing to show when they are stopped."""
    work = Work()
    work.stop()
    routing = route(build("torus:dims=4x4"))
    for operation in (
        lambda: verify_routing(routing, work=work),
        lambda: reroute(routing, links=[(0, 1)], work=work),
        lambda: product_routing(build("product:(petersen)*(petersen)"), work=work),
        lambda: host_routings(build("fat-tree:k=4"), "fat-tree", 2, work=work),
        lambda: balance_routing(build("petersen"), work=work),
        lambda: balance_paths(build("optimal:n=16,degree=4"), work=work),
    ):
        with pytest.raises(Stopped):
            operation()


def test_a_search_for_even_loads_that_is_stopped_leaves_its_best():
    """Its tables are whole, it says how it ended, and its loads are those of its tables."""

    def stop(progress):
        if progress.what == "rounds of cooling" and progress.done >= 3:
            work.stop()

    work = Work(on_progress=stop)
    found = balance_routing(build("jellyfish:n=60,degree=4"), work=work, rounds=2_000)
    assert found.ended == "interrupted"
    assert found.routing.verification is None  # the verifier was stopped, too
    verification = verify_routing(found.routing)
    assert verification.minimal
    assert (verification.switch_load == found.load).all()
    assert found.bound <= found.value
