"""Seconds and memory of a large design, step by step: the screening, the shortlist, and every step of the assessment.

    python benchmarks/design_scale.py [REQUIREMENT] [--hosts 16384] [--shortlist 1] [--minutes 60] [--repeats 1]
        [--jobs N]

The requirement is examples/ai-131k.toml if omitted: 131,072 hosts in eight planes. Memory is the greatest sum of the
proportional set sizes (Pss of /proc/PID/smaps_rollup, Linux) of the process and its children during a step, ten times per
second: pages that processes share count once. CPU seconds are those of this process in the step; those of the processes that
measure candidates, which end with the screening, follow in a line of their own.
"""

import argparse
import os
import threading
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from topoloom import design
from topoloom.core.work import StageProgress, Work
from topoloom.designer.requirement_files import read_requirement

_EXAMPLE = Path(__file__).parents[1] / "examples" / "ai-131k.toml"
_SAMPLE_S = 0.1


def _megabytes() -> float:
    """The memory of this process and all its descendants, shared pages once, in MB."""
    waiting, total = [os.getpid()], 0
    while waiting:
        process = Path("/proc", str(waiting.pop()))
        try:
            lines = (process / "smaps_rollup").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
            waiting += [
                int(child) for task in (process / "task").iterdir() for child in (task / "children").read_text().split()
            ]
        except (OSError, StopIteration):
            continue  # it has ended
    return total / 1e3


class _Steps:
    """Prints a row per stage of a design, and per step of its assessment."""

    def __init__(self) -> None:
        self._peak, self._stage, self.peaks = 0.0, "", list[float]()
        self._began, self._cpu = time.perf_counter(), time.process_time()
        threading.Thread(target=self._sample, daemon=True).start()

    def _sample(self) -> None:
        while True:
            self._peak = max(self._peak, _megabytes())
            time.sleep(_SAMPLE_S)

    def __call__(self, progress: StageProgress) -> None:
        if progress.what != self._stage:
            self.row("enumeration" if not self._stage else f"after {self._stage}" if self._cpu_s > 1 else "")
            self._stage = progress.what
        elif progress.note or progress.done == progress.total:
            self.row(progress.note or progress.what)

    @property
    def _cpu_s(self) -> float:
        return time.process_time() - self._cpu

    def row(self, name: str) -> None:
        """Print what was used since the last row; nothing but the start of the next row without a name."""
        peak = max(self._peak, _megabytes())
        if name:
            print(f"{time.perf_counter() - self._began:9.1f} s {self._cpu_s:9.1f} s {peak:9.0f} MB  {name}", flush=True)
            self.peaks.append(peak)
            self._began, self._cpu = time.perf_counter(), time.process_time()
        self._peak = 0.0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("requirement", nargs="?", default=_EXAMPLE)
    parser.add_argument("--hosts", type=int, help="in place of the requirement's")
    parser.add_argument("--shortlist", type=int)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--repeats", type=int, help="1: no step runs again with more draws")
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    requirement = read_requirement(options.requirement)
    if options.hosts is not None:
        requirement = requirement.changed({"hosts": options.hosts})
    print(f"{requirement.hosts:,} hosts; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("     wall         CPU       memory  step")
    began, steps = time.perf_counter(), _Steps()
    made = design(
        requirement,
        shortlist=options.shortlist,
        minutes=options.minutes,
        repeats=options.repeats,
        jobs=options.jobs,
        work=Work(on_progress=steps),
    )
    steps.row("the rest")
    children = getrusage(RUSAGE_CHILDREN)
    print(f"processes of the screening: {children.ru_utime + children.ru_stime:.1f} s of CPU")
    missing = sorted({f"{gap.step} ({gap.reason})" for assessment in made.shortlist for gap in assessment.missing})
    print(f"{made.best}: {time.perf_counter() - began:.1f} s, at most {max(steps.peaks):,.0f} MB; ", end="")
    print(f"not assessed: {'; '.join(missing)}" if missing else "all steps")


if __name__ == "__main__":
    main()
