"""Claims of Singla 2012 on sizes and path lengths. The paper was not at hand: each claim says where its number was read."""

from functools import cache

import numpy as np

from topoloom.graph.distances import distance_matrix
from topoloom.graph.hops import hops
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare

#: Fat trees whose switches, with a quarter more servers, have a whole number of servers each.
PORTS = (12, 16, 20, 24)


def same_equipment(k: int, seed: int = 1) -> str:
    """The Jellyfish of a fat tree's switches, 5 k^2 / 4 of k ports, with a quarter more servers: k / 4 on each switch."""
    return f"jellyfish:n={5 * k * k // 4},degree={k - k // 4},seed={seed},hosts={k // 4}"


@claim(
    "singla-2012/quoted/686-servers",
    "a fat tree of 14-port switches: 686 servers, 245 switches",
    "686 servers (title of figure 1c), 245 switches (a reproduction for Stanford's CS244)",
    "topoloom info fat-tree:k=14",
)
def _686() -> Outcome:
    tree = build("fat-tree:k=14")
    return compare({"servers": 686, "switches": 245}, {"servers": tree.hosts, "switches": tree.switches})


@claim(
    "singla-2012/quoted/432-servers",
    "the drawn Jellyfish of 432 servers and 180 switches is the equipment of a fat tree of 12-port switches",
    "432 servers, 180 switches (caption in reproducingnetworkresearch.wordpress.com, CS244 '16)",
    "topoloom info fat-tree:k=12",
)
def _432() -> Outcome:
    tree = build("fat-tree:k=12")
    return compare({"servers": 432, "switches": 180}, {"servers": tree.hosts, "switches": tree.switches})


def _mean_between_servers(topology: Topology) -> float:
    """Mean hops between the switches of two servers on different switches."""
    hosts = topology.endpoints_at
    carriers = np.flatnonzero(hosts)
    distance = distance_matrix(topology)[np.ix_(carriers, carriers)].astype(float)
    weight = np.outer(hosts[carriers], hosts[carriers]).astype(float)
    np.fill_diagonal(weight, 0)
    return float((distance * weight).sum() / weight.sum())


@cache
def _means(k: int) -> tuple[float, float]:
    return _mean_between_servers(build(same_equipment(k))), _mean_between_servers(build(f"fat-tree:k={k}"))


@claim(
    "singla-2012/quoted/mean-path",
    "mean paths are shorter than in the fat tree of the same equipment",
    "shorter (summaries of the paper for CS244 '14 and '16)",
    f"topoloom hops {same_equipment(24)}; topoloom hops fat-tree:k=24",
)
def _mean_path() -> Outcome:
    means = {k: _means(k) for k in PORTS}
    return check_statements(
        {f"shorter with {k} ports": ours < tree for k, (ours, tree) in means.items()},
        "; ".join(f"{k} ports: {ours:.2f} against {tree:.2f} hops" for k, (ours, tree) in means.items()),
        "with a quarter more servers than the tree; hops between the switches of servers on different switches",
    )


def _fewer_than_6(topology: Topology) -> float:
    """The percentage of ordered pairs of servers fewer than 6 hops apart, counting the two cables of the servers."""
    hosts = topology.endpoints_at.astype(float)
    carriers = np.flatnonzero(hosts)
    distance = distance_matrix(topology)[np.ix_(carriers, carriers)] + 2
    weight = np.outer(hosts[carriers], hosts[carriers])
    np.fill_diagonal(weight, hosts[carriers] * (hosts[carriers] - 1))
    return float(100 * weight[distance < 6].sum() / weight.sum())


def _jellyfish_686(seed: int) -> Topology:
    """A Jellyfish of 245 switches with 14 ports and 686 servers: a fifth of the switches has 2 servers, the others 3.

    Spare ports of a random regular graph of degree 11 are joined in random pairs that are not linked yet.
    """
    base, random = build(f"jellyfish:n=245,degree=11,seed={seed}"), np.random.default_rng(seed)
    servers = np.full(base.switches, 3)
    servers[random.choice(base.switches, 49, replace=False)] = 2
    spare = np.repeat(np.arange(base.switches), np.maximum(14 - servers - base.degrees, 0))
    linked = {(int(u), int(v)) for u, v in base.links}
    while True:
        pairs = np.sort(random.permutation(spare)[: spare.size // 2 * 2].reshape(-1, 2), axis=1)
        new = {(int(u), int(v)) for u, v in pairs}
        if len(new) == len(pairs) and not new & linked and all(u != v for u, v in new):
            break
    return Topology(
        links=np.concatenate([base.links, pairs]),
        switches=base.switches,
        endpoints=np.repeat(np.arange(base.switches), servers),
    )


@claim(
    "singla-2012/section-1/six-hops",
    "686 servers: pairs of servers fewer than 6 hops apart, in Jellyfish and in the fat tree",
    "more than 99.5 %, 7.5 % (quoted from memory; not checked against the print)",
    "topoloom reproduce singla-2012/section-1/six-hops",
)
def _six_hops() -> Outcome:
    exact = [_fewer_than_6(_jellyfish_686(seed)) for seed in range(1, 11)]
    more = [_fewer_than_6(build(f"jellyfish:n=245,degree=11,seed={seed},hosts=3")) for seed in range(1, 11)]
    tree = _fewer_than_6(build("fat-tree:k=14"))
    return check_statements(
        {"Jellyfish: more than 99.5 % in every draw": min(exact) > 99.5, "the tree: 7.5 %": abs(tree - 7.5) <= 0.05},
        f"Jellyfish {min(exact):.2f} to {max(exact):.2f} % in 10 draws, the tree {tree:.2f} %",
        f"hops count the servers' own cables; with 3 servers on every switch, 735 in all, {min(more):.2f} to {max(more):.2f} %;"
        " in the tree 48 of 685 others share the pod",
        readings=2,
    )


@claim(
    "singla-2012/fig-5/3200",
    "3,200 switches of 48 ports, 36 of them to other switches: the mean path is below 2.7, the diameter at most 4",
    "below 2.7, at most 4 (quoted from memory; not checked against the print)",
    "topoloom info jellyfish:n=3200,degree=36",
)
def _3200() -> Outcome:
    stats = long_run(
        "topoloom info jellyfish:n=3200,degree=36,seed=S for S from 1 to 10",
        list[tuple[float, int]],
        lambda: [
            (round(found.aspl, 5), int(found.diameter))
            for seed in range(1, 11)
            for found in [hops(build(f"jellyfish:n=3200,degree=36,seed={seed}"))]
        ],
    )
    return check_statements(
        {
            "every mean path is below 2.7": all(aspl < 2.7 for aspl, _ in stats),
            "every diameter is at most 4": all(diameter <= 4 for _, diameter in stats),
        },
        f"10 draws: mean path {min(a for a, _ in stats):.3f} to {max(a for a, _ in stats):.3f}, diameter"
        f" {', '.join(map(str, sorted({d for _, d in stats})))}",
    )
