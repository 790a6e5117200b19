"""What the switches of a machine hear, as their tools print it: LLDP of Ethernet, ibnetdiscover of InfiniBand, and sheets.

It shares no code with the readers or the comparison. Every switch hears all its cables, those to other networks, too.
"""

import json


def plugs(machine):
    """The cables of each network: pairs of (device, port), in lists that tests change."""
    switches = {name for network in machine.networks.values() for name in network.fabric.switch_names}
    uplinks = {}
    cables = {}
    for place, (name, network) in enumerate(machine.networks.items()):
        fabric, topology = network.fabric, network.topology
        own = cables[name] = []
        for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True):
            own.append(((fabric.switch_names[u], f"swp{p}"), (fabric.switch_names[v], f"swp{q}")))
        ends = zip(topology.endpoints.tolist(), topology.host.tolist(), fabric.endpoint_ports.tolist(), strict=True)
        seen = {}
        for switch, host, port in ends:
            device = fabric.host_names[host]
            seen[device] = seen.get(device, 0) + 1
            if device not in switches:
                far = "bmc" if name == "oob" else f"ens{1 + place}f{seen[device] - 1}"
            elif name == "oob":
                far = "eth0"
            else:
                uplinks[device] = uplinks.get(device, 0) + 1
                far = f"swp{50 + uplinks[device]}"
            own.append(((fabric.switch_names[switch], f"swp{port}"), (device, far)))
    return cables


def write_lldp(cables, switches, folder, form="lldpd"):
    """One file per switch, as ``lldpcli -f json show neighbors`` prints it."""
    folder.mkdir(parents=True)
    hears = {switch: [] for switch in switches}
    for one, other in cables:
        for near, (device, port) in ((one, other), (other, one)):
            if near[0] in hears:
                about = {
                    "via": "LLDP",
                    "rid": "1",
                    "chassis": {device: {"id": {"type": "local", "value": device}}},
                    "port": {"id": {"type": "ifname", "value": port}, "descr": port, "ttl": "120"},
                }
                hears[near[0]].append({near[1]: about})
    for switch, entries in hears.items():
        (folder / f"{switch}.json").write_text(json.dumps({"lldp": {"interface": entries}}))
    return folder


def write_sheet(cables, path):
    """One row per cable."""
    rows = ["A-Node Name,A-Port,Z-Node Name,Z-Port", *(f"{a},{p},{b},{q}" for (a, p), (b, q) in cables)]
    path.write_text("\n".join(rows) + "\n")
    return path


def write_net(cables, switches, path):
    """As ibnetdiscover prints a fabric: ports by their numbers."""
    devices, ports = {}, {}
    for cable in cables:
        for device, port in cable:
            devices.setdefault(device, len(devices))
            ports.setdefault(device, []).append(port)
    number = {
        (device, port): int(port[3:]) if device in switches else int(port[-1]) + 1
        for device, of_device in ports.items()
        for port in of_device
    }
    far = {}
    for one, other in cables:
        far[one], far[other] = other, one
    lines = ["# Topology file: generated for a test"]
    kinds = {device: "S" if device in switches else "H" for device in devices}
    ids = {device: f"{kinds[device]}-{0xB000 + place * 0x100:016x}" for device, place in devices.items()}
    for device, place in devices.items():
        switch = device in switches
        guid = 0xB000 + place * 0x100
        called = device if switch else f"{device} mlx5_0"
        lines += [
            "",
            f"{'switchguid' if switch else 'caguid'}=0x{guid:x}({guid:x})" if switch else f"caguid=0x{guid:x}",
        ]
        count = max(64 if switch else 4, *(number[device, port] for port in ports[device]))
        head = f'{"Switch" if switch else "Ca"}\t{count} "{ids[device]}"\t# "{called}"'
        lines.append(head + (" base port 0 lid 0 lmc 0" if switch else ""))
        for port in sorted(ports[device], key=lambda each: number[device, each]):
            other = far[device, port]
            mark = "" if switch else f"({guid + number[device, port]:x})"
            lines.append(f'[{number[device, port]}]{mark}\t"{ids[other[0]]}"[{number[other]}]\t\t# "{other[0]}" 4xNDR')
    path.write_text("\n".join(lines) + "\n")
    return path
