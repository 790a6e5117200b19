"""`topoloom hops`: how far the switches of a topology are from each other, in hops and in nanoseconds."""

from dataclasses import asdict
from typing import Any

import click
import numpy as np

from topoloom.cli.output import json_option, plain, print_facts, print_json, print_table
from topoloom.opening import open_network
from topoloom.topology import Topology


@click.command(help="Hop distances of TOPOLOGY (a spec or a file): histogram, diameter, ASPL; and what goes with them.")
@click.argument("topology")
@click.option("--eccentricities", "far", is_flag=True, help="How many switches see their farthest at each distance.")
@click.option("--paths", is_flag=True, help="How many shortest, and how many link-disjoint, paths join two switches.")
@click.option("--latency", is_flag=True, help="Zero-load latency over the quickest ways.")
@click.option("--switch-ns", type=float, default=60.0, show_default=True, help="Delay of a switch (for --latency).")
@click.option("--cable-ns-per-m", type=float, default=5.0, show_default=True, help="Delay of a metre of cable.")
@click.option("--length-m", type=float, default=5.0, show_default=True, help="Length of every cable.")
@click.option("--samples", type=click.IntRange(1), default=1000, show_default=True, help="Switches or pairs looked at.")
@click.option("--seed", type=click.IntRange(0, (1 << 31) - 1), default=0, show_default=True, help="Of the samples.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="Threads; every core when left out.")
@json_option
def command(
    topology: str,
    far: bool,
    paths: bool,
    latency: bool,
    switch_ns: float,
    cable_ns_per_m: float,
    length_m: float,
    samples: int,
    seed: int,
    jobs: int | None,
    as_json: bool,
) -> None:
    from topoloom.graph.distances import hops

    opened = open_network(topology).topology
    found = hops(opened, jobs)
    values: dict[str, Any] = {
        "name": opened.name,
        "spec": opened.spec,
        "switches": found.switches,
        "connected": found.connected,
        "components": found.components,
        "diameter": found.diameter,
        "largest_finite": found.largest_finite,
        "aspl": found.aspl,
        "aspl_including_self": found.aspl_including_self,
        "histogram": found.histogram,
        "host_diameter": found.host_diameter,
        "host_aspl": found.host_aspl,
    }
    if far:
        values["eccentricities"] = _eccentricities(opened, jobs)
    if paths:
        values["paths"] = _paths(opened, samples, seed, jobs)
    if latency:
        from topoloom.graph.latency import latencies

        measured = latencies(
            opened, length_m, switch_ns, cable_ns_per_m, "hosts" if opened.hosts else "switches", samples, seed, jobs
        )
        values["latency"] = asdict(measured) | {
            "switch_delay_ns": switch_ns,
            "cable_delay_ns_per_m": cable_ns_per_m,
            "length_m": length_m,
        }
    if as_json:
        print_json(values)
    else:
        _print(values)


def _eccentricities(topology: Topology, jobs: int | None) -> dict[str, Any]:
    from topoloom.graph.distances import eccentricities

    found = eccentricities(topology, jobs)
    return {"radius": int(found.min()), "histogram": np.bincount(found)}


def _paths(topology: Topology, samples: int, seed: int, jobs: int | None) -> dict[str, Any]:
    from topoloom.graph.connectivity import edge_disjoint_paths
    from topoloom.graph.paths import shortest_path_counts

    values: dict[str, Any] = {"shortest": asdict(shortest_path_counts(topology, samples, seed, jobs))}
    if topology.switches > 1:
        disjoint = edge_disjoint_paths(topology, samples=samples, seed=seed, jobs=jobs)
        values["disjoint"] = {
            "mean": disjoint.mean,
            "fewest": disjoint.fewest,
            "most": disjoint.most,
            "pairs": len(disjoint.pairs),
            "sampled": disjoint.sampled,
        }
    return values


def _print(values: dict[str, Any]) -> None:
    keys = ("switches", "connected", "components", "diameter", "aspl", "host_diameter", "host_aspl")
    rows = [(key, plain(values[key])) for key in keys if values[key] is not None]
    for group in ("latency", "paths"):
        for key, value in values.get(group, {}).items():
            shown = ", ".join(f"{k} {plain(v)}" for k, v in value.items()) if isinstance(value, dict) else plain(value)
            rows.append((f"{group}: {key}", shown))
    print_facts(values["name"], rows)
    pairs = values["histogram"]
    distances = [("hops", "ordered pairs", "share", "within")]
    seen = 0
    for distance, count in enumerate(pairs.tolist()):
        seen += count
        share = count / int(pairs.sum())
        distances.append((str(distance), str(count), f"{share:.2%}", f"{seen / values['switches'] ** 2:.2%}"))
    print_table(distances)
    if "eccentricities" in values:
        counts = enumerate(values["eccentricities"]["histogram"].tolist())
        print_table([("farthest at", "switches"), *((str(at), str(count)) for at, count in counts if count)])
