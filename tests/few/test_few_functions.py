"""Every public function on networks of one switch and of two: a right value, or one sentence that says why there is none.

A public function that is in no table fails: it needs a row, or a place among those that take no network.
"""

import math

import numpy as np
import pytest
from few_networks import (
    ALL,
    APART,
    FEW_HOSTS,
    IN_PARTS,
    JOINED,
    LINKED,
    NETWORKS,
    NO_HOSTS,
    NO_LINK,
    NO_PATHS,
    ONE,
    ONE_PLACE,
    ONE_RANK,
    ONE_SWITCH,
    PARTS,
    TRIED,
    TWO,
    Refused,
    check_sentence,
    check_value,
    row,
)

import topoloom
from topoloom import build, expand, open_network, place, quality, route, save
from topoloom.fabric.lft import read_lft


def _fabric(topology, folder):
    save(topology, folder / "network.json")
    return open_network(folder / "network.json").fabric


def _compared(topology, folder):
    fabric = _fabric(topology, folder)
    return topoloom.compare_fabrics(fabric, fabric, topoloom.identify(fabric, fabric))


def _grown(topology):
    return expand(topology, topology.hosts + 2, method="hosts", radix=8)


def _saved_plan(topology, folder):
    topoloom.save_expansion(_grown(topology), folder / "plan")
    return folder / "plan"


def _studied(topology, folder):
    save(topology, folder / "network.json")
    (folder / "study.toml").write_text(
        'title = "t"\noperation = "hops"\n[axes]\ntopology = ["network.json"]\n[run]\nexecutor = "threads"\njobs = 1\n'
    )
    study = topoloom.read_study(folder / "study.toml")
    return study, topoloom.run_study(study, folder / "store")


def _new_study(topology, folder):
    save(topology, folder / "network.json")
    draft = topoloom.new_study(
        "hops", networks=[str(folder / "network.json")], axis="none", executor="threads", folder=folder
    )
    draft.write(folder / "new.toml")
    return topoloom.run_study(topoloom.read_study(folder / "new.toml"), folder / "store")


def _same(topology, back):
    return back == topology


def _finite(value):
    return None if not math.isfinite(value) else value


_SAME = row((ALL, True))
_GROWN = row(*[(name, network.hosts + 2) for name, network in NETWORKS.items()])
_CABLES = row(*[(name, len(net.links) + net.endpoints.size) for name, net in NETWORKS.items()])
_ROUTED = ((ONE, 0), (LINKED, 2), (APART, Refused(PARTS)))
_COLLECTIVE = (("one1 two1", 0.0), ("one0 two0 apart0", Refused(NO_HOSTS)), ("apart4 apart1", Refused(PARTS)))
_TRAFFIC = (("one1 one0 two1 two0", Refused(FEW_HOSTS)), (APART, Refused(PARTS)))
_RANKS = (("one1 two1", Refused(ONE_RANK)), ("one0 two0 apart0", Refused(NO_HOSTS)), ("apart4", Refused(PARTS)))
_NO_CUT = Refused("1 switch; a cut needs at least two")
_NO_LINK = Refused(NO_LINK)
_DIAMETER = row((ONE, 0), (LINKED, 1), (APART, None))

#: By public function (and what is done with it): the call on a network in a folder, and what it gives.
#: Networks of fewer than four hosts.
_UNPHASED = "one1 one0 two1 two0 apart1 apart0"
_PHASES = row(
    ("one4 two4 apart4 twin4", 0), (_UNPHASED, Refused("the last phase has 4 hosts, which is beyond its capacity"))
)

TABLE = {
    "as_network": (lambda t, _: topoloom.as_network(t).topology == t, row((ALL, True))),
    "balance_paths": (
        lambda t, _: topoloom.balance_paths(t, seconds=2).value,
        row((JOINED, 0.0), (APART, Refused(PARTS))),
    ),
    "balance_routing": (
        lambda t, _: topoloom.balance_routing(t, seconds=2).value,
        row((JOINED, 0.0), (APART, Refused(PARTS))),
    ),
    "blast_radius": (
        lambda t, _: [one["cut_off"] for one in topoloom.blast_radius(t).rows()][:2],
        row(
            ("one4", [1, 4]),
            ("one1 two1", [1, 1]),
            ("two4 twin4", [1, 2]),
            ("one0 two0 apart0", Refused("no hosts that a loss could cut off")),
            ("apart4 apart1", Refused("join them first")),
        ),
    ),
    "outage": (
        lambda t, _: topoloom.outage(t, switches=[0]).after.switches,
        row((ONE, Refused("no switch is left")), (LINKED, 1), (APART, Refused("in parts before any loss"))),
    ),
    "bounds": (lambda t, _: topoloom.bounds(t).moore_aspl, row((ONE, 0.0), (LINKED, 1.0), (APART, math.inf))),
    "cable": (lambda t, _: len(topoloom.cable(place(t)).rows()), row((f"{ONE} {APART}", 0), (TWO, 1), ("twin4", 2))),
    "cases_of": (
        lambda t, _: len(topoloom.cases_of("a", t)),
        row(
            ("one4 one1 two4 two1 twin4", 1), ("one0 two0 apart0", Refused(NO_HOSTS)), ("apart4 apart1", Refused(PARTS))
        ),
    ),
    "check_plan": (lambda t, folder: topoloom.check_plan(_saved_plan(t, folder)).tasks, row((ALL, 2))),
    "collective": (
        lambda t, _: topoloom.collective(t, "allgather", 4096).seconds,
        row(("one4 twin4", 8.144e-7), ("two4", 1.6128e-6), *_COLLECTIVE),
    ),
    "collective_bound": (
        lambda t, _: topoloom.collective_bound(t, "allgather", 4096).seconds,
        row(
            ("one4 two4 twin4", 8.144e-7),
            ("one1 two1 apart1", 0.0),
            ("one0 two0 apart0", Refused(NO_HOSTS)),
            ("apart4", Refused("no path joins host 0 and host 2")),
        ),
    ),
    "compare": (
        lambda t, _: [one.value("switches") for one in topoloom.compare([t], minutes=0.01).networks],
        row(*[(name, [net.switches]) for name, net in NETWORKS.items()]),
    ),
    "compare_fabrics": (lambda t, folder: _compared(t, folder).right_cables, _CABLES),
    "cuts": (lambda t, _: topoloom.cuts(t).links, row((ONE, _NO_CUT), (TWO, 1), (APART, 0), ("twin4", 2))),
    "expander": (
        lambda t, _: topoloom.expander(t).network.expansion_most,
        row((ONE, _NO_CUT), (TWO, 1.0), (APART, 0.0), ("twin4", 2.0)),
    ),
    "degradation": (
        lambda t, _: [one.failures for one in topoloom.degradation(t, levels=[0.5], samples=2)],
        row((f"{ONE} {APART}", _NO_LINK), (LINKED, [1])),
    ),
    "diagnose": (lambda t, _: topoloom.diagnose(t).errors, row((JOINED, 0), (APART, 1))),
    "execute": (
        lambda t, _: topoloom.execute(route(t), "chip:processors=1,banks=1,memories=1,requests=5").cycles > 0,
        row(("one4 two4 twin4", True), *_TRAFFIC),
    ),
    "expand": (lambda t, _: _grown(t).after.layout.topology.hosts, _GROWN),
    "expand_panels": (lambda t, _: topoloom.expand_panels(t, 2), row((ALL, Refused("it has no panels")))),
    "hops": (lambda t, _: _finite(topoloom.hops(t).diameter), _DIAMETER),
    "host_routings": (
        lambda t, _: len(topoloom.host_routings(t, "minimal", 2)),
        row((JOINED, 2), (APART, Refused(PARTS))),
    ),
    "identify": (
        lambda t, folder: topoloom.identify(*[_fabric(t, folder)] * 2).switch.tolist(),
        row((ONE, [0]), (f"{LINKED} {APART}", [0, 1])),
    ),
    "draw_network": (
        lambda t, _: int(topoloom.draw_network(t).bundles(np.ones(9, bool)[:1]).count.sum()),
        row((f"{ONE} {APART}", 0), (TWO, 1), ("twin4", 2)),
    ),
    "info": (lambda t, _: topoloom.info(t, full=True).bisection, row((ONE, None), (TWO, 1), (APART, 0), ("twin4", 2))),
    "layered_routing": (
        lambda t, _: topoloom.verify_routing(topoloom.layered_routing(t, 2)).pairs,
        row((ONE, 0), (LINKED, 4), (APART, Refused("make layers for each plane"))),
    ),
    "lifetime": (
        lambda t, _: topoloom.lifetime(t, link_fit=100, samples=5).hours,
        row((ONE, Refused(ONE_SWITCH)), (TWO, 1e7), ("twin4", 1.5e7), (APART, Refused(IN_PARTS))),
    ),
    "load": (lambda t, folder: _same(t, (save(t, folder / "n.json"), topoloom.load(folder / "n.json"))[1]), _SAME),
    "load_expansion": (
        lambda t, folder: topoloom.load_expansion(_saved_plan(t, folder)).after.layout.topology.hosts,
        _GROWN,
    ),
    "load_layout": (
        lambda t, folder: _same(t, (place(t).save(folder / "n"), topoloom.load_layout(folder / "n").topology)[1]),
        _SAME,
    ),
    "losses": (
        lambda t, folder: list(
            topoloom.losses((save(t, folder / "n.json"), open_network(folder / "n.json"))[1], "0").switches
        ),
        row((ALL, [0])),
    ),
    "new_study": (lambda t, folder: _new_study(t, folder).rows()[0]["diameter"], _DIAMETER),
    "open_network": (
        lambda t, folder: (save(t, folder / "n.json"), open_network(folder / "n.json").topology.hosts)[1],
        row(*[(name, network.hosts) for name, network in NETWORKS.items()]),
    ),
    "open_study": (
        lambda t, folder: (_studied(t, folder), len(topoloom.open_study(folder / "store").rows()))[1],
        row((ALL, 1)),
    ),
    "optimize": (
        lambda t, _: topoloom.optimize(t, moves=3, jobs=1).aspl,
        row((f"{ONE} {APART}", Refused("no links to exchange")), (LINKED, 1.0)),
    ),
    "path_diversity": (
        lambda t, _: topoloom.path_diversity(t).paths[0].mean,
        row(
            (f"{ONE} two1 apart1", Refused(ONE_PLACE)),
            ("two4 two0", 1.0),
            ("twin4", 2.0),
            ("apart4 apart0", Refused(NO_PATHS)),
        ),
    ),
    "place": (lambda t, _: float(place(t).length_m.sum()), row((f"{ONE} {APART}", 0.0), (TWO, 1.0), ("twin4", 2.0))),
    "price": (
        lambda t, _: topoloom.price(place(t)).cost_usd,
        row((ONE, 1560.5), (TWO, 3160.4), (APART, 3121.0), ("twin4", 3199.8)),
    ),
    "facility": (
        lambda t, _: topoloom.facility(t).record()["fullest_w"],
        row((ONE, 19.6), (f"{TWO} {APART} twin4", 39.2)),
    ),
    "phases": (lambda t, _: topoloom.phases(t, [2, 4]).moved, _PHASES),
    "save_phases": (
        lambda t, folder: len(topoloom.save_phases(topoloom.phases(t, [2, 4]), folder / "phases")) > 10,
        row(
            ("one4 two4 apart4 twin4", True),
            (_UNPHASED, Refused("the last phase has 4 hosts, which is beyond its capacity")),
        ),
    ),
    "product_routing": (
        lambda t, _: topoloom.product_routing(t),
        row((ALL, Refused("not a Cartesian product.*build one with product"))),
    ),
    "progress": (lambda t, folder: topoloom.progress([_compared(t, folder)], ["monday"]).seen[0].right_cables, _CABLES),
    "verify_routing": (lambda t, _: topoloom.verify_routing(route(t)).reached_pairs, row(*_ROUTED)),
    "quality": (
        lambda t, _: quality(route(t), bisections=10).uniform_throughput,
        row(("one4 one1 one0 two1 two0", 1.0), ("two4 twin4", 0.5), (APART, Refused(PARTS))),
    ),
    "reroute": (
        lambda t, _: topoloom.reroute(route(t), links=[(0, 1)]).entries,
        row(
            (ONE, Refused("no link 0-1")),
            (TWO, Refused("no link is left, so there is nothing to route")),
            ("twin4", 2),
            (APART, Refused(PARTS)),
        ),
    ),
    "resilience": (
        lambda t, _: topoloom.resilience(t, samples=4).exact,
        row((f"{ONE} {APART}", _NO_LINK), (TWO, 0.0), ("twin4", 0.5)),
    ),
    "route": (lambda t, _: route(t).verification.max_hops, row((ONE, 0), (LINKED, 1), (APART, Refused(PARTS)))),
    "run_app": (
        lambda t, _: topoloom.run_app(t, "alltoall:bytes=64", simulator="flows").seconds,
        row(("one4", 6.384e-7), ("two4 twin4", 1.2384e-6), ("apart1", Refused(ONE_RANK)), *_RANKS),
    ),
    "run_apps": (
        lambda t, _: len(topoloom.run_apps(topoloom.cases_of("a", t), ["alltoall:bytes=64"], simulator="flows").rows()),
        row(("one4 two4 twin4", 1), ("apart1", Refused(PARTS)), *_RANKS),
    ),
    "run_study": (lambda t, folder: _studied(t, folder)[1].rows()[0]["diameter"], _DIAMETER),
    "run_task": (
        lambda t, folder: topoloom.run_task(
            (save(t, folder / "n.json"), topoloom.task_of("hops", {"topology": str(folder / "n.json")}))[1]
        )[1]["diameter"],
        _DIAMETER,
    ),
    "saturation": (
        lambda t, _: 0.4 < topoloom.saturation(route(t), width=0.2, fast=True).accepted <= 1,
        row(("one4 two4 twin4", True), *_TRAFFIC),
    ),
    "save_cabling": (
        lambda t, folder: (topoloom.save_cabling(topoloom.cable(place(t)), folder / "n"), (folder / "n").is_dir())[1],
        row((ALL, True)),
    ),
    "save_routing": (
        lambda t, folder: _same(
            t, (topoloom.save_routing(route(t), folder / "n"), open_network(folder / "n").tables.topology)[1]
        ),
        row((JOINED, True), (APART, Refused(PARTS))),
    ),
    "schedule_of_program": (
        lambda t, _: topoloom.schedule_of_program("alltoall:bytes=8", t.hosts).ranks,
        row(
            ("one4 two4 apart4 twin4", 4),
            ("one1 two1 apart1", Refused(ONE_RANK)),
            ("one0 two0 apart0", Refused("ranks=0: give a whole number of at least 1")),
        ),
    ),
    "simulate": (
        lambda t, _: (
            topoloom.simulate(route(t), loads=[0.1], fast=True).points[0].accepted == pytest.approx(0.1, rel=0.1)
        ),
        row(("one4 two4 twin4", True), *_TRAFFIC),
    ),
    "study_status": (
        lambda t, folder: topoloom.study_status(_studied(t, folder)[0], topoloom.Store(folder / "store")).done,
        row((ALL, 1)),
    ),
    "surviving_network": (
        lambda t, _: len(topoloom.surviving_network(t, share=0.5).links),
        row((f"{ONE} {APART}", _NO_LINK), (TWO, 0), ("twin4", 1)),
    ),
    "traffic_of": (
        lambda t, _: float(topoloom.traffic_of("uniform", t).dense().sum()),
        row(("one4", 0.0), ("two4 apart4 twin4", 8 / 3), ("one1 one0 two1 two0 apart1 apart0", Refused(FEW_HOSTS))),
    ),
    "write_export": (
        lambda t, folder: len(topoloom.write_export("ufm", _fabric(t, folder), folder / "out")) > 0,
        row((ALL, True)),
    ),
}

#: In other rows of the tables: what writes is tried by what reads.
_WITH_OTHERS = {"save", "save_expansion", "task_of", "read_study"}
#: What takes networks with shuffle panels only, which have 16 boxes or more: tests/fibre/test_panels_grow.py.
_WITH_PANELS = {"check_panel_plan", "save_panel_expansion"}
#: What takes no network: specs, requirements, files of others, servers.
_NO_NETWORK = {
    "balanced_pairs",
    "build",
    "copy_examples",
    "design",
    "design_machine",
    "open_executor",
    "expand_machine",
    "flat_or_tree",
    "load_chakra",
    "load_goal",
    "machine_facility",
    "machine_phases",
    "machine_report",
    "new_requirement",
    "open_machine",
    "overview",
    "price_machine",
    "program_from",
    "read_machine_file",
    "read_schedule",
    "save_goal",
    "save_machine",
    "serve",
    "topology_of",
    "trace_from",
    "write_machine_export",
    "write_site",
    "verify_machine",
}
#: Takes directed networks: test_few_directed.py.
_DIRECTED = {
    *("directed_hops", "directed_info", "directed_route", "directed_simulate"),
    *("open_directed", "save_directed", "verify_directed"),
}
#: Takes discovered fabrics and their tables; below.
_LIVE = {"repair_fabric"}


def test_every_function_has_a_row():
    """Those of the package, and no other."""
    named = {name for name in topoloom.__all__ if callable(getattr(topoloom, name))}
    functions = {name for name in named if not isinstance(getattr(topoloom, name), type)}
    assert TABLE.keys() | _WITH_OTHERS | _WITH_PANELS | _NO_NETWORK | _DIRECTED | _LIVE == functions


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("function", TABLE)
def test_a_right_value_or_a_sentence(function, tmp_path):
    """Each cell of the row, without a warning of NumPy."""
    call, expected = TABLE[function]
    for name, network in TRIED.items():
        folder = tmp_path / name
        folder.mkdir()
        if isinstance(expected[name], Refused):
            with pytest.raises(topoloom.InputError) as caught:
                call(network, folder)
            check_sentence(str(caught.value), expected[name])
        else:
            check_value(call(network, folder), expected[name], f"{function} of {name}")


def test_a_switch_that_a_family_makes_is_no_other():
    """`complete:n=1,hosts=4` as the issue has it: all its traffic stays inside, at the full rate."""
    found = quality(route(build("complete:n=1,hosts=4")))
    assert (found.uniform_throughput, found.worst_throughput, found.effective_bisection) == (1, 1, 1)
    assert found.permutation_throughput == 1
    assert found.channel_load.most == 0


def test_tables_of_fabrics_are_mended(tmp_path):
    """Tables of one switch and of two, as OpenSM dumps them, need no change where nothing has changed."""
    for name in ("one4", "one1", "two4", "two1", "twin4"):
        network = NETWORKS[name]
        save(network, tmp_path / f"{name}.net", "ibnetdiscover")
        fabric = open_network(tmp_path / f"{name}.net").fabric
        topoloom.write_export("opensm", fabric, tmp_path / name, route(network))
        dump = tmp_path / name / "fabric.lft"
        tables = read_lft(dump.read_text(), str(dump), fabric)
        assert not topoloom.repair_fabric(fabric, tables, fabric).entries_changed
