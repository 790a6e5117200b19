"""CODES: the link files of its Dragonflies, binary int32, and configurations that name them.

Groups of fully connected routers are written for the models dragonfly-dally and dragonfly-custom, groups of leaves and spines
(Megafly) for dragonfly-plus. Sources: ``src/networks/model-net/dragonfly-{dally,custom,plus}.cxx`` of codes (a5958cf), and
the configurations in ``src/network-workloads/conf`` there.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports._shared import nodes_of_hosts, number, refuse_hostless
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.model.link_rates import only_rate, shown_rate

_GIB = 1 << 30
_NAMES = ("dragonfly-dally.conf", "dragonfly-custom.conf", "dragonfly-plus.conf", "hosts.csv")
#: Sizes of packets and buffers from the configurations that come with CODES.
_BYTES = {"packet_size": 4096, "chunk_size": 4096, "local_vc_size": 16384, "global_vc_size": 16384, "cn_vc_size": 32768}


@export(
    "codes",
    "links and configurations of CODES' Dragonfly models",
    tables=False,
    sometimes=_NAMES,
    timed=True,
    rates=True,
)
def codes(request: ExportRequest) -> Files:
    """intra.bin, inter.bin, and a .conf for each suitable model; hosts.csv if CODES numbers the hosts differently."""
    groups = _groups(request)
    first = groups.links // groups.size
    local = first[:, 0] == first[:, 1]
    inside = groups.links[local & (first[:, 0] == 0)]
    inter = _both_ways(groups.links[~local])
    pairs = _both_ways(inside)
    # The third number is the colour of a Cray's link; dragonfly-plus reads pairs.
    triples = np.column_stack([pairs, np.zeros(len(pairs), np.int64)])
    files: dict[str, str | bytes] = {
        "intra.bin": _int32(pairs if groups.leaves < groups.size else triples),
        "inter.bin": _int32(inter),
    }
    delays = request.link_ns
    rates = {
        "local": _only_rate(request, request.link_gbps[local], "links inside groups"),
        "global": _only_rate(request, request.link_gbps[~local], "links between groups"),
        "cn": _only_rate(request, request.host_gbps, "hosts' ports"),
    }
    values: dict[str, Any] = {
        **_BYTES,
        **{f"{kind}_bandwidth": _gib(rate) for kind, rate in rates.items()},
        "router_delay": number(request.settings.switch_ns),
        "message_size": 1024,
        "num_groups": groups.count,
        "num_cns_per_router": groups.hosts,
        "intra-group-connections": "intra.bin",
        "inter-group-connections": "inter.bin",
        "routing": "minimal",
    }
    timed = {
        "local_delay": _mean(delays[local]),
        "global_delay": _mean(delays[~local]),
        "cn_delay": _mean(request.host_ns),
    }
    if groups.leaves < groups.size:
        own = {
            "num_router_leaf": groups.leaves,
            "num_router_spine": groups.size - groups.leaves,
            "num_level_chans": 1,
            "num_global_connections": groups.channels,
        }
        files["dragonfly-plus.conf"] = _conf("dragonfly_plus", groups, values | timed | own)
    else:
        own = {"num_routers": groups.size, "num_global_channels": groups.channels}
        files["dragonfly-dally.conf"] = _conf("dragonfly_dally", groups, values | timed | own)
        own = {
            "num_router_rows": 1,
            "num_router_cols": groups.size,
            "num_row_chans": 1,
            "num_col_chans": 1,
            "num_global_channels": groups.channels,
        }
        files["dragonfly-custom.conf"] = _conf("dragonfly_custom", groups, values | own)
    numbers = nodes_of_hosts(groups.node)
    if numbers is not None:
        files["hosts.csv"] = numbers
    return files


def _only_rate(request: ExportRequest, rates: np.ndarray, whose: str) -> float:
    """The rate of one kind of links, Gb/s, which CODES' models have once; the setting's where there are none."""
    if not rates.size:
        return float(request.settings.rate_gbps)
    rate = only_rate(rates)
    if rate is None:
        raise InputError(
            f"export codes: the {whose} of {request.topology.name} have {shown_rate(rates)}; CODES' models have one rate for"
            " them"
        )
    return rate


@dataclass(frozen=True, eq=False)
class _Groups:
    """A network of equal groups, its routers numbered group by group, leaves first.

    Attributes
    ----------
    count, size, leaves : int
        Number of groups, of routers per group, and of routers with hosts per group.
    hosts, channels : int
        Number of hosts of a router that has some; the greatest number of global links of a router.
    links : int64[m, 2]
        In the order of the topology's links.
    node : int64[hosts]
        The number of each host, ordered by router.
    """

    count: int
    size: int
    leaves: int
    hosts: int
    channels: int
    links: np.ndarray
    node: np.ndarray


def _groups(request: ExportRequest) -> _Groups:
    topology = request.topology
    name = topology.name
    refuse_hostless(topology)
    if topology.hosts < topology.endpoints.size:
        raise InputError(f"{name}: hosts with several ports; this export writes CODES' models with one rail")
    group = topology.labels.get("group")
    wrong = f"{name}: CODES reads the links of Dragonflies only: equal groups (label group)"
    if group is None:
        raise InputError(f"{wrong}; this network has no groups")
    values, index = np.unique(group, return_inverse=True)
    index = index.reshape(-1)
    counts = np.bincount(index)
    if values.size < 2 or (counts != counts[0]).any():
        raise InputError(f"{wrong}; this network has {values.size} groups of {counts.min()} to {counts.max()} switches")
    size = int(counts[0])
    with_hosts = topology.endpoints_at > 0
    router = np.empty(topology.switches, np.int64)
    router[np.lexsort((np.arange(topology.switches), ~with_hosts, index))] = np.arange(topology.switches)
    hosts = topology.endpoints_at[with_hosts]
    leaves = np.bincount(index[with_hosts], minlength=values.size)
    if (hosts != hosts[0]).any() or (leaves != leaves[0]).any():
        raise InputError(f"{wrong}, with equal numbers of routers with hosts, and of hosts per router")
    links = np.sort(router[topology.links], axis=1)
    _check_inside(links, size, int(leaves[0]), values.size, wrong)
    outside = links[links[:, 0] // size != links[:, 1] // size]
    if len(np.unique(outside // size, axis=0)) < values.size * (values.size - 1) // 2:
        raise InputError(f"{wrong}, with a link between any two groups")
    channels = np.bincount(outside.ravel(), minlength=topology.switches)
    if leaves[0] < size and channels.reshape(-1, size)[:, : leaves[0]].any():
        raise InputError(f"{wrong}; this network has global links at routers with hosts, and routers without hosts")
    # Hosts are numbered in the order of their routers.
    order_of = np.argsort(router[topology.endpoints], kind="stable")
    node = np.empty(topology.hosts, np.int64)
    node[topology.host[order_of]] = np.arange(topology.hosts)
    return _Groups(values.size, size, int(leaves[0]), int(hosts[0]), int(channels.max()), links, node)


def _check_inside(links: np.ndarray, size: int, leaves: int, count: int, wrong: str) -> None:
    """Refuse groups unless all routers are connected to each other, or all leaves of each group to all of its spines."""
    inside = links[links[:, 0] // size == links[:, 1] // size]
    if leaves < size:
        leaf, spine = np.indices((leaves, size - leaves)).reshape(2, -1)
        wanted = np.stack([leaf, leaves + spine], axis=1)
        what = "leaves that each have one link to every spine of the group, and no others"
    else:
        wanted = np.stack(np.triu_indices(size, 1), axis=1)
        what = "groups with exactly one link between any two routers"
    every = (np.arange(count)[:, None, None] * size + wanted).reshape(-1, 2)
    if not np.array_equal(_in_order(inside), _in_order(every)):
        raise InputError(f"{wrong}, of {what}")


def _in_order(links: np.ndarray) -> np.ndarray:
    return links[np.lexsort((links[:, 1], links[:, 0]))]


def _both_ways(links: np.ndarray) -> np.ndarray:
    """Each link from both ends, sorted."""
    return _in_order(np.concatenate([links, links[:, ::-1]]))


def _int32(values: np.ndarray) -> bytes:
    return values.astype("<i4").tobytes()


def _gib(gbps: float) -> str:
    return number(round(gbps * 1e9 / 8 / _GIB, 6))


def _mean(delay_ns: np.ndarray) -> str:
    return number(round(float(delay_ns.mean()), 3) if delay_ns.size else 0)


def _conf(model: str, groups: _Groups, values: dict[str, Any]) -> str:
    """A configuration: one repetition per router, or per group for dragonfly-plus."""
    whole = groups.leaves < groups.size
    terminals = groups.hosts * groups.leaves if whole else groups.hosts
    lines = [
        "LPGROUPS",
        "{",
        "   MODELNET_GRP",
        "   {",
        f'      repetitions="{groups.count if whole else groups.count * groups.size}";',
        f'      nw-lp="{terminals}";',
        f'      modelnet_{model}="{terminals}";',
        f'      modelnet_{model}_router="{groups.size if whole else 1}";',
        "   }",
        "}",
        "PARAMS",
        "{",
        f'   modelnet_order=( "{model}","{model}_router" );',
        '   modelnet_scheduler="fcfs";',
        *(f'   {key}="{value}";' for key, value in values.items()),
        "}",
    ]
    return "\n".join(lines) + "\n"
