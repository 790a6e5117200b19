"""``collective``: one collective operation by an algorithm of a name, message by message, in both simulators."""

from topoloom.simulation.applications.collective_programs import OPERATIONS, collective_traces
from topoloom.simulation.applications.program import RankTraces
from topoloom.simulation.applications.registry import application
from topoloom.topologies.spec import Choice, Integer

_ALGORITHMS = tuple(dict.fromkeys(["default", *(name for known in OPERATIONS.values() for name in known)]))


@application(
    "collective",
    "one collective by an algorithm of your choice, message by message; also expert dispatch and a pipeline",
    source="Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    operation=Choice(tuple(OPERATIONS), "what is done; moe: tokens to their experts and back", default="allreduce"),
    algorithm=Choice(_ALGORITHMS, "how; default: the operation's first", default="default"),
    bytes=Integer(0, 1 << 30, "bytes of the vector; of alltoall and moe from each rank to each other", default=1 << 20),
    group=Integer(0, 1 << 20, "ranks of a node (hierarchical) or of a group of experts (moe); 0: all", default=0),
    repeats=Integer(1, 1 << 20, "how often", default=1),
)
def collective_program(ranks: int, operation: str, algorithm: str, bytes: int, group: int, repeats: int) -> RankTraces:
    """Refuses one rank, groups that do not divide the ranks, and algorithms that the operation does not have.

    Raises
    ------
    InputError
        See above.
    """
    return collective_traces(ranks, operation, algorithm, bytes, group, repeats)
