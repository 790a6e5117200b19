"""Checks of the arguments of `optimize`: invalid budgets, and options that exclude each other."""

import math

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import MOST_SWITCHES, Topology
from topoloom.optimizer.traffic_goals import NAMES


def check_budget(topology: Topology, moves: int | None, seconds: float | None, spent: tuple[int, float]) -> None:
    """Raise an error for an invalid budget.

    Parameters
    ----------
    topology : Topology
    moves, seconds, spent
        As for `optimize`.

    Raises
    ------
    InputError
        Moves and seconds together, a budget out of range, or no links to exchange.
    """
    if moves is not None and seconds is not None:
        raise InputError("give moves or seconds, not both")
    if moves is not None and moves < 1:
        raise InputError(f"moves={moves}: a search needs at least one move")
    if seconds is not None and not 0 < seconds < math.inf:
        raise InputError(f"seconds={seconds:g}: give a time above 0 s that is not infinite")
    if min(spent) < 0:
        raise InputError(f"spent={spent}: moves and seconds of earlier sessions must be 0 or more")
    if not len(topology.links):
        raise InputError(f"{topology.name}: the network has no links to exchange")


def check_options(
    start: str,
    symmetric: bool | None,
    tempering: bool,
    target: int | None,
    keep: str | np.ndarray | None,
    objective: str,
) -> None:
    """Raise an error for unknown options, and for options that would be ignored.

    Parameters
    ----------
    start, symmetric, tempering, target, keep
        As for `optimize`.
    objective : str
        "hops", one of `traffic_goals.NAMES`, "own" for a function, or "weights" for any other.

    Raises
    ------
    InputError
        Two options that exclude each other, or an option that the objective does not use.
    """
    hops_only = objective == "hops"
    if start not in {"given", "structured"}:
        raise InputError(f"start '{start}' is unknown; choose given or structured")
    if target is not None and not 1 <= target <= MOST_SWITCHES:
        raise InputError(f"target={target}: a diameter must be at least 1 and less than the number of switches")
    structured = start == "structured"
    for wrong, what, why in (
        (not hops_only and tempering, "tempering", "only for objective='hops'"),
        (not hops_only and target is not None, "target", "only for objective='hops'"),
        (objective in ("weights", "own") and structured, "start='structured'", "only for hops and traffic objectives"),
        (objective in (*NAMES, "own") and bool(symmetric), "symmetric", "only for hops, latency, power and cost"),
        (bool(symmetric) and structured, "start='structured'", "it excludes symmetric=True"),
        (tempering and structured, "start='structured'", "tempering begins with the given network"),
        (tempering and bool(symmetric), "symmetric", "tempering begins with the given network"),
        (keep is not None and bool(symmetric), "symmetric", "it cannot keep the cables of racks (keep)"),
    ):
        if wrong:
            raise InputError(f"{what}: {why}; omit it")
