"""The quadratic assignment problem: topoloom compared with SciPy, a rival and the best known costs, in one run.

    python benchmarks/qap.py FOLDER [--seconds 60] [--only sko100a,wil100] [--jobs N] [--scipy faq,2opt]
                             [--rival "PROGRAM {instance} {seconds}"]

FOLDER holds QAPLIB instances that you downloaded (Burkard, Karisch and Rendl 1997): ``NAME.dat`` (n, then the two matrices),
optionally with ``NAME.sln`` (n, cost, permutation) for the best known cost; or ``NAME.qap`` (n, optimum or minus a lower bound,
best known cost, then the two matrices); each may end in ``.gz``. topoloom does not solve instances in which both matrices are
asymmetric; they are skipped.

First come the speeds of the kernels in CPU time of one thread, on floors of the printed sizes. Then for each instance: ours
after `--seconds` on `--jobs` threads, SciPy's `quadratic_assignment` (it has no time limit: seconds with faq, a minute with
2opt for 100 places; ``--scipy ""`` skips it), and the rival. A rival is any program that reads a plain ``.dat`` file; its
command is run with {instance} and {seconds} filled in, and the last number that it prints is its cost.
"""

import argparse
import gzip
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Search
from topoloom.placement.qap.assign import assign, cost
from topoloom.placement.qap.problem import problem
from topoloom.placement.qap.search import Annealing, Tabu

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True, eq=False)
class Instance:
    """A QAPLIB problem, and its best known cost."""

    name: str
    flow: np.ndarray
    distance: np.ndarray
    best_known: float | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="QAPLIB files: .dat and .sln, or .qap, each with or without .gz")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each instance (60)")
    parser.add_argument("--only", help="names of instances, with commas between; all when omitted")
    parser.add_argument("--jobs", type=int, help="threads of topoloom; every core when omitted")
    parser.add_argument("--scipy", default="faq,2opt", help="methods of SciPy, with commas between (faq,2opt)")
    parser.add_argument("--rival", help='a program: "PROGRAM {instance} {seconds}"')
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else None
    instances = list(_instances(arguments.folder, chosen))
    if not instances:
        raise SystemExit(f"{arguments.folder}: no such instances")
    _speeds()
    print(f"\n{'instance':10} {'best known':>12}  {'by':14} {'cost':>14} {'gap %':>8} {'seconds':>8}")
    for instance in instances:
        _compare(instance, arguments)


def _speeds() -> None:
    """Print moves per second of annealing and iterations per second of tabu search, in CPU time of one thread."""
    print(f"{'kernel':44} {'places':>6} {'per second':>12}")
    for rows, columns in ((10, 10), (16, 16), (16, 32)):
        m = rows * columns
        draws = Draws(m)
        floor_m = np.stack(np.divmod(np.arange(m), columns), axis=1) * [2.1, 0.6]
        distance = np.abs(floor_m[:, None] - floor_m).sum(axis=2)
        draw = draws.uniform(m * m).reshape(m, m)
        cables = np.triu(1 + draws.below(8, m * m).reshape(m, m), 1)
        kernels = [
            ("annealing, 40 % of the pairs linked", 0.4, _anneal),
            ("annealing, 8 links per rack", 8 / m, _anneal),
        ]
        if m < 512:
            kernels.append(("robust tabu search", 0.4, _tabu))
        for name, density, search in kernels:
            flow = cables * (draw < density)
            print(f"{name:44} {m:6} {_moves_per_second(search, flow + flow.T, distance):12,.0f}", flush=True)


def _anneal(flow: np.ndarray, distance: np.ndarray) -> tuple[Search, Budget]:
    budget = Budget(20_000_000)
    return Annealing(problem(flow, distance), np.arange(len(flow)), Draws(1), budget), budget


def _tabu(flow: np.ndarray, distance: np.ndarray) -> tuple[Search, Budget]:
    budget = Budget(2_000_000_000 // len(flow) ** 2)
    return Tabu(problem(flow, distance), np.arange(len(flow)), Draws(1), budget), budget


def _moves_per_second(
    begin: Callable[[np.ndarray, np.ndarray], tuple[Search, Budget]], flow: np.ndarray, distance: np.ndarray
) -> float:
    """Moves per second, the best of three whole searches."""
    begin(flow, distance)[0].step()  # Numba loads its cached kernels, or compiles them, before any clock starts
    best = 0.0
    for _ in range(3):
        search, budget = begin(flow, distance)
        start = time.thread_time()
        while not search.done:
            search.step()
        best = max(best, budget.spent / (time.thread_time() - start))
    return best


def _compare(instance: Instance, arguments: argparse.Namespace) -> None:
    best_known = "" if instance.best_known is None else f"{instance.best_known:.0f}"
    heading = f"{instance.name:10} {best_known:>12}"

    def row(by: str, run: Callable[[], float]) -> None:
        start = time.perf_counter()
        try:
            cost_found = run()
        except InputError as error:
            print(f"{heading}  {by:14} {error}", flush=True)
            return
        seconds = time.perf_counter() - start
        gap = f"{100 * (cost_found / instance.best_known - 1):8.3f}" if instance.best_known else f"{'':8}"
        print(f"{heading}  {by:14} {cost_found:14.0f} {gap} {seconds:8.1f}", flush=True)

    flow, distance = instance.flow, instance.distance
    row("topoloom", lambda: assign(flow, distance, seconds=arguments.seconds, jobs=arguments.jobs).cost)
    for method in filter(None, arguments.scipy.split(",")):
        row(f"SciPy {method}", partial(_scipy, instance, method))
    if arguments.rival:
        row("rival", lambda: _rival(instance, arguments.rival, arguments.seconds))


def _scipy(instance: Instance, method: str) -> float:
    from scipy.optimize import quadratic_assignment

    result = quadratic_assignment(
        instance.flow, instance.distance, method=method, options={"rng": np.random.default_rng(1)}
    )
    return cost(instance.flow, instance.distance, result.col_ind)


def _rival(instance: Instance, command: str, seconds: float) -> float:
    """The last number that the rival prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{instance.name}.dat"
        with path.open("w", encoding="ascii") as file:
            file.write(f"{len(instance.flow)}\n")
            for matrix in (instance.flow, instance.distance):
                np.savetxt(file, matrix, fmt="%d")
        words = [word.format(instance=path, seconds=f"{seconds:g}") for word in shlex.split(command)]
        printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return float(_NUMBER.findall(printed)[-1])


def _instances(folder: Path, chosen: list[str] | None) -> Iterator[Instance]:
    """The instances of a folder, or those with the given names, sorted by name."""
    for path in sorted(folder.iterdir()):
        name, _, ending = path.name.partition(".")
        if ending.removesuffix(".gz") not in {"dat", "qap"} or (chosen and name not in chosen):
            continue
        values = _numbers(path)
        n = int(values[0])
        if ending.startswith("qap"):
            best_known, matrices = values[2], values[3:]
        else:
            solutions = sorted(folder.glob(f"{name}.sln*"))
            best_known, matrices = _numbers(solutions[0])[1] if solutions else None, values[1:]
        if matrices.size < 2 * n * n:
            raise SystemExit(f"{path}: {matrices.size} numbers for two {n} x {n} matrices")
        flow, distance = matrices[: 2 * n * n].reshape(2, n, n)
        yield Instance(name, flow, distance, best_known)


def _numbers(path: Path) -> np.ndarray:
    packed = path.read_bytes()
    text = (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode("ascii")
    return np.array(text.replace(",", " ").split(), dtype=np.float64)


if __name__ == "__main__":
    main()
