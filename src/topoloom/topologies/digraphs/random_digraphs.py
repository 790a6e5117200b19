"""Random regular digraphs, the baseline of the degree/diameter problem for digraphs."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.directed import DirectedTopology
from topoloom.topologies.spec import Facts, Integer, Seed, directed_family

#: Most rounds in which loops and parallel arcs swap their heads with other arcs; a few are enough unless nearly all arcs exist.
_ROUNDS = 1000


def _facts(n: int, degree: int, seed: int) -> Facts:
    if 2 * degree > n:
        raise InputError(f"random-digraph: degree={degree} must be at most half of n={n}")
    return Facts(n, degree, degree, n * degree)


@directed_family(
    "random-digraph",
    title="random regular digraph",
    n=Integer(2, 1 << 22, "switches"),
    degree=Integer(1, 4096, "arcs that begin, and arcs that end, at a switch; at most n/2"),
    seed=Seed(),
    facts=_facts,
    source="the configuration model: Bollobas, European J. Combin. 1(4), 1980, for digraphs",
)
def random_digraph(n: int, degree: int, seed: int, attempt: int = 0) -> DirectedTopology:
    """A random digraph in which `degree` arcs begin and `degree` arcs end at every switch, without loops and parallel arcs.

    Raises
    ------
    InputError
        There is no such draw.
    """
    draws = Draws(seed, attempt)
    tails = np.repeat(np.arange(n), degree)
    heads = tails[draws.permutation(tails.size)]
    for _ in range(_ROUNDS):
        order = np.argsort(tails * n + heads, kind="stable")
        repeated = np.zeros(tails.size, bool)
        repeated[order[1:]] = np.diff((tails * n + heads)[order]) == 0
        wrong = np.flatnonzero(repeated | (tails == heads))
        if not wrong.size:
            return DirectedTopology(arcs=np.stack([tails, heads], axis=1), switches=n)
        # One at a time: a swap whose partner has just been swapped must see its new head.
        for arc, other in zip(wrong.tolist(), draws.below(tails.size, wrong.size).tolist(), strict=True):
            heads[arc], heads[other] = heads[other], heads[arc]
    raise InputError(f"random-digraph: no draw of n={n}, degree={degree} without parallel arcs; take a lower degree")
