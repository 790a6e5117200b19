"""The algorithms of collectives, by name: what they move, and on how many ranks."""

from dataclasses import dataclass

from topoloom.core.errors import InputError
from topoloom.simulation.flows import state as k


@dataclass(frozen=True)
class Algorithm:
    """A sequence of steps in each of which a rank sends to one other and receives from one.

    Attributes
    ----------
    number : int
        By which kernels know it.
    description : str
    power_of_two : bool
        Whether it is for such numbers of ranks only.
    """

    number: int
    description: str
    power_of_two: bool = False

    def steps(self, ranks: int) -> int:
        """How many steps it has."""
        from topoloom.simulation.flows.kernels.steps import steps_of

        return int(steps_of(self.number, ranks))


#: Every algorithm; `size` is what `Script.collective` is given.
ALGORITHMS = {
    "ring": Algorithm(k.RING, "a part of the vector of `size` goes round: a reduce-scatter or an all-gather"),
    "shift": Algorithm(k.SHIFT, "step i: `size` to the rank i further on, from the one i before: all-to-all by pairs"),
    "xor": Algorithm(k.XOR, "step i: `size` to and from the rank whose number differs by the bits of i", True),
    "doubling": Algorithm(k.DOUBLING, "recursive doubling: the vector of `size` with the rank 1, 2, 4, ... away"),
    "halving": Algorithm(
        k.HALVING, "a half, a quarter, ... of the vector of `size`, and back again: Rabenseifner's all-reduce"
    ),
    "gather": Algorithm(k.GATHER, "recursive doubling of an all-gather: 1, 2, 4, ... blocks of `size`", True),
    "tree": Algorithm(k.TREE, "a binomial tree from rank 0: `size` to all"),
    "reduce": Algorithm(k.REDUCE, "a binomial tree to rank 0"),
}


def algorithm_on(name: str, ranks: int) -> Algorithm:
    """An algorithm on so many ranks.

    Raises
    ------
    InputError
        It is for powers of two only.
    """
    found = ALGORITHMS[name]
    if found.power_of_two and ranks & (ranks - 1):
        raise InputError(f"algorithm {name} is for a power of two of ranks, not for {ranks}; take another one")
    return found
