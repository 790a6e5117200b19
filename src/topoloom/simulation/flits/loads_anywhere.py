"""The loads of a curve as calls, which an executor carries out on any machine."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec
import numpy as np

from topoloom.core.calls import Call, CallExecutor, Shared, anywhere, results_of
from topoloom.core.work import Work
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.one_load import seed_of, simulate_load
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.point_table import tables_digest
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.throughput.traffic import Traffic


@dataclass(frozen=True, eq=False)
class LoadSubject:
    """All that the points of a curve share.

    Attributes
    ----------
    routing : Routing
    config : RouterConfig
    traffic : Traffic
    cables : int64[links] or None
        The cycles of each cable; None: those of the config.
    """

    routing: Routing
    config: RouterConfig
    traffic: Traffic
    cables: np.ndarray | None

    @property
    def key(self) -> str:
        """Digest of all that decides the points, except loads, seeds and the pace of measuring."""
        parts = [tables_digest(self.routing, self.cables), self.routing.engine, self.traffic.name, self.traffic.digest]
        return hashlib.sha256(msgspec.json.encode([*parts, msgspec.to_builtins(self.config)])).hexdigest()


@anywhere
def load_anywhere(
    *, load: float, seed: int, fast: bool, interval: float | None, subject: LoadSubject, work: Work, jobs: int | None
) -> Point:
    """Simulate one load on any machine.

    Parameters
    ----------
    load, seed, fast, interval
        As for `simulate_load`.
    subject : LoadSubject
    work : Work
    jobs : int or None
        A load is simulated in one thread, whatever this is.

    Returns
    -------
    Point

    Raises
    ------
    InputError, Stopped
        As `simulate_load`.
    """
    return simulate_load(
        subject.routing, subject.config, subject.traffic, load, seed, subject.cables, fast, interval, work
    )


def points_anywhere(
    executor: CallExecutor,
    subject: LoadSubject,
    loads: Iterable[float],
    seed: int,
    fast: bool,
    interval: float | None,
    work: Work,
) -> Iterator[tuple[float, Point]]:
    """Yield loads with their points as they are simulated, until the work is stopped.

    Parameters
    ----------
    executor : CallExecutor
    subject : LoadSubject
    loads : iterable of float
    seed : int
        That of the curve.
    fast, interval
        As for `simulate_load`.
    work : Work

    Yields
    ------
    (float, Point)

    Raises
    ------
    InputError
        As `simulate_load`; or the executor cannot carry out calls.
    """
    shared = {"subject": Shared(subject.key, subject)}
    calls = (
        Call(
            load_anywhere,
            f"{subject.routing.topology.name} at load {load:g}",
            {"load": load, "seed": seed_of(seed, load), "fast": fast, "interval": interval},
            shared,
        )
        for load in loads
    )
    for call, point in results_of(executor, calls, work):
        yield call.arguments["load"], point
