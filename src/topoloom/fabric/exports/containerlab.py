"""containerlab: the fabric as containers on one machine: switches with FRR, hosts with addresses and routes.

The schema is that of containerlab 0.79 (srl-labs/containerlab, schemas/clab.schema.json): kind ``linux`` runs FRR's image.
"""

import json
from typing import Any

from topoloom.core.errors import InputError
from topoloom.fabric.exports.addresses import Addresses
from topoloom.fabric.exports.frr import (
    ASN,
    NUMBERED,
    ROUTING,
    VRFS,
    WEIGHTS,
    addresses_csv,
    frr_configs,
    switch_commands_of,
)
from topoloom.fabric.exports.lab import Lab
from topoloom.fabric.exports.registry import ExportRequest, export
from topoloom.fabric.exports.srv6 import LISTS, addresses6_csv, commands_of
from topoloom.topologies.spec import Choice, Word

IMAGE = "frrouting/frr:v10.2.1"
#: FRR's daemons by the kind of routing.
DAEMONS = {
    "static": ("zebra", "staticd"),
    "bgp": ("zebra", "staticd", "bgpd"),
    "spraypoint": ("zebra", "staticd"),
    "shortest-union": ("zebra", "staticd", "bgpd"),
}
#: For the network namespace of a switch: it forwards, and spreads flows by their ports as well.
SYSCTLS = {
    "net.ipv4.ip_forward": "1",
    "net.ipv4.conf.all.rp_filter": "0",
    "net.ipv4.conf.default.rp_filter": "0",
    "net.ipv4.fib_multipath_hash_policy": "1",
    "net.ipv6.conf.all.forwarding": "1",
}
_IDLE = "sleep infinity"


@export(
    "containerlab",
    "containers on one machine: containerlab's topology, with FRR's configurations",
    tables=False,
    asked=True,
    sometimes=("daemons", "addresses.csv", "addresses6.csv"),
    routing=Choice(
        (*ROUTING.words, "srv6"),
        "as in export frr, or static SRv6 along the tables (topoloom export)",
        default="static",
    ),
    weights=WEIGHTS,
    asn=ASN,
    vrfs=VRFS,
    lists=LISTS,
    image=Word("the image of switches", default=IMAGE),
    host_image=Word("the image of hosts; it needs iproute2", default=IMAGE),
)
def containerlab(
    request: ExportRequest,
    routing: str,
    weights: str,
    asn: str,
    vrfs: int | None,
    lists: str,
    image: str,
    host_image: str,
) -> dict[str, str]:
    """fabric.clab.yml; with FRR NAME.conf per switch and the file daemons; the table of addresses.

    Raises
    ------
    InputError
        As `frr` and `srv6`.
    """
    lab = Lab(request)
    nodes: dict[str, dict[str, Any]] = {}
    files = {}
    if routing == "srv6":
        if (weights, asn, vrfs) != ("equal", "switch", None):
            raise InputError("routing=srv6: weights, asn and vrfs apply to BGP only; omit them")
        at_switches, at_hosts = commands_of(lab, lists)
        for name, commands in zip(lab.switches, at_switches, strict=True):
            nodes[name] = {"image": image, "cmd": _IDLE, "exec": commands}
        files["addresses6.csv"] = addresses6_csv(lab)
    else:
        if lists != "hosts":
            raise InputError(f"lists={lists}: applies to routing=srv6 only; add it")
        plan = Addresses(request.fabric, numbered=routing in NUMBERED)
        at_hosts = lab.host_commands(plan)
        configs = frr_configs(request, lab.switches, plan, routing, weights, asn, vrfs)
        for name, text in zip(lab.switches, configs, strict=True):
            binds = [f"{name}.conf:/etc/frr/frr.conf", "daemons:/etc/frr/daemons"]
            nodes[name] = {"image": image, "binds": binds, "sysctls": SYSCTLS}
            files[f"{name}.conf"] = text
        at_each = switch_commands_of(request.fabric, lab.switches, plan, routing, vrfs)
        for name, commands in zip(lab.switches, at_each or [], strict=at_each is not None):
            nodes[name]["exec"] = commands
        files["daemons"] = daemons_file(routing)
        files["addresses.csv"] = addresses_csv(request.fabric, lab.switches, plan)
    for index, name in enumerate(lab.switches):
        nodes[name]["labels"] = {
            "role": "switch",
            **{key: str(values[index]) for key, values in lab.topology.labels.items()},
        }
    for name, commands in zip(lab.hosts, at_hosts, strict=True):
        nodes[name] = {"image": host_image, "cmd": _IDLE, "exec": commands, "labels": {"role": "host"}}
    return {"fabric.clab.yml": _yaml(lab, nodes), **files}


def daemons_file(routing: str) -> str:
    """FRR's file ``daemons``, which lists the daemons to run."""
    return "".join(f"{name}=yes\n" for name in DAEMONS[routing]) + "vtysh_enable=yes\n"


def _yaml(lab: Lab, nodes: dict[str, dict[str, Any]]) -> str:
    """The YAML file; its texts are written as JSON, which YAML reads as well."""
    lines = [f"name: {json.dumps(lab.title)}", "topology:", "  nodes:"]
    for name, node in nodes.items():
        lines.append(f"    {json.dumps(name)}:")
        lines.append("      kind: linux")
        for key, value in node.items():
            if isinstance(value, list):
                lines += [f"      {key}:", *(f"        - {json.dumps(item)}" for item in value)]
            elif isinstance(value, dict):
                lines += [f"      {key}:", *(f"        {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())]
            else:
                lines.append(f"      {key}: {json.dumps(value)}")
    lines.append("  links:")
    lines += [
        f"    - endpoints: [{json.dumps(':'.join(first))}, {json.dumps(':'.join(second))}]"
        for first, second in lab.cables
    ]
    if not lab.cables:
        lines[-1] += " []"
    return "\n".join(lines) + "\n"
