"""The machine files that tests of machines build, and how."""

from collections import Counter
from pathlib import Path

import msgspec

from topoloom.machine.choices import all_parts, given_room, network_parts
from topoloom.machine.devices import host_kinds
from topoloom.machine.machine import placed_machine
from topoloom.machine.reading import read_machine_file

EXAMPLES = Path(__file__).parents[2] / "examples" / "machines"

#: Five kinds of hosts and four networks, all of given specs.
SMALL = """
title = "a small machine"
parts = "ethernet-2026"
[[host]]
name = "node"
count = 30
u = 2
power_w = 900
ports = { fabric = 2, storage = 1, service = 1, oob = 1 }
[[host]]
name = "storage"
role = "storage"
count = 6
u = 4
power_w = 700
ports = { storage = { count = 4, rate_gbps = 200, leaves = 2 }, service = 1, oob = 1 }
[[host]]
name = "login"
role = "login"
count = 2
u = 1
power_w = 400
ports = { fabric = { count = 1, leaves = 1 }, service = 2, oob = 1 }
[[host]]
name = "head"
role = "management"
count = 2
u = 1
power_w = 400
ports = { service = 2, oob = 1 }
pair_cables = 2
[[host]]
name = "gateway"
role = "gateway"
count = 1
u = 1
power_w = 300
ports = { fabric = 1, service = 2 }
[[network]]
name = "fabric"
rate_gbps = 400
spec = "clos:leaves=8,spines=4,hosts=8"
switch = { product = "SN5600" }
[[network]]
name = "storage"
rate_gbps = 400
spec = "clos:leaves=4,spines=2,hosts=14"
switch = { product = "SN5600" }
place = "end"
[[network]]
name = "service"
rate_gbps = 100
spec = "clos:leaves=4,spines=2,hosts=16"
switch = { product = "SN4600C" }
place = "rack"
[[network]]
name = "oob"
rate_gbps = 1
switch = { product = "SN2201" }
serves = "everything"
uplink = "service"
place = "rack"
[rack]
u = 42
power_w = 12_000
row = 3
[[rack.device]]
name = "PDU"
count = 2
racks = "all"
u = 0
[floor]
preset = "koibuchi-2013"
"""


def built(requirement):
    """The machine of a file whose networks all have specs."""
    parts = {network.name: network_parts(requirement, network) for network in requirement.network}
    rooms = {network.name: given_room(network) for network in requirement.network if not network.uplink}
    return placed_machine(requirement, host_kinds(requirement, all_parts(requirement)), parts, rooms)


def example(name, **specs):
    """The machine of an example, with these specs in place of the choices of networks that have none."""
    requirement = read_machine_file(EXAMPLES / f"{name}.toml")
    networks = tuple(
        msgspec.structs.replace(network, spec=specs.get(network.name, network.spec)) for network in requirement.network
    )
    return built(msgspec.structs.replace(requirement, network=networks))


def counts(bill, network):
    """The pieces of each line of a network's bill, by product."""
    lines = Counter()
    for line in bill.bills[bill.names.index(network)].lines:
        lines[line.item.split(" ports (")[-1].rstrip(")")] += line.count
    return lines
