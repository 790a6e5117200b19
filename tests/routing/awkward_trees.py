"""Trees as they are found in machine rooms: bundles, service leaves, hosts on spines, missing cables and switches."""

import numpy as np

from topoloom.model.topology import Topology


def tree(links, hosts, *, lost=0, gone=(), shuffled=True, seed=1, name="tree"):
    """A network without labels: `lost` random links and the switches `gone` missing, switches in random order."""
    draws = np.random.default_rng(seed)
    links = [link for link in links if not set(link) & set(gone)]
    for place in sorted(draws.choice(len(links), lost, replace=False).tolist(), reverse=True):
        del links[place]
    left = [switch for switch in range(len(hosts)) if switch not in gone]
    order = draws.permutation(len(left)) if shuffled else np.arange(len(left))
    number = dict(zip(left, order.tolist(), strict=True))
    counts = [0] * len(left)
    for switch in left:
        counts[number[switch]] = hosts[switch]
    ends = np.repeat(np.arange(len(left)), counts)
    return Topology([(number[u], number[v]) for u, v in links], len(left), ends, name=name)


def two_levels(leaves, spines, bundle, hosts, *, service=(), on_spines=(), **changes):
    """Leaves with `bundle` cables to every spine; `service` leaves of (hosts, cables up); (spine, hosts) `on_spines`."""
    links = [(leaf, leaves + spine) for leaf in range(leaves) for spine in range(spines) for _ in range(bundle)]
    counts = [hosts] * leaves + [0] * spines
    for place, (few, cables) in enumerate(service):
        links += [(leaves + (cable + place) % spines, len(counts)) for cable in range(cables)]
        counts.append(few)
    for spine, few in on_spines:
        counts[leaves + spine] += few
    return tree(links, counts, **changes)


def three_levels(pods, leaves, spines, cores, cables, hosts, *, service=(), upper=(), **changes):
    """Pods of leaves and spines; spine i of each pod has `cables` to every core of plane i; (pod, hosts, cables) `service`."""
    first_spine = pods * leaves
    first_core, per = first_spine + pods * spines, cores // spines
    links = [
        (pod * leaves + leaf, first_spine + pod * spines + spine)
        for pod in range(pods)
        for leaf in range(leaves)
        for spine in range(spines)
    ]
    links += [
        (first_spine + pod * spines + spine, first_core + spine * per + core)
        for pod in range(pods)
        for spine in range(spines)
        for core in range(per)
        for _ in range(cables)
    ]
    counts = [hosts] * first_spine + [0] * (pods * spines + cores)
    for pod, few, up in service:
        links += [(first_spine + pod * spines + cable % spines, len(counts)) for cable in range(up)]
        counts.append(few)
    for place, few in upper:
        counts[first_spine + place] += few
    return tree(links, counts, **changes)
