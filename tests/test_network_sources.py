"""Every public function that takes a network takes it in every form, and gives the same for all of them."""

import inspect
import typing

import numpy as np
import pytest

import topoloom
from topoloom import Topology, as_network, build, open_network, save
from topoloom.core.errors import InputError
from topoloom.fabric.identify import identify
from topoloom.model.results import Result
from topoloom.model.sources import NetworkSource

SPEC = "hypercube:n=3,hosts=1"


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The same network as a spec, a path, a folder, and objects of each kind."""
    folder = tmp_path_factory.mktemp("sources")
    topology = build(SPEC)
    save(topology, folder / "net.json")
    network = open_network(SPEC).placed(map="rows").routed()
    network.save(folder / "net")
    return {
        "spec": SPEC,
        "file": folder / "net.json",
        "folder": str(folder / "net"),
        "topology": topology,
        "network": network,
        "layout": topoloom.place(topology, map="rows"),
        "tables": topoloom.route(topology),
        "fabric": as_network(topology).fabric,
        "graph": topology.to_networkx(),
    }


def _files(folder):
    return sorted((path.name, path.read_bytes()) for path in folder.rglob("*") if path.is_file())


def _trace(folder):
    (folder / "trace.csv").write_text("cycle,source,destination,flits\n0,0,7,1\n5,3,2,1\n")
    return folder / "trace.csv"


def _written(write, folder):
    write(folder / "out")
    return _files(folder)


#: How each function is called with a network, and a folder to write to.
CALLS = {
    "as_network": lambda n, _: topoloom.as_network(n).topology.digest,
    "balance_paths": lambda n, _: topoloom.balance_paths(n, seconds=1).value,
    "balance_routing": lambda n, _: topoloom.balance_routing(n, seconds=1).value,
    "blast_radius": lambda n, _: topoloom.blast_radius(n),
    "bounds": lambda n, _: topoloom.bounds(n),
    "cable": lambda n, _: len(topoloom.cable(n)),
    "cases_of": lambda n, _: [case.routings[0].engine for case in topoloom.cases_of("x", n)],
    "collective": lambda n, _: topoloom.collective(n, "allgather", 4096).algorithm,
    "collective_bound": lambda n, _: topoloom.collective_bound(n, "allgather", 4096).bandwidth_s,
    "compare": lambda n, _: [
        one.value("max_hops") for one in topoloom.compare([n], minimize="max_hops", minutes=0.01).networks
    ],
    "compare_fabrics": lambda n, _: len(topoloom.compare_fabrics(n, n, identify(n, n)).rows()),
    "cuts": lambda n, _: topoloom.cuts(n, seeds=1),
    "expander": lambda n, _: topoloom.expander(n, seeds=1),
    "degradation": lambda n, _: topoloom.degradation(n, levels=[0.1], samples=1)[0].uniform,
    "diagnose": lambda n, _: [one.code for one in topoloom.diagnose(n, n).diagnostics],
    "draw_network": lambda n, _: topoloom.draw_network(n).blocks.name[1:],
    "execute": lambda n, folder: topoloom.execute(n, f"trace:{_trace(folder)}").packets,
    "expand": lambda n, _: topoloom.expand(n, 9, "splice").added,
    "expand_panels": None,  # takes networks with panels only: tests/fibre
    "hops": lambda n, _: topoloom.hops(n),
    "host_routings": lambda n, _: len(topoloom.host_routings(n, "orders", 2)),
    "identify": lambda n, _: topoloom.identify(n, n).by,
    "info": lambda n, _: topoloom.info(n).diameter,
    "layered_routing": lambda n, _: topoloom.layered_routing(n, 2, seed=1).engine,
    "lifetime": lambda n, _: topoloom.lifetime(n, link_fit=100, samples=5),
    "losses": lambda n, _: topoloom.losses(n, "0-1").links,
    "repair_fabric": None,  # takes live tables, too: tests/fabrics
    "outage": lambda n, _: topoloom.outage(n, switches=[0]).cut_off,
    "optimize": lambda n, _: topoloom.optimize(n, seconds=0.01, jobs=1).topology.switches,
    "path_diversity": lambda n, _: topoloom.path_diversity(n),
    "place": lambda n, _: topoloom.place(n, map="rows"),
    "price": lambda n, _: topoloom.price(n).switches,
    "facility": lambda n, _: topoloom.facility(n).record()["fullest_w"],
    "phases": lambda n, _: topoloom.phases(n, [4, 8]).cost_usd,
    "product_routing": None,  # takes products only: tests/routing
    "verify_routing": lambda n, _: topoloom.verify_routing(n),
    "quality": lambda n, _: topoloom.quality(n, bisections=5),
    "reroute": lambda n, _: topoloom.reroute(n, links=[(0, 1)]).entries,
    "resilience": lambda n, _: topoloom.resilience(n, samples=5),
    "route": lambda n, _: topoloom.route(n).ports,
    "run_app": lambda n, _: topoloom.run_app(n, "alltoall:bytes=64", simulator="flows").ranks,
    "saturation": lambda n, _: topoloom.saturation(n, width=0.5, fast=True).offered,
    "save": lambda n, folder: _written(lambda out: topoloom.save(n, f"{out}.edges"), folder),
    "save_routing": lambda n, folder: [name for name, _ in _written(lambda out: topoloom.save_routing(n, out), folder)],
    "simulate": lambda n, _: topoloom.simulate(n, loads=[0.1], fast=True).points[0].latency_mean,
    "surviving_network": lambda n, _: topoloom.surviving_network(n, share=0.1).links,
    "traffic_of": lambda n, _: topoloom.traffic_of("bit-reversal", n).to,
    "write_export": lambda n, folder: _written(lambda out: topoloom.write_export("ufm", n, out), folder),
}
#: What lies in a folder is written with what is written: the layout of a network that has one.
_MORE_FROM = {"save_routing": ("folder", "network", "layout")}
_FORMS = ("spec", "file", "folder", "topology", "network", "layout", "tables", "fabric", "graph")


def _takers():
    """The public functions with a parameter that may be a network."""
    named = {name: getattr(topoloom, name) for name in topoloom.__all__}
    functions = {name: one for name, one in named.items() if inspect.isfunction(one)}
    forms = typing.get_args(NetworkSource)

    def allows(hint):
        """Whether a type is one of any network, or a union with it."""
        return all(form in typing.get_args(hint) for form in forms)

    return {
        name
        for name, function in functions.items()
        for hint in typing.get_type_hints(function).values()
        if allows(hint) or any(allows(one) for one in typing.get_args(hint))
    }


def test_every_taker_of_a_network_is_walked():
    """A function that says that it takes a network stands in the table."""
    assert len(_takers()) > 35
    # designer/test_installed.py walks through what `design` compares with, machine/test_machine_verify.py through discoveries.
    assert (_takers() | {"compare"}) - {"design", "verify_machine"} == set(CALLS)


def _plain(value):
    if isinstance(value, Result):
        return {key: inner for key, inner in value.record().items() if key != "provenance"}
    return value.tolist() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize(
    "name",
    # Nine comparisons take seconds; `compare` opens its networks as all others do.
    [
        pytest.param(name, marks=pytest.mark.exhaustive if name == "compare" else ())
        for name, call in CALLS.items()
        if call is not None
    ],
)
def test_every_form_gives_the_same(name, sources, tmp_path):
    """A spec, a path, a folder, a topology, a network, a layout, tables, a fabric and a graph."""
    wanted = None
    for form in _FORMS:
        if form in _MORE_FROM.get(name, ()):
            continue
        folder = tmp_path / form
        folder.mkdir()
        found = _plain(CALLS[name](sources[form], folder))
        if isinstance(found, dict):
            found = {key: value for key, value in found.items() if key not in ("topology", "made", "name", "spec")}
        wanted = found if wanted is None else wanted
        assert found == wanted, form


def test_a_network_remembers_what_it_was_priced_and_placed_by(tmp_path):
    """The journey of the design: in memory and as a folder, by every function, one bill, also without the quotes' file."""
    quotes = tmp_path / "my quotes.toml"
    quotes.write_text("installation_usd = 77.0\n")
    network = open_network("slimfly:q=5,hosts=4").placed(
        room="koibuchi-2013", map="rows", parts="slimfly-2014", prices=quotes, rate_gbps=56
    )
    network = network.routed().priced(spares=True, host_cables=True)
    network.save(tmp_path / "net")
    quotes.unlink()
    again = open_network(tmp_path / "net")
    assert again == network
    assert again.terms == network.terms
    assert (again.terms.catalogue.name, again.terms.link_rate_gbps) == ("slimfly-2014 with my quotes", 56)
    assert again.layout.made == network.layout.made
    assert topoloom.price(tmp_path / "net").cost_usd == network.bill.cost_usd == topoloom.price(network).cost_usd
    assert topoloom.price(tmp_path / "net").lines == network.bill.lines
    assert topoloom.quality(again, bisections=1).provenance.engine == network.tables.engine
    plan = topoloom.expand(tmp_path / "net", 51, "splice")
    assert plan.after.bought.parts == network.terms.parts
    plan.save(tmp_path / "plan")
    assert open_network(tmp_path / "plan" / "after").terms == network.terms
    assert topoloom.price(tmp_path / "net", rate_gbps=40, spares=False).cost_usd < network.bill.cost_usd


def test_a_layout_that_stands_is_not_placed_again(tmp_path):
    """What only placing can honour is refused; `placed` places again."""
    network = open_network("petersen:hosts=1").placed(map="rows")
    with pytest.raises(InputError, match=r"^room=koibuchi-2013: petersen:hosts=1 is laid out already"):
        network.with_layout("koibuchi-2013")
    assert network.with_layout() is network
    assert network.placed("koibuchi-2013").layout.floor_name == "koibuchi-2013"
    with pytest.raises(InputError, match="the tables are of another network"):
        network.with_installed(topoloom.route(build("petersen")))


@pytest.mark.parametrize("version", [{}, {"rate_gbps": "x"}, {"schema": "topoloom/network/9"}, {"parts": "lost"}])
def test_a_damaged_memory_is_one_sentence(tmp_path, version):
    """The file is named, and what to do."""
    import json

    open_network("petersen:hosts=1").placed(map="rows").save(tmp_path / "net")
    path = tmp_path / "net" / "network.json"
    path.write_text(json.dumps({"schema": "topoloom/network/1"} | version))
    if "parts" in version:
        (tmp_path / "net" / "parts.json").unlink()
    if version:
        with pytest.raises(InputError, match=r"network\.json: "):
            topoloom.price(tmp_path / "net")
    else:
        assert topoloom.price(tmp_path / "net").parts == "slimfly-2014"
    assert isinstance(build("petersen"), Topology)
