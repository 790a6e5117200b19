"""Which candidates no other beats in everything that counts."""

from collections.abc import Sequence

import numpy as np

from topoloom.designer.measure import Candidate


def undominated(values: np.ndarray) -> np.ndarray:
    """Which rows no other is at least as good as in every column, and better in one.

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
    kept: np.ndarray = ~np.any(no_worse & better, axis=1)
    return kept


def pareto_values(candidates: Sequence[Candidate]) -> np.ndarray:
    """Cost a host, mean latency and bisection a host with its sign turned, float64[n, 3]: less of each is better."""
    rows = [[c.cost_per_host_usd, c.mean_latency_ns, -(c.bisection_per_host or 0.0)] for c in candidates]
    return np.array(rows).reshape(-1, 3)


def pareto_front(candidates: Sequence[Candidate]) -> frozenset[str]:
    """Specs of the candidates that none beats in cost per host, mean latency and bisection a host all at once."""
    kept = undominated(pareto_values(candidates))
    return frozenset(c.spec for c, stays in zip(candidates, kept.tolist(), strict=True) if stays)
