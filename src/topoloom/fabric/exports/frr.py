"""FRR: an Ethernet fabric of routers, one configuration per switch: static routes, or BGP without addresses on links.

Static: every shortest next hop in one ECMP group, the addresses of `addresses`. BGP: `bgp`. Spraypoint: `sprayed`, and
Shortest-Union: `united`, with a script of commands per switch. Port 7 is the interface
swp7, unless it has a name.
"""

from ipaddress import IPv4Address

from topoloom.core.csv_files import csv_table, texts
from topoloom.core.errors import InputError
from topoloom.fabric.exports.addresses import Addresses, gateways, ports_of, shortest_next_hops
from topoloom.fabric.exports.bgp import MOST_WAYS, bgp_configs
from topoloom.fabric.exports.lab import shell_script
from topoloom.fabric.exports.registry import ExportRequest, export, plain_names
from topoloom.fabric.exports.sprayed import sprayed_commands, sprayed_configs, sprayed_groups
from topoloom.fabric.exports.united import union_commands, union_configs
from topoloom.fabric.fabric import Fabric
from topoloom.topologies.spec import Choice, Integer

#: Options of every export with FRR configurations.
ROUTING = Choice(
    ("static", "bgp", "spraypoint", "shortest-union"),
    "static routes, BGP that needs no addresses on links, static routes of engine spraypoint's tables, or BGP between VRFs",
    default="static",
)
VRFS = Integer(2, 8, "VRFs per switch, for routing=shortest-union; 2 when omitted", default=None)
WEIGHTS = Choice(
    ("equal", "paths"),
    "equal next hops of a destination, or each weighted by its number of shortest paths (BGP only)",
    default="equal",
)
ASN = Choice(
    ("switch", "tier"), "one AS per switch, or leaf, pod and spine ASes as in RFC 7938 (trees only)", default="switch"
)
#: The kinds of routing whose links have addresses.
NUMBERED = ("static", "spraypoint")
_VRFS = 2
_WORDS = {"static": "static routes"}


@export(
    "frr",
    "configurations for FRR, one file per switch, for Ethernet",
    tables=False,
    routing=ROUTING,
    weights=WEIGHTS,
    asn=ASN,
    vrfs=VRFS,
)
def frr(request: ExportRequest, routing: str, weights: str, asn: str, vrfs: int | None) -> dict[str, str]:
    """NAME.conf per switch, NAME.sh where it needs commands, and addresses.csv with the address of every host port.

    Raises
    ------
    InputError
        A name cannot be a file name; or as `frr_configs`.
    """
    fabric = request.fabric
    names = plain_names(fabric.switch_names, "switches")
    for name in names:
        if "/" in name or name.startswith("."):
            raise InputError(f"{fabric.topology.name}: switch {name!a} cannot be the name of a file")
    plan = Addresses(fabric, numbered=routing in NUMBERED)
    configs = frr_configs(request, names, plan, routing, weights, asn, vrfs)
    files = {f"{name}.conf": text for name, text in zip(names, configs, strict=True)}
    commands = switch_commands_of(fabric, names, plan, routing, vrfs)
    if commands is not None:
        files |= {f"{name}.sh": shell_script(lines) for name, lines in zip(names, commands, strict=True)}
    files["addresses.csv"] = addresses_csv(fabric, names, plan)
    return files


def frr_configs(
    request: ExportRequest,
    names: list[str],
    plan: Addresses,
    routing: str,
    weights: str = "equal",
    asn: str = "switch",
    vrfs: int | None = None,
) -> list[str]:
    """The configuration of every switch.

    Parameters
    ----------
    request : ExportRequest
        Its fabric, and for Spraypoint its tables.
    names : list of str
        Names of the switches.
    plan : Addresses
    routing : "static", "bgp", "spraypoint" or "shortest-union"
    weights : "equal" or "paths"
    asn : "switch" or "tier"
    vrfs : int or None
        VRFs per switch, for "shortest-union" only.

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        FRR does not support it, or the network does not have it.
    """
    fabric = request.fabric
    if vrfs is not None and routing != "shortest-union":
        raise InputError(f"vrfs={vrfs}: applies to routing=shortest-union only; add it")
    if routing == "bgp":
        return bgp_configs(fabric, names, plan, weights, asn)
    for key, value, usual in (("weights", weights, "equal"), ("asn", asn, "switch")):
        if value != usual:
            raise InputError(f"{key}={value}: does not apply to {_WORDS.get(routing, routing)}; add routing=bgp")
    if routing == "shortest-union":
        return union_configs(fabric, names, plan, vrfs or _VRFS)
    if routing == "spraypoint":
        return sprayed_configs(fabric, names, plan, sprayed_groups(fabric, request.routing))
    return _static(fabric, names, plan)


def switch_commands_of(
    fabric: Fabric, names: list[str], plan: Addresses, routing: str, vrfs: int | None
) -> list[list[str]] | None:
    """The commands of each switch (iproute2) in addition to its configuration; None if it needs none.

    Parameters
    ----------
    fabric : Fabric
    names : list of str
        Names of the switches.
    plan : Addresses
    routing, vrfs
        As for `frr_configs`.

    Returns
    -------
    list of list of str, or None
    """
    if routing == "spraypoint":
        return sprayed_commands(fabric, names, plan)
    return union_commands(fabric, names, plan, vrfs or _VRFS) if routing == "shortest-union" else None


def addresses_csv(fabric: Fabric, names: list[str], plan: Addresses) -> str:
    """The table of host ports: host and port, switch and port, address and gateway.

    Parameters
    ----------
    fabric : Fabric
    names : list of str
        Names of the switches.
    plan : Addresses

    Returns
    -------
    str
        CSV.
    """
    topology = fabric.topology
    gates = [IPv4Address(int(gate)) for gate in plan.endpoint]
    return csv_table(
        {
            "host": texts([fabric.host_names[host] for host in topology.host.tolist()], guard=False),
            "host_port": [str(port) for port in fabric.host_ports.tolist()],
            "switch": texts([names[switch] for switch in topology.endpoints.tolist()], guard=False),
            "switch_port": [str(port) for port in fabric.endpoint_ports.tolist()],
            "address": [f"{gate + 1}/31" for gate in gates],
            "gateway": [str(gate) for gate in gates],
        }
    )


def _static(fabric: Fabric, names: list[str], plan: Addresses) -> list[str]:
    """Static routes over numbered links."""
    gateway = gateways(fabric, plan)
    lines = [_head(fabric, names, plan, s) for s in range(fabric.topology.switches)]
    for home, channels, origins in shortest_next_hops(fabric, names, MOST_WAYS):
        prefix = plan.prefix_of(home)
        for channel, s in zip(channels.tolist(), origins.tolist(), strict=True):
            lines[s].append(f"ip route {prefix} {gateway[channel]}")
    return ["\n".join([*own, "!"]) + "\n" for own in lines]


def _head(fabric: Fabric, names: list[str], plan: Addresses, switch: int) -> list[str]:
    """The beginning of a switch's configuration: its name, its ports with their addresses, its own prefix."""
    lines = ["frr defaults datacenter", f"hostname {names[switch]}", "ip forwarding", "!"]
    for port in ports_of(fabric, names, plan, switch):
        lines += [
            f"interface {port.interface}",
            f" description {port.description}",
            f" ip address {IPv4Address(port.address)}/31",
            "!",
        ]
    if fabric.topology.endpoints_at[switch]:
        # Packets to a host port that does not exist end here instead of circulating.
        lines.append(f"ip route {plan.prefix_of(switch)} blackhole")
    return lines
