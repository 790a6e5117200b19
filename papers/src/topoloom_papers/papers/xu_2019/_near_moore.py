"""Exhaustive search for regular graphs in which at most a few pairs of switches are more than two hops apart."""

from itertools import combinations


def near_moore(order: int, degree: int, apart: int) -> list[tuple[int, int]] | None:
    """A graph in which at most `apart` pairs are more than two hops apart; None if the exhaustive search finds none.

    Parameters
    ----------
    order, degree : int
        The order is the square of the degree. If all walks of two hops from a switch led to different switches, they would
        reach one switch more than the graph has. So if a switch reaches all others, exactly one of its walks is wasted.
    apart : int
        Small enough that at least one switch reaches all others within two hops; the search begins at this switch.

    Returns
    -------
    list of (int, int) or None
        The links of the first graph found.

    Notes
    -----
    Switch 0 reaches all. Then no two of its neighbours are linked, because that would waste two walks, and exactly one switch
    is reached through two neighbours: up to renaming there is one such tree. The other links are tried switch by switch; a
    branch ends as soon as too many walks are wasted. The wasted walks of a switch are its walks of two hops minus the
    switches that they reach. Further links never reduce them, and in a complete graph they are one more than the switches
    that are not reached.
    """
    if order != degree * degree or 2 * apart >= order:
        raise ValueError("the order has to be the square of the degree and more than twice the number of pairs apart")
    links = _tree(degree)
    near = [0] * order  # bit v of near[u]: u and v are linked
    for u, v in links:
        near[u] |= 1 << v
        near[v] |= 1 << u

    def allowed() -> bool:
        """Whether the wasted walks still allow at most `apart` distant pairs."""
        distant = 0
        for u in range(order):
            walks = reached = 0
            for w in _bits(near[u]):
                walks += near[w].bit_count() - 1
                reached |= near[w]
            wasted = walks - (reached & ~near[u] & ~(1 << u)).bit_count()
            distant += max(0, wasted - 1)
            if distant > 2 * apart:
                return False
        return True

    def extend(least: int) -> bool:
        """Connect the first switch with free ports in every possible way, then continue recursively."""
        u = next((u for u in range(least, order) if near[u].bit_count() < degree), None)
        if u is None:
            return True
        free = [v for v in range(u + 1, order) if near[v].bit_count() < degree and not near[u] >> v & 1]
        for chosen in combinations(free, degree - near[u].bit_count()):
            for v in chosen:
                near[u] |= 1 << v
                near[v] |= 1 << u
            if allowed() and extend(u + 1):
                return True
            for v in chosen:
                near[u] &= ~(1 << v)
                near[v] &= ~(1 << u)
        return False

    if not extend(1):
        return None
    return [(u, v) for u in range(order) for v in _bits(near[u]) if u < v]


def _tree(degree: int) -> list[tuple[int, int]]:
    """The links of switch 0, its neighbours and their neighbours; the first two neighbours share one."""
    links = [(0, neighbour) for neighbour in range(1, degree + 1)]
    following = degree + 1
    for neighbour in range(1, degree + 1):
        children = list(range(following, following + degree - 1))
        if neighbour == 2:
            # The last child of 1 is the first of 2.
            children = list(range(following - 1, following + degree - 2))
        links += [(neighbour, child) for child in children]
        following = children[-1] + 1
    return links


def _bits(mask: int) -> list[int]:
    return [at for at in range(mask.bit_length()) if mask >> at & 1]
