"""`topoloom hops`: the distances between the switches of a topology, in hops and in nanoseconds."""

from typing import TYPE_CHECKING, Any

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_facts, print_record, print_table
from topoloom.cli.presentation import Json, Threads
from topoloom.operations.catalogue.hops import HopsOperation

if TYPE_CHECKING:
    from topoloom.graph.hops import Hops


@declared(HopsOperation, Threads, Json)
def command(operation: HopsOperation, threads: Threads, output: Json) -> None:
    result = performed(operation, threads.jobs)
    if output.json:
        print_record(result)
    else:
        _print(result)


def _print(result: "Hops") -> None:
    record = result.record()
    keys = ("switches", "connected", "components", "diameter", "aspl", "host_diameter", "host_aspl", "h_aspl")
    rows = [
        ("h-ASPL" if key == "h_aspl" else key, plain(getattr(result, key)))
        for key in keys
        if getattr(result, key) is not None
    ]
    if result.planes > 1:
        rows.insert(1, ("planes", f"{result.planes}; pairs are of one plane"))
    if result.sampled:
        interval = "" if result.aspl_ci95 is None else f" +- {plain(result.aspl_ci95)} (95 %)"
        marks = {"diameter": "at least {}", "aspl": f"about {{}}{interval}"}
        marks |= {"host_diameter": "at least {}", "host_aspl": "about {}", "h-ASPL": "about {}"}
        rows = [(key, marks.get(key, "{}").format(value)) for key, value in rows]
        rows.insert(1, ("sampled", f"from {result.sources:,} random switches, seed {result.provenance.seed}"))
    for group in ("latency", "paths"):
        part: dict[str, Any] = record[group] or {}
        rows += [(f"{group}: {key}", _shown(value, group)) for key, value in part.items() if key != "provenance"]
    if result.provenance.settings.get("directed"):
        names = {"connected": "strongly connected", "components": "strong components"}
        rows = [(names.get(key, key), value) for key, value in rows]
    print_facts(result.provenance.name, rows)
    pairs = result.histogram
    distances = [("hops", "ordered pairs", "share", "within")]
    seen = 0
    for distance, count in enumerate(pairs.tolist()):
        seen += count
        share = count / int(pairs.sum())
        within = seen / (int(pairs.sum()) if result.planes > 1 else result.sources * result.switches)
        distances.append((str(distance), str(count), f"{share:.2%}", f"{within:.2%}"))
    print_table(distances)
    if result.eccentricities is not None:
        counts = enumerate(result.eccentricities.histogram.tolist())
        print_table([("farthest at", "switches"), *((str(at), str(count)) for at, count in counts if count)])


def _shown(value: Any, group: str) -> str:
    if value is None:
        return "infinite" if group == "latency" else "there are no two switches"
    return ", ".join(f"{k} {plain(v)}" for k, v in value.items()) if isinstance(value, dict) else plain(value)
