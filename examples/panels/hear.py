"""What switches hear by LLDP where plugs of panels are exchanged: python hear.py PLAN FOLDER [PORT PORT]...

PLAN is a folder of `topoloom layout --panels -o`; each two ports of panels (SP003:R1) exchange their plugs. FOLDER gets a file
per switch, in the form of `lldpcli -f json show neighbors`.
"""

import json
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import topoloom as t

plan, folder, *ports = sys.argv[1:]
plant = t.open_network(plan).layout.plant
ends = plant.ends.copy()
at = {
    plant.label(device, port): (fibre, end)
    for fibre, both in enumerate(ends.tolist())
    for end, (device, port) in enumerate(both)
    if device >= plant.switches
}
for one, other in zip(ports[::2], ports[1::2], strict=True):
    ends[at[one]], ends[at[other]] = ends[at[other]].copy(), ends[at[one]].copy()
heard = defaultdict(dict)
# Follow the light from both ends of each planned link.
turned = replace(plant, links=plant.links[:, ::-1], ports=plant.ports[:, ::-1])
for way in (plant, turned):
    for near, far in zip(way.start.tolist(), way.traced(ends).arrival.tolist(), strict=True):
        for (switch, port), (neighbour, its_port) in ((near, far), (far, near)):
            if min(switch, neighbour) >= 0:
                chassis = {f"S{neighbour}": {"id": {"type": "local", "value": f"S{neighbour}"}}}
                of_port = {"id": {"type": "ifname", "value": f"swp{its_port}"}, "ttl": "120"}
                heard[switch][f"swp{port}"] = {"chassis": chassis, "port": of_port}
Path(folder).mkdir(exist_ok=True)
for switch, neighbours in heard.items():
    interfaces = [{port: each} for port, each in neighbours.items()]
    Path(folder, f"S{switch}.json").write_text(json.dumps({"lldp": {"interface": interfaces}}))
sys.stdout.write(f"{len(heard)} switches; exchanged: {', '.join(ports) or 'nothing'}\n")
