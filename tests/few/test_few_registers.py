"""Every engine, export, format, pattern of traffic, application and method of growth, on networks of one switch and of two.

The tables name every record of the registers; a new one without a row fails.
"""

import pytest
from few_networks import APART, FEW_HOSTS, JOINED, NETWORKS, NO_HOSTS, ONE, ONE_RANK, PARTS, TWO, check_sentence, row

from topoloom import (
    EXPORTS,
    FORMATS,
    PATTERNS,
    ExportSettings,
    InputError,
    cases_of,
    expand,
    load,
    open_network,
    place,
    quality,
    route,
    run_app,
    save,
    simulate,
    traffic_of,
    verify_routing,
    write_export,
)
from topoloom.cabling.expansion.registry import METHODS
from topoloom.routing.registry import engines
from topoloom.simulation.applications.registry import APPLICATIONS

#: Engines that route any graph, and how many tables each makes; None: one per host of a switch.
_ANY = {
    **dict.fromkeys(
        (
            "balanced",
            "balanced-edges",
            "dal",
            "dfsssp-switches",
            "dor",
            "dor-pairs",
            "duato",
            "ecmp",
            "hop-vcs",
            "lash",
        ),
        1,
    ),
    **dict.fromkeys(
        ("levels", "minimal", "nue", "omniwar", "orders", "orders-even", "segments", "segments-even", "silla-duato"), 1
    ),
    **dict.fromkeys(
        ("ksp", "shortest-union", "spraypoint", "ugal-g", "ugal-l", "updown", "valiant", "valiant-3", "vlb"), 1
    ),
    "fatpaths": 9,
    "lnmp": 4,
    "minimal-hosts": None,
}
#: Of these, those whose packets choose by queues, which no load says without a simulation.
_BY_QUEUES = {"dal", "omniwar", "ugal-g", "ugal-l", "valiant", "valiant-3"}
#: Engines of a family, and what they say of other networks.
_FAMILIES = {
    **dict.fromkeys(
        ("anca", "ancestors", "fat-tree", "nca"),
        "not a fat tree: its switches have no label 'level'; use engine orders",
    ),
    "fat-tree-hosts": "no label 'level', and are no tree by the distances from hosts; use engine orders",
    "dor-random": "for tori with rings of more than three switches.*engine dor",
    "dragonfly": "no label 'group'; use engine orders",
    "dsn-f": "not a DSN-F",
    "latency": "needs cable lengths; give a folder of topoloom layout -o",
    "product": r"not a Cartesian product.*build one with product",
}


def _network(name):
    return NETWORKS[name]


def _refused(expected, work):
    with pytest.raises(InputError) as caught:
        work()
    check_sentence(str(caught.value), expected)


def test_every_engine_has_a_row():
    """Those of the register, and no other."""
    assert _ANY.keys() | _FAMILIES.keys() == set(engines)


@pytest.mark.parametrize("engine", [*_ANY, *_FAMILIES])
def test_engines(engine):
    """One switch needs no table and no virtual channel; two are a hop apart; parts that nothing joins are refused."""
    for name in APART.split():
        _refused("make layers for each|" + PARTS, lambda name=name: route(_network(name), engine))
    for name in JOINED.split():
        if engine in _FAMILIES:
            _refused(_FAMILIES[engine], lambda name=name: route(_network(name), engine))
            continue
        tables = route(_network(name), engine)
        verification = verify_routing(tables)
        count = _ANY[engine] or int(_network(name).endpoints_at.max(initial=1))
        pairs = 0 if name in ONE.split() else 2 * count
        assert (verification.pairs, verification.reached_pairs, verification.minimal_pairs) == (pairs, pairs, pairs), (
            name
        )
        assert verification.deadlock_free, name
        assert verification.max_hops == (0 if name in ONE.split() else 1)
        if engine in _BY_QUEUES:
            _refused("chooses paths by queues.*simulate it", lambda tables=tables: quality(tables))
            continue
        through = quality(tables, bisections=10).uniform_throughput
        # Two hosts at each end of one link get a half of their rate; of two links tables may use one, and layers both.
        least, most = {"two4": (0.5, 0.5), "twin4": (0.5, 1.0)}.get(name, (1.0, 1.0))
        assert least - 1e-9 <= through <= most + 1e-9, name


_NOTHING = "no hosts, so there is no traffic; add them"
_TO_ROUTE = "no hosts, so there is nothing to route to; add them"
_ONE_NETWORK = "not connected; .* needs one connected network: give one plane"
_TWO_LINKS = "joined by two links; .* supports one link between two routers"
_EQUAL = "0 to 1 hosts per switch; .* needs the same number at every router"
_UNLINKED = "no path from S1 to S0; add links between the parts first"
_EVERYWHERE = row((" ".join(NETWORKS), "files"))
_CONFIGURED = row(("one4 one1 two4 two1 twin4", "files"), ("one0 two0 apart0", _TO_ROUTE), ("apart4 apart1", _UNLINKED))
_TABLES = "writes tables; use 'topoloom export"

#: What each export says of each network: files, or why none.
_EXPORTS = {
    **dict.fromkeys(("air", "containerlab", "frr", "sonic"), _CONFIGURED),
    **dict.fromkeys(("guid2lid", "ibutils", "infragraph", "ufm"), _EVERYWHERE),
    "analytical": row(
        ("one4 two4 twin4", "files"),
        ("one1", "one host, so there is no traffic; add more"),
        ("one0 two0 apart0", _NOTHING),
        ("two1 apart1", _EQUAL),
        ("apart4", "use ns3 for any other"),
    ),
    "anytopo": row(
        ("two4 two1", "files"),
        ("one4 one1", "no links; anytopo needs at least one"),
        ("one0 two0 apart0", _NOTHING),
        ("apart4 apart1", _ONE_NETWORK),
        ("twin4", _TWO_LINKS),
    ),
    "booksim": row(
        ("one4 one1 two4 two1", "files"),
        ("one0 two0 apart0", _NOTHING),
        ("apart4 apart1", _ONE_NETWORK),
        ("twin4", _TWO_LINKS),
    ),
    "caminos": row(
        ("one4 one1 two4", "files"),
        ("one0 two0 apart0", _NOTHING),
        ("two1 apart1", _EQUAL),
        ("apart4", _ONE_NETWORK),
        ("twin4", _TWO_LINKS),
    ),
    "codes": row(("one4 one1 two4 two1 apart4 apart1 twin4", "Dragonflies only"), ("one0 two0 apart0", _NOTHING)),
    "garnet": row(
        ("one4 one1 two4 two1", "files"),
        ("one0 two0 apart0", _NOTHING),
        ("apart4 apart1", _ONE_NETWORK),
        ("twin4", _TWO_LINKS),
    ),
    "htsim": row(
        ("one4 one1", "one switch; htsim supports fat trees"),
        ("two1", "files"),
        ("one0 two0 apart0", _NOTHING),
        ("two4 apart4 apart1 twin4", "htsim supports fat trees"),
    ),
    "ns3": row(("one4 one1 two4 two1 twin4", "files"), ("one0 two0 apart0", _NOTHING), ("apart4 apart1", _ONE_NETWORK)),
    "opensm": row(
        ("one4 one1 two4 two1 twin4", "files"), ("one0 two0", "nothing to address; add them"), (APART, PARTS)
    ),
    "simai": row(
        ("one4 one1 two4 two1 twin4", "files"), ("one0 two0 apart0", _NOTHING), ("apart4 apart1", _ONE_NETWORK)
    ),
    **dict.fromkeys(
        ("flux", "kueue", "slurm", "topograph", "volcano"),
        row(
            ("one4 one1 two4 two1 twin4 apart4 apart1", "files"), ("one0 two0 apart0", "nothing to schedule; add them")
        ),
    ),
    "srv6": row(("one4 one1 two4 two1 twin4", "files"), ("one0 two0", _TO_ROUTE), (APART, PARTS)),
    "supersim": row(
        ("one4 one1 two4 two1 twin4", "files"), ("one0 two0 apart0", _NOTHING), ("apart4 apart1", "SuperSim supports")
    ),
}


def test_every_export_has_a_row():
    """Those of the register, and no other."""
    assert _EXPORTS.keys() == set(EXPORTS)


@pytest.mark.parametrize("export", _EXPORTS)
def test_exports(export, tmp_path):
    """Files that hold something, or the sentence."""
    for name, expected in _EXPORTS[export].items():
        save(_network(name), tmp_path / f"{name}.json")
        fabric = open_network(tmp_path / f"{name}.json").fabric
        folder = tmp_path / name

        def write(name=name, fabric=fabric, folder=folder):
            tables = route(_network(name)) if export in ("opensm", "srv6") else None
            return write_export(export, fabric, folder, tables, settings=ExportSettings())

        if expected != "files":
            _refused(expected, write)
            assert not folder.exists()
            continue
        write()
        written = [file for file in folder.rglob("*") if file.is_file()]
        assert written, name
        assert all(b"nan" not in file.read_bytes() for file in written)


#: Formats that refuse some of the networks; the others take all.
_FORMATS_REFUSE = {
    "caminos": {"twin4": _TWO_LINKS},
    "grid-edges": {" ".join(NETWORKS): "needs labels x and y"},
    "order-radix": {"twin4": "joined by two links; .* each edge once"},
}


@pytest.mark.parametrize("format", sorted(name for name, record in FORMATS.items() if record.write is not None))
def test_formats(format, tmp_path):
    """What is written is read back: links always, hosts and switches without links where the format keeps them."""
    refuse = {name: why for names, why in _FORMATS_REFUSE.get(format, {}).items() for name in names.split()}
    for name, network in NETWORKS.items():
        file = tmp_path / f"{name}{FORMATS[format].suffixes[0]}"
        if name in refuse:
            _refused(refuse[name], lambda network=network, file=file: save(network, file, format))
            continue
        save(network, file, format)
        keeps = FORMATS[format].keeps
        if "isolated" not in keeps and not (len(network.links) or network.hosts):
            continue  # nothing is left of it
        back = load(file, format)
        # ns-3 has one link for all between two switches, with the rate of them together; it says so in a warning.
        links = len({tuple(link) for link in network.links.tolist()}) if format == "ns3" else len(network.links)
        assert len(back.links) == links, name
        if "endpoints" in keeps:
            assert back.hosts == network.hosts, name
        if "isolated" in keeps:
            assert back.switches == network.switches, name


#: What the tables of two switches with two hosts each let through of each pattern; those of one switch let all through.
_PATTERNS = {
    "all-to-all": 0.75,
    "bit-complement": 0.5,
    "bit-reversal": 1.0,
    "clique": None,
    "farthest": 0.5,
    "hotspot": 0.75,
    "hubs": None,
    "matching": None,
    "neighbour": 1.0,
    "permutation": 1.0,
    "shift": 1.0,
    "shuffle": 1.0,
    "skewed": 1.0,
    "stencil-2d": None,
    "stencil-3d": None,
    "tornado": 1.0,
    "transpose": 1.0,
    "uniform": 0.75,
    "worst-case": 0.5,
}
#: Those that have an end, or need a file or the hosts of another pattern.
_OTHERS = {"among", "chip", "matrix", "rates", "trace"}


def test_every_pattern_has_a_row():
    """Those of the register, and no other."""
    assert _PATTERNS.keys() | _OTHERS == set(PATTERNS)


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_patterns(pattern):
    """One switch carries every pattern at the full rate; two share one link; one host alone has nobody to send to."""
    for name in ["one1", "one0", "two1", "two0", "apart1", "apart0"]:
        _refused(FEW_HOSTS, lambda name=name: traffic_of(pattern, _network(name)))
    one, two = (
        quality(route(_network("one4")), pattern, bisections=10),
        quality(route(_network("two4")), pattern, bisections=10),
    )
    assert one.traffic_throughput == pytest.approx(1)
    assert one.traffic_bound == float("inf")
    assert 0.4999 < two.traffic_throughput < 1.0001
    if _PATTERNS[pattern] is not None:
        assert two.traffic_throughput == pytest.approx(_PATTERNS[pattern])
    for name in ("one4", "two4", "twin4"):
        point = simulate(route(_network(name)), pattern, loads=[0.1], fast=True).points[0]
        assert point.accepted == pytest.approx(0.1, rel=0.1), name
        assert 1 <= point.hops_mean <= (1 if name == "one4" else 2), name


_SIMGRID = "only SimGrid runs compiled programs.*use `simulator` simgrid"
#: A small run of each application, and what 4 ranks and what 1 rank give: seconds, or why none.
_APPLICATIONS = {
    "allreduce:bytes=64": ("seconds", ONE_RANK),
    "alltoall:bytes=64": ("seconds", ONE_RANK),
    "beff:loops=1": (_SIMGRID, ONE_RANK),
    "bt:class=S,iterations=1": ("seconds", "seconds"),
    "cg:class=S,iterations=1": ("seconds", "seconds"),
    "collective:operation=allreduce,bytes=64": ("seconds", ONE_RANK),
    "dt:class=S": ("at least 5", "at least 5"),
    "ep:class=S": ("seconds", "seconds"),
    "ft:class=S,iterations=1": ("seconds", "seconds"),
    "graph500:scale=6": ("seconds", "none"),
    "is:class=S,iterations=1": ("seconds", "seconds"),
    "lu:class=S,iterations=1": ("seconds", "seconds"),
    "matmul:n=16,block=4": (_SIMGRID, _SIMGRID),
    "mg:class=S,iterations=1": ("seconds", "seconds"),
    "pingpong:bytes=64": (_SIMGRID, ONE_RANK),
    "sp:class=S,iterations=1": ("seconds", "seconds"),
    "stencil2d:points=16x16": (_SIMGRID, _SIMGRID),
    "stencil3d:points=16x16x16": (_SIMGRID, _SIMGRID),
    "training:model=gpt3-175b,layers=1,batch=4,micro=1,tp=1,pp=1": ("seconds", "seconds"),
}
#: Those whose messages come from files.
_FROM_FILES = {"chakra", "goal"}


def test_every_application_has_a_row():
    """Those of the register, and no other."""
    assert {text.partition(":")[0] for text in _APPLICATIONS} | _FROM_FILES == set(APPLICATIONS) | _FROM_FILES


@pytest.mark.parametrize("app", _APPLICATIONS)
def test_applications(app):
    """Messages inside one switch use no link; one rank sends none; without hosts there are no ranks."""
    many, alone = _APPLICATIONS[app]
    for name in ["one0", "two0"]:
        _refused(NO_HOSTS, lambda name=name: run_app(_network(name), app, simulator="flows"))
    # Whichever of two faults is looked at first.
    faults = "|".join({PARTS, NO_HOSTS, many, alone} - {"seconds", "none"})
    for name in APART.split():
        _refused(faults, lambda name=name: run_app(_network(name), app, simulator="flows"))
    for name, expected in [("one4", many), ("two4", many), ("twin4", many), ("one1", alone), ("two1", alone)]:
        if expected not in ("seconds", "none"):
            _refused(expected, lambda name=name: run_app(_network(name), app, simulator="flows"))
            continue
        found = run_app(_network(name), app, simulator="flows")
        assert (found.seconds > 0) == (expected == "seconds"), name
        assert (found.link_bytes_total > 0) == (name in ("two4", "twin4")), name


@pytest.mark.simgrid
@pytest.mark.parametrize("name", NETWORKS)
def test_simgrid_agrees(name):
    """SimGrid refuses and runs the same networks as the flows; inside one switch nothing crosses a link."""
    if name not in ("one4", "two4", "twin4"):
        _refused(f"{NO_HOSTS}|{PARTS}|{ONE_RANK}", lambda: run_app(_network(name), "alltoall:bytes=64"))
        return
    found = run_app(_network(name), "alltoall:bytes=64")
    assert 0 < found.seconds < 1e-4
    assert (found.link_bytes_total > 0) == (name != "one4")


@pytest.mark.parametrize("placement", ["linear", "random", "rack", "optimised"])
def test_placements(placement):
    """Ranks of one switch and of two are placed in every way."""
    for name in ("one4", "two4", "twin4"):
        layout = place(_network(name)) if placement == "rack" else None
        found = run_app(_network(name), "alltoall:bytes=64", placement=placement, layout=layout, simulator="flows")
        assert sorted(found.homes.tolist()) == [0, 1, 2, 3]
        assert len(cases_of(name, _network(name))) == 1


_OWN = "grows networks that '.*' builds; use method splice for any"
_NO_LINKS = "it has no links into which a new switch could be inserted"
_METHODS = {
    "channels": row((" ".join(NETWORKS), "spare ports allow|1 more")),
    "channels-near": row((" ".join(NETWORKS), "spare ports allow|1 more")),
    **dict.fromkeys(("boxes", "copies", "dsn-f", "group", "pod", "slab"), row((" ".join(NETWORKS), _OWN))),
    "metanodes": row((" ".join(NETWORKS), "no label 'group'; use method splice for any")),
    "hosts": row((" ".join(NETWORKS), "grown")),
    **dict.fromkeys(
        ("splice", "splice-near"),
        row((f"{ONE} {APART}", _NO_LINKS), (TWO, "state the number of its links"), ("twin4", "grown")),
    ),
}


def test_every_method_has_a_row():
    """Those of the register, and no other."""
    assert _METHODS.keys() == set(METHODS)


@pytest.mark.parametrize("method", _METHODS)
def test_methods_of_growth(method):
    """Hosts are added to any network, a switch where there is a link to open; else the sentence."""
    for name, expected in _METHODS[method].items():
        network = _network(name)
        to = network.hosts + 2 if method == "hosts" else 9 if "channels" in method else network.switches + 1

        def grow(network=network, to=to):
            return expand(network, to, method=method, radix=8)

        if expected != "grown":
            _refused(expected, grow)
            continue
        after = grow().after.layout.topology
        assert (after.hosts if method == "hosts" else after.switches) == to
