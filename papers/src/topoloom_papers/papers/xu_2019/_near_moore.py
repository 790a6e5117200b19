"""Exhaustive search for regular graphs in which all but a few pairs of switches are within two hops: is there one or none."""

from itertools import combinations


def near_moore(order: int, degree: int, apart: int) -> list[tuple[int, int]] | None:
    """A graph in which at most `apart` pairs are farther than two hops, or None: there is none, as all were tried.

    Parameters
    ----------
    order, degree : int
        The order is the degree's square. If all ways of two hops from a switch led to different others, it would reach one
        switch more than there are: so where it reaches all, exactly one of its ways is wasted.
    apart : int
        Few enough that a switch is left that reaches all within two hops; from it the search begins.

    Returns
    -------
    list of (int, int) or None
        The links of the first one that is found.

    Notes
    -----
    Switch 0 reaches all. Then no two of its neighbours are linked, as that would waste two ways, and one switch alone is
    reached by two of them: but for names there is one such tree. The other links are tried switch by switch, and given up as
    soon as the ways wasted by all switches are too many. A switch wastes its ways of two hops less the switches that they lead
    to. No further link makes them fewer, and in the end they are one more than the switches that it does not reach.
    """
    if order != degree * degree or 2 * apart >= order:
        raise ValueError("the order is the degree's square, and twice as many as the pairs apart, or more")
    links = _tree(degree)
    near = [0] * order
    for u, v in links:
        near[u] |= 1 << v
        near[v] |= 1 << u

    def allowed() -> bool:
        far = 0
        for u in range(order):
            ways = reached = 0
            for w in _bits(near[u]):
                ways += near[w].bit_count() - 1
                reached |= near[w]
            wasted = ways - (reached & ~near[u] & ~(1 << u)).bit_count()
            far += max(0, wasted - 1)
            if far > 2 * apart:
                return False
        return True

    def extend(least: int) -> bool:
        """Fill the ports of the first switch that has free ones, in every way."""
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
    """Switch 0, its neighbours, and theirs, of which the first two have one in common."""
    links = [(0, one) for one in range(1, degree + 1)]
    following = degree + 1
    for one in range(1, degree + 1):
        children = list(range(following, following + degree - 1))
        if one == 2:
            # The last child of 1 is the first of 2.
            children = list(range(following - 1, following + degree - 2))
        links += [(one, child) for child in children]
        following = children[-1] + 1
    return links


def _bits(mask: int) -> list[int]:
    return [at for at in range(mask.bit_length()) if mask >> at & 1]
