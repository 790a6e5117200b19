"""The Pareto front: candidates that no other beats in every objective."""

from collections.abc import Sequence

import numpy as np

from topoloom.designer.outcomes import Candidate


def undominated(values: np.ndarray) -> np.ndarray:
    """Mark the rows that no other row dominates: at least as good in every column, and better in one.

    Parameters
    ----------
    values : float64[n, k]
        Less is better.

    Returns
    -------
    bool[n]
    """
    no_worse = np.all(values[None, :, :] <= values[:, None, :], axis=2)
    better = np.any(values[None, :, :] < values[:, None, :], axis=2)
    front: np.ndarray = ~np.any(no_worse & better, axis=1)
    return front


def pareto_values(candidates: Sequence[Candidate]) -> np.ndarray:
    """Cost per host, mean latency and negated bisection per host, float64[n, 3]: less of each is better."""
    rows = [[c.cost_per_host_usd, c.mean_latency_ns, -(c.bisection_per_host or 0.0)] for c in candidates]
    return np.array(rows).reshape(-1, 3)


def pareto_front(candidates: Sequence[Candidate]) -> frozenset[str]:
    """Specs of the candidates that no other beats in cost per host, mean latency and bisection per host at once."""
    front = undominated(pareto_values(candidates))
    return frozenset(c.spec for c, stays in zip(candidates, front.tolist(), strict=True) if stays)
