"""Print the tables of the page "Flat or tree" from the folder of a study; without one, of a small study.

topoloom study examples/studies/flat-or-tree.toml -o flat
python examples/flat_or_tree.py flat
"""

import sys
from collections import defaultdict
from tempfile import TemporaryDirectory

from topoloom import Study, open_study, run_study

#: The measures of each table, by their keys in the study.
TABLES = (
    {
        "switches": "switches",
        "cost_per_host_usd": "cost",
        "power_per_host_w": "power",
        "optics": "optics",
        "latency_ns": "latency",
    },
    {
        "cables": "pieces",
        "cable_m": "metres",
        "runs": "runs",
        "panels": "panels",
        "cables_per_link": "cables, one per link",
        "cable_m_per_link": "metres, one per link",
        "runs_per_link": "runs, one per link",
    },
    {
        "uniform": "uniform",
        "clique:share=0.25": "clique of hosts",
        "clique:share=0.25,of=switches": "clique of switches",
        "hubs:share=0.1,of=switches": "hubs",
        "matching:share=1": "hosts in pairs",
        "matching:share=0.5,of=switches": "switches in pairs",
        "skewed": "skewed",
        "farthest": "farthest",
    },
    {"lost_cable": "a cable", "lost_panel": "a panel", "lost_switch": "another switch", "cut_off": "hosts of a switch"},
)
_SIGNS = {"flat": "+", "tree": "-", "even": "=", "unknown": "?"}


def small():
    """The results of a small study, which takes seconds."""
    task = {"least_hosts": 96, "radix": 16, "growth": False}
    axes = {"flat_engine": ["ecmp", "spraypoint"], "oversubscription": [2, 4], "seed": [1, 2]}
    with TemporaryDirectory() as folder:
        return run_study(Study(operation="flat-or-tree", task=task, axes=axes), folder, executor="threads", jobs=1)


def tables(rows):
    """Print flat / tree of every measure, the mean over the seeds, with the sign of the verdict if all seeds agree on it.

    + flat wins, - the tree does, -- with any routing of the flat network, = even, ~ it depends on the seed.
    """
    points = defaultdict(list)
    for row in rows:
        if row.get("flat_spec"):
            family, ratio = row["flat_spec"].partition(":")[0], row["tree_spec"].partition("taper=")[2]
            points[row.get("least_hosts", 0), family, row["flat_engine"], ratio].append(row)
    for measures in TABLES:
        keys = [
            key for key in measures if any(f"wins_{key}" in row for of_seeds in points.values() for row in of_seeds)
        ]
        if keys:
            _print(["hosts", "family", "routing", "ratio", "seeds", *(measures[key] for key in keys)])
            _print(["---"] * (5 + len(keys)))
            for (hosts, family, engine, ratio), of_seeds in sorted(points.items()):
                cells = [_cell(of_seeds, key) for key in keys]
                _print([f"{hosts or ''}", family, engine, ratio, str(len(of_seeds)), *cells])
            sys.stdout.write("\n")
    growth(points)


def growth(points):
    """Print what plans of growth say: cables removed and cost per added host, flat and tree, means over the seeds."""
    points = {
        point: rows for point, rows in sorted(points.items()) if any(row["flat_moved"] is not None for row in rows)
    }
    if not points:
        return
    _print(["hosts", "family", "routing", "ratio", "seeds", "removed, flat", "removed, tree", "USD, flat", "USD, tree"])
    _print(["---"] * 9)
    for (hosts, family, engine, ratio), rows in points.items():
        means = [
            _mean([row[f"{side}_{key}"] for row in rows])
            for key in ("moved", "growth_usd")
            for side in ("flat", "tree")
        ]
        cells = ["no plan" if mean is None else f"{mean:.2f}" if abs(mean) < 10 else f"{mean:,.0f}" for mean in means]
        _print([f"{hosts or ''}", family, engine, ratio, str(len(rows)), *cells])


def _mean(values):
    return None if any(value is None for value in values) else sum(values) / len(values)


def _cell(rows, key):
    """The mean ratio, and the sign of the verdict if all seeds agree on it."""
    ratio = _mean([row.get(f"ratio_{key}") for row in rows])
    wins = {row[f"wins_{key}"] for row in rows}
    if ratio is None:
        return "?"
    sign = _SIGNS[wins.pop()] if len(wins) == 1 else "~"
    return f"{ratio:.2f} {'--' if all(row.get(f'any_routing_{key}') for row in rows) else sign}"


def _print(cells):
    sys.stdout.write("| " + " | ".join(cells) + " |\n")


if __name__ == "__main__":
    tables((open_study(sys.argv[1]) if len(sys.argv) > 1 else small()).rows())
