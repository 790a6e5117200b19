"""Unidirectional rings and tori, and directed circulants."""

from math import prod

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.directed import DirectedTopology
from topoloom.topologies.spec import Facts, Integer, Integers, directed_family

_SOURCE = "Dally and Towles, Principles and Practices of Interconnection Networks, 2003"


@directed_family(
    "unidirectional-ring", n=Integer(2, 1 << 24, "switches"), facts=lambda n: Facts(n, 1, 1, n, n - 1), source=_SOURCE
)
def unidirectional_ring(n: int) -> DirectedTopology:
    """A ring in which packets travel in one direction only."""
    switch = np.arange(n)
    return DirectedTopology(arcs=np.stack([switch, (switch + 1) % n], axis=1), switches=n)


def _torus_facts(dims: tuple[int, ...]) -> Facts:
    degree = sum(side > 1 for side in dims)
    return Facts(prod(dims), degree, degree, prod(dims) * degree, sum(side - 1 for side in dims))


@directed_family(
    "unidirectional-torus",
    dims=Integers(1, 1 << 20, "switches along each dimension"),
    facts=_torus_facts,
    source=_SOURCE,
    labels={"x0, x1, ...": "the coordinate in each dimension"},
)
def unidirectional_torus(dims: tuple[int, ...]) -> DirectedTopology:
    """A unidirectional ring along every dimension (the k-ary n-cube with unidirectional channels).

    >>> unidirectional_torus((4, 4))
    DirectedTopology(directed topology: 16 switches, 32 arcs)
    """
    number = np.arange(prod(dims)).reshape(dims)
    arcs = [
        np.stack([number.ravel(), np.roll(number, -1, axis).ravel()], axis=1)
        for axis, side in enumerate(dims)
        if side > 1
    ]
    labels = {f"x{axis}": np.indices(dims)[axis].ravel() for axis in range(len(dims))}
    return DirectedTopology(arcs=np.concatenate(arcs or [np.empty((0, 2), int)]), switches=number.size, labels=labels)


def _circulant_facts(n: int, jumps: tuple[int, ...]) -> Facts:
    if len(set(jumps)) != len(jumps) or max(jumps) >= n:
        raise InputError(
            f"directed-circulant: jumps={'x'.join(map(str, jumps))} must be different numbers below n = {n}"
        )
    return Facts(n, len(jumps), len(jumps), n * len(jumps))


@directed_family(
    "directed-circulant",
    n=Integer(2, 1 << 24, "switches"),
    jumps=Integers(1, 1 << 24, "distances along the ring of the arcs of a switch, each below n"),
    facts=_circulant_facts,
    source="Wong and Coppersmith, A combinatorial problem related to multimodule memory organizations, J. ACM 21(3), 1974",
)
def directed_circulant(n: int, jumps: tuple[int, ...]) -> DirectedTopology:
    """A circulant digraph (multi-loop network): arcs from each switch i to i + jump modulo n, for each of the `jumps`."""
    switch = np.arange(n)
    return DirectedTopology(
        arcs=np.concatenate([np.stack([switch, (switch + jump) % n], axis=1) for jump in jumps]), switches=n
    )
