"""Lower bounds for graphs of a given number of switches and links per switch: the bounds of Moore and of Cerf."""

import math

from topoloom.core.errors import InputError


def moore_order(degree: int, diameter: int) -> int:
    """The most switches of `degree` links that can lie within `diameter` hops of each other.

    1 + K + K (K - 1) + ... + K (K - 1)^(D - 1): Moore's bound (Nakano 2016, I).

    Examples
    --------
    >>> moore_order(3, 2), moore_order(7, 2)  # Petersen, Hoffman-Singleton: both exist
    (10, 50)
    """
    _checked(degree)
    return 1 + degree * sum((degree - 1) ** j for j in range(diameter)) if degree else 1


def moore_within(switches: int, degree: int) -> list[int]:
    """m(i): the most switches within i hops of one, for i = 0, 1, ... until it stops growing; at most `switches`.

    Nakano 2016, equation (1), with the intended minimum and m(0) = 1 (errata of Nakano 2016, 1). The last entry is below
    `switches` if the degree (0 or 1) is too low to reach them all.

    Examples
    --------
    >>> moore_within(100, 4)
    [1, 5, 17, 53, 100]
    """
    _checked(degree)
    within, layer = [1], degree
    while within[-1] < switches and layer > 0:
        within.append(min(within[-1] + layer, switches))
        layer *= degree - 1
    return within


def moore_diameter(switches: int, degree: int) -> float:
    """The least diameter that `switches` switches of `degree` links can have: an int, or inf if they cannot connect.

    Examples
    --------
    >>> moore_diameter(10, 3), moore_diameter(11, 3)
    (2, 3)
    """
    within = moore_within(switches, degree)
    return len(within) - 1 if within[-1] == switches else math.inf


def moore_aspl(switches: int, degree: int) -> float:
    """The least ASPL that `switches` switches of `degree` links can have; inf if they cannot connect.

    Cerf, Cowan, Mullin and Stanton, Networks 4(4), 1974; Nakano 2016, equation (2).

    Examples
    --------
    >>> round(moore_aspl(100, 4), 4)
    3.2727
    """
    within = moore_within(switches, degree)
    if within[-1] < switches:
        return math.inf
    # Hop i + 1 counts for every switch that is not within i hops.
    return sum(switches - seen for seen in within) / (switches - 1) if switches > 1 else 0.0


def directed_moore_order(degree: int, diameter: int) -> int:
    """The most switches of out-degree `degree` that can all reach each other within `diameter` hops.

    1 + d + d^2 + ... + d^D: Moore's bound for digraphs. For d > 1 and D > 1 no digraph meets it (Plesnik and Znam, 1974;
    Bridges and Toueg, 1980).

    Examples
    --------
    >>> directed_moore_order(2, 3), directed_moore_order(1, 5)  # a unidirectional ring of 6 switches has the second
    (15, 6)
    """
    _checked(degree)
    return sum(degree**hops for hops in range(diameter + 1))


def directed_moore_diameter(switches: int, degree: int) -> float:
    """The least diameter that `switches` switches of out-degree `degree` can have: an int, or inf if they cannot connect.

    A digraph of diameter D has at most `directed_moore_order` switches, and fewer if D and the degree are above 1.

    Examples
    --------
    >>> directed_moore_diameter(12, 2), directed_moore_diameter(7, 2)  # 7 switches in 2 hops would meet Moore's bound
    (3, 3)
    """
    _checked(degree)
    if switches > 1 and not degree:
        return math.inf
    if degree == 1:
        return switches - 1
    diameter = 0
    while directed_moore_order(degree, diameter) - (degree > 1 and diameter > 1) < switches:
        diameter += 1
    return diameter


def directed_moore_aspl(switches: int, degree: int) -> float:
    """The least mean hops over ordered pairs that `switches` switches of out-degree `degree` can have; inf if they cannot
    connect.

    From a switch, at most d^i switches are i hops away.

    Examples
    --------
    >>> round(directed_moore_aspl(12, 2), 4), directed_moore_aspl(6, 1)
    (2.2727, 3.0)
    """
    if switches == 1:
        return 0.0
    if not degree:
        _checked(degree)
        return math.inf
    if degree == 1:
        return switches / 2
    total, others, layer, hops = 0, switches - 1, degree, 1
    while others:
        total += hops * min(layer, others)
        others -= min(layer, others)
        layer, hops = layer * degree, hops + 1
    return total / (switches - 1)


def _checked(degree: int) -> None:
    if degree < 0:
        raise InputError(f"degree {degree}: a switch has 0 links or more")
