"""`topoloom hops`: how far the switches of a topology are from each other, in hops and in nanoseconds."""

from typing import TYPE_CHECKING, Any

import click

from topoloom.cli.output import json_option, plain, print_facts, print_record, print_table, say
from topoloom.cli.progress import span, working
from topoloom.cli.types import Number, Whole
from topoloom.opening import open_network

if TYPE_CHECKING:
    from topoloom.graph.gpu import Device
    from topoloom.graph.hops import Hops

#: What takes longer than this is told before it starts.
_LONG_SECONDS = 30.0


@click.command(
    help="Hop distances of TOPOLOGY (a spec, a file or a folder): histogram, diameter, ASPL; and what goes with them."
    "\n\nExample: topoloom hops slimfly:q=19,hosts=15 --latency"
)
@click.argument("topology")
@click.option("--eccentricities", is_flag=True, help="How many switches see their farthest at each distance.")
@click.option("--paths", is_flag=True, help="How many shortest, and how many link-disjoint, paths join two switches.")
@click.option("--latency", is_flag=True, help="Zero-load latency over the quickest paths.")
@click.option("--switch-ns", type=Number(0, 1e6, unit="ns"), default=60.0, show_default=True, help="Delay of a switch.")
@click.option(
    "--cable-ns-per-m",
    type=Number(0, 1e6, unit="ns"),
    default=5.0,
    show_default=True,
    help="Delay of a metre of cable.",
)
@click.option(
    "--length-m",
    type=Number(0, unit="m"),
    default=5.0,
    show_default=True,
    help="Length of every cable; those of a folder that topoloom layout wrote are as long as they lie.",
)
@click.option(
    "--samples",
    type=Whole(1),
    help="Start from so many random switches only: the ASPL is an estimate, the diameter a lower bound. Paths and latency"
    " start from as many, 1000 when left out.",
)
@click.option("--seed", type=Whole(0, (1 << 31) - 1), default=1, show_default=True, help="Of the samples.")
@click.option("--jobs", type=Whole(1, 1024), help="Threads; every core when left out.")
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Who counts all pairs; auto takes an NVIDIA GPU, where there is one, from 100,000 switches on.",
)
@json_option
def command(
    topology: str,
    eccentricities: bool,
    paths: bool,
    latency: bool,
    switch_ns: float,
    cable_ns_per_m: float,
    length_m: float,
    samples: int | None,
    seed: int,
    jobs: int | None,
    device: "Device",
    as_json: bool,
) -> None:
    from topoloom.cli.placing import refuse_given
    from topoloom.graph.hops import estimated_seconds, hops
    from topoloom.graph.latency import Delays

    network = open_network(topology)
    opened, layout = network.topology, network.layout if latency else None
    if layout is not None:
        refuse_given(["length_m"], f"the cables of {topology} are as long as they lie")
        say(f"{topology}: with cables as long as they lie, {layout.mean_length_m:.3f} m on average", err=True)
    if (
        device != "cuda"
        and samples is None
        and opened.switches >= 50_000
        and (seconds := estimated_seconds(opened)) > _LONG_SECONDS
    ):
        say(f"all pairs take about {span(seconds)} of one core; --samples 1000 estimates them sooner", err=True)
    with working("counting hops") as work:
        found = hops(
            opened,
            jobs,
            samples=samples,
            seed=seed,
            eccentricities=eccentricities,
            paths=paths,
            latency=Delays(switch_ns=switch_ns, cable_ns_per_m=cable_ns_per_m) if latency else None,
            length_m=length_m if layout is None else layout.length_m,
            device=device,
            work=work,
        )
    if as_json:
        print_record(found)
    else:
        _print(found)


def _print(found: "Hops") -> None:
    record = found.record()
    keys = ("switches", "connected", "components", "diameter", "aspl", "host_diameter", "host_aspl")
    rows = [(key, plain(getattr(found, key))) for key in keys if getattr(found, key) is not None]
    if found.planes > 1:
        rows.insert(1, ("planes", f"{found.planes}; pairs are of one plane"))
    if found.sampled:
        interval = "" if found.aspl_ci95 is None else f" +- {plain(found.aspl_ci95)} (95 %)"
        marks = {"diameter": "at least {}", "aspl": f"about {{}}{interval}"}
        marks |= {"host_diameter": "at least {}", "host_aspl": "about {}"}
        rows = [(key, marks.get(key, "{}").format(value)) for key, value in rows]
        rows.insert(1, ("sampled", f"from {found.sources:,} random switches, seed {found.provenance.seed}"))
    for group in ("latency", "paths"):
        part: dict[str, Any] = record[group] or {}
        rows += [(f"{group}: {key}", _shown(value, group)) for key, value in part.items() if key != "provenance"]
    print_facts(found.provenance.name, rows)
    pairs = found.histogram
    distances = [("hops", "ordered pairs", "share", "within")]
    seen = 0
    for distance, count in enumerate(pairs.tolist()):
        seen += count
        share = count / int(pairs.sum())
        within = seen / (int(pairs.sum()) if found.planes > 1 else found.sources * found.switches)
        distances.append((str(distance), str(count), f"{share:.2%}", f"{within:.2%}"))
    print_table(distances)
    if found.eccentricities is not None:
        counts = enumerate(found.eccentricities.histogram.tolist())
        print_table([("farthest at", "switches"), *((str(at), str(count)) for at, count in counts if count)])


def _shown(value: Any, group: str) -> str:
    if value is None:
        return "infinite" if group == "latency" else "there are no two switches"
    return ", ".join(f"{k} {plain(v)}" for k, v in value.items()) if isinstance(value, dict) else plain(value)
