"""Shortest-Union(K) on routers of Ethernet: K VRFs per switch, joined by eBGP over a VLAN per link and pair of VRFs.

VRF K has the hosts. A route's cost is the length of its AS path: a switch in VRF j announces to a neighbour in VRF K with its
own number j times, to one in VRF j - 1 (and in VRF 1, from VRF 1) once, and to no other. Links have no addresses (RFC 5549).
A switch drops a route with its own number. From three VRFs on, the one route that a neighbour announces may be such a route
while others of the same length are not, so neighbours announce their best route by each of their own neighbours (add-path, RFC
7911). All routes would be too many: their number grows with that of the paths.
"""

from ipaddress import IPv4Address

from topoloom.core.errors import InputError
from topoloom.fabric.exports.addresses import Addresses, Port, ports_of
from topoloom.fabric.exports.bgp import FIRST_ASN, MOST_WAYS
from topoloom.fabric.fabric import Fabric

#: The longest name of an interface in Linux, and the first table of a VRF.
_MOST_CHARACTERS, _TABLE = 15, 100


def union_cost(vrfs: int, own: int, far: int) -> int:
    """The cost of a link from VRF `own` into VRF `far` of the neighbour, both 1 to `vrfs`; 0: it is not used.

    Parameters
    ----------
    vrfs, own, far : int

    Returns
    -------
    int

    Examples
    --------
    >>> [[union_cost(2, own, far) for far in (1, 2)] for own in (1, 2)]
    [[1, 1], [1, 2]]
    """
    if own == vrfs:
        return far
    return int(far == own + 1 or own == far == 1)


def _sessions(fabric: Fabric, switch: int, port: Port, vrfs: int) -> list[tuple[str, int, int]]:
    """The VLANs of a link at a switch: the interface, the own VRF and the neighbour's."""
    first = int(fabric.topology.links[port.link, 0]) == switch
    made = []
    for own_vrf in range(1, vrfs + 1):
        for far_vrf in range(1, vrfs + 1):
            if union_cost(vrfs, own_vrf, far_vrf) or union_cost(vrfs, far_vrf, own_vrf):
                # Both ends have the same number: the VRF of the link's first switch, then that of its second.
                number = 10 * own_vrf + far_vrf if first else 10 * far_vrf + own_vrf
                made.append((f"{port.interface}.{number}", own_vrf, far_vrf))
    return made


def union_configs(fabric: Fabric, names: list[str], plan: Addresses, vrfs: int) -> list[str]:
    """FRR's configuration of every switch.

    Parameters
    ----------
    fabric : Fabric
    names : list of str
        Names of the switches.
    plan : Addresses
        Only the prefixes of hosts are used.
    vrfs : int
        K.

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        A VRF has more neighbours than FRR takes next hops, or the name of a VLAN's interface is too long.
    """
    return [_config(fabric, names, plan, switch, vrfs) for switch in range(fabric.topology.switches)]


def union_commands(fabric: Fabric, names: list[str], plan: Addresses, vrfs: int) -> list[list[str]]:
    """The commands of each switch (iproute2): its VRFs, and the VLANs of its links.

    Parameters
    ----------
    fabric : Fabric
    names : list of str
        Names of the switches.
    plan : Addresses
    vrfs : int
        K.

    Returns
    -------
    list of list of str
    """
    commands = []
    for switch in range(fabric.topology.switches):
        lines = []
        for vrf in range(1, vrfs + 1):
            lines += [f"ip link add vrf{vrf} type vrf table {_TABLE + vrf}", f"ip link set vrf{vrf} up"]
        for port in ports_of(fabric, names, plan, switch):
            if port.link < 0:
                lines.append(f"ip link set {port.interface} master vrf{vrfs}")
                continue
            for interface, own_vrf, _ in _sessions(fabric, switch, port, vrfs):
                number = interface.rpartition(".")[2]
                lines.append(f"ip link add link {port.interface} name {interface} type vlan id {number}")
                lines += [f"ip link set {interface} master vrf{own_vrf}", f"ip link set {interface} up"]
        commands.append(lines)
    return commands


def _config(fabric: Fabric, names: list[str], plan: Addresses, switch: int, vrfs: int) -> str:
    ports = ports_of(fabric, names, plan, switch)
    own_prefix, homed = plan.prefix_of(switch), bool(fabric.topology.endpoints_at[switch])
    system, router = FIRST_ASN + switch, IPv4Address(int(plan.prefix[switch]))
    lines = ["frr defaults datacenter", f"hostname {names[switch]}", "ip forwarding", "ipv6 forwarding", "!"]
    if homed:
        lines += [f"vrf vrf{vrfs}", f" ip route {own_prefix} blackhole", "exit-vrf", "!"]
    sessions: list[tuple[str, int, int]] = []
    for port in ports:
        lines += [f"interface {port.interface}", f" description {port.description}"]
        if port.link < 0:
            lines += [f" ip address {IPv4Address(port.address)}/31", "!"]
            continue
        lines.append("!")
        sessions += _sessions(fabric, switch, port, vrfs)
    longest = max((interface for interface, _, _ in sessions), key=len, default="")
    if len(longest) > _MOST_CHARACTERS:
        raise InputError(
            f"{fabric.topology.name}: interface {longest} of {names[switch]} has over {_MOST_CHARACTERS} characters, the"
            " most in Linux; give the ports shorter names"
        )
    for vrf in range(1, vrfs + 1):
        neighbours = [(interface, far_vrf) for interface, own_vrf, far_vrf in sessions if own_vrf == vrf]
        if len(neighbours) > MOST_WAYS:
            raise InputError(
                f"{fabric.topology.name}: {len(neighbours)} next hops in VRF {vrf} of {names[switch]}; FRR takes {MOST_WAYS}"
            )
        lines += [f"router bgp {system} vrf vrf{vrf}", f" bgp router-id {router}", " no bgp ebgp-requires-policy"]
        lines += [" bgp bestpath as-path multipath-relax"]
        lines += [f" neighbor {interface} interface remote-as external" for interface, _ in neighbours]
        lines.append(" address-family ipv4 unicast")
        if homed and vrf == vrfs:
            lines.append(f"  network {own_prefix}")
        lines += [
            f"  neighbor {interface} route-map cost-{union_cost(vrfs, far_vrf, vrf)} out"
            for interface, far_vrf in neighbours
        ]
        if vrfs > 2:
            lines += [f"  neighbor {interface} addpath-tx-bestpath-per-AS" for interface, _ in neighbours]
        # Then several routes of the same length may come from one neighbour.
        lines += [f"  maximum-paths {MOST_WAYS if vrfs > 2 else max(1, len(neighbours))}", " exit-address-family", "!"]
    lines += ["route-map cost-0 deny 10", "!", "route-map cost-1 permit 10", "!"]
    for cost in range(2, vrfs + 1):
        lines += [
            f"route-map cost-{cost} permit 10",
            f" set as-path prepend {' '.join([str(system)] * (cost - 1))}",
            "!",
        ]
    return "\n".join(lines) + "\n"
