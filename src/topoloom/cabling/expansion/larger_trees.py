"""The fat trees that a fat tree for a number of hosts can grow into."""

import re
from collections.abc import Iterator

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

#: The number of hosts in the spec of a fat tree, and in the transforms that keep some of them.
_HOSTS = re.compile(r"(?<=[:,]hosts=)[0-9]+")
_NAME = re.compile(r"(fat-tree)\(([^()]*)\)(\+.*)?")
_POPULATED, _PART = re.compile(r"\+populated:hosts=([0-9]+)"), re.compile(r"\+part:hosts=([0-9]+)$")


def larger_trees(topology: Topology, hosts: int) -> Iterator[str]:
    """The specs of fat trees for exactly `hosts` hosts that a fat tree can grow into, the one with the fewest changes first.

    They are the same tree with more of its places filled, or larger ones, up to whole units of leaves.

    Parameters
    ----------
    topology : Topology
    hosts : int
        More than it has.

    Yields
    ------
    str
        Nothing where the spec is no fat tree for a number of hosts.

    Examples
    --------
    >>> list(larger_trees(build("fat-tree:k=16,hosts=64+rails:nics=4"), 32))
    ['fat-tree:k=16,hosts=128+rails:nics=4,ports=1']
    >>> list(larger_trees(build("fat-tree:k=64,hosts=2048+part:hosts=1024"), 2048))
    ['fat-tree:k=64,hosts=2048']
    """
    spec = topology.spec or _spec_by_name(topology)
    sized = _PART.sub("", spec)
    base, plus, transforms = _POPULATED.sub("", sized).partition("+")
    match = _HOSTS.search(base)
    if not base.startswith("fat-tree:") or match is None:
        return
    if sized != spec and hosts <= (whole := build(sized)).hosts:
        yield sized if hosts == whole.hosts else f"{sized}+part:hosts={hosts}"
        return
    full = build(base + plus + transforms)
    if hosts <= full.hosts:
        yield base + plus + transforms + (f"+populated:hosts={hosts}" if hosts < full.hosts else "")
        return
    places, most = int(match[0]), int(full.endpoints_at.max(initial=1))
    needed = -(-places * hosts // full.hosts)
    if needed * full.hosts == hosts * places:
        yield _HOSTS.sub(str(needed), base, count=1) + plus + transforms
    sizes = {-(-needed // unit) * unit for unit in (most, most * (full.endpoints.size // full.hosts))} - {needed}
    for size in sorted(sizes):
        larger = _HOSTS.sub(str(size), base, count=1) + plus + transforms
        try:
            exact = build(larger).hosts == hosts
        except InputError:
            continue  # leaves that do not fill units of rails
        yield larger if exact else f"{larger}+populated:hosts={hosts}"


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
