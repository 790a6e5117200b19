"""The algorithms of collectives by name: their messages, and the numbers of ranks that they support."""

from dataclasses import dataclass

from topoloom.core.errors import InputError
from topoloom.simulation.flows import state as k


@dataclass(frozen=True)
class Algorithm:
    """A sequence of steps, in each of which a rank sends to at most one other rank and receives from at most one.

    Attributes
    ----------
    number : int
        Its number in kernels.
    description : str
    power_of_two : bool
        Whether it supports only powers of two as numbers of ranks.
    """

    number: int
    description: str
    power_of_two: bool = False

    def steps(self, ranks: int) -> int:
        """Return the number of steps."""
        from topoloom.simulation.flows.kernels.steps import steps_of

        return int(steps_of(self.number, ranks))


#: All algorithms; `size` is the argument of `Script.collective`.
ALGORITHMS = {
    "ring": Algorithm(k.RING, "parts of the vector of `size` travel around a ring: a reduce-scatter or an all-gather"),
    "shift": Algorithm(
        k.SHIFT, "step i: `size` to the rank i after this one, and from the rank i before: all-to-all by pairs"
    ),
    "xor": Algorithm(k.XOR, "step i: `size` to and from the rank whose number differs by the bits of i", True),
    "doubling": Algorithm(k.DOUBLING, "recursive doubling: the vector of `size` with the rank 1, 2, 4, ... away"),
    "halving": Algorithm(
        k.HALVING, "a half, a quarter, ... of the vector of `size`, and back: Rabenseifner's all-reduce"
    ),
    "gather": Algorithm(k.GATHER, "recursive doubling of an all-gather: 1, 2, 4, ... blocks of `size`", True),
    "tree": Algorithm(k.TREE, "a binomial tree from rank 0: `size` to all ranks"),
    "reduce": Algorithm(k.REDUCE, "a binomial tree to rank 0"),
}


def algorithm_on(name: str, ranks: int) -> Algorithm:
    """Return an algorithm, for a number of ranks.

    Raises
    ------
    InputError
        The algorithm needs a power of two.
    """
    algorithm = ALGORITHMS[name]
    if algorithm.power_of_two and ranks & (ranks - 1):
        raise InputError(f"algorithm {name} needs a power of two of ranks, not {ranks}; use another algorithm")
    return algorithm
