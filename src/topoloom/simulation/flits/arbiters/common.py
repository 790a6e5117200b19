"""The arbiters of routers: round robin, matrix, age."""

from topoloom.simulation.flits.router_parts import router_arbiter


@router_arbiter("round-robin", "the next one after the last winner")
def round_robin(requester: int, size: int, last: int, served: int, born: int) -> int:
    """Rank by the distance behind the last winner."""
    return (requester - last - 1) % size


@router_arbiter("matrix", "the one that won the longest time ago", remembers=True)
def longest_ago(requester: int, size: int, last: int, served: int, born: int) -> int:
    """Rank by the last win.

    A matrix of which requester goes before which other one, whose winner then goes last, always is a total order: that of the
    times of the last wins.
    """
    return served


@router_arbiter("age", "the oldest packet; round robin among equals")
def age(requester: int, size: int, last: int, served: int, born: int) -> int:
    """Rank by the cycle in which the packet was created, then by the distance behind the last winner."""
    return (born << 20) | ((requester - last - 1) % size)
