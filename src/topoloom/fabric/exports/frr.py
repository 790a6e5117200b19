"""FRR: an Ethernet fabric of routers, a configuration a switch: static routes, or BGP without addresses on links.

Static: every shortest next hop in one ECMP group, the addresses of `addresses`. BGP: `bgp`. Port 7 is the interface swp7.
"""

from ipaddress import IPv4Address

from topoloom.core.csv_files import csv_table, texts
from topoloom.core.errors import InputError
from topoloom.fabric.exports.addresses import Addresses, gateways, ports_of, shortest_next_hops
from topoloom.fabric.exports.bgp import MOST_WAYS, bgp_configs
from topoloom.fabric.exports.registry import ExportRequest, export, plain_names
from topoloom.fabric.fabric import Fabric
from topoloom.topologies.spec import Choice

#: Options that every export with FRR's configurations takes.
ROUTING = Choice(("static", "bgp"), "static routes, or BGP that needs no addresses on links", default="static")
WEIGHTS = Choice(
    ("equal", "paths"),
    "next hops of a destination alike, or each by how many shortest paths it has (BGP only)",
    default="equal",
)
ASN = Choice(
    ("switch", "tier"),
    "an AS for every switch, or for leaf, pod and spine as RFC 7938 has it (trees only)",
    default="switch",
)


@export(
    "frr",
    "configurations for FRR, one file per switch, for Ethernet",
    tables=False,
    routing=ROUTING,
    weights=WEIGHTS,
    asn=ASN,
)
def frr(order: ExportRequest, routing: str, weights: str, asn: str) -> dict[str, str]:
    """NAME.conf for every switch, and addresses.csv with the address of every host port.

    Raises
    ------
    InputError
        A name that is no name of a file; what `frr_configs` refuses.
    """
    fabric = order.fabric
    names = plain_names(fabric.switch_names, "switches")
    for name in names:
        if "/" in name or name.startswith("."):
            raise InputError(f"{fabric.topology.name}: switch {name!a} cannot be the name of a file")
    plan = Addresses(fabric, numbered=routing == "static")
    configs = frr_configs(fabric, names, plan, routing, weights, asn)
    files = {f"{name}.conf": text for name, text in zip(names, configs, strict=True)}
    files["addresses.csv"] = addresses_csv(fabric, names, plan)
    return files


def frr_configs(
    fabric: Fabric, names: list[str], plan: Addresses, routing: str, weights: str = "equal", asn: str = "switch"
) -> list[str]:
    """The configuration of every switch.

    Parameters
    ----------
    fabric : Fabric
    names : list of str
        Of the switches.
    plan : Addresses
    routing : "static" or "bgp"
    weights : "equal" or "paths"
    asn : "switch" or "tier"

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        What FRR does not do, or the network does not have.
    """
    if routing == "bgp":
        return bgp_configs(fabric, names, plan, weights, asn)
    for key, value, usual in (("weights", weights, "equal"), ("asn", asn, "switch")):
        if value != usual:
            raise InputError(f"{key}={value}: static routes of FRR have none; add routing=bgp")
    return _static(fabric, names, plan)


def addresses_csv(fabric: Fabric, names: list[str], plan: Addresses) -> str:
    """The table of host ports: host and port, switch and port, address and gateway.

    Parameters
    ----------
    fabric : Fabric
    names : list of str
        Of the switches.
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
    """The head of a switch's configuration: its name, its ports with their addresses, its own prefix."""
    lines = ["frr defaults datacenter", f"hostname {names[switch]}", "ip forwarding", "!"]
    for port in ports_of(fabric, names, plan, switch):
        lines += [
            f"interface swp{port.number}",
            f" description {port.there}",
            f" ip address {IPv4Address(port.address)}/31",
            "!",
        ]
    if fabric.topology.endpoints_at[switch]:
        # What is for a host port that is not there ends here, and does not go round.
        lines.append(f"ip route {plan.prefix_of(switch)} blackhole")
    return lines
