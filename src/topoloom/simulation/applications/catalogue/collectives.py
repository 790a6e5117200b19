"""``collective``: one collective operation by a chosen algorithm, message by message, for all simulators."""

from topoloom.simulation.applications.collective_programs import OPERATIONS, collective_traces
from topoloom.simulation.applications.program import RankTraces
from topoloom.simulation.applications.registry import application
from topoloom.topologies.spec import Choice, Integer

_ALGORITHMS = tuple(dict.fromkeys(["default", *(name for algorithms in OPERATIONS.values() for name in algorithms)]))


@application(
    "collective",
    "one collective by an algorithm of your choice, message by message; also expert dispatch and a pipeline",
    source="Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    operation=Choice(tuple(OPERATIONS), "the operation; moe: tokens to their experts and back", default="allreduce"),
    algorithm=Choice(_ALGORITHMS, "the algorithm; default: the operation's first", default="default"),
    bytes=Integer(
        0, 1 << 30, "bytes of the vector; for alltoall and moe, from each rank to each other", default=1 << 20
    ),
    group=Integer(0, 1 << 20, "ranks per node (hierarchical) or per group of experts (moe); 0: all", default=0),
    repeats=Integer(1, 1 << 20, "number of repetitions", default=1),
)
def collective_program(ranks: int, operation: str, algorithm: str, bytes: int, group: int, repeats: int) -> RankTraces:
    """Return the program; refuse one rank, groups that do not divide the ranks, and algorithms of other operations.

    Raises
    ------
    InputError
        One rank, a group that does not divide the ranks, or an algorithm that the operation does not have.
    """
    return collective_traces(ranks, operation, algorithm, bytes, group, repeats)
