"""BGP between all switches of an Ethernet fabric, as in RFC 7938, on links without addresses (RFC 5549).

Every switch announces the prefix of its own hosts; all paths with the fewest autonomous systems are used. If every switch is
a separate system, these are the shortest paths of the network, link by link.
"""

from ipaddress import IPv4Address

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.addresses import Addresses, ports_of, shortest_next_hops
from topoloom.fabric.fabric import Fabric
from topoloom.model.topology import Topology

#: The number of next hops for which FRR's own packages are built.
MOST_WAYS = 256
#: Private four-byte numbers (RFC 6996) range from this one to 4294967294.
FIRST_ASN = 4_200_000_000


def bgp_configs(fabric: Fabric, names: list[str], plan: Addresses, weights: str, asn: str) -> list[str]:
    """The configuration of every switch.

    Parameters
    ----------
    fabric : Fabric
    names : list of str
        Names of the switches.
    plan : Addresses
        Only the prefixes of hosts are used.
    weights : "equal" or "paths"
        "paths": a switch announces its number of shortest paths to a prefix (extended community link bandwidth), and splits
        traffic by the numbers that its neighbours announced.
    asn : "switch" or "tier"

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        There are too many next hops, the network is not connected, or tiers are requested for a network that is not a tree.
    """
    for _ in shortest_next_hops(fabric, names, MOST_WAYS):  # raises the errors of FRR's limits
        pass
    systems = system_numbers(fabric.topology, asn)
    return [_config(fabric, names, plan, s, int(systems[s]), weights) for s in range(fabric.topology.switches)]


def _config(fabric: Fabric, names: list[str], plan: Addresses, switch: int, system: int, weights: str) -> str:
    ports = ports_of(fabric, names, plan, switch)
    own, homed = IPv4Address(int(plan.prefix[switch])), bool(fabric.topology.endpoints_at[switch])
    links = [port for port in ports if port.link >= 0]
    lines = ["frr defaults datacenter", f"hostname {names[switch]}", "ip forwarding", "ipv6 forwarding", "!"]
    if not homed:
        # Replies of the switch itself (traceroute) need an address; no routes lead to it.
        lines += ["interface lo", f" ip address {own}/32", "!"]
    for port in ports:
        lines += [f"interface {port.interface}", f" description {port.description}"]
        lines += [f" ip address {IPv4Address(port.address)}/31", "!"] if port.link < 0 else ["!"]
    if homed:
        lines += [f"ip route {plan.prefix_of(switch)} blackhole", "!"]
    lines += [
        f"router bgp {system}",
        # Not 0.0.0.0, and unique per switch: the prefix, which is no host's address.
        f" bgp router-id {own}",
        " no bgp ebgp-requires-policy",
        " bgp bestpath as-path multipath-relax",
        " neighbor fabric peer-group",
        " neighbor fabric remote-as external",
        *(f" neighbor {port.interface} interface peer-group fabric" for port in links),
        " address-family ipv4 unicast",
    ]
    weigh = weights == "paths"
    if homed:
        lines.append(f"  network {plan.prefix_of(switch)}" + (" route-map one-path" if weigh else ""))
    if weigh:
        lines.append("  neighbor fabric route-map all-paths out")
    lines += [f"  maximum-paths {max(1, len(links))}", " exit-address-family", "!"]
    if weigh:
        lines += ["route-map one-path permit 10", " set extcommunity bandwidth 1", "!"]
        lines += ["route-map all-paths permit 10", " set extcommunity bandwidth cumulative", "!"]
    return "\n".join(lines) + "\n"


def system_numbers(topology: Topology, asn: str) -> np.ndarray:
    """The autonomous system of each switch, int64[switches].

    "switch": one per switch. "tier": one per leaf, one for the switches of a pod at the same distance from its leaves, one
    for the spines (RFC 7938, 5.2), so that no path goes down and up again.

    Raises
    ------
    InputError
        Switches of one tier are joined, or two leaves have no switch above both.
    """
    if asn == "switch":
        return FIRST_ASN + np.arange(topology.switches)
    from topoloom.fabric.exports.tiers import tiers
    from topoloom.graph.connectivity import parts_among

    level = tiers(topology)
    why = f"{topology.name}: asn=tier is for trees, but"
    same = np.flatnonzero(level[topology.links[:, 0]] == level[topology.links[:, 1]])
    if same.size:
        first, second = topology.links[same[0]].tolist()
        raise InputError(
            f"{why} switches {first} and {second} are joined and have the same distance from the hosts; omit it"
        )
    systems = np.full(topology.switches, -1)
    systems[level == 0] = np.arange((level == 0).sum())
    assigned = int((level == 0).sum())
    for height in range(1, int(level.max()) + 1):
        part = parts_among(topology, level <= height)
        here = level == height
        _, number = np.unique(part[here], return_inverse=True)
        systems[here] = assigned + number.reshape(-1)
        assigned += int(number.max()) + 1
    if not _all_meet(topology, level):
        raise InputError(f"{why} two of its leaves have no switch above both; omit it")
    return FIRST_ASN + systems


def _all_meet(topology: Topology, level: np.ndarray) -> bool:
    """Whether any two connected leaves have a switch above both, so that a path goes up and down once."""
    from topoloom.graph.connectivity import parts_among

    leaves = np.flatnonzero(level == 0)
    above = np.zeros((leaves.size, topology.switches), bool)
    above[np.arange(leaves.size), leaves] = True
    met = np.eye(leaves.size, dtype=bool)
    low, high = np.where(
        (level[topology.links[:, 0]] < level[topology.links[:, 1]])[:, None], topology.links, topology.links[:, ::-1]
    ).T
    for height in range(int(level.max())):
        for u, v in zip(low[level[low] == height].tolist(), high[level[low] == height].tolist(), strict=True):
            above[:, v] |= above[:, u]
        above_at_height = above[:, level == height + 1].astype(np.float32)
        met |= above_at_height @ above_at_height.T > 0
    part = parts_among(topology, np.ones(topology.switches, bool))[leaves]
    return bool(met[part[:, None] == part[None, :]].all())
