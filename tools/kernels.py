"""Compile the kernels ahead, into the package: python tools/kernels.py [--demo] [--level LEVEL] [--jobs N]

Runs every command on small networks (tools/kernels.txt), so that each kernel is compiled for the types that commands call it
with, and keeps the results in src/topoloom/core/compiling/shipped. Each is kept under a digest of all that it is made from:
only what has changed is compiled, what the user's cache holds already (also of another checkout) is taken from there, and what
no command uses any longer is removed. With --demo only what `make demo` needs, and nothing is removed. Without --level for this
machine's processor alone, as is right for a checkout. With --level x86-64-v3 or x86-64-v4 for every processor of that level:
what tools/wheel.sh puts into a wheel.
"""

import argparse
import contextlib
import io
import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

#: A requirement small enough to be designed for in a second or two.
_REQUIREMENT = "hosts = 200\n[switch]\nradix = 16\n"


def main() -> None:
    """Compile in parallel, and say how it went."""
    from topoloom.core.compiling.kept import LEVELS, LOCKS, SHIPPED

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--demo", action="store_true", help="what make demo needs")
    options.add_argument("--level", choices=list(LEVELS), help="for every processor of this level")
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    given = options.parse_args()
    if given.level is not None:
        os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = LEVELS[given.level]
    began, start = time.monotonic(), time.time()
    demo, others = _paragraphs()
    paragraphs = demo if given.demo else demo + others
    failed: list[tuple[str, str]] = []
    used: set[Path] = set()
    # One more than cores: a process waits while another compiles the kernel that it needs.
    with ProcessPoolExecutor(given.jobs + 1, get_context("spawn")) as pool:
        for done in as_completed([pool.submit(_run, commands, SHIPPED) for commands in paragraphs]):
            wrong, files = done.result()
            failed += wrong
            used |= files
    for command, said in failed:
        print(f"failed: topoloom {command}\n{said}", file=sys.stderr)
    new = sum(file.stat().st_mtime >= start for file in used)
    shutil.rmtree(SHIPPED / LOCKS, ignore_errors=True)
    for folder in {file.parent for file in used} if not (failed or given.demo) else ():
        for stale in set(folder.iterdir()) - used:
            stale.unlink(missing_ok=True)
    size = sum(file.stat().st_size for file in used) / 1e6
    seconds = time.monotonic() - began
    print(f"{len(used)} kernels, {new} of them new, {size:.0f} MB, {seconds:.0f} s", file=sys.stderr)
    sys.exit(bool(failed))


def _paragraphs() -> tuple[list[list[str]], list[list[str]]]:
    """The commands that run in one process each: those of the demo, and the others."""
    text = Path(__file__).with_suffix(".txt").read_text()
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    demo, others = ([part.splitlines() for part in half.strip().split("\n\n")] for half in lines.split("\n----\n"))
    return demo, others


def _run(commands: list[str], shipped: Path) -> tuple[list[tuple[str, str]], set[Path]]:
    """Run commands in this process; those that failed, with what they said, and the files of kernels that they used."""
    from topoloom.cli.main import main as topoloom
    from topoloom.core.compiling import kept

    kept.keep_in(shipped)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "need.toml").write_text(_REQUIREMENT)
        for command in commands:
            said = io.StringIO()
            sys.argv = ["topoloom", *command.replace("OUT", folder).split()]
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
                try:
                    topoloom()
                    code = 0
                except SystemExit as end:
                    code = end.code
            if code:
                failed.append((command, said.getvalue()))
    return failed, kept.in_use()


if __name__ == "__main__":
    main()
