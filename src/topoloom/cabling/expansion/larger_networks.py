"""The networks that a network for a number of hosts can grow into: the same one with more hosts, leaves or groups."""

import re
from collections.abc import Iterator
from math import ceil
from typing import Any

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families.tree_plan import TreePlan, plan_tree
from topoloom.topologies.spec import Family, build, family_of

_NAME = re.compile(r"([a-z0-9-]+)\(([^()]*)\)(\+.*)?")
#: Transforms that keep some of the hosts: of every network, and of one that is sized for later growth.
_POPULATED, _PART = re.compile(r"\+populated:hosts=[0-9]+(,fill=[a-z]+)?"), re.compile(r"\+part:hosts=[0-9]+$")
#: The transform that gives rates.
_RATES = re.compile(r"\+rates:[^+]*")
#: Families of groups, and the parameter that is the number of groups.
GROUPS = {"dragonfly": "g", "megafly": "g", "slingshot": "groups"}


def grows_by_hosts(topology: Topology) -> bool:
    """Whether the size of a network is its hosts: a tree for a number of hosts, or some of the hosts of a network.

    Examples
    --------
    >>> [grows_by_hosts(build(spec)) for spec in ("fat-tree:k=8,hosts=32", "torus:dims=4x4,hosts=2+populated:hosts=20")]
    [True, True]
    >>> [grows_by_hosts(build(spec)) for spec in ("fat-tree:k=8", "torus:dims=4x4,hosts=2")]
    [False, False]
    """
    spec = _RATES.sub("", topology.spec or _spec_by_name(topology))
    base, _, transforms = spec.partition("+")
    if _POPULATED.search(spec) or _PART.search(spec):
        return True
    if base.startswith(tuple(f"{name}:" for name in GROUPS)):
        return transforms.startswith("nics")
    return base.startswith("pgft:") or (base.startswith("fat-tree:") and ",hosts=" in base)


def larger_networks(topology: Topology, hosts: int) -> Iterator[str]:
    """The specs of networks for exactly `hosts` hosts that a network can grow into, the one with the fewest changes first.

    They are the same network with more of its places filled; or larger ones of trees and of networks of groups, whose leaves
    and groups keep their ports up and down.

    Parameters
    ----------
    topology : Topology
    hosts : int
        More than it has.

    Yields
    ------
    str
        Nothing where the family has no such network, or the spec is not known.

    Raises
    ------
    InputError
        The family's switches have too few ports for that many hosts.

    Examples
    --------
    >>> list(larger_networks(build("fat-tree:k=16,hosts=64+rails:nics=4"), 32))
    ['fat-tree:k=16,hosts=128+rails:nics=4,ports=1']
    >>> list(larger_networks(build("fat-tree:k=64,hosts=2048+part:hosts=1024"), 2048))
    ['fat-tree:k=64,hosts=2048']
    >>> list(larger_networks(build("slimfly:q=5,hosts=4+populated:hosts=150"), 180))
    ['slimfly:q=5,hosts=4+populated:hosts=180', 'slimfly:q=5,hosts=4+populated:hosts=180,fill=first']
    """
    spec = topology.spec or _spec_by_name(topology)
    if spec:
        rates = "".join(_RATES.findall(spec)[-1:])
        yield from (larger + rates for larger in _larger(_RATES.sub("", spec), hosts))


def _larger(spec: str, hosts: int) -> Iterator[str]:
    """As `larger_networks`, for a spec without rates."""
    sized = _PART.sub("", spec)
    if sized != spec and hosts <= (whole := build(sized)).hosts:
        yield sized if hosts == whole.hosts else f"{sized}+part:hosts={hosts}"
        return
    every = _POPULATED.sub("", sized)
    full = build(every)
    if every != sized and hosts <= full.hosts:
        yield from _filled(every, full.hosts, hosts)
        return
    base, plus, transforms = every.partition("+")
    if base.startswith("product:") or (parsed := family_of(base)) is None:
        return
    refused: InputError | None = None
    buildable = False
    for larger, in_part in _larger_bases(*parsed, full, hosts):
        grown = larger + plus + transforms
        try:
            room = build(grown).hosts
        except InputError as error:
            refused = error  # leaves that do not fill units of rails, or too few ports
            continue
        buildable = True
        yield from (f"{grown}+part:hosts={hosts}",) if in_part and hosts < room else _filled(grown, room, hosts)
    if refused is not None and not buildable:
        raise refused


def _filled(spec: str, room: int, hosts: int) -> Iterator[str]:
    """A network with `hosts` of its hosts: evenly, or, where existing hosts would have to move, place after place."""
    if hosts == room:
        yield spec
    elif hosts < room:
        yield f"{spec}+populated:hosts={hosts}"
        yield f"{spec}+populated:hosts={hosts},fill=first"


def _larger_bases(
    record: Family, values: dict[str, Any], each: Any, full: Topology, hosts: int
) -> Iterator[tuple[str, bool]]:
    """The specs of larger networks of a family, without transforms, that have at least `hosts` hosts.

    Parameters
    ----------
    record : Family
    values : dict
        Its parameters.
    each : int or None
        Hosts per switch, as in the spec.
    full : Topology
        The existing network with all its hosts.
    hosts : int

    Yields
    ------
    (str, bool)
        And whether only the part for the hosts is built: then pods are filled one after the other, and no leaf changes its pod.
    """
    if record.name == "fat-tree" and values["hosts"] is not None:
        ports = full.endpoints.size // full.hosts
        needed, leaf = ceil(values["hosts"] * hosts / full.hosts), int(full.endpoints_at.max(initial=1))
        values = with_leaf(values)
        tree = _planned(values | {"hosts": needed})
        if tree.pods:
            yield record.spec_of(values | {"hosts": tree.pods * (tree.k // 2) * tree.down}, each), True
        for size in sorted({needed, *(-(-needed // unit) * unit for unit in (leaf, leaf * ports))}):
            yield record.spec_of(values | {"hosts": size}, each), False
    elif record.name in GROUPS:
        values = with_groups(record, values)
        groups = values[GROUPS[record.name]]
        larger = values | {GROUPS[record.name]: -(-groups * hosts // full.hosts)}
        record.known(record.filled(larger))
        yield record.spec_of(larger, each), False
    elif record.name == "pgft":
        *below, top = values["m"]
        subtrees = -(-hosts * top // full.hosts)
        yield record.spec_of(values | {"m": (*below, subtrees)}, each), False


def _planned(values: dict[str, Any]) -> TreePlan:
    """The plan of a fat tree with these parameters."""
    options = {name: values[name] for name in ("levels", "taper", "core_taper", "leaf", "leaf_k") if values[name]}
    return plan_tree(values["k"], values["hosts"], **options, even=values["bundles"] != "uneven")


def with_leaf(values: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a fat tree with the ports of its leaves written out, where the tree of more hosts may have others.

    Parameters
    ----------
    values : dict
        Of family ``fat-tree``, with ``hosts``.

    Returns
    -------
    dict

    Examples
    --------
    >>> record, values, _ = family_of("fat-tree:k=64,hosts=1152,taper=3:2")
    >>> record.spec_of(with_leaf(values))
    'fat-tree:k=64,hosts=1152,leaf=38:26'
    """
    if values["leaf"] is not None or values["taper"] is None:
        return values
    plan = _planned(values)
    return values if plan.levels == 1 else values | {"taper": None, "leaf": (plan.down, plan.up)}


def with_groups(record: Family, values: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a network of groups, with the sizes written out that a family derives from each other.

    Parameters
    ----------
    record : Family
        One of `GROUPS`.
    values : dict

    Returns
    -------
    dict
    """
    values = record.filled(values)
    if record.name == "dragonfly":
        a, h, p = values["a"], values["h"], values["p"]
        h = h or p or max(1, (a or 2) // 2)
        values |= {"a": a or 2 * h, "h": h, "p": h if p is None else p}
        values["g"] = values["g"] or values["a"] * h + 1
    elif record.name == "megafly":
        spines = values["leaves"] if values["spines"] is None else values["spines"]
        values |= {"spines": spines, "p": spines if values["p"] is None else values["p"]}
        values["h"] = values["h"] or values["leaves"]
        values["g"] = values["g"] or spines * values["h"] + 1
    return values


def _spec_by_name(topology: Topology) -> str:
    """The spec that a grown network's name states, where its counts are those of that spec; its switches have other numbers."""
    match = _NAME.fullmatch(topology.name)
    if match is None:
        return ""
    spec = f"{match[1]}:{match[2]}{match[3] or ''}"
    try:
        named = build(spec)
    except InputError:
        return ""
    counts = [(each.switches, each.hosts, len(each.links), each.endpoints.size) for each in (topology, named)]
    return spec if counts[0] == counts[1] else ""
