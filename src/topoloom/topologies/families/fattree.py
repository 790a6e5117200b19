"""Fat trees: folded Clos networks of k-port switches, full or for a number of hosts, and the k-ary n-tree."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families.tree_plan import TreePlan, leaf_of_least_switches, plan_tree
from topoloom.topologies.spec import Choice, Facts, Integer, Ratio, family

_LABELS = {
    "level": "0 for the switches with hosts, up to the top",
    "group": "the pod, or in two levels the leaf itself; top switches form one group of their own",
}


_GIVEN = "give hosts too; without hosts, the tree has three levels and is full"


def _planned(values: dict[str, Any]) -> TreePlan:
    """The plan of a tree for a number of hosts; raises an error for parameters that contradict each other."""
    k, hosts = values["k"], values["hosts"]
    if values["pods"] is not None:
        raise InputError(f"pods={values['pods']}: hosts={hosts} determines the number of pods; give one of the two")
    if values["leaf"] is not None and values["taper"] is not None:
        raise InputError("leaf and taper both determine a leaf's ports up; give one of the two")
    return plan_tree(
        k,
        hosts,
        levels=values["levels"],
        taper=values["taper"] or (1, 1),
        core_taper=values["core_taper"] or (1, 1),
        leaf=values["leaf"],
        leaf_k=values["leaf_k"],
        even=values["bundles"] != "uneven",
    )


def _fat_tree_facts(k: int, pods: int | None = None, hosts: int | None = None, **wanted: Any) -> Facts:
    if hosts is not None:
        plan = _planned({"k": k, "pods": pods, "hosts": hosts} | _OPEN | wanted)
        degrees = _degrees(plan)
        return Facts(
            plan.switches,
            max(degrees),
            min(degrees),
            plan.leaf_links + plan.core_links,
            _diameter(plan),
            hosts=hosts,
            carriers=plan.leaves,
        )
    for name, value in wanted.items():
        if value is not None:
            raise InputError(f"{name} needs a number of hosts; {_GIVEN}")
    if k % 2:
        raise InputError(f"k={k} must be even (nearest: {k - 1}, {k + 1}); half of a switch's ports face up")
    pods, p = k if pods is None else pods, k // 2
    if not 2 <= pods <= k:
        raise InputError(f"pods={pods} is out of range; the top switches have k={k} ports, so 2 to {k} pods")
    return Facts(
        pods * k + p * p, k, min(p, pods), 2 * pods * p * p, 4, hosts=pods * p * p, full_hosts=p, carriers=pods * p
    )


_OPEN: dict[str, Any] = dict.fromkeys(("levels", "taper", "core_taper", "leaf", "leaf_k", "bundles"))


def _degrees(plan: TreePlan) -> tuple[int, ...]:
    """The smallest and the largest number of links at switches of each level."""
    if not plan.tops:
        return (0,)
    below = plan.pods or plan.leaves
    up = plan.above if plan.pods else plan.up
    top = below * up // plan.tops, -(-below * up // plan.tops)
    if not plan.pods:
        return plan.up, *top
    sizes = plan.leaves_of_pods()
    return plan.up, min(sizes) + plan.above, max(sizes) + plan.above, *top


def _diameter(plan: TreePlan) -> int:
    """The diameter: a core switch has a link to one aggregation switch per pod, and reaches the others over its leaves."""
    if plan.levels == 3:
        return 2 if plan.pods == plan.up == 1 else 4
    return 0 if plan.levels == 1 else 1 if plan.leaves == plan.tops == 1 else 2


#: Ports down to ports up of the trees that are proposed.
TAPERS = ((1, 1), (3, 2), (2, 1), (4, 1))


def fat_tree_sizes(hosts: int, radix: int, tapers: tuple[tuple[int, int], ...] = TAPERS) -> Iterator[dict[str, Any]]:
    """Yield trees with as few levels as possible: leaves of each taper, and, with pods, a tapered core instead.

    Where they save top switches, trees with uneven bundles follow, and trees whose leaves have other ports down and up.

    Parameters
    ----------
    hosts : int
        Host ports.
    radix : int
        Ports of a switch.
    tapers : tuple of (int, int)
        Ports down to ports up.

    Yields
    ------
    dict
        Parameters of family ``fat-tree``.
    """
    radices = [k for k in range(2, radix + 1, 2) if k**3 // 4 >= hosts]
    if radices:
        yield {"k": radices[0]}
    for taper in tapers:
        for where in ("taper", "core_taper")[: 1 + (taper > (1, 1))]:
            try:
                plan = plan_tree(radix, hosts, **{where: taper})
            except InputError:
                continue
            if plan.tops and (where == "taper" or plan.pods):
                tapered = {where: taper} if taper > (1, 1) else {}
                yield {"k": radix, "hosts": hosts} | tapered
                if plan_tree(radix, hosts, **tapered, even=False).switches < plan.switches:
                    yield {"k": radix, "hosts": hosts} | tapered | {"bundles": "uneven"}
    for taper in tapers:
        leaf = leaf_of_least_switches(radix, hosts, taper)
        if leaf is not None:
            yield {"k": radix, "hosts": hosts, "leaf": leaf}


@family(
    "fat-tree",
    k=Integer(2, 4096, "ports of a switch").also_called("radix"),
    pods=Integer(2, 512, "installed pods, up to k; with fewer, ports of the top switches stay free", default=None),
    hosts=Integer(1, 1 << 24, "total host ports: the tree gets the fewest levels and switches for them", default=None),
    levels=Integer(1, 3, "levels; as few as possible when omitted", default=None),
    taper=Ratio("largest ratio of bandwidth down to bandwidth up at a leaf, as 2:1; 1:1 when omitted", default=None),
    core_taper=Ratio("the same at the middle switches of three levels", default=None),
    leaf=Ratio("ports of a leaf down and up, instead of taper: 40:20", default=None),
    leaf_k=Integer(
        2,
        4096,
        "ports of a leaf, where it is another switch or its hosts' ports are slower; k when omitted",
        default=None,
    ),
    bundles=Choice(
        ("even", "uneven"),
        "the same number of cables between a top switch and each switch below, or fewer top switches and unequal bundles",
        default=None,
    ),
    facts=_fat_tree_facts,
    source="Leiserson 1985; Besta 2014's FT-3: 5 p^2 switches, 2 p^3 hosts, p = k/2 (errata of Besta 2014, 6); with hosts=:"
    " the pods, shrunk core and equal bundles of NVIDIA's DGX SuperPOD reference architectures (H100 RA-11333-001, Table 4)",
    sizes=fat_tree_sizes,
    aliases=("ft3", "fat-tree-3"),
    labels=_LABELS,
)
def fat_tree(k: int, pods: int | None = None, hosts: int | None = None, **wanted: Any) -> Topology:
    """Folded Clos of k-port switches: one to three levels for a number of hosts, or the full tree of three.

    ``k=64`` alone is the full tree: k pods of k/2 leaves and k/2 aggregation switches, k^2/4 core switches. ``k=64,hosts=4096``
    is a tree for this number of hosts: 128 leaves, 128 aggregation switches in four pods, and a core that shrinks with the
    pods, 64 switches with 16 cables to each aggregation switch below them.

    Returns
    -------
    Topology
        Numbered level by level; labels ``level`` and ``group``.

    Examples
    --------
    >>> fat_tree(4)
    Topology(topology: 20 switches, 32 links, 16 hosts)
    >>> fat_tree(64, hosts=4096)
    Topology(topology: 320 switches, 8192 links, 4096 hosts)
    """
    if hosts is not None:
        return planned_tree(_planned({"k": k, "pods": pods, "hosts": hosts} | _OPEN | wanted))
    # The full tree is planned with all its pods; pods that are not installed leave ports of the core free.
    p = k // 2
    pods = k if pods is None else pods
    return planned_tree(TreePlan(k, pods * p * p, pods * p, p, p, pods, p, p), core_group=k)


def planned_tree(plan: TreePlan, core_group: int | None = None) -> Topology:
    """The network of a plan, level by level: leaves pod by pod, aggregation switches pod by pod, core by their position.

    Aggregation switch i of every pod has a cable from each leaf of the pod; its cables up go to the core switches i * tops ..
    (i + 1) * tops - 1 alone, so that a core switch reaches each pod through one aggregation switch.

    Parameters
    ----------
    plan : TreePlan
        The plan: numbers of switches and cables.
    core_group : int, optional
        The label ``group`` of top switches; when omitted, the number of pods, or of leaves with two levels.

    Returns
    -------
    Topology
        Labels ``level`` and ``group``: the pod, or the leaf itself if there are no pods.
    """
    leaf = np.arange(plan.leaves)
    if plan.pods:
        sizes = np.array(plan.leaves_of_pods())
        pod = np.repeat(np.arange(plan.pods), sizes)
        low, position = (axis.ravel() for axis in np.indices((plan.leaves, plan.up)))
        inside = np.stack([low, plan.leaves + pod[low] * plan.up + position], axis=1)
        middle, port = (axis.ravel() for axis in np.indices((plan.aggregations, plan.above)))
        top = middle % plan.up * plan.tops + _dealt(middle // plan.up, port, plan.above, plan.tops)
        links = [inside, np.stack([plan.leaves + middle, plan.leaves + plan.aggregations + top], axis=1)]
        group = np.concatenate([pod, np.repeat(np.arange(plan.pods), plan.up)])
    else:
        low, port = (axis.ravel() for axis in np.indices((plan.leaves, plan.up if plan.tops else 0)))
        links = [np.stack([low, plan.leaves + _dealt(low, port, plan.up, max(1, plan.tops))], axis=1)]
        group = leaf
    above = (plan.pods or plan.leaves) if core_group is None else core_group
    return Topology(
        links=np.concatenate(links),
        switches=plan.switches,
        endpoints=np.minimum(np.arange(plan.hosts) // plan.down, plan.leaves - 1),
        labels={
            "level": np.repeat(np.arange(3), [plan.leaves, plan.aggregations, plan.cores])
            if plan.pods
            else np.repeat([0, 1], [plan.leaves, plan.cores]),
            "group": np.concatenate([group, np.full(plan.cores, above)]),
        },
    )


def _dealt(switch: np.ndarray, port: np.ndarray, up: int, tops: int) -> np.ndarray:
    """The top switch of each port up, assigned in turn: bundles are equal if the number of tops divides the ports."""
    return np.asarray((switch * up % tops + port) % tops)


def _kary_facts(k: int, n: int) -> Facts:
    switches = n * k ** (n - 1)
    return Facts(
        switches,
        (0, k, 2 * k)[min(n, 3) - 1],
        k if n > 1 else 0,
        (n - 1) * k**n,
        2 * (n - 1),
        hosts=k**n,
        full_hosts=k,
        carriers=k ** (n - 1),
    )


def _kary_trees(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for n in (2, 3, 4):
        radices = [k for k in range(2, radix // 2 + 1) if k**n >= hosts]
        if radices:
            yield {"k": radices[0], "n": n}


@family(
    "kary-tree",
    title="k-ary tree",
    k=Integer(2, 4096, "links up from a switch; it has 2k ports"),
    n=Integer(1, 12, "levels", default=3),
    facts=_kary_facts,
    source="Petrini and Vanneschi, k-ary n-trees, IPPS 1997; Besta 2014 simulates k=22, n=3 (errata of Besta 2014, 6)",
    sizes=_kary_trees,
    aliases=("k-ary-n-tree",),
    labels={"level": "0 for the switches with hosts, up to the top", "group": "the subtree below the top level"},
)
def kary_tree(k: int, n: int) -> Topology:
    """The k-ary n-tree: n levels of k^(n-1) switches, k^n hosts at the lowest level.

    Switch w (n - 1 digits in base k) of level l is linked to the k switches of level l + 1 that differ from it in
    digit l alone.
    """
    row = k ** (n - 1)
    word = np.arange(row)
    links = [np.empty((0, 2), np.int64)]
    for level in range(n - 1):
        weight = k**level
        cleared = word - word // weight % k * weight
        above = cleared[:, None] + weight * np.arange(k)
        ends = np.broadcast_to(word[:, None] + level * row, above.shape), above + (level + 1) * row
        links.append(np.stack(ends, axis=-1).reshape(-1, 2))
    top = np.arange(n * row) // row
    subtree = np.where(top == n - 1, k, np.tile(word, n) // max(1, row // k)) if n > 1 else np.zeros(row, int)
    return Topology(
        links=np.concatenate(links),
        switches=n * row,
        endpoints=np.repeat(word, k),
        labels={"level": top, "group": subtree},
    )
