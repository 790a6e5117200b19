"""Agreement with BookSim 2 under load: 40 configurations by hand, and 30 drawn at random that nothing was tuned on.

    python benchmarks/booksim_agreement.py [--booksim PATH] [--held-out] [--only TEXT] [--plan FILE | --results FILE | --write]

PATH is a BookSim 2 (commit 28f43299) that you built; without it the stored means of tests/reference/booksim_loaded.json are
used. Each case is run at about 40 % and 75 % of the load of saturation with four seeds by both: mean latency of packets with
the queue at their host, in cycles. A case is outside if at one of the loads the means differ by more than twice the 95 %
interval of their difference (Welch). At most two of forty may be outside. `saturation` is BookSim's: the load at which latency
is four times that of the empty network.

--plan writes what benchmarks/booksim_runs.py needs to run BookSim elsewhere; --results reads what that wrote; --write stores
new means of BookSim in the reference file.
"""

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "simulator"))

from booksim_loaded import BY_HAND, MOST_OUTSIDE, NETWORKS, SEEDS, SHARES, Case, Verdict, drawn, our_means, verdict
from booksim_runs import measured

from topoloom.core.errors import InputError
from topoloom.fabric.exports.booksim import anynet_text
from topoloom.topologies.spec import build

REFERENCE = Path(__file__).parents[1] / "tests" / "reference" / "booksim_loaded.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--booksim", type=Path, help="a BookSim 2; omitted: its stored means")
    parser.add_argument("--held-out", action="store_true", help="the configurations drawn at random")
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--plan", type=Path, help="write what booksim_runs.py needs, of all cases, and end")
    parser.add_argument("--results", type=Path, help="what booksim_runs.py wrote")
    parser.add_argument("--write", action="store_true", help="store the means of BookSim, and end")
    arguments = parser.parse_args()
    cases = [case for case in (drawn() if arguments.held_out else BY_HAND) if arguments.only in case.name]
    if arguments.plan:
        arguments.plan.write_text(json.dumps(_plan([*BY_HAND, *drawn()])), encoding="utf-8")
        return
    if arguments.results:
        theirs = json.loads(arguments.results.read_text(encoding="utf-8"))
    elif arguments.booksim:
        theirs = measured(arguments.booksim, _plan(cases), arguments.jobs)
    else:
        theirs = _stored()
    if arguments.write:
        _store(theirs)
        return
    began = time.perf_counter()
    outside = _compare(cases, theirs, arguments.jobs)
    print(f"{outside} of {len(cases)} cases are outside; {time.perf_counter() - began:.0f} s")
    if not arguments.held_out and len(cases) == len(BY_HAND):
        sys.exit(outside > MOST_OUTSIDE)


def _compare(cases: list[Case], theirs: dict[str, Any], jobs: int) -> int:
    """Run ours, print a line per case and load, and return how many cases are outside."""
    outside = 0
    print(f"{'load':>6} {'ours':>9} {'BookSim':>9} {'interval':>9} {'differ':>7}  case")
    with ProcessPoolExecutor(jobs) as pool:
        runs = [
            (case, [(point, pool.submit(our_means, case, point["load"])) for point in theirs[case.name]["points"]])
            for case in cases
        ]
        for case, points in runs:
            verdicts: list[tuple[float, Verdict]] = []
            try:
                verdicts = [(point["load"], verdict(future.result(), point["means"])) for point, future in points]
            except InputError as error:
                print(f"{'':43}  OUTSIDE {case.name}: {error}", flush=True)
            for load, each in verdicts:
                print(
                    f"{load:6.3f} {each.ours:9.3f} {each.theirs:9.3f} {each.width:9.3f} {each.ours / each.theirs - 1:+7.1%} "
                    f" {'OUTSIDE ' if each.outside else ''}{case.name}",
                    flush=True,
                )
            outside += not verdicts or any(each.outside for _, each in verdicts)
    return outside


def _plan(cases: list[Case]) -> dict[str, Any]:
    """What booksim_runs.py needs: options and networks, shares of saturation, seeds."""
    each = [
        {
            "name": case.name,
            "options": case.booksim,
            "network": anynet_text(build(NETWORKS[case.network].spec))
            if NETWORKS[case.network].engine is None
            else None,
        }
        for case in cases
    ]
    return {"cases": each, "shares": SHARES, "seeds": SEEDS}


def _stored() -> dict[str, Any]:
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))
    return {name: run for part in ("by_hand", "held_out") for name, run in reference[part].items()}


def _store(theirs: dict[str, Any]) -> None:
    """Write the reference: every run with its network, all its options, its loads and its means per seed."""
    parts = {
        part: {
            case.name: {"network": NETWORKS[case.network].spec, "options": case.booksim, **theirs[case.name]}
            for case in cases
            if case.name in theirs
        }
        for part, cases in (("by_hand", BY_HAND), ("held_out", drawn()))
    }
    about = {
        "source": "BookSim 2, commit 28f43299f1706a3160ffac721ca461d74eb6e618, g++ 12.2 -O3; measured numbers only",
        "measured": "python benchmarks/booksim_agreement.py: sim_type latency, 3,000 cycles to warm up and 9,000 measured;"
        " other options have BookSim's defaults; network_file of anynet by `topoloom convert --format booksim`;"
        " means: packet latency average in cycles per seed",
        "seeds": SEEDS,
    }
    REFERENCE.write_text(json.dumps(about | parts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
