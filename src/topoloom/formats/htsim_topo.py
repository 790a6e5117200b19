"""htsim's fat trees (``.topo``): the size of each tier; the cables follow from it.

Pods have Podsize hosts. A leaf has Radix_Down hosts. Each leaf has Bundle cables to each middle switch of its pod, as many
switches as its Radix_Up allows; middle switch j of every pod has Bundle cables to the top switches of its group j. With two
tiers all leaves are in one pod. Source: Broadcom/csg-htsim, sim/datacenter/fat_tree_topology.cpp (read at 841d9e7).
"""

import re

import numpy as np

from topoloom.core.errors import at
from topoloom.formats._registry import Format, register
from topoloom.formats._text import short, text_of, topology_from
from topoloom.model.topology import MOST_SWITCHES, Topology

_HEADS = ("nodes", "tiers", "podsize")
_OF_TIERS = {
    *("downlink_speed_gbps", "radix_down", "radix_up", "downlink_latency_ns", "switch_latency_ns", "oversubscribed"),
    *("bundle", "queue_up", "queue_down"),
}
_WHOLE = re.compile(r"[0-9]{1,9}")
_MOST_HOSTS = 1 << 22


def read(data: bytes, source: str) -> Topology:
    """The fat tree of a file, with the rates of its tiers; delays and queues are not part of a topology.

    Raises
    ------
    InputError
        A line is not valid, or the sizes do not fit together.
    """
    heads, tiers = _sections(text_of(data, source), source)
    hosts, count, pod = (heads.get(name, 0) for name in _HEADS)
    if count not in (2, 3) or len(tiers) != count or not hosts:
        raise at(source, None, "has no Nodes and Tiers 2 or 3 with a section per tier; htsim needs them")
    if hosts > _MOST_HOSTS:
        raise at(source, None, f"{hosts:,} hosts; at most {_MOST_HOSTS:,} are read")
    pod = pod if count == 3 else hosts
    down = [tier.get("radix_down", 0) for tier in tiers]
    up = [tier.get("radix_up", 0) for tier in tiers[:-1]]
    bundle = [1, *(tier.get("bundle", 1) for tier in tiers[1:])]
    _check(hosts, pod, down, up, bundle, source)
    leaves = hosts // down[0]
    in_pod = pod // down[0]
    middles = up[0] // bundle[1]
    level = [0] * leaves
    links = []
    pods = hosts // pod
    for leaf in range(leaves):
        first = leaves + leaf // in_pod * middles
        links += [(leaf, first + j) for j in range(middles) for _ in range(bundle[1])]
    level += [1] * (pods * middles)
    rates = [tiers[1].get("downlink_speed_gbps", 0)] * len(links)
    if count == 3:
        tops = up[1] // bundle[2]
        start = leaves + pods * middles
        for middle in range(pods * middles):
            first = start + middle % middles * tops
            links += [(leaves + middle, first + j) for j in range(tops) for _ in range(bundle[2])]
        level += [2] * (middles * tops)
        rates += [tiers[2].get("downlink_speed_gbps", 0)] * (len(links) - len(rates))
    host_rate = tiers[0].get("downlink_speed_gbps", 0)
    rated = all(rates) and host_rate > 0
    return topology_from(
        source,
        links=np.array(links, np.int64).reshape(-1, 2),
        switches=len(level),
        endpoints=np.repeat(np.arange(leaves), down[0]),
        labels={"level": np.array(level)},
        **(
            {"link_rate_gbps": np.array(rates, float), "endpoint_rate_gbps": np.full(hosts, float(host_rate))}
            if rated
            else {}
        ),
    )


def _sections(text: str, source: str) -> tuple[dict[str, int], list[dict[str, int]]]:
    """The numbers of the head, and those of each tier."""
    heads: dict[str, int] = {}
    tiers: list[dict[str, int]] = []
    for line, whole in enumerate(text.splitlines(), 1):
        words = whole.partition("#")[0].split()
        if not words:
            continue
        key = words[0].lower()
        if len(words) != 2 or not _WHOLE.fullmatch(words[1]):
            raise at(source, line, f"{short(whole.strip())} is not a name and a whole number, as in Radix_Down 8")
        number = int(words[1])
        if key == "tier":
            if number != len(tiers):
                raise at(source, line, f"tier {number}; the next one is {len(tiers)}")
            tiers.append({})
            continue
        place, names = (tiers[-1], _OF_TIERS) if tiers else (heads, set(_HEADS))
        if key not in names:
            raise at(source, line, f"{short(words[0])} is not known here; htsim has {', '.join(sorted(names))}")
        if key in place:
            raise at(source, line, f"{words[0]} stands twice in this section")
        place[key] = number
    return heads, tiers


def _check(hosts: int, pod: int, down: list[int], up: list[int], bundle: list[int], source: str) -> None:
    """Refuse sizes that do not fit together."""
    if not pod or not all([*down, *up, *bundle]):
        raise at(source, None, "lacks Podsize, Radix_Down, or Radix_Up below the top tier")
    for whole, part, what in (
        (hosts, pod, "Nodes is no multiple of Podsize"),
        (pod, down[0], "Podsize is no multiple of Radix_Down of tier 0"),
        *(
            (up[i], bundle[i + 1], f"Radix_Up of tier {i} is no multiple of Bundle of tier {i + 1}")
            for i in range(len(up))
        ),
    ):
        if whole % part:
            raise at(source, None, f"{what}: {whole} and {part}")
    leaves, pods = pod // down[0], hosts // pod
    if down[1] != leaves * bundle[1]:
        raise at(source, None, f"Radix_Down of tier 1 is {down[1]}; {leaves} leaves per pod need {leaves * bundle[1]}")
    if len(down) == 3 and down[2] != pods * bundle[2]:
        raise at(source, None, f"Radix_Down of tier 2 is {down[2]}; {pods} pods need {pods * bundle[2]}")
    switches = pods * (leaves + up[0]) + (up[0] * up[1] if len(up) > 1 else 0)
    if switches > MOST_SWITCHES:
        raise at(source, None, f"{switches:,} switches; at most {MOST_SWITCHES:,} are read")


register(
    Format(
        name="htsim-topo",
        suffixes=(".htsim.topo",),
        description="fat tree of htsim (.topo), by the sizes of its tiers",
        keeps=frozenset({"endpoints", "labels", "rate_gbps"}),
        read=read,
        write=None,
        shared=(".topo",),
    )
)
