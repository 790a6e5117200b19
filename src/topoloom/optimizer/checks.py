"""What `optimize` refuses: budgets that make no sense, and options that exclude each other."""

import math

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import MOST_SWITCHES, Topology
from topoloom.optimizer.traffic_goals import NAMES


def check_budget(topology: Topology, moves: int | None, seconds: float | None, spent: tuple[int, float]) -> None:
    """Refuse a budget that makes no sense.

    Parameters
    ----------
    topology : Topology
    moves, seconds, spent
        As `optimize` has them.

    Raises
    ------
    InputError
        Both or neither end of it, or nothing to do.
    """
    if moves is not None and seconds is not None:
        raise InputError("give moves or seconds, not both")
    if moves is not None and moves < 1:
        raise InputError(f"moves={moves}: a search needs at least one")
    if seconds is not None and not 0 < seconds < math.inf:
        raise InputError(f"seconds={seconds:g}: a search needs some time, and an end")
    if min(spent) < 0:
        raise InputError(f"spent={spent}: moves and seconds of earlier sessions are 0 or more")
    if not len(topology.links):
        raise InputError(f"{topology.name}: there are no links to exchange")


def check_options(
    start: str,
    symmetric: bool | None,
    tempering: bool,
    target: int | None,
    keep: str | np.ndarray | None,
    objective: str,
) -> None:
    """Refuse what is not known, and what would be omitted in silence.

    Parameters
    ----------
    start, symmetric, tempering, target, keep
        As `optimize` has them.
    objective : str
        "hops", one of `traffic_goals.NAMES`, or "weights" for any other.

    Raises
    ------
    InputError
        Two that exclude each other, or one that the objective does without.
    """
    hops_only = objective == "hops"
    if start not in {"given", "structured"}:
        raise InputError(f"start '{start}'; known are given and structured")
    if target is not None and not 1 <= target <= MOST_SWITCHES:
        raise InputError(f"target={target}: a diameter is 1 or more, and less than the number of switches")
    structured = start == "structured"
    for wrong, what, why in (
        (not hops_only and tempering, "tempering", "it is for objective='hops'"),
        (not hops_only and target is not None, "target", "it is for objective='hops'"),
        (objective == "weights" and structured, "start='structured'", "it is for hops and traffic"),
        (objective in NAMES and bool(symmetric), "symmetric", "it is for hops, latency, power and cost"),
        (bool(symmetric) and structured, "start='structured'", "a symmetric start is another one"),
        (tempering and structured, "start='structured'", "tempering begins with what is given"),
        (tempering and bool(symmetric), "symmetric", "tempering begins with what is given"),
        (keep is not None and bool(symmetric), "symmetric", "it does not keep the racks' cables (keep)"),
    ):
        if wrong:
            raise InputError(f"{what}: {why}; leave it out")
