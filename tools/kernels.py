"""Compile the kernels ahead, into the package: python tools/kernels.py [--demo] [--level LEVEL] [--jobs N]

Runs every command on small networks (tools/kernels.txt), so that each kernel is compiled for the argument types that commands
use, and stores the compiled kernels in src/topoloom/core/compiling/shipped. A kernel's file name contains a digest of all its
sources: only changed kernels are compiled, kernels in the user's cache (also from another checkout) are copied from there, and
unused kernels are removed. With --demo only the kernels for `make demo` are compiled, and nothing is removed. Without --level,
kernels are compiled for this machine's processor only, as a checkout needs. With --level they run on every processor of this
level (--levels lists those of this type of machine): tools/wheel.sh puts them into a wheel.
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

#: A requirement whose design takes a second or two.
_REQUIREMENT = "hosts = 200\n[switch]\nradix = 16\n"


def main() -> None:
    """Compile in parallel, and print failures and a summary."""
    from topoloom.core.compiling.kept import LOCKS, SHIPPED
    from topoloom.core.compiling.levels import LEVELS

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--demo", action="store_true", help="only the kernels for make demo")
    options.add_argument("--level", choices=list(LEVELS), help="compile for every processor of this level")
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    options.add_argument("--levels", action="store_true", help="print the levels of this type of machine, and stop")
    arguments = options.parse_args()
    if arguments.levels:
        print("\n".join(LEVELS))
        return
    if arguments.level is not None:
        level = LEVELS[arguments.level]
        os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = level.processor, level.features
    began, start = time.monotonic(), time.time()
    demo, others = _paragraphs()
    paragraphs = demo if arguments.demo else demo + others
    failed: list[tuple[str, str]] = []
    used: set[Path] = set()
    # One more process than cores, because a process waits while another compiles the kernel that it needs.
    with ProcessPoolExecutor(arguments.jobs + 1, get_context("spawn")) as pool:
        for done in as_completed([pool.submit(_run, commands, SHIPPED) for commands in paragraphs]):
            wrong, files = done.result()
            failed += wrong
            used |= files
    for command, errors in failed:
        print(f"failed: topoloom {command}\n{errors}", file=sys.stderr)
    new = sum(file.stat().st_mtime >= start for file in used)
    shutil.rmtree(SHIPPED / LOCKS, ignore_errors=True)
    for folder in {file.parent for file in used} if not (failed or arguments.demo) else ():
        for stale in set(folder.iterdir()) - used:
            stale.unlink(missing_ok=True)
    size = sum(file.stat().st_size for file in used) / 1e6
    seconds = time.monotonic() - began
    print(f"{len(used)} kernels, {new} of them new, {size:.0f} MB, {seconds:.0f} s", file=sys.stderr)
    sys.exit(bool(failed))


def _paragraphs() -> tuple[list[list[str]], list[list[str]]]:
    """Groups of commands, one process per group: those of the demo, and the others."""
    text = Path(__file__).with_suffix(".txt").read_text()
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    demo, others = ([part.splitlines() for part in half.strip().split("\n\n")] for half in lines.split("\n----\n"))
    return demo, others


def _run(commands: list[str], shipped: Path) -> tuple[list[tuple[str, str]], set[Path]]:
    """Run commands in this process; returns the failed ones with their error output, and the used kernels' files."""
    from topoloom.cli.main import main as topoloom
    from topoloom.core.compiling import kept

    kept.keep_in(shipped)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "requirement.toml").write_text(_REQUIREMENT)
        for command in commands:
            errors = io.StringIO()
            sys.argv = ["topoloom", *command.replace("OUT", folder).split()]
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
                try:
                    topoloom()
                    code = 0
                except SystemExit as end:
                    code = end.code
            if code:
                failed.append((command, errors.getvalue()))
    return failed, kept.in_use()


if __name__ == "__main__":
    main()
