"""A collective as the operations of one of its ranks: step by step, what it sends and what it receives."""

from collections.abc import Sequence

from topoloom.flows.collectives import algorithm_on
from topoloom.flows.operations import RECV, SEND
from topoloom.flows.schedule import Rank


def collective(
    rank: Rank,
    algorithm: str,
    size: float,
    members: Sequence[int],
    place: int,
    tag: int,
    before: Sequence[int],
    cpu: int = 0,
) -> list[int]:
    """Write down the steps of a rank, each after the one before.

    Parameters
    ----------
    rank : Rank
        Where they are written.
    algorithm : str
        One of `topoloom.flows.collectives.ALGORITHMS`.
    size : float
        Bytes, as the algorithm has them.
    members : sequence of int
        The group's ranks.
    place : int
        Which of them this one is.
    tag : int
        Of all its messages.
    before : sequence of int
        The operations that must be done first.
    cpu : int

    Returns
    -------
    list of int
        The operations that must be done for it to be over: those before, where the rank has nothing to do.

    Raises
    ------
    InputError
        The algorithm is not for so many ranks.
    """
    from topoloom.flows.kernels.steps import step_of

    found = algorithm_on(algorithm, len(members))
    last = list(before)
    for step in range(found.steps(len(members))):
        to, out, source, room = step_of(found.number, step, place, len(members), size)
        mine = []
        if source >= 0:
            mine.append(rank.add(RECV, members[source], room, tag, cpu))
        if to >= 0:
            mine.append(rank.add(SEND, members[to], out, tag, cpu))
        for one in mine:
            rank.requires(one, *last)
        last = mine or last
    return last
