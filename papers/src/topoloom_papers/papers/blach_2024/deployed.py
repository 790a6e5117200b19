"""Claims of Blach 2024: the abstract, a summary at sciencestack.ai, and the README of the authors' fork of OpenSM,
github.com/spcl/opensm. The paper itself was not at hand.
"""

from dataclasses import replace
from typing import cast

import numpy as np

from topoloom.cost.bill import price
from topoloom.cost.placed import place
from topoloom.graph.distances import distance_matrix
from topoloom.routing.choices import Layers
from topoloom.routing.route import route
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build
from topoloom_papers._helpers import known, measured
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare

_INSTALLED = "slimfly:q=5,hosts=4"


@claim(
    "blach-2024/abstract/servers",
    "the installation has 200 servers: the Slim Fly of q = 5 at its full bandwidth",
    "200 servers (abstract)",
    "topoloom info slimfly:q=5,hosts=full",
)
def _servers() -> Outcome:
    topology = build("slimfly:q=5,hosts=full")
    return compare(
        {"servers": 200},
        {"servers": topology.hosts},
        assumption=f"{topology.switches} switches with {topology.hosts / topology.switches:g} servers each",
    )


@claim(
    "blach-2024/summary/diameter",
    "the installed Slim Fly has diameter 2",
    "2 (summary at sciencestack.ai)",
    f"topoloom info {_INSTALLED}",
)
def _diameter() -> Outcome:
    return compare({"diameter": 2}, {"diameter": measured(_INSTALLED).diameter})


@claim(
    "blach-2024/artefact/layers",
    "layered routing: the first layer is minimal, the paths of all others have at most three hops, one more than the diameter",
    "minimal; at most 3 hops (README, defaults of lnmp)",
    f"topoloom route {_INSTALLED} --engine lnmp",
)
def _layers() -> Outcome:
    routing = route(build(_INSTALLED), "lnmp")
    distance = distance_matrix(routing.topology)
    ports = (routing.ports, *cast(Layers, routing.choice).ports)
    layers = [replace(routing, ports=layer, choice=None, verification=None) for layer in ports]
    n = routing.topology.switches
    longest, off = [], 0
    for number, tables in enumerate(layers):
        lengths = np.array([[len(tables.path(s, d)) - 1 if s != d else 0 for d in range(n)] for s in range(n)])
        longest.append(int(lengths.max()))
        off += int((lengths != distance).sum()) if number == 0 else 0
    return check_statements(
        {
            "four layers, as with lmc 2": len(layers) == 4,
            "the first layer is minimal": off == 0,
            "no path has more than three hops": max(longest) <= 3,
        },
        f"{len(layers)} layers, longest paths {', '.join(map(str, longest))} hops",
    )


@claim(
    "blach-2024/artefact/deadlock",
    "paths of at most three hops are free of deadlock by the layers' own algorithm",
    "free of deadlock (README)",
    f"topoloom route {_INSTALLED} --engine lnmp",
)
def _deadlock() -> Outcome:
    verification = verify_routing(route(build(_INSTALLED), "lnmp"))
    channels = verification.virtual_channels_used
    return check_statements(
        {
            "no cycle in the channel dependencies": bool(verification.deadlock_free),
            "at most 8 virtual lanes": channels <= 8,
        },
        f"{channels} virtual channels, {'free of deadlock' if verification.deadlock_free else 'with a cycle'}",
        "InfiniBand switches have up to 15 data lanes, common ones 8",
    )


def _most_hosts(ports: int) -> tuple[int, str]:
    """Servers of the largest Slim Fly of switches with these ports at full bandwidth, and its spec."""
    best = (0, "")
    for q in range(3, ports):
        found = known(f"slimfly:q={q}")
        if found is not None and found.full_hosts and (found.degree or 0) + found.full_hosts <= ports:
            best = max(best, (found.switches * found.full_hosts, f"slimfly:q={q},hosts={found.full_hosts}"))
    return best


@claim(
    "blach-2024/abstract/scalability",
    "Slim Fly outperforms non-blocking fat trees in scalability (switches of 36, 40 and 64 ports)",
    "outperforms (abstract)",
    "topoloom info slimfly:q=16,hosts=12; topoloom info fat-tree:k=36",
)
def _scalability() -> Outcome:
    slim = {ports: _most_hosts(ports)[0] for ports in (36, 40, 64)}
    two = {ports: build(f"fat-tree:k={ports},hosts={ports * ports // 2}") for ports in slim}
    three = {ports: build(f"fat-tree:k={ports}").hosts for ports in (36, 40)}
    return check_statements(
        {
            f"{ports} ports: more servers than two levels of switches": slim[ports] > tree.hosts
            for ports, tree in two.items()
        }
        | {f"{ports} ports: the tree is of two levels": tree.switches == 3 * ports // 2 for ports, tree in two.items()},
        "; ".join(f"{ports} ports: {slim[ports]:,} servers, the tree {tree.hosts:,}" for ports, tree in two.items()),
        "two readings: trees of two levels, with as few hops, which fits; trees of three levels, which have"
        f" {three[36]:,} and {three[40]:,} servers at 36 and 40 ports, more than Slim Fly",
        readings=2,
    )


@claim(
    "blach-2024/abstract/cost",
    "lower cost than non-blocking fat trees for large network sizes (q = 19: 10,830 servers; the tree 10,648)",
    "lower (abstract)",
    "topoloom cost slimfly:q=19,hosts=15 fat-tree:k=44 --map rows",
)
def _cost() -> Outcome:
    def per_host(spec: str) -> float:
        return long_run(
            f"topoloom cost {spec} --map rows",
            float,
            lambda: round(price(place(build(spec), map="rows")).cost_per_host_usd, 2),
        )

    slim, tree = per_host("slimfly:q=19,hosts=15"), per_host("fat-tree:k=44")
    return check_statements(
        {"lower per server": slim < tree},
        f"Slim Fly {slim:,.0f}, fat tree {tree:,.0f} USD per server",
        "with the prices of Besta 2014; those of the new paper are not known to us",
    )
