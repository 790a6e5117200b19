"""The order/radix problem: bounds for n hosts and switches of r ports, and how many switches to take.

Source: Yasudo, Koibuchi, Nakano, Matsutani and Amano, Order/radix problem: towards low end-to-end latency interconnection
networks, ICPP 2017. Distances are between hosts and count the links of both hosts.
"""

import math

from topoloom.core.errors import InputError


def h_diameter_bound(hosts: int, radix: int) -> int:
    """The least h-diameter of `hosts` hosts with switches of `radix` ports: a tree reaches (r - 1)^(d - 1) hosts in d links.

    Examples
    --------
    >>> h_diameter_bound(16, 16), h_diameter_bound(128, 24), h_diameter_bound(1024, 10)
    (2, 3, 5)
    """
    _check(hosts, radix)
    if hosts < 2:
        return 0
    diameter, reached = 2, radix - 1
    while reached < hosts - 1:
        diameter, reached = diameter + 1, reached * (radix - 1)
    return diameter


def h_aspl_bound(hosts: int, radix: int) -> float:
    """The least h-ASPL of any network of switches with `radix` ports: D - a / (n - 1).

    From one host, a tree has (r - 1)^(D - 2) places at distance D - 1, where D is the least h-diameter. Replacing a host there
    by a switch gains r - 2 hosts at distance D; a hosts remain.

    Examples
    --------
    >>> h_aspl_bound(16, 16), round(h_aspl_bound(128, 24), 4), round(h_aspl_bound(1024, 10), 4)
    (2.0, 2.8583, 4.3236)
    """
    diameter = h_diameter_bound(hosts, radix)
    if hosts < 2:
        return 0.0
    places: int = (radix - 1) ** (diameter - 2)
    # With one host and D = 2, all others are on the same switch.
    replaced = -(-max(0, hosts - 1 - places) // (radix - 2))
    return float(diameter - (places - replaced) / (hosts - 1))


def continuous_moore_aspl(switches: int, degree: float) -> float:
    """The bound of Moore and Cerf on the ASPL for a mean degree that need not be whole; inf if it cannot connect the switches.

    Examples
    --------
    >>> continuous_moore_aspl(10, 3), round(continuous_moore_aspl(100, 4.0), 4), continuous_moore_aspl(9, 0.5)
    (1.6666666666666667, 3.2727, inf)
    """
    left, layer, hop, total = switches - 1.0, degree, 1, 0.0
    while left > 1e-9:
        if layer < 1e-9 or hop > switches:
            return math.inf
        reached = min(left, layer)
        total, left, layer, hop = total + hop * reached, left - reached, layer * (degree - 1), hop + 1
    return total / (switches - 1) if switches > 1 else 0.0


def h_aspl_estimate(hosts: int, radix: int, switches: int) -> float:
    """The continuous Moore bound on the h-ASPL if each of m = `switches` switches has n / m hosts; inf if ports do not suffice.

    A lower bound for even numbers of hosts, an estimate for others.

    Parameters
    ----------
    hosts, radix, switches : int

    Returns
    -------
    float
        In links, with those of the hosts.

    Raises
    ------
    InputError
        No hosts, or fewer than three ports.

    Examples
    --------
    >>> round(h_aspl_estimate(1024, 24, 170), 4), h_aspl_estimate(1024, 24, 40)
    (3.8843, inf)
    """
    _check(hosts, radix)
    if switches * radix < hosts + 2 * (switches - 1):
        return math.inf
    if hosts < 2:
        return 0.0
    aspl = continuous_moore_aspl(switches, min(radix - hosts / switches, max(1, switches - 1)))
    # Of the other hosts, n / m - 1 are on the same switch.
    return 2 + aspl * hosts * (switches - 1) / (switches * (hosts - 1)) if switches > 1 else 2.0


def predicted_switches(hosts: int, radix: int) -> int:
    """The number of switches with the least continuous Moore bound; the fewest among equals.

    Examples
    --------
    >>> predicted_switches(16, 16), predicted_switches(128, 24), predicted_switches(1024, 24)
    (1, 8, 79)
    """
    _check(hosts, radix)
    fewest = max(1, -(-(hosts - 2) // (radix - 2))) if hosts > radix else 1
    best, least = fewest, math.inf
    for switches in range(fewest, max(fewest, hosts) + 1):
        value = h_aspl_estimate(hosts, radix, switches)
        if value < least - 1e-12:
            best, least = switches, value
    return best


def _check(hosts: int, radix: int) -> None:
    if hosts < 1 or radix < 3:
        raise InputError(
            f"{hosts} hosts and switches of {radix} ports: the order/radix problem has 1 host and 3 ports at least"
        )
