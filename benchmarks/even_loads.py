"""Loads of our tables on trees with holes, next to a lower bound and to minhop; and of repairs with few changes after losses.

    python benchmarks/even_loads.py [--seeds 5] [--large]

Per tree and seed: the lower bound (pairs that must leave a leaf or a pod over its cables), the maximum channel load of our
tables and of minhop in pairs of hosts, and throughput as a share of the hosts' rate: of uniform traffic and of all shifts. Then
the tables without holes are repaired with few changes after the same losses. --large adds trees of 5,120 hosts; minutes.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from opensm_engines import Wiring, tree2, tree3

from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.infiniband import lft_text
from topoloom.fabric.lft import read_lft
from topoloom.fabric.minhop import minhop_tables
from topoloom.fabric.repair import repair_fabric
from topoloom.fabric.tables_compared import table_figures
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.routing.tree_order import tree_order
from topoloom.routing.trees.least_load import least_channel_load


def with_service_leaf(wiring: Wiring, hosts: int, cables: int) -> Wiring:
    """The tree with a leaf of storage servers with few cables up, in the last ports of the first pod's middles."""
    switches = {**wiring.switches, "leaf-s": hosts + cables}
    middles = [name for name in wiring.switches if name.startswith("middle0-")][:cables]
    plugs = [(("leaf-s", hosts + place + 1), (name, switches[name] + 1)) for place, name in enumerate(middles)]
    switches |= {name: switches[name] + 1 for name in middles}
    servers = [((f"storage{host}", 1), ("leaf-s", host + 1)) for host in range(hosts)]
    return Wiring(switches, [*wiring.cables, *plugs, *servers])


TREES: dict[str, Callable[[], Wiring]] = {
    "two levels": lambda: tree2(16, 8, 1, 8),
    "two levels, 20 hosts on 16 cables": lambda: tree2(24, 16, 1, 20),
    "two levels, bundles": lambda: tree2(12, 4, 2, 10),
    "three levels": lambda: tree3(6, 4, 4, 4, 4),
    "three levels, 5 hosts on 4 cables": lambda: tree3(6, 4, 4, 4, 5),
    "three levels, bundles": lambda: tree3(4, 4, 4, 2, 4, 2),
}
LARGE: dict[str, Callable[[], Wiring]] = {
    "5,120 hosts, bundles of 4": lambda: tree3(16, 16, 20, 4, 20, 4),
    "5,120 hosts, 20 on 16 cables": lambda: tree3(16, 16, 16, 16, 20),
    "5,120 hosts, bundles of 4, service leaf": lambda: with_service_leaf(tree3(16, 16, 20, 4, 20, 4), 4, 2),
}


def of_wiring(wiring: Wiring) -> Topology:
    """The network, without labels, as it is discovered."""
    number = {name: place for place, name in enumerate(wiring.switches)}
    links = [(number[a], number[b]) for (a, _), (b, _) in wiring.cables if a in number and b in number]
    ends = [number[a if a in number else b] for (a, _), (b, _) in wiring.cables if (a in number) != (b in number)]
    return Topology(links, len(number), np.sort(np.array(ends)), name="tree")


def losses(topology: Topology, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The switches and links that are left after an upper switch and 1 % of the cables, at least two, are lost."""
    draws = np.random.default_rng(seed)
    upper = np.flatnonzero((topology.endpoints_at == 0) & (topology.degrees > 2))
    switches = np.setdiff1d(np.arange(topology.switches), draws.choice(upper, 1))
    links = np.flatnonzero(np.isin(topology.links, switches).all(axis=1))
    few = max(2, len(links) // 100)
    return switches, np.setdiff1d(links, draws.choice(links, few, replace=False))


def left_of(fabric: Fabric, switches: np.ndarray, links: np.ndarray) -> Fabric:
    """The fabric with only these switches and links."""
    topology = fabric.topology
    number = np.full(topology.switches, -1)
    number[switches] = np.arange(switches.size)
    ends = number[topology.endpoints]
    return fabric.after_losses(
        Topology(number[topology.links[links]], switches.size, ends, name="tree"), switches, links
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    for name, make in {**TREES, **(LARGE if options.large else {})}.items():
        whole = planned_fabric(of_wiring(make()))
        routing = route(whole.topology)
        line(f"{name}, whole", whole)
        tables = read_lft(lft_text(routing, whole), "whole.lft", whole)
        for seed in range(1, 2 if name in LARGE else options.seeds + 1):
            now = left_of(whole, *losses(whole.topology, seed))
            line(f"  holes, seed {seed}", now)
            began = time.perf_counter()
            repaired = repair_fabric(whole, tables, now, alternative=False)
            load = next(figures.max_channel_load for figures in repaired.figures if figures.chosen)
            print(
                f"{'    few changes':40}{'':>8} {load:>8,.0f}  {repaired.entries_changed:,} of {repaired.entries:,} entries"
                f" changed, {repaired.entries_broken:,} broken; {len(repaired.steps)} steps; proved {repaired.deadlock_free};"
                f" {time.perf_counter() - began:.1f} s",
                flush=True,
            )


def line(name: str, fabric: Fabric) -> None:
    """Print the figures of our tables and of minhop."""
    order = tree_order(fabric.topology)
    least = least_channel_load(fabric.topology, None if order is None else order.level)
    began = time.perf_counter()
    ours = table_figures(route(fabric.topology), fabric)
    seconds = time.perf_counter() - began
    minhop = table_figures(minhop_tables(fabric), fabric)
    print(
        f"{name:40}bound {least:>8,.0f}  ours {ours.max_channel_load:>8,.0f} ({ours.max_channel_load / least - 1:.1%} above)"
        f"  minhop {minhop.max_channel_load:>8,.0f}  uniform {ours.uniform_throughput:.3f} ({minhop.uniform_throughput:.3f})"
        f"  shifts {ours.shift_throughput:.3f} ({minhop.shift_throughput:.3f})  {seconds:.1f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
