"""Xpander by lifts: one more switch in every meta-node, step by step."""

import numpy as np

from topoloom.cabling.expansion.registry import ExpansionRequest, method, must_grow
from topoloom.cabling.expansion.stages import Growth, Stage, grown_name, hosts_with
from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology


@method(
    "metanodes",
    "Xpander: one more switch in every meta-node; of k links between two meta-nodes of k switches about one is opened",
    families=("xpander",),
    takes=("hosts",),
)
def metanodes(request: ExpansionRequest) -> Growth:
    """Each pair of meta-nodes that is joined by a matching of k links gets a uniformly drawn matching of k + 1.

    Of the k + 1 choices, one links the two new switches; each of the others opens a link a - b, and a and b get one of the new
    switches each. A random matching of k with a randomly inserted element is a random matching of k + 1, so the result is
    distributed as a random lift of that size, whatever the steps.
    Source: Valadarsky et al., Xpander, CoNEXT 2016; Dinitz, Schapira and Valadarsky, Explicit expanding expanders, 2017.
    """
    topology = request.topology
    must_grow(request, topology.switches)
    group = _meta_nodes(topology)
    count, k = int(group.max()) + 1, topology.switches // (int(group.max()) + 1)
    if request.to % count:
        below = max(request.to // count, k + 1) * count
        raise InputError(
            f"{topology.name}: it has {count} meta-nodes, each of which gets one switch per step; grow to a multiple of that"
            f" number (nearest: {below}, {below + count})"
        )
    hosts = int(topology.endpoints_at.max(initial=0)) if request.hosts is None else request.hosts
    draws, stages, links = Draws(request.seed), [], topology.links.astype(np.int64)
    links = np.where((group[links[:, 0]] > group[links[:, 1]])[:, None], links[:, ::-1], links)  # the lower group first
    for size in range(k, request.to // count):
        first_new = size * count
        pair = group[links] @ [count, 1]
        order = np.argsort(pair, kind="stable")
        keys, begin = np.unique(pair[order], return_index=True)
        chosen = draws.below(size + 1, keys.size)
        new = first_new + np.stack([keys // count, keys % count], axis=1)
        direct = chosen == size
        opened = order[(begin + chosen)[~direct]]
        a, b = links[opened].T
        x, y = new[~direct].T
        unopened = np.delete(links, opened, axis=0)
        links = np.concatenate([unopened, np.stack([a, y], axis=1), np.stack([x, b], axis=1), new[direct]])
        switches = first_new + count
        group = np.append(group, np.arange(count))
        endpoints, host = hosts_with(topology, switches, hosts)
        grown = Topology(
            links=links,
            switches=switches,
            endpoints=endpoints,
            host=host,
            labels={"group": group},
            name=grown_name(topology, f"{request.to} switches"),
        )
        stages.append(Stage(f"switch {size} of every meta-node", grown))
    return Growth(tuple(stages))


def _meta_nodes(topology: Topology) -> np.ndarray:
    """The meta-node of each switch, int64[n]: its label 'group', if any two are joined by a perfect matching or not at all.

    Raises
    ------
    InputError
        There is no such label, or the links are different.
    """
    if "group" not in topology.labels or not len(topology.links):
        raise _refusal(topology, "its switches have no label 'group'")
    group = np.unique(topology.labels["group"], return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(group)
    ends = topology.links.astype(np.int64)
    count = sizes.size
    (u, v), (group_u, group_v) = ends.T, group[ends].T
    if (sizes != sizes[0]).any() or (group_u == group_v).any():
        raise _refusal(topology, "its groups differ in size, or have links inside")
    # Every switch has one link to each group to which its own group is linked.
    towards = np.concatenate([u * count + group_v, v * count + group_u])
    pairs = np.unique(group_u * count + group_v)
    both = np.unique(np.concatenate([pairs, pairs % count * count + pairs // count]))
    if np.unique(towards).size != towards.size or towards.size != both.size * sizes[0]:
        raise _refusal(topology, "two of its groups are not joined by a perfect matching")
    return group


def _refusal(topology: Topology, why: str) -> InputError:
    return InputError(f"{topology.name}: not an Xpander by its groups: {why}; use method splice for any network")
