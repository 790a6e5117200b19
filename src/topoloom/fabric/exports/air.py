"""NVIDIA Air: the fabric as virtual machines of that service, with FRR configurations.

The format follows the manual (Custom Topology, NVIDIA Air 2): nodes with the image that they run, links as pairs of ends.
"""

import json

from topoloom.fabric.exports.addresses import Addresses
from topoloom.fabric.exports.containerlab import daemons_file
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
from topoloom.fabric.exports.lab import Lab, shell_script
from topoloom.fabric.exports.registry import ExportRequest, export
from topoloom.topologies.spec import Choice, Integer, Word


@export(
    "air",
    "virtual machines: NVIDIA Air's JSON, with FRR configurations",
    tables=False,
    asked=True,
    routing=ROUTING,
    weights=WEIGHTS,
    asn=ASN,
    vrfs=VRFS,
    os=Word("the image of switches, by its name in Air's catalogue", default="cumulus-vx-5.16.1"),
    host_os=Word("the image of hosts", default="generic/ubuntu2404"),
    memory=Integer(256, 1 << 20, "memory of a switch, MiB", default=4096),
    oob=Choice(("no", "yes"), "whether Air adds a management network", default="no"),
)
def air(
    request: ExportRequest,
    routing: str,
    weights: str,
    asn: str,
    vrfs: int | None,
    os: str,
    host_os: str,
    memory: int,
    oob: str,
) -> dict[str, str]:
    """fabric.air.json, NAME.conf and daemons for the switches, hosts/NAME.sh, the table of addresses."""
    lab, fabric = Lab(request), request.fabric
    plan = Addresses(fabric, numbered=routing in NUMBERED)
    nodes: dict[str, dict[str, object]] = {
        name: {"os": os, "cpu": 2, "memory": memory, "storage": 20} for name in lab.switches
    }
    nodes |= {name: {"os": host_os} for name in lab.hosts}
    links = [[{"node": node, "interface": port} for node, port in cable] for cable in lab.cables]
    content = {"oob": oob == "yes", "nodes": nodes, "links": links}
    files = {"fabric.air.json": json.dumps({"format": "JSON", "title": lab.title, "content": content}, indent=1) + "\n"}
    configs = frr_configs(request, lab.switches, plan, routing, weights, asn, vrfs)
    files |= {f"{name}.conf": text for name, text in zip(lab.switches, configs, strict=True)}
    commands = switch_commands_of(fabric, lab.switches, plan, routing, vrfs)
    if commands is not None:
        files |= {
            f"switches/{name}.sh": shell_script(lines) for name, lines in zip(lab.switches, commands, strict=True)
        }
    files["daemons"] = daemons_file(routing)
    files |= {
        f"hosts/{name}.sh": shell_script(lines) for name, lines in zip(lab.hosts, lab.host_commands(plan), strict=True)
    }
    files["addresses.csv"] = addresses_csv(fabric, lab.switches, plan)
    return files
