"""Print the tables of the page "Flat or tree" from the folder of a study; without one, of a small study.

topoloom study examples/studies/flat-or-tree.toml -o flat
python examples/flat_or_tree.py flat
"""

import sys
from collections import defaultdict
from tempfile import TemporaryDirectory

from topoloom import Study, open_study, run_study

#: Measures of the first table, and the traffic of the second, by their keys in the study.
MEASURES = {
    "switches": "switches",
    "cost_per_host_usd": "cost",
    "power_per_host_w": "power",
    "optics": "optics",
    "cable_m": "metres",
    "runs": "runs",
    "latency_ns": "latency",
}
TRAFFIC = {
    "clique:share=0.25": "clique of hosts",
    "clique:share=0.25,of=switches": "clique of switches",
    "hubs:share=0.1,of=switches": "hubs",
    "matching:share=1": "hosts in pairs",
    "matching:share=0.5,of=switches": "switches in pairs",
    "skewed": "skewed",
    "farthest": "farthest",
}
_SIGNS = {"flat": "+", "tree": "-", "even": "=", "unknown": "?"}


def small():
    """The results of a small study, which takes seconds."""
    task = {"least_hosts": 96, "radix": 16, "growth": False}
    axes = {"flat_engine": ["ecmp", "spraypoint"], "oversubscription": [2, 4], "seed": [1, 2]}
    with TemporaryDirectory() as folder:
        return run_study(Study(operation="flat-or-tree", task=task, axes=axes), folder, executor="threads", jobs=1)


def tables(rows):
    """Print flat / tree of every measure, the mean over the seeds; + where flat wins with all seeds, - where the tree does."""
    points = defaultdict(list)
    for row in rows:
        if row.get("flat_spec"):
            points[row.get("least_hosts", 0), row["flat_engine"], row["oversubscription"]].append(row)
    for measures in (MEASURES, TRAFFIC):
        lines = ["", "| hosts | routing | ratio | seeds | " + " | ".join(measures.values()) + " |"]
        lines.append("|---" * (4 + len(measures)) + "|")
        for (hosts, engine, ratio), of_seeds in sorted(points.items()):
            cells = [_cell(of_seeds, key) for key in measures]
            lines.append(
                "| " + " | ".join([f"{hosts or ''}", engine, f"{ratio:g}:1", str(len(of_seeds)), *cells]) + " |"
            )
        sys.stdout.write("\n".join(lines) + "\n")


def _cell(rows, key):
    """The mean ratio, and the sign of the verdict if all seeds agree on it."""
    ratios = [row[f"ratio_{key}"] for row in rows]
    wins = {row[f"wins_{key}"] for row in rows}
    if any(ratio is None for ratio in ratios):
        return "?"
    return f"{sum(ratios) / len(ratios):.2f} {_SIGNS[wins.pop()] if len(wins) == 1 else '~'}"


if __name__ == "__main__":
    tables((open_study(sys.argv[1]) if len(sys.argv) > 1 else small()).rows())
