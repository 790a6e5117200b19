"""Growth on spare ports: more hosts per switch, or random channels (Besta 2014 V-E, VII.A, VII.C)."""

import numpy as np

from topoloom.cabling.expansion.registry import ExpansionRequest, method, must_grow
from topoloom.cabling.expansion.stages import Growth, Stage, grown_name, hosts_of
from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology


@method("hosts", "any topology: more hosts on spare ports, evenly over the switches (oversubscription)", counts="hosts")
def hosts(request: ExpansionRequest) -> Growth:
    """Add hosts in rounds to the switches that have some (to all, if none has).

    Source: Besta 2014 V-E and VII.C: 10,830 hosts of a Slim Fly grow by 1,500 before performance drops by more than 10 %.
    """
    topology = request.topology
    more = request.to - topology.endpoints.size
    must_grow(request, topology.endpoints.size, "hosts")
    spare = _spare(request, "hosts")
    carriers = topology.endpoints_at > 0
    if carriers.any():
        spare[~carriers] = 0
    if more > spare.sum():
        raise InputError(
            f"{topology.name}: {int(spare.sum())} ports are spare, enough for"
            f" {topology.endpoints.size + int(spare.sum())} hosts; give switches with more ports"
        )
    stages: list[Stage] = []
    counts, left = topology.endpoints_at.copy(), more
    while left:
        # A round gives a host to each of the switches with the fewest hosts that have space.
        open_ones = np.flatnonzero(spare > 0)
        fewest = open_ones[counts[open_ones] == counts[open_ones].min()][:left]
        counts[fewest] += 1
        spare[fewest] -= 1
        left -= fewest.size
        last = stages[-1].topology if stages else topology
        endpoints, host = hosts_of(last, counts)
        last = topology.replace(
            endpoints=endpoints, host=host, name=grown_name(topology, f"{request.to} hosts"), spec=None
        )
        stages.append(Stage(f"one more host on {fewest.size} switches", last))
    return Growth(tuple(stages))


@method("channels", "any topology: links drawn at random between spare ports", counts="links", takes=("batch",))
def channels(request: ExpansionRequest) -> Growth:
    """Links between random switches with spare ports that are not neighbours yet; no parallel links.

    Source: Besta 2014 VII.A (Slim Fly with k = 43 and 48-port switches: five random cables per switch).
    """
    return _channels(request, inside=False)


@method("channels-near", "as channels, inside racks only", counts="links", takes=("batch",))
def channels_near(request: ExpansionRequest) -> Growth:
    """Random links between switches of one rack: Besta 2014 VII.A limits them to copper links within a rack."""
    return _channels(request, inside=True)


def _channels(request: ExpansionRequest, *, inside: bool) -> Growth:
    topology = request.topology
    more = request.to - len(topology.links)
    must_grow(request, len(topology.links), "links")
    spare = _spare(request, "channels")
    slot = request.growing_floor.slot if inside else np.zeros(topology.switches, np.int64)
    made = _random_links(topology, spare, slot, more, Draws(request.seed))
    if len(made) < more:
        where = " inside racks" if inside else ""
        raise InputError(
            f"{topology.name}: spare ports allow {len(made)} random links{where}, so it grows to at most"
            f" {len(topology.links) + len(made)} links; request fewer, or give switches with more ports"
        )
    batch = request.batch or -(-more // 16)
    stages = []
    for stop in range(batch, more + batch, batch):
        links = np.concatenate([topology.links, made[:stop]])
        name = grown_name(topology, f"{len(links)} links")
        count = len(made[stop - batch : stop])
        stages.append(Stage(f"{count} random links", topology.replace(links=links, name=name, spec=None)))
    return Growth(tuple(stages))


def _spare(request: ExpansionRequest, name: str) -> np.ndarray:
    """The free ports of every switch, int64[switches]."""
    if request.ports is None:
        raise InputError(f"method {name} uses spare ports; state the number of ports of a switch (radix)")
    topology = request.topology
    return np.asarray(request.ports - topology.degrees - topology.endpoints_at)


def _random_links(topology: Topology, spare: np.ndarray, slot: np.ndarray, count: int, draws: Draws) -> np.ndarray:
    """Up to `count` links between spare ports of switches in one slot, int64[links, 2].

    Ports are paired at random in rounds; remaining pairs, of neighbours or of one switch, are inserted between the ends of a
    new link.
    """
    n, left = topology.switches, spare.clip(0)
    made = np.empty((0, 2), np.int64)
    taken = topology.links[:, 0].astype(np.int64) * n + topology.links[:, 1]
    while len(made) < count:
        ports = np.repeat(np.arange(n), left)
        ports = ports[draws.permutation(ports.size)]
        ports = ports[np.argsort(slot[ports], kind="stable")]
        pairs = np.sort(np.stack([ports[:-1:2], ports[1::2]], axis=1), axis=1)
        (u, v), (own, other) = pairs.T, slot[pairs].T
        pairs = pairs[(u != v) & (own == other)]
        keys, first = np.unique(pairs @ [n, 1], return_index=True)
        good = first[~np.isin(keys, taken)]
        if not good.size:
            break
        chosen = pairs[good[draws.permutation(good.size)][: count - len(made)]]
        made = np.concatenate([made, chosen])
        taken = np.concatenate([taken, chosen @ [n, 1]])
        left = left - np.bincount(chosen.ravel(), minlength=n)
    links, taken_keys = [(int(u), int(v)) for u, v in made], set(taken.tolist())
    ports = np.repeat(np.arange(n), left)
    ports = ports[np.argsort(slot[ports], kind="stable")].tolist()
    while len(links) < count and len(ports) > 1:
        u, v = ports[0], ports[1]
        together = slot[u] == slot[v] and _put_between(u, v, links, taken_keys, slot, n, draws)
        del ports[: 2 if together else 1]
    return np.array(links, np.int64).reshape(-1, 2)


def _put_between(
    u: int, v: int, links: list[tuple[int, int]], taken_keys: set[int], slot: np.ndarray, n: int, draws: Draws
) -> bool:
    """Replace a randomly drawn new link a - b by u - a and v - b; False if none can be replaced. u may equal v."""
    for row in draws.permutation(len(links)).tolist():
        a, b = links[row]
        pairs = [(min(u, a), max(u, a)), (min(v, b), max(v, b))]
        if slot[a] == slot[u] and not {a, b} & {u, v} and not any(low * n + high in taken_keys for low, high in pairs):
            taken_keys.discard(a * n + b)
            taken_keys.update(low * n + high for low, high in pairs)
            links[row : row + 1] = pairs
            return True
    return False
