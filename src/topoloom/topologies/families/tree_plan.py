"""The switches, ports and cables of a fat tree for a number of hosts, by arithmetic; no network is built.

Rules: equal bundles of cables between each leaf and each spine, pods filled evenly under a shrunk core. They give the counts of
NVIDIA's DGX SuperPOD reference architectures (H100: RA-11333-001, Table 4; B200, B300: DGX SuperPOD Architecture, 2025).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from topoloom.core.errors import InputError

#: Ports down and up: of a switch, or as a ratio.
Pair = tuple[int, int]


@dataclass(frozen=True)
class TreePlan:
    """A folded Clos network of one to three levels.

    Attributes
    ----------
    k : int
        Ports of a switch.
    hosts : int
        Host ports wanted.
    leaves : int
        Switches with hosts; each but the last has `down` of them.
    down, up : int
        Ports of a leaf to hosts, and to switches above.
    pods : int
        Groups of leaves, each with separate aggregation switches; 0 in trees of one or two levels.
    above : int
        Links up from an aggregation switch; 0 without pods.
    tops : int
        Spines of two levels; core switches above each position in a pod of three levels; 0 for a single leaf.
    even : bool
        Whether all bundles of cables between two neighbouring levels have the same number of cables.
    """

    k: int
    hosts: int
    leaves: int
    down: int
    up: int
    pods: int = 0
    above: int = 0
    tops: int = 0
    even: bool = True

    @property
    def levels(self) -> int:
        """1, 2 or 3."""
        return 3 if self.pods else 2 if self.tops else 1

    @property
    def aggregations(self) -> int:
        """Switches of the middle level."""
        return self.pods * self.up

    @property
    def cores(self) -> int:
        """Switches of the top level."""
        return self.tops * (self.up if self.pods else 1)

    @property
    def switches(self) -> int:
        """Switches of all levels."""
        return self.leaves + self.aggregations + self.cores

    @property
    def leaf_links(self) -> int:
        """Cables up from leaves."""
        return self.leaves * self.up if self.tops else 0

    @property
    def core_links(self) -> int:
        """Cables up from aggregation switches."""
        return self.aggregations * self.above

    @property
    def bundle(self) -> int:
        """Most cables between a top switch and a switch below that it is joined to."""
        if not self.tops:
            return 0
        return -(-(self.above if self.pods else self.up) // self.tops)

    def leaves_of_pods(self) -> list[int]:
        """Leaves of each pod; they differ by one at most."""
        return [(pod + 1) * self.leaves // self.pods - pod * self.leaves // self.pods for pod in range(self.pods)]


def most_hosts(k: int, levels: int, leaf: Pair | None = None) -> int:
    """The most host ports of a tree with `levels` levels of k-port switches.

    Parameters
    ----------
    k : int
        Ports of a switch.
    levels : int
        1 to 3.
    leaf : (int, int), optional
        A leaf's ports down and up; half each when omitted.

    Returns
    -------
    int
        Host ports.

    Examples
    --------
    >>> [most_hosts(64, levels) for levels in (1, 2, 3)]
    [64, 2048, 65536]
    """
    down, _ = leaf or (k // 2, k // 2)
    return (k, down * k, down * (k // 2) * k)[levels - 1]


@lru_cache(maxsize=512)
def plan_tree(
    k: int,
    hosts: int,
    *,
    levels: int | None = None,
    taper: Pair = (1, 1),
    core_taper: Pair = (1, 1),
    leaf: Pair | None = None,
    leaf_k: int | None = None,
    even: bool = True,
) -> TreePlan:
    """The fat tree of fewest switches, then fewest cables, for a number of host ports.

    Parameters
    ----------
    k : int
        Ports of a switch.
    hosts : int
        Host ports.
    levels : int, optional
        1, 2 or 3; the fewest that suffice when omitted.
    taper : (int, int)
        Largest ratio of bandwidth down to bandwidth up at a leaf: (2, 1) for half the bandwidth up.
    core_taper : (int, int)
        The same ratio at an aggregation switch of three levels.
    leaf : (int, int), optional
        A leaf's ports down and up, instead of the best that `taper` allows.
    leaf_k : int, optional
        Ports of a leaf, where leaves are other switches than those above, or their hosts' ports are slower and so more; k when
        omitted.
    even : bool
        True: bundles of equally many cables, which need a number of top switches that divides the ports up. False: the fewest
        top switches with enough ports, where some bundles have one more cable.

    Raises
    ------
    InputError
        The levels do not take that many hosts, or a number of a ratio is below 1.

    Examples
    --------
    >>> plan = plan_tree(64, 4096)
    >>> plan.leaves, plan.aggregations, plan.cores, plan.bundle
    (128, 128, 64, 16)
    >>> plan = plan_tree(64, 24 * 32)  # port counting would give 12 spines, and uneven bundles
    >>> plan.leaves, plan.cores
    (24, 16)
    """
    wide = k if leaf_k is None else leaf_k
    _check(k, hosts, taper, core_taper, leaf, wide)
    for count in (levels,) if levels is not None else (1, 2, 3):
        if count == 1 and hosts <= wide:
            return TreePlan(k, hosts, 1, hosts, 0)
        if count == 1:
            continue
        make = _two_levels if count == 2 else _three_levels
        plan = _best(make(k, hosts, down, up, core_taper, even) for down, up in _leaves(wide, hosts, taper, leaf))
        if plan is not None:
            return plan
    count = levels or 3
    most = most_hosts(k, count, leaf or _tapered(wide, taper))
    raise InputError(
        f"hosts={hosts}: {count} level{'s' * (count > 1)} of {k}-port switches take about {most:,} at most; take more ports"
        " per switch (breakout), several planes, or a steeper taper"
    )


@lru_cache(maxsize=512)
def four_levels(k: int, hosts: int, taper: Pair = (1, 1)) -> dict[str, tuple[int, ...]] | None:
    """The four-level tree with the fewest switches for a number of host ports, as parameters of family ``pgft``.

    Every switch above the leaves has as much bandwidth up as down, in bundles of equally many cables, as in `plan_tree`. Its
    subtrees are equal, so the tree may have a few more host ports than asked for.

    Parameters
    ----------
    k : int
        Ports of a switch.
    hosts : int
        Host ports.
    taper : (int, int)
        Bandwidth down to bandwidth up at a leaf.

    Returns
    -------
    dict of str to tuple of int, or None
        m, w and p; None where four levels do not take that many hosts.

    Examples
    --------
    >>> four_levels(8, 512)  # 7 H / k switches, and H cables between any two levels
    {'m': (4, 4, 4, 8), 'w': (1, 4, 4, 4), 'p': (1, 1, 1, 1)}
    """
    half = k // 2
    if half < 2:
        return None
    down, up = _tapered(k, taper)
    subtrees = -(-hosts // (down * half))
    trees = []
    for tops in range(2, k + 1):
        inner = -(-subtrees // tops)
        if inner > half:
            continue
        below = max(p for p in range(1, half + 1) if half % p == 0 and inner * p <= half)
        above = max((p for p in range(1, inner * below + 1) if inner * below % p == 0 and tops * p <= k), default=0)
        if above:
            parents = (1, up, half // below, inner * below // above)
            trees.append(((down, half, inner, tops), parents, (1, 1, below, above)))
    if not trees:
        return None
    m, w, p = min(trees, key=lambda tree: _switches_of(*tree[:2]))
    return {"m": m, "w": w, "p": p}


@lru_cache(maxsize=512)
def leaf_of_least_switches(k: int, hosts: int, taper: Pair) -> Pair | None:
    """A leaf's ports down and up, within a taper, of the tree of fewest switches, then fewest cables, with even bundles.

    Every number of ports down is tried, while `plan_tree` tries those that leave few ports idle.

    Parameters
    ----------
    k : int
        Ports of a switch.
    hosts : int
        Host ports.
    taper : (int, int)
        Largest ratio of ports down to ports up at a leaf.

    Returns
    -------
    (int, int) or None
        None if no leaf needs fewer switches than the tree that `plan_tree` makes for this taper.

    Examples
    --------
    >>> leaf = leaf_of_least_switches(64, 1152, (4, 1))
    >>> leaf, plan_tree(64, 1152, leaf=leaf).switches, plan_tree(64, 1152, taper=(4, 1)).switches
    ((48, 12), 30, 31)
    """
    try:
        usual = plan_tree(k, hosts, taper=taper)
    except InputError:
        usual = None
    if usual is not None and not usual.tops:
        return None
    levels = (usual.levels,) if usual is not None else (2, 3)
    tried: set[Pair] = set()
    for leaves in range(max(2, -(-hosts // (k - 1))), -(-hosts // max(1, k // 4)) + 1):
        down = -(-hosts // leaves)
        least = -(-down * taper[1] // taper[0])
        tried |= {(down, up) for up in range(least, min(k - down, least + 4) + 1)}
    for count in levels:
        make = _two_levels if count == 2 else _three_levels
        plan = _best(make(k, hosts, down, up, (1, 1), True) for down, up in sorted(tried))
        if plan is not None:
            return (plan.down, plan.up) if usual is None or plan.switches < usual.switches else None
    return None


def _switches_of(m: tuple[int, ...], w: tuple[int, ...]) -> int:
    """Switches of all levels of the tree with parameters m and w."""
    return sum(prod(m[level:]) * prod(w[:level]) for level in range(1, len(m) + 1))


def _check(k: int, hosts: int, taper: Pair, core_taper: Pair, leaf: Pair | None, leaf_k: int) -> None:
    if min(k, leaf_k) < 2 or hosts < 1:
        raise InputError(f"k={k}, hosts={hosts}: a tree needs at least two ports per switch and one host")
    for name, (down, up) in (("taper", taper), ("core_taper", core_taper), ("leaf", leaf or (1, 1))):
        if down < 1 or up < 1:
            raise InputError(f"{name}={down}:{up}: both numbers must be at least 1; 2:1 is half the bandwidth up")
    if leaf is not None and sum(leaf) > leaf_k:
        remedy = "; where leaves have more, give leaf_k" if leaf_k == k else ""
        raise InputError(f"leaf={leaf[0]}:{leaf[1]}: {sum(leaf)} ports, but a switch has {leaf_k}{remedy}")


def _tapered(k: int, taper: Pair) -> Pair:
    """Ports down and up of a leaf with k ports: as many down as the taper allows."""
    down = max(1, k * taper[0] // sum(taper))
    return down, min(k - down, -(-down * taper[1] // taper[0]))


def _leaves(k: int, hosts: int, taper: Pair, leaf: Pair | None) -> Iterator[Pair]:
    """Possible ports down and up of a leaf, those with most hosts first.

    Without a taper: half of the ports each, the usual design. With one: all that keep the ratio and leave at most a twentieth
    of the ports down idle, because a number of ports up that divides well may save spines: 40:20 on 64 ports rather than 42:21.
    """
    if leaf is not None:
        yield leaf
    elif taper[0] <= taper[1]:
        yield _tapered(k, taper)
    else:
        most, _ = _tapered(k, taper)
        for down in range(most, max(1, -(-most * 19 // 20)) - 1, -1):
            least = -(-down * taper[1] // taper[0])
            for up in range(least, min(k - down, least + 4) + 1):
                yield down, up


def _best(plans: Iterator[TreePlan | None]) -> TreePlan | None:
    return min(
        (plan for plan in plans if plan is not None),
        key=lambda plan: (plan.switches, plan.leaf_links + plan.core_links),
        default=None,
    )


def _two_levels(k: int, hosts: int, down: int, up: int, _: Pair, even: bool) -> TreePlan | None:
    leaves = -(-hosts // down)
    tops = _tops(k, leaves, up, even)
    return None if leaves > k or not tops else TreePlan(k, hosts, leaves, down, up, 0, 0, tops, even)


def _three_levels(k: int, hosts: int, down: int, up: int, core_taper: Pair, even: bool) -> TreePlan | None:
    leaves = -(-hosts // down)
    below = k // 2
    pods = -(-leaves // below)
    above = max(1, min(k - below, below * core_taper[1] // core_taper[0]))
    tops = _tops(k, pods, above, even)
    return None if pods > k or not tops else TreePlan(k, hosts, leaves, down, up, pods, above, tops, even)


def _tops(k: int, below: int, up: int, even: bool) -> int:
    """The fewest top switches of k ports for `below` switches with `up` ports up each; 0 if no number fits."""
    if not even:
        return min(up, -(-below * up // k)) if below <= k else 0
    return next((tops for tops in range(1, up + 1) if up % tops == 0 and below * (up // tops) <= k), 0)
