"""DSN-F: layers are filled without moving cables, and full supernodes split in two (Truong 2016 3.3)."""

import numpy as np

from topoloom.cabling.expansion.recognise import one_of, per_switch
from topoloom.cabling.expansion.registry import ExpansionRequest, method, must_grow
from topoloom.cabling.expansion.stages import Growth, Stage, renumbered, stages_between
from topoloom.model.topology import Topology
from topoloom.topologies.families.dsn import dsn_f_layers, dsn_f_levels
from topoloom.topologies.spec import build

#: The switch of each level (from 1), layer and supernode.
Roles = dict[tuple[int, int, int], int]


@method(
    "dsn-f",
    "DSN-F: layers filled supernode by supernode, and every supernode split in two when the network is large enough",
    families=("dsn-f",),
)
def dsn_f(request: ExpansionRequest) -> Growth:
    """Fill layers up to (p + 1) 2^(p + 1) switches, split every supernode, and so on; the last layers as the family fills them.

    Before a split every supernode has 2p + 2 switches: layers are filled evenly up to that size (errata of Truong 2016, 6),
    and switches in layer 2 of supernodes with more than two become those that other supernodes lack.
    Source: Truong 2016 3.3; errata of Truong 2016, 6-8.
    """
    _, values, _ = one_of(request, ("dsn-f",), "dsn-f")
    hosts = per_switch(request.topology)
    n, to = request.topology.switches, request.to
    must_grow(request, n)
    goal = build(f"dsn-f:n={to},fill={values['fill']}" + (f",hosts={hosts}" if hosts else ""))
    now, roles = request.topology, _roles(request.topology)
    stages: list[Stage] = []
    ports = max(now.radix, goal.radix) if request.ports is None else request.ports
    for p in range(dsn_f_levels(n), dsn_f_levels(to)):
        full = (p + 1) << (p + 1)
        even = dsn_f_layers(full, p, "balanced").replace(name=goal.name)
        roles = _fill(stages, now, roles, even.with_hosts(hosts or 0), ports)
        now = stages[-1].topology if stages else now
        roles = _split(stages, now, roles, p, hosts or 0, ports)
        now = stages[-1].topology
    if now.switches < to:
        roles = _fill(stages, now, roles, goal, ports)
    return Growth(tuple(stages), _numbers(roles, goal), goal)


def _keys(topology: Topology) -> list[tuple[int, int, int]]:
    labels = topology.labels
    return list(zip(labels["level"].tolist(), labels["layer"].tolist(), labels["group"].tolist(), strict=True))


def _roles(topology: Topology) -> Roles:
    return {key: switch for switch, key in enumerate(_keys(topology))}


def _numbers(roles: Roles, goal: Topology) -> np.ndarray:
    """The number in `goal` of each existing switch."""
    number = np.empty(goal.switches, np.int64)
    for place, key in enumerate(_keys(goal)):
        number[roles[key]] = place
    return number


def _fill(stages: list[Stage], now: Topology, roles: Roles, goal: Topology, ports: int) -> Roles:
    """The stages that fill layers up to `goal`, supernode by supernode; the roles after them."""
    wanted = _keys(goal)
    wanted_keys = set(wanted)
    spare = [switch for key, switch in sorted(roles.items(), key=lambda item: item[0][::-1]) if key not in wanted_keys]
    missing = sorted((key for key in wanted if key not in roles), key=lambda key: key[::-1])
    if not missing:
        return roles
    roles = {key: switch for key, switch in roles.items() if key in wanted_keys}
    # Switches without a place in the goal take the first missing places; the others are new.
    ids = [*spare, *range(now.switches, goal.switches)]
    part_of: dict[int, int] = {}
    names: dict[int, int] = {}
    for key, switch in zip(missing, ids, strict=True):
        roles[key] = switch
        part_of[switch] = names.setdefault(key[2], len(names))
    part = np.full(goal.switches, -1)
    part[list(part_of)] = list(part_of.values())
    new = np.bincount(list(part_of.values()), minlength=len(names))
    come = np.bincount([part_of[s] for s in spare], minlength=len(names))
    titles = [f"supernode {group}: {_arrivals(int(new[k] - come[k]), int(come[k]))}" for group, k in names.items()]
    standing = np.array([roles[key] for key in wanted])
    stages += stages_between(now, renumbered(goal, standing, now), part, titles, ports)
    return roles


def _arrivals(new: int, moved: int) -> str:
    """The additions to a supernode: new switches, and some that moved from elsewhere in the network."""
    parts = [f"{new} new switch{'es' * (new != 1)}"] if new else []
    parts += [f"{moved} from other supernodes"] if moved else []
    return " and ".join(parts)


def _split(stages: list[Stage], now: Topology, roles: Roles, p: int, hosts: int, ports: int) -> Roles:
    """The stages that split every supernode in two, one after another; the roles after them.

    Supernode S becomes S_A = 2S, its layer 0 and the first switch of layer 2, and S_B = 2S + 1, its layer 1 and the second
    switch of layer 2; those of layer 2 get level p + 1 (errata of Truong 2016, 7-8).
    """
    after: Roles = {}
    part = np.empty(now.switches, np.int64)
    for (level, layer, group), switch in roles.items():
        half = (layer if layer < 2 else level - 1) & 1
        after[level if layer < 2 else p + 1, 0, 2 * group + half] = switch
        part[switch] = group
    goal = build(f"dsn-f:n={(p + 1) << (p + 1)}").with_hosts(hosts)
    standing = np.array([after[key] for key in _keys(goal)])
    titles = [f"supernode {group} becomes {2 * group} and {2 * group + 1}" for group in range(1 << p)]
    stages += stages_between(now, renumbered(goal, standing, now), part, titles, ports)
    return after
