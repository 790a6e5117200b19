"""Small files of other programs and kinds, all made here: what each is, and the words of its refusal."""

import gzip
import io
import struct
import zipfile
import zlib


def _zip() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a.txt", "0 1\n")
    return data.getvalue()


def _png() -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


#: By name: the content, and a word that every refusal has that knows what the file is.
OTHER_FILES: dict[str, tuple[str | bytes, str]] = {
    "NCCL's topology": (
        '<system version="1"><cpu numaid="0" affinity="ff" arch="x86_64"><pci busid="0000:07:00.0" class="0x030200">'
        '<gpu dev="0" sm="90" rank="0" gdr="1"/></pci></cpu></system>',
        "NCCL",
    ),
    "lstopo": (
        '<?xml version="1.0"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n'
        '<topology version="2.0"><object type="Machine"/></topology>',
        "hwloc",
    ),
    "MSCCL": ('<algo name="a" ngpus="2" coll="allreduce"><gpu id="0"><tb id="0"/></gpu></algo>', "topoloom collective"),
    "MSCCL++": ('{"name": "a", "gpus": [{"id": 0, "threadblocks": [{"id": 0, "ops": []}]}]}', "MSCCL++"),
    "Slurm's topology.conf": ("# leaves\nSwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Switches=s0\n", "Slurm"),
    "Slurm's topology.yaml": (
        "---\n- topology: topo1\n  cluster_default: true\n  tree:\n    switches:\n      - switch: sw_root\n"
        "        children: s[1-2]\n"
        "      - switch: s1\n        nodes: node[01-02]\n",
        "Slurm",
    ),
    "Kueue": (
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata:\n  name: t\nspec:\n  levels:\n  - nodeLabel: rack\n",
        "Kubernetes",
    ),
    "Volcano": (
        "apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nspec:\n  tier: 1\n  members: []\n",
        "Kubernetes",
    ),
    "Flux": (
        '{"graph": {"nodes": [{"id": "0", "metadata": {"type": "cluster", "paths": {"containment": "/a"}}}], "edges": []}}',
        "Flux",
    ),
    "PBS": (
        'create resource switch type=string_array, flag=h\nset node n1 resources_available.switch="l1,s1"\n',
        "PBS",
    ),
    "Topograph": (
        "switches:\n  core:\n    switches: [leaf1, leaf2]\nblocks:\n- switch: leaf1\n  nodes: [n1]\n",
        "Topograph",
    ),
    "ASTRA-sim's network": (
        "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 25.0 ]\nlatency: [ 500.0, 500.0 ]\n",
        "ASTRA-sim",
    ),
    "ASTRA-sim's dimensions": ('{"logical-dims": ["8", "2"]}', "ASTRA-sim"),
    "Chakra as JSON": (
        '{"schema": "1.1.1-chakra.0.0.4", "nodes": [{"id": 1, "name": "a", "ctrl_deps": 0, "inputs": {"values": []}}]}',
        "Chakra",
    ),
    "Chakra": (b"\x07\n\x050.0.4\x0b\x08\x01\x12\x03fwd\x18\x04\x388", "Chakra"),
    "GML": ("graph [\n  node [ id 0 ]\n  node [ id 1 ]\n  edge [ source 0 target 1 ]\n]\n", "GML"),
    "Pajek": ('*Vertices 2\n1 "a"\n2 "b"\n*Edges\n1 2\n', "Pajek"),
    "DIMACS": ("c a graph\np edge 3 2\ne 1 2\ne 2 3\n", "DIMACS"),
    "LEDA": ("LEDA.GRAPH\nvoid\nvoid\n-2\n2\n|{}|\n|{}|\n1\n1 2 0 |{}|\n", "LEDA"),
    "GEXF": ('<?xml version="1.0"?><gexf version="1.3"><graph><nodes/></graph></gexf>', "GEXF"),
    "ibstat": ("CA 'mlx5_0'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: Active\n", "ibstat"),
    "UFM's systems": (
        '[{"system_name": "s1", "guid": "0x1", "system_guid": "0x1", "type": "switch", "role": "tor", "ports": ["0x1_1"]}]',
        "UFM",
    ),
    "lspci": (
        "07:00.0 Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]\n0a:00.0 3D controller: NVIDIA\n",
        "lspci",
    ),
    "ip link": (
        "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN\n    link/loopback 00:00:00:00:00:00\n"
        "2: eth0: <BROADCAST,UP> mtu 1500 qdisc fq state UP\n    link/ether 02:00:00:00:00:01\n",
        "ip link",
    ),
    "ethtool": ("Settings for eth0:\n\tSpeed: 100000Mb/s\n\tDuplex: Full\n\tLink detected: yes\n", "ethtool"),
    "dmidecode": (
        "# dmidecode 3.4\nGetting SMBIOS data from sysfs.\nHandle 0x0001, DMI type 1, 27 bytes\n",
        "dmidecode",
    ),
    "people": ("name,age,town\nAda,36,London\nAlan,41,Wilmslow\n", ""),
    "README": ("# My project\n\nRun `make`, then\n\n* one\n* two\n", ""),
    "picture": (_png(), "picture"),
    "PDF": (b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n", "document"),
    "zip": (_zip(), "zip"),
    "gzip": (gzip.compress(b"hello world\n", mtime=0), "gzip"),
    "pcap": (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1), "capture"),
    "ELF": (b"\x7fELF\x02\x01\x01" + bytes(57), "program"),
    "nothing": ("", "empty"),
    "blanks": (" \n\n\t\n", "empty"),
    "UTF-16": ("0 1\n1 2\n".encode("utf-16"), "UTF-16"),
    "a list": ("[1, 2, 3]\n", ""),
    "a number": ("42\n", ""),
    "a JSON text": ('"hello"\n', ""),
    "an object": ('{"a": {"b": 1}}\n', ""),
    "pyproject": ('[project]\nname = "a"\nversion = "1"\ndependencies = ["numpy"]\n', ""),
    "terraform": ('resource "aws_instance" "a" {\n  ami = "ami-1"\n  count = 2\n}\n', ""),
    "docker-compose": ("services:\n  web:\n    image: nginx\n    networks:\n      - front\nnetworks:\n  front:\n", ""),
    "a pod": ("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: b\n    image: c\n", ""),
    "ansible": ("all:\n  children:\n    leaf:\n      hosts:\n        leaf1:\n          ansible_host: 10.0.0.1\n", ""),
    "an inventory": ("[leaf]\nleaf1 ansible_host=10.0.0.1\nleaf2\n\n[spine]\nspine1\n", ""),
    "a mail": ("From: a@example.org\nTo: b@example.org\nSubject: cables\n\nHello,\nplease look at rack 7.\n", ""),
    "hello": ("hello world\n", ""),
    "SQL": ("CREATE TABLE link (a INT, b INT);\nINSERT INTO link VALUES (0, 1), (1, 2);\n", ""),
    "a log": ("2026-11-26 10:00:00 INFO started\n2026-11-26 10:00:01 WARN port 3 down\n", ""),
    "syslog": ("Nov 26 10:00:00 leaf1 kernel: [ 1.0] eth0: link up\nNov 26 10:00:01 leaf1 lldpd: started\n", ""),
    "BookSim's configuration": ("topology = torus;\nk = 8;\nn = 2;\nrouting_function = dim_order;\n", "BookSim"),
    "htsim's traffic": ("Nodes 4\nConnections 2\n0->1 start 0 size 1000\n2->3 start 0 size 1000\n", "htsim"),
    "OMNeT++": (
        "network Tic {\n    submodules:\n        a: Txc;\n        b: Txc;\n    connections:\n        a.out --> b.in;\n}\n",
        "OMNeT++",
    ),
    "a flowchart": ('digraph flow {\n  start -> check [label="yes"];\n  check -> stop;\n}\n', ""),
    "mermaid": ("flowchart TD\n  A[Start] --> B{Ok?}\n  B -->|yes| C[Stop]\n", "Mermaid"),
    "GOAL": ("num_ranks 2\nrank 0 {\nl1: send 5b to 1\n}\nrank 1 {\nl1: recv 5b from 0\n}\n", "GOAL"),
    "a web page": ("<!DOCTYPE html>\n<html><body>404</body></html>\n", "web page"),
    "SVG": (
        '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="9"><path d="M0 0"/></svg>',
        "picture",
    ),
    "Maven": (
        '<?xml version="1.0"?>\n<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion></project>',
        "",
    ),
    "Python": ("import os\n\n\ndef main():\n    print(os.getcwd())\n", ""),
    "a shell script": ("#!/bin/sh\nset -e\nfor i in 1 2 3; do echo $i; done\n", ""),
    "an rc file": ("[core]\n\teditor = vi\n[user]\n\tname = Ada\n", ""),
    "hosts": ("127.0.0.1 localhost\n10.0.0.1 leaf1\n10.0.0.2 leaf2\n", ""),
    "a notebook": ('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', ""),
    "GeoJSON": ('{"type": "FeatureCollection", "features": []}', ""),
    "measurements": ("load,latency\n0.1,20.5\n0.2,21.0\n", ""),
    "METIS": ("3 2\n2\n1 3\n2\n", ""),
    "an adjacency matrix": ("0 1 0\n1 0 1\n0 1 0\n", ""),
    "edges with weights": ("a b 0.5\nb c 1.5\n", ""),
    "ibnetdiscover's cut": ("# Topology file: generated on Thu Nov 26\n# Initiated from node 0001 port 0002\n", ""),
    "a table of IOS": (
        "Capability codes:\n    (R) Router, (B) Bridge\n\nDevice ID           Local Intf     Hold-time  Capability  Port ID\n"
        "leaf1               Gi0/1          120        B           Gi0/2\n",
        "LLDP",
    ),
    "details of IOS": (
        "------------------------------------------------\nLocal Intf: Gi0/1\nChassis id: 0000.5e00.5301\nPort id: Gi0/2\n",
        "LLDP",
    ),
    "lldpcli's text": (
        "-------------\nLLDP neighbors:\n-------------\nInterface:    swp1, via: LLDP, RID: 1, Time: 0 day, 00:00:10\n"
        "  Chassis:\n    ChassisID:    mac 00:00:5e:00:53:01\n    SysName:      spine1\n  Port:\n    PortID: ifname swp3\n",
        "lldpcli",
    ),
    "lldpcli's pairs": ("lldp.swp1.via=LLDP\nlldp.swp1.chassis.name=spine1\nlldp.swp1.port.ifname=swp3\n", "lldpcli"),
    "Helm": ("suite: service\ntemplates:\n  - service.yaml\ntests:\n  - it: renders\n", ""),
}
