"""``collective``: one collective operation by an algorithm of a name, message by message, in both simulators."""

from topoloom.applications.collective_plans import OPERATIONS
from topoloom.applications.collective_plans import collective as make
from topoloom.applications.program import Trace
from topoloom.applications.registry import application
from topoloom.spec import Choice, Integer

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
def collective(ranks: int, operation: str, algorithm: str, bytes: int, group: int, repeats: int) -> Trace:
    """Refuses one rank, groups that do not divide the ranks, and algorithms that the operation does not have.

    Parameters
    ----------
    ranks : int
        MPI ranks.
    operation : str
        What is done.
    algorithm : str
        How.
    bytes : int
        Bytes of the vector, or from each rank to each other one.
    group : int
        Ranks of a node or of a group of experts; 0: all.
    repeats : int
        How often, one after the other.

    Returns
    -------
    Trace
        The messages.

    Raises
    ------
    InputError
        See above.
    """
    return make(ranks, operation, algorithm, bytes, group, repeats)
