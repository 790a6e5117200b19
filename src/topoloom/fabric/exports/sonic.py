"""SONiC: ``config_db.json`` for every switch: ports with lanes and breakouts, addresses, static routes or BGP.

The tables are those of SONiC's YANG models (sonic-net/sonic-buildimage, src/sonic-yang-models; read at 086b03bd). BGP is
configured in the tables of frrcfgd (``frr_mgmt_framework_config``).

A cage has the number of lanes in the option `lanes`, and is split into `breakout` ports; topoloom's ports are counted over
them. Port 7 of cages of 8 lanes that are split in two has lanes 25 to 28: Ethernet24, ``etp4a``. The lanes of a platform are
in its ``port_config.ini``; here they are counted from the first cage.
"""

import json
from collections.abc import Iterator
from ipaddress import IPv4Address
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.addresses import Addresses, Port, gateways, ports_of, shortest_next_hops
from topoloom.fabric.exports.bgp import MOST_WAYS, system_numbers
from topoloom.fabric.exports.frr import ASN, ROUTING, addresses_csv
from topoloom.fabric.exports.interfaces import interfaces
from topoloom.fabric.exports.lab import Lab
from topoloom.fabric.exports.registry import ExportRequest, export
from topoloom.fabric.exports.sprayed import pointed_next_hops, sprayed_groups
from topoloom.fabric.fabric import Fabric
from topoloom.model.link_rates import own_rates, shown_rate
from topoloom.topologies.spec import Choice, Integer, Real, Word

#: The highest port rate in SONiC's model, Gb/s.
_FASTEST_GBPS = 1600
#: The VRF of host ports, where packets from hosts take other routes than those from other switches.
_HOSTS_VRF = "Vrf_hosts"
_ROUTING = Choice(
    tuple(word for word in ROUTING.words if word != "shortest-union"),
    "static routes, BGP that needs no addresses on links, or static routes of the tables of engine spraypoint",
    default="static",
)


@export(
    "sonic",
    "config_db.json for SONiC, one folder per switch, for Ethernet",
    tables=False,
    rates=True,
    routing=_ROUTING,
    asn=ASN,
    rate_gbps=Real(1, _FASTEST_GBPS, "the rate of a port; that of its cable when omitted, else 400", default=None),
    lanes=Choice(("1", "2", "4", "8"), "lanes of a cage", default="8"),
    breakout=Choice(("1", "2", "4", "8"), "ports that a cage is split into", default="1"),
    mtu=Integer(68, 9216, "the largest packet, bytes", default=9100),
    hwsku=Word("the hardware SKU; when omitted, what the switch reports", default=None),
    platform=Word("the platform; when omitted, what the switch reports", default=None),
)
def sonic(
    request: ExportRequest,
    routing: str,
    asn: str,
    rate_gbps: float | None,
    lanes: str,
    breakout: str,
    mtu: int,
    hwsku: str | None,
    platform: str | None,
) -> dict[str, str]:
    """NAME/config_db.json per switch, and addresses.csv with the address of every host port.

    Raises
    ------
    InputError
        A cage has more ports than lanes, or ports of several rates; a rate is not a whole number of Mb/s; one is given for a
        network of several; or AS numbers are given without BGP.
    """
    cage = Cage(int(lanes), int(breakout))
    if cage.breakout > cage.lanes:
        raise InputError(f"breakout={breakout}: a cage of {lanes} lanes has at most {lanes} ports")
    speeds = _speeds_mbps(request, rate_gbps)
    if routing != "bgp" and asn != "switch":
        raise InputError(f"asn={asn}: static routes have no AS; add routing=bgp")
    lab, fabric = Lab(request), request.fabric
    plan = Addresses(fabric, numbered=routing != "bgp")
    names = lab.switches
    routes = None
    if routing == "static":
        routes = _static_routes(fabric, plan, cage, shortest_next_hops(fabric, names, MOST_WAYS))
    elif routing == "spraypoint":
        groups = sprayed_groups(fabric, request.routing)
        routes = _static_routes(fabric, plan, cage, pointed_next_hops(fabric, groups))
    systems = system_numbers(fabric.topology, asn)
    if routes is None:
        for _ in shortest_next_hops(fabric, names, MOST_WAYS):  # raises the errors of FRR's limits
            pass
    files = {}
    for switch, name in enumerate(names):
        ports = ports_of(fabric, names, plan, switch)
        homed = bool(fabric.topology.endpoints_at[switch])
        metadata = {"hostname": name, "type": "ToRRouter" if homed else "SpineRouter"}
        metadata |= {key: value for key, value in (("hwsku", hwsku), ("platform", platform)) if value is not None}
        tables: dict[str, Any] = {"DEVICE_METADATA": {"localhost": metadata}}
        tables |= cage.tables(ports, mtu, speeds[switch], name)
        tables |= _neighbours(fabric, lab, switch, ports, cage)
        vrf = _HOSTS_VRF if routing == "spraypoint" else ""
        tables["INTERFACE"] = _interfaces(ports, cage, numbered=routing != "bgp", vrf=vrf)
        if routes is not None:
            tables["STATIC_ROUTE"] = routes[switch]
            if vrf and homed:
                tables["VRF"] = {vrf: {}}
                tables["STATIC_ROUTE"] |= _sprayed_routes(fabric, plan, cage, switch, ports)
        else:
            metadata |= {"bgp_asn": str(systems[switch]), "docker_routing_config_mode": "unified"}
            metadata["frr_mgmt_framework_config"] = "true"
            links = [cage.name(port.number) for port in ports if port.link >= 0]
            own = plan.prefix_of(switch) if homed else None
            tables |= _bgp(int(systems[switch]), IPv4Address(int(plan.prefix[switch])), own, links)
        files[f"{name}/config_db.json"] = json.dumps(tables, indent=4) + "\n"
    files["addresses.csv"] = addresses_csv(fabric, names, plan)
    return files


class Cage:
    """The arrangement of ports in cages.

    Parameters
    ----------
    lanes, breakout : int
    """

    def __init__(self, lanes: int, breakout: int) -> None:
        self.lanes, self.breakout = lanes, breakout

    def first_lane(self, number: int) -> int:
        """The first lane of a port, from 0."""
        return (number - 1) * (self.lanes // self.breakout)

    def name(self, number: int) -> str:
        """SONiC's name of a port, derived from its first lane."""
        return f"Ethernet{self.first_lane(number)}"

    def tables(self, ports: list[Port], mtu: int, speeds_mbps: dict[int, int], switch: str) -> dict[str, Any]:
        """The tables PORT and BREAKOUT_CFG; they list all ports of used cages, and those without a cable are down.

        Parameters
        ----------
        ports : list of Port
        mtu : int
        speeds_mbps : dict of int to int
            The speed of each used port, by its number.
        switch : str
            The name of the switch, for messages.

        Returns
        -------
        dict

        Raises
        ------
        InputError
            A cage has ports of several speeds.
        """
        descriptions = {port.number: port.description for port in ports}
        cages = sorted({(number - 1) // self.breakout for number in descriptions})
        width = self.lanes // self.breakout
        port: dict[str, Any] = {}
        speed_of: dict[int, int] = {}
        for number in sorted(descriptions):
            cage, speed = (number - 1) // self.breakout, speeds_mbps[number]
            if speed_of.setdefault(cage, speed) != speed:
                both = " and ".join(f"{mbps / 1000:g}" for mbps in sorted((speed, speed_of[cage])))
                raise InputError(
                    f"{switch}: cage {cage + 1} has ports of {both} Gb/s; SONiC splits a cage into ports of one rate: use"
                    " breakout=1, or cable the ports of a cage alike"
                )
        for cage in cages:
            for part in range(self.breakout):
                number = cage * self.breakout + part + 1
                first = self.first_lane(number)
                port[self.name(number)] = {
                    "alias": f"etp{cage + 1}" + ("" if self.breakout == 1 else "abcdefgh"[part]),
                    "index": str(cage + 1),
                    "lanes": ",".join(str(first + lane + 1) for lane in range(width)),
                    "speed": str(speed_of[cage]),
                    "mtu": str(mtu),
                    "admin_status": "up" if number in descriptions else "down",
                    **({"description": descriptions[number]} if number in descriptions else {}),
                }
        port_tables = {"PORT": port}
        port_tables["BREAKOUT_CFG"] = {
            self.name(cage * self.breakout + 1): {"brkout_mode": f"{self.breakout}x{speed_of[cage] / 1000:g}G"}
            for cage in cages
        }
        return port_tables


def _neighbours(fabric: Fabric, lab: Lab, switch: int, ports: list[Port], cage: Cage) -> dict[str, Any]:
    """The tables DEVICE_NEIGHBOR and DEVICE_NEIGHBOR_METADATA: the device and port at the other end of each port's cable."""
    homed = fabric.topology.endpoints_at > 0
    neighbours: dict[str, Any] = {}
    kinds: dict[str, Any] = {}
    here = fabric.topology.endpoints == switch
    _, at_host = interfaces(fabric)
    host_port = dict(zip(fabric.endpoint_ports[here].tolist(), fabric.host_ports[here].tolist(), strict=True))
    for port in ports:
        if port.link < 0:
            name, far_port, kind = lab.hosts[port.peer], at_host(port.peer, host_port[port.number]), "Server"
        else:
            end = int(fabric.topology.links[port.link, 0] == switch)
            name, far_port = lab.switches[port.peer], cage.name(int(fabric.link_ports[port.link, end]))
            kind = "ToRRouter" if homed[port.peer] else "SpineRouter"
        neighbours[cage.name(port.number)] = {"name": name, "port": far_port}
        kinds[name] = {"type": kind}
    return {"DEVICE_NEIGHBOR": neighbours, "DEVICE_NEIGHBOR_METADATA": kinds}


def _speeds_mbps(request: ExportRequest, given_gbps: float | None) -> list[dict[int, int]]:
    """The speed of each used port of each switch by its number, in Mb/s: that of its cable, or the given one for all."""
    topology, fabric = request.topology, request.fabric
    if topology.mixed and given_gbps is not None:
        raise InputError(
            f"rate_gbps={given_gbps:g}: {topology.name} has links of {shown_rate(topology.rates_gbps)}, each port at its own;"
            " omit it"
        )
    rate_gbps = topology.uniform_rate_gbps or 400.0 if given_gbps is None else given_gbps
    of_links, of_hosts = own_rates(topology, rate_gbps)
    switches = np.concatenate([*topology.links.T, topology.endpoints]).tolist()
    ports = np.concatenate([*fabric.link_ports.T, fabric.endpoint_ports]).tolist()
    links = np.broadcast_to(of_links, len(topology.links))
    rates = np.concatenate([links, links, np.broadcast_to(of_hosts, topology.endpoints.size)]).tolist()
    wrong = next((rate for rate in rates if abs(round(rate * 1000) - rate * 1000) > 1e-6), None)
    if wrong is not None:
        raise InputError(f"rate_gbps={wrong:g}: SONiC needs a whole number of Mb/s")
    speeds: list[dict[int, int]] = [{} for _ in range(topology.switches)]
    for switch, port, rate in zip(switches, ports, rates, strict=True):
        speeds[switch][port] = round(rate * 1000)
    return speeds


def _interfaces(ports: list[Port], cage: Cage, *, numbered: bool, vrf: str) -> dict[str, dict[str, str]]:
    """The interfaces: every used port routes; a port without an address gets a link-local one. Host ports are in the VRF."""
    interfaces: dict[str, dict[str, str]] = {}
    for port in ports:
        name = cage.name(port.number)
        if numbered or port.link < 0:
            interfaces[name] = {"vrf_name": vrf} if vrf and port.link < 0 else {}
            interfaces[f"{name}|{IPv4Address(port.address)}/31"] = {}
        else:
            interfaces[name] = {"ipv6_use_link_local_only": "enable"}
    return interfaces


def _static_routes(
    fabric: Fabric, plan: Addresses, cage: Cage, next_hops: Iterator[tuple[int, np.ndarray, np.ndarray]]
) -> list[dict[str, dict[str, str]]]:
    """The table STATIC_ROUTE of every switch: all next hops of each prefix."""
    gateway = gateways(fabric, plan)
    routes: list[dict[str, dict[str, str]]] = [{} for _ in range(fabric.topology.switches)]
    for home, channels, origins in next_hops:
        ways: dict[int, list[int]] = {}
        for channel, s in zip(channels.tolist(), origins.tolist(), strict=True):
            ways.setdefault(s, []).append(channel)
        for s, channels_of_switch in ways.items():
            routes[s][f"default|{plan.prefix_of(home)}"] = _static_route(
                [gateway[channel] for channel in channels_of_switch],
                [cage.name(int(fabric.channel_ports[channel])) for channel in channels_of_switch],
                "default",
            )
    return routes


def _static_route(gateways: list[str], interfaces: list[str], vrf: str) -> dict[str, str]:
    """A route over next hops in a VRF."""
    count = len(interfaces)
    return {
        "nexthop": ",".join(gateways),
        "ifname": ",".join(interfaces),
        "distance": ",".join(["0"] * count),
        "nexthop-vrf": ",".join([vrf] * count),
        "blackhole": ",".join(["false"] * count),
    }


def _sprayed_routes(
    fabric: Fabric, plan: Addresses, cage: Cage, switch: int, ports: list[Port]
) -> dict[str, dict[str, str]]:
    """The routes between the VRF of a switch's hosts and its main table: out over all links, in to each host's cable."""
    begins, _, _ = fabric.topology.csr
    channels = range(int(begins[switch]), int(begins[switch + 1]))
    gateway = gateways(fabric, plan)
    names = [cage.name(int(fabric.channel_ports[channel])) for channel in channels]
    routes = {}
    if names:
        spray = _static_route([gateway[channel] for channel in channels], names, "default")
        routes[f"{_HOSTS_VRF}|0.0.0.0/0"] = spray
    for port in ports:
        if port.link < 0:
            host = IPv4Address(port.address + 1)
            routes[f"default|{host}/32"] = _static_route([str(host)], [cage.name(port.number)], _HOSTS_VRF)
    return routes


def _bgp(system: int, router: IPv4Address, own: str | None, links: list[str]) -> dict[str, Any]:
    """The tables of BGP, as frrcfgd reads them: one neighbour at the other end of every link, whatever its address."""
    family = "default|ipv4_unicast"
    tables: dict[str, Any] = {
        "BGP_GLOBALS": {
            "default": {
                "local_asn": str(system),
                "router_id": str(router),
                "load_balance_mp_relax": "true",
                # The prefix covers all hosts together; no interface has it.
                "network_import_check": "false",
            }
        },
        "BGP_GLOBALS_AF": {family: {"max_ebgp_paths": str(max(1, len(links)))}},
        "BGP_NEIGHBOR": {f"default|{name}": {"peer_type": "external", "admin_status": "up"} for name in links},
        "BGP_NEIGHBOR_AF": {f"default|{name}|ipv4_unicast": {"admin_status": "up"} for name in links},
    }
    if own is not None:
        tables["BGP_GLOBALS_AF_NETWORK"] = {f"{family}|{own}": {}}
    return {key: value for key, value in tables.items() if value}
