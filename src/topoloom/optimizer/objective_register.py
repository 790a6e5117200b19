"""The register of objectives: functions of a topology to one number, which `optimize` makes as small or as large as it can."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, wrong_type
from topoloom.core.register import Register
from topoloom.core.settings import Settings
from topoloom.model.topology import Topology

#: The words of the other objectives.
_TAKEN = ("hops", "all-to-all", "permutation", "worst-case", "latency", "worst", "mean", "power", "cost")


@dataclass(frozen=True)
class Objective:
    """An objective of one's own.

    Attributes
    ----------
    name, text, unit : str
        As users write it; a line for the help; the unit, empty for a pure number.
    value : callable
        Takes a connected Topology, or the arguments of `of_table`, and returns a number; an infinite one is never kept.
    most : bool
        Whether the largest value is best, instead of the smallest.
    of_table : bool
        Whether `value` takes two arrays instead of a Topology, so that it can be a function compiled by Numba: ``table``,
        int32[n, K], the neighbours of each switch, where slots after its degree hold the switch itself; and ``degree``,
        int32[n]. Making them takes microseconds, a Topology a hundred.
    """

    name: str
    text: str
    unit: str
    value: Callable[..., float]
    most: bool = False
    of_table: bool = False

    def of(self, topology: Topology, table: np.ndarray, degree: np.ndarray) -> float:
        """The value of a graph, as a topology and as a table.

        Parameters
        ----------
        topology : Topology
        table : int32[n, slots]
            The neighbours of each switch.
        degree : int32[n]

        Returns
        -------
        float

        Raises
        ------
        InputError
            The function raises an error, or returns something else than a number, or NaN.
        """
        try:
            value: Any = self.value(table, degree) if self.of_table else self.value(topology)
        except Exception as error:  # of a function that is not topoloom's
            raise InputError(
                f"the objective '{self.name}' raised {type(error).__name__}: {' '.join(str(error).split())[:200]}; it must"
                " return a number for every connected network"
            ) from error
        if type(value) is bool or not isinstance(value, Real) or math.isnan(value):
            raise InputError(f"the objective '{self.name}' returned {value!r:.60}; it must return a number")
        return float(value)

    def of_topology(self, topology: Topology) -> float:
        """The value of a topology; errors are those of `of`."""
        from topoloom.optimizer.rules import GraphRules, moves_of

        moves = moves_of(topology, GraphRules())
        return self.of(topology, moves.table, moves.degree)

    @property
    def place(self) -> str:
        """The module and the name of the function, for records."""
        return _place(self.value)


OBJECTIVES: Register[Objective] = Register(
    "objective", package="topoloom.optimizer.objectives", group="topoloom.objectives"
)


def topology_objective(
    name: str, text: str, unit: str = "", *, most: bool = False, of_table: bool = False
) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Register a function as an objective of `optimize`.

    Parameters
    ----------
    name, text, unit, most, of_table
        As for `Objective`.

    Returns
    -------
    callable
        A decorator that returns the function itself.

    Raises
    ------
    InputError
        The name is that of another kind of objective.

    Examples
    --------
    >>> @topology_objective("mean-eccentricity", "mean over the switches of the most hops to any other", "hops")
    ... def mean_eccentricity(topology):
    ...     from topoloom.graph.distances import distance_matrix
    ...     return distance_matrix(topology, 1).max(axis=1).mean()
    >>> from topoloom import build, optimize
    >>> optimize(build("ring:n=12"), "mean-eccentricity", moves=20).values["value_given"]
    6.0
    """
    if name in _TAKEN or "=" in name or "," in name:
        raise InputError(f"objective '{name}': topoloom has an objective of that form; choose another name")

    def add(function: Callable[..., float]) -> Callable[..., float]:
        OBJECTIVES.add(name, Objective(name, text, unit, function, most, of_table))
        return function

    return add


def own_objective(objective: object) -> Objective | None:
    """The objective of a name, a function or an `Objective`; None for the objectives that are no functions.

    A function is minimised; its name is its module and name, ``lab.goals:stretch``.

    Raises
    ------
    InputError
        It is none of these.
    """
    if isinstance(objective, Objective):
        return objective
    if isinstance(objective, str):
        registered = objective not in _TAKEN and "=" not in objective and objective in OBJECTIVES
        return OBJECTIVES[objective] if registered else None
    if isinstance(objective, Settings):  # a Goal
        return None
    if not callable(objective):
        remedy = "a name as in 'hops', a goal, or a function of a topology to a number"
        raise wrong_type(objective, "a text, a Goal, an Objective or a function", "optimize: objective", remedy)
    return Objective(_place(objective), "", "", objective)


def _place(function: Callable[..., float]) -> str:
    """``module:name`` of a function, also of one that Numba compiled; of another object, those of its type."""
    function = getattr(function, "py_func", function)
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}:{named.__qualname__}"
