"""Calls of BookSim 2: its configuration file, its averages, the load of saturation, and means of several seeds.

    python benchmarks/booksim_runs.py PATH PLAN.json RESULTS.json [JOBS]

runs what `benchmarks/booksim_agreement.py --plan PLAN.json` wrote, on any machine with Python and a BookSim 2 at PATH.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

#: Cycles of a sample; one sample warms up, three are measured, and their packets arrive. Shorter ones find saturation.
_SAMPLE, _SHORT_SAMPLE = 3000, 1500
#: Saturation is the load at which the mean latency is this many times that of an almost empty network; steps of the search.
_TIMES, _ALMOST_NONE, _STEPS = 4.0, 0.02, 7
#: Options of a run of fixed length.
_FIXED = {"sim_type": "latency", "warmup_periods": 1, "stopping_thres": -1.0, "acc_stopping_thres": -1.0}
_FIXED |= {"deadlock_warn_timeout": 10000}
#: Seconds after which a run counts as one without an end.
_PATIENCE = 600


def text_of(booksim: Path, options: dict[str, Any], network: str | None = None) -> str:
    """Run BookSim and return what it prints.

    Parameters
    ----------
    booksim : Path
    options : dict
    network : str, optional
        The text of the network file, for the topology `anynet`.
    """
    with tempfile.TemporaryDirectory() as folder:
        if network is not None:
            options = options | {"network_file": str(Path(folder, "network.anynet"))}
            Path(folder, "network.anynet").write_text(network, encoding="utf-8")
        config = Path(folder, "run")
        config.write_text("".join(f"{name} = {value};\n" for name, value in options.items()), encoding="utf-8")
        try:
            done = subprocess.run(
                [str(booksim.resolve()), str(config)], capture_output=True, text=True, check=False, timeout=_PATIENCE
            )
        except subprocess.TimeoutExpired:
            return f"no end after {_PATIENCE} s"
        return done.stdout + done.stderr


def average(text: str, label: str) -> float | None:
    """Return an average of the whole run; None: BookSim did not end with one."""
    match = re.search(rf"{label} average = (\S+) \(1 samples\)", text)
    return None if match is None else float(match[1])


def mean_latency(
    booksim: Path, case: dict[str, Any], load: float, seed: int, sample: int = _SAMPLE, most: float = 20_000.0
) -> float | None:
    """Return the mean latency of packets in cycles, with the queue at their host; None: above `most`, or without an end."""
    options = case["options"] | _FIXED | {"sample_period": sample, "latency_thres": most}
    text = text_of(booksim, options | {"injection_rate": load, "seed": seed}, case["network"])
    if "ssertion" in text or "rror:" in text:
        raise SystemExit(f"{case['name']}: BookSim ended with:\n{text[-800:]}")
    return average(text, "Packet latency")


def saturation(booksim: Path, case: dict[str, Any]) -> float:
    """Return the load at which mean latency is four times that of the almost empty network, by bisection."""
    empty = mean_latency(booksim, case, _ALMOST_NONE, 99, _SHORT_SAMPLE)
    if empty is None:
        raise SystemExit(f"{case['name']}: no latency at load {_ALMOST_NONE}")
    low, high = _ALMOST_NONE, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        mean = mean_latency(booksim, case, middle, 99, _SHORT_SAMPLE, _TIMES * empty)
        low, high = (middle, high) if mean is not None and mean < _TIMES * empty else (low, middle)
    return low


def measured(
    booksim: Path, plan: dict[str, Any], jobs: int | None = None, results: Path | None = None
) -> dict[str, Any]:
    """Run a plan: the saturation of each case, then means per seed at shares of it.

    Parameters
    ----------
    booksim : Path
    plan : dict
        "cases" with name, options and network, "shares" of saturation and "seeds".
    jobs : int, optional
        Cases at a time; all cores when omitted.
    results : Path, optional
        A file that is rewritten after each case; cases that it has are not run again.

    Returns
    -------
    dict
        Per name of a case: saturation, and points with load and means.
    """
    finished: dict[str, Any] = {}
    if results is not None and results.exists():
        finished = json.loads(results.read_text(encoding="utf-8"))

    def one(case: dict[str, Any]) -> dict[str, Any]:
        full = saturation(booksim, case)
        loads = [round(share * full, 3) for share in plan["shares"]]
        points = [
            {"load": load, "means": [mean_latency(booksim, case, load, seed) for seed in plan["seeds"]]}
            for load in loads
        ]
        return {"saturation": round(full, 4), "points": points}

    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        runs = {pool.submit(one, case): case["name"] for case in plan["cases"] if case["name"] not in finished}
        for run in as_completed(runs):
            finished[runs[run]] = run.result()
            if results is not None:
                results.write_text(json.dumps(finished, indent=1) + "\n", encoding="utf-8")
    return finished


if __name__ == "__main__":
    path, plan_file, results_file, *jobs_given = sys.argv[1:]
    count = int(jobs_given[0]) if jobs_given else None
    measured(Path(path), json.loads(Path(plan_file).read_text(encoding="utf-8")), count, Path(results_file))
