"""How the seconds and the memory of ten commands grow with the network.

    python benchmarks/growth.py [--operations hops,route] [--limit SECONDS] [--write]

Each command runs in a process of its own, on one thread, with compiled kernels, for sizes that double twice, until a run takes
longer than the limit (60 s). The seconds are processor time of the command and its children, and the memory is the most that
it had at a time; those of a command that does nothing are subtracted. The exponent is that of the last two sizes: the logarithm
of the ratio of their seconds over that of their sizes. 1 is as the network grows, 2 its square.

--write stores the rows and the picture that docs/explanation/growth.md shows.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from topoloom.core.files import write_atomically

_ROOT = Path(__file__).parents[1]
#: Per command: what the size counts, the sizes, and the arguments.
_COMMANDS = {
    "hops": ("switches", (1024, 4096, 16384, 65536, 262144), "hops jellyfish:n={n},degree=16 --jobs 1"),
    "route": ("switches", (256, 1024, 4096, 16384), "route jellyfish:n={n},degree=14 --virtual-channels 8 --jobs 1"),
    "quality": ("switches", (64, 256, 1024, 4096), "quality jellyfish:n={n},degree=14,hosts=7 --jobs 1"),
    "simulate": (
        "switches",
        (64, 256, 1024, 4096),
        "simulate jellyfish:n={n},degree=14,hosts=7 --engine minimal --loads 0.3 --fast --jobs 1",
    ),
    "app": (
        "hosts",
        (64, 256, 1024, 4096),
        "app fat-tree:k=32,hosts={n} --app alltoall:bytes=65536 --simulator flows --jobs 1",
    ),
    "optimize": ("switches", (64, 256, 1024, 4096), "optimize jellyfish:n={n},degree=8 --moves 2000 --chains 1"),
    "resilience": (
        "switches",
        (256, 1024, 4096, 16384),
        "resilience jellyfish:n={n},degree=14 --levels 10% --samples 50 --jobs 1",
    ),
    "layout": ("switches", (256, 1024, 4096, 16384), "layout jellyfish:n={n},degree=14"),
    "cost": ("switches", (256, 1024, 4096, 16384), "cost jellyfish:n={n},degree=14,hosts=7 --map rows"),
    "design": (
        "hosts",
        (1024, 4096, 16384, 65536),
        "design {root}/examples/cluster-10k.toml --change hosts={n} --shortlist 0 -o {out}/{n} --jobs 1",
    ),
}
#: What a run must take beyond a command that does nothing, to count for an exponent.
_SECONDS, _MB = 0.2, 10.0
#: Ends of lines whose ratio is below this have labels above each other.
_SAME = 1.1
_PAGE = _ROOT / "docs" / "explanation" / "growth.md"
_BEGIN, _END = "<!-- rows of benchmarks/growth.py -->", "<!-- end of rows -->"


def main() -> None:
    """Print one row per command and size, and the exponents."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--operations", default=",".join(_COMMANDS), help="commands, separated by commas (all)")
    options.add_argument("--limit", type=float, default=60.0, help="seconds of a run after which no larger one follows")
    options.add_argument("--write", action="store_true", help="store the rows and the picture for the page")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        nothing = min((_run("families ring", folder) for _ in range(3)), key=lambda run: run[0])
        print(f"a command that does nothing: {nothing[0]:.2f} s, {nothing[1]:.0f} MB")
        print(f"{'command':12}{'size':>18}{'seconds':>10}{'MB':>10}")
        rows = []
        for name in asked.operations.split(","):
            unit, sizes, text = _COMMANDS[name]
            runs = []
            for size in sizes:
                command = text.format(n=size, root=_ROOT, out=folder)
                if not runs:
                    _run(command, folder)  # compiles what is not shipped
                seconds, most = _run(command, folder)
                runs.append((size, max(0.0, seconds - nothing[0]), max(0.0, most - nothing[1])))
                print(f"{name:12}{size:>9,} {unit:8}{runs[-1][1]:>10.2f}{runs[-1][2]:>10.0f}", flush=True)
                if seconds > asked.limit:
                    break
            powers = [_exponent(runs, 1, _SECONDS), _exponent(runs, 2, _MB)]
            print(f"{name:12}{'exponent':>18}{_shown(powers[0]):>10}{_shown(powers[1]):>10}", flush=True)
            rows.append({"command": name, "unit": unit, "text": text, "runs": runs, "exponents": powers})
    if asked.write:
        _write(rows)


def _run(command: str, folder: str) -> tuple[float, float]:
    """Run a command; return its seconds of processor time, and the most memory of one of its processes in MB."""
    child = (
        "import resource, subprocess, sys, json\n"
        "done = subprocess.run([sys.executable, '-m', 'topoloom', *sys.argv[1:]], stdout=subprocess.DEVNULL,"
        " stderr=subprocess.PIPE, text=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([done.returncode, done.stderr[-400:], used.ru_utime + used.ru_stime, used.ru_maxrss / 1000]))"
    )
    words = [sys.executable, "-c", child, *command.split()]
    run = subprocess.run(
        words, check=False, capture_output=True, text=True, cwd=folder, env=os.environ | {"NUMBA_NUM_THREADS": "1"}
    )
    code, error, seconds, most = json.loads(run.stdout)
    if code:
        sys.exit(f"topoloom {command}: exit code {code}\n{error}")
    return seconds, most


def _exponent(runs: list[tuple[int, float, float]], column: int, least: float) -> float | None:
    """The exponent of a column between the last two sizes; None where one of them takes less than `least`."""
    last = [(run[0], run[column]) for run in runs[-2:] if run[column] >= least]
    if len(last) < 2:
        return None
    return math.log(last[1][1] / last[0][1]) / math.log(last[1][0] / last[0][0])


def _shown(power: float | None) -> str:
    return "-" if power is None else f"{power:.2f}"


def _write(rows: list[dict]) -> None:
    """Store the table in the page, and the picture beside it."""
    lines = ["| command | largest run | seconds | MB | exponent, seconds | exponent, MB |", "|---|---|---|---|---|---|"]
    for row in rows:
        size, seconds, most = row["runs"][-1]
        powers = " | ".join(_shown(power) for power in row["exponents"])
        lines.append(f"| `{row['command']}` | {size:,} {row['unit']} | {seconds:.1f} | {most:,.0f} | {powers} |")
    text = _PAGE.read_text(encoding="utf-8")
    before, after = text.split(_BEGIN)[0], text.split(_END)[1]
    write_atomically(_PAGE, before + _BEGIN + "\n" + "\n".join(lines) + "\n" + _END + after)
    write_atomically(_ROOT / "docs" / "pictures" / "growth.svg", _picture(rows))


def _picture(rows: list[dict]) -> str:
    """Seconds over sizes, both logarithmic, one line per command, labelled at its end."""
    from matplotlib.axes import Axes

    from topoloom.figures.log_axis import log_axis
    from topoloom.figures.style import svg_of

    def draw(axes: Axes) -> None:
        ends: list[tuple[float, float]] = []
        for row in sorted(rows, key=lambda row: row["runs"][-1][1]):
            sizes, seconds, _ = zip(*row["runs"], strict=True)
            (line,) = axes.plot(sizes, [max(0.01, value) for value in seconds], marker="o", markersize=3, linewidth=1.2)
            near = sum(size == sizes[-1] and value > seconds[-1] / _SAME for size, value in ends)
            ends.append((sizes[-1], seconds[-1]))
            axes.annotate(
                row["command"],
                (sizes[-1], seconds[-1]),
                xytext=(5, 9 * near),
                textcoords="offset points",
                color=line.get_color(),
                va="center",
                fontsize=8,
            )
        log_axis(axes, "x")
        log_axis(axes, "y")
        axes.set_xlabel("switches, or hosts for app and design")
        axes.set_ylabel("processor time, s")
        axes.margins(x=0.1)

    return svg_of(draw)


if __name__ == "__main__":
    main()
