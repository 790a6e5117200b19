"""CPU and wall-clock seconds of whole commands on a machine on which topoloom never ran.

    python benchmarks/cold.py [--operations hops,route] [--ahead]

Each command runs in its own process, with an empty cache for the user's kernels: first as in a checkout without compiled
kernels (all caches empty), then twice with the kernels that are shipped with the package, and last on another network, for
which no kernel should be compiled. The times are CPU seconds of the process and its children, in brackets wall-clock seconds;
"compiled" is the number of kernels that were added to the user's cache by the three runs with shipped kernels. With --ahead the
run without kernels is omitted. To measure a wheel, run this file with the Python that it is installed for.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import topoloom

#: For each operation a first network, and one of another size and kind.
_COMMANDS = {
    "hops": ("hops jellyfish:n=1000,degree=8", "hops torus:dims=12x12x12"),
    "info": ("info slimfly:q=5,hosts=4", "info dragonfly:h=3"),
    "cuts": ("cuts slimfly:q=5,hosts=4", "cuts jellyfish:n=500,degree=7"),
    "layout": ("layout slimfly:q=5,hosts=4", "layout jellyfish:n=300,degree=10"),
    "cost": ("cost slimfly:q=5,hosts=4", "cost jellyfish:n=300,degree=10,hosts=4"),
    "route": ("route slimfly:q=5,hosts=4", "route jellyfish:n=400,degree=9,hosts=4"),
    "quality": ("quality slimfly:q=5,hosts=4", "quality dragonfly:h=2"),
    "simulate": ("simulate slimfly:q=5,hosts=4 --loads 0.5", "simulate dragonfly:h=3 --loads 0.3"),
    "simulate UGAL": (
        "simulate slimfly:q=5,hosts=4 --engine ugal-l --loads 0.5",
        "simulate dragonfly:h=3 --engine ugal-l --loads 0.3",
    ),
    "simulate 4 flits": (
        "simulate slimfly:q=5,hosts=4 --loads 0.5 --set packet_flits=4",
        "simulate dragonfly:h=3 --loads 0.3 --set packet_flits=9",
    ),
    "optimize": (
        "optimize torus:dims=8x8 --moves 5000 --chains 1",
        "optimize jellyfish:n=400,degree=7 --moves 1000 --chains 1",
    ),
    "resilience": ("resilience slimfly:q=5,hosts=4 --samples 100", "resilience torus:dims=6x6x6 --samples 100"),
    "design": ("design REQUIREMENTS/1000.toml -o OUT --fresh", "design REQUIREMENTS/700.toml -o OUT --fresh"),
    "expand": ("expand jellyfish:n=64,degree=6 --to 70", "expand jellyfish:n=200,degree=8 --to 230"),
}


def main() -> None:
    """Print one row per operation."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--operations", default=",".join(_COMMANDS), help="operations, separated by commas (all)")
    options.add_argument("--ahead", action="store_true", help="only with the kernels that are shipped")
    given = options.parse_args()
    chosen = given.operations.split(",")
    source = Path(topoloom.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder, "bare")
        shutil.copytree(source, bare / "topoloom", ignore=shutil.ignore_patterns("shipped", "*.nbi", "*.nbc"))
        print("CPU seconds (wall clock)       nothing    compiled ahead")
        print("                              compiled           first           again  another network   compiled")
        _run("families", bare, folder)  # writes the bytecode of modules, as an installation does
        for hosts in (1000, 700):
            _run(f"new requirement -o {folder}/{hosts}.toml --hosts {hosts} --yes", source.parent, folder)
        for operation in chosen:
            output = str(Path(folder, operation, "out"))
            first, other = (
                command.replace("REQUIREMENTS", folder).replace("OUT", output) for command in _COMMANDS[operation]
            )
            raw = "" if given.ahead else _run(first, bare, Path(folder, operation, "raw"))
            cache = Path(folder, operation, "ahead")
            times = [_run(command, source.parent, cache) for command in (first, first, other)]
            new = sum(path.is_file() and not path.name.startswith(".") for path in cache.rglob("*"))
            print(f"{operation:22} {raw:>15} {times[0]:>15} {times[1]:>15} {times[2]:>16} {new:10}", flush=True)


def _run(command: str, source: Path | str, cache: Path | str) -> str:
    """The CPU and wall-clock seconds of a command, in words."""
    began, start = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "topoloom", *command.split()],
        env={**os.environ, "PYTHONPATH": str(source), "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"topoloom {command}\n{done.stderr}")
    ended, wall = getrusage(RUSAGE_CHILDREN), time.perf_counter() - start
    return f"{ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime:.2f} ({wall:.1f})"


if __name__ == "__main__":
    main()
