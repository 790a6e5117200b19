"""`topoloom info`: what a topology is worth, on one page."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import click

from topoloom.cli.output import json_option, plain, print_facts, print_json
from topoloom.errors import InputError
from topoloom.opening import open_network
from topoloom.spec import bisection_by_theory
from topoloom.topology import Topology

#: A measure that would take longer than this is left out, and said so, unless --full asks for it.
_PATIENCE_SECONDS = 10.0
#: Halves of up to so many switches are cut exactly, in milliseconds.
_EXACT_SWITCHES = 20


@click.command(help="Size, degree, diameter, ASPL, bounds, bisection and more of TOPOLOGY (a spec or a file).")
@click.argument("topology")
@click.option("--full", is_flag=True, help="Measure everything, however long it takes.")
@click.option("--load", is_flag=True, help="The busiest channel too, traffic split evenly over all shortest paths.")
@click.option(
    "--seeds", type=click.IntRange(1, 10_000), default=8, show_default=True, help="METIS runs for the bisection."
)
@click.option("--jobs", type=click.IntRange(1, 1024), help="Threads; every core when left out.")
@json_option
def command(topology: str, full: bool, load: bool, seeds: int, jobs: int | None, as_json: bool) -> None:
    opened = open_network(topology).topology
    page = _Page(opened, math.inf if full else _PATIENCE_SECONDS, jobs)
    page.measure(seeds, load)
    if as_json:
        print_json({**page.values, "skipped": page.skipped})
    else:
        _print(page)


@dataclass
class _Page:
    """The measures of one topology, by the keys of the JSON document; those left out, with the reason."""

    topology: Topology
    patience: float
    jobs: int | None
    values: dict[str, Any] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def measure(self, seeds: int, load: bool) -> None:
        one = self.topology
        degrees = one.degrees
        self.values |= {
            "name": one.name,
            "spec": one.spec,
            "digest": one.digest,
            "switches": one.switches,
            "hosts": one.hosts,
            "links": len(one.links),
            "degree_min": int(degrees.min()),
            "degree_max": int(degrees.max()),
            "degree_mean": float(degrees.mean()),
            "radix": one.radix,
        }
        work = one.switches + 2 * len(one.links)
        pairs_seconds = self._pairs_seconds()
        self._try(_hops, pairs_seconds)
        self._try(_bounds, 1e-6 * one.switches)
        self._try(_load, pairs_seconds)
        affordable = max(1, int(min(seeds, self.patience / (1e-6 * work)))) if seeds > 1 else 1
        self._try(lambda one, _: _bisection(one, affordable), 1e-6 * work * affordable, "bisection")
        self.values["bisection_analytic"] = bisection_by_theory(one)
        self._try(_edge_connectivity, 1e-6 * work)
        self._try(_spectrum, 5e-6 * work)
        if load:
            self._try(_busiest, 4e-9 * one.switches * work)

    def _try(
        self, measure: Callable[[Topology, int | None], dict[str, Any]], seconds: float, name: str | None = None
    ) -> None:
        """Add what `measure` finds, or why it is left out."""
        name = name or measure.__name__.lstrip("_")
        if seconds > self.patience:
            self.skipped[name] = f"about {seconds:.0f} s; --full measures it"
            found = dict.fromkeys(_KEYS[name])
        else:
            try:
                found = measure(self.topology, self.jobs)
            except InputError as error:
                self.skipped[name] = str(error)
                found = dict.fromkeys(_KEYS[name])
        self.values |= found

    def _pairs_seconds(self) -> float:
        """About how long all pairs take, from the hops that switch 0 sees (see `graph.distances.hops`)."""
        from topoloom.graph.distances import distances_from

        n, work = self.topology.switches, self.topology.switches + 2 * len(self.topology.links)
        rounds = int(distances_from(self.topology, [0]).max()) + 1
        return 1e-9 * work * n * min(rounds / 512, 1.2)


_KEYS = {
    "hops": ["connected", "components", "diameter", "aspl", "aspl_including_self", "host_diameter", "host_aspl"],
    "bounds": ["moore_diameter_bound", "moore_aspl_bound"],
    "load": ["full_bandwidth_hosts", "channel_load_mean"],
    "bisection": ["bisection", "bisection_exact"],
    "edge_connectivity": ["edge_connectivity"],
    "spectrum": ["spectral_gap", "algebraic_connectivity"],
    "busiest": ["channel_load_max", "saturation"],
}


def _hops(topology: Topology, jobs: int | None) -> dict[str, Any]:
    from topoloom.graph.distances import hops

    found = hops(topology, jobs)
    return {key: getattr(found, key) for key in _KEYS["hops"]}


def _bounds(topology: Topology, _jobs: int | None) -> dict[str, Any]:
    from topoloom.graph.bounds import bounds

    found = bounds(topology)
    values: dict[str, Any] = {"moore_diameter_bound": found.moore_diameter, "moore_aspl_bound": found.moore_aspl}
    if found.grid is not None and found.geometry is not None:
        values |= {
            "geometry": found.geometry.kind,
            "longest_link": found.grid.length,
            "grid_diameter_bound": found.grid.diameter,
            "grid_aspl_bound": found.grid.aspl,
        }
    return values


def _load(topology: Topology, _jobs: int | None) -> dict[str, Any]:
    from topoloom.graph.load import average_channel_load, full_bandwidth_hosts

    return {"full_bandwidth_hosts": full_bandwidth_hosts(topology), "channel_load_mean": average_channel_load(topology)}


def _bisection(topology: Topology, seeds: int) -> dict[str, Any]:
    from topoloom.graph.cuts import cuts, exact_bisection

    if topology.switches == 1:
        raise InputError("one switch has no halves")
    found = exact_bisection(topology) if topology.switches <= _EXACT_SWITCHES else cuts(topology, seeds=seeds)
    return {"bisection": found.links, "bisection_exact": found.exact}


def _edge_connectivity(topology: Topology, _jobs: int | None) -> dict[str, Any]:
    from topoloom.graph.connectivity import edge_connectivity

    return {"edge_connectivity": edge_connectivity(topology)}


def _spectrum(topology: Topology, _jobs: int | None) -> dict[str, Any]:
    from topoloom.graph.spectrum import spectrum

    found = spectrum(topology)
    return {"spectral_gap": found.gap, "algebraic_connectivity": found.algebraic_connectivity}


def _busiest(topology: Topology, jobs: int | None) -> dict[str, Any]:
    from topoloom.graph.load import channel_loads

    found = channel_loads(topology, jobs)
    return {"channel_load_max": found.greatest, "saturation": found.saturation}


def _print(page: _Page) -> None:
    rows = [(key, plain(v)) for key, v in page.values.items() if key not in {"name", "digest"} and v is not None]
    rows.append(("digest", page.values["digest"][:16]))
    rows += [(f"no {name}", reason) for name, reason in page.skipped.items()]
    print_facts(page.values["name"], rows)
