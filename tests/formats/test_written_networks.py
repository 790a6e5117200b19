"""Everything that is written is read: each writer of files and each export, opened again, gives the network back.

The tables name every registered format that is written, and every export; a new one has to enter one of them.
"""

import logging
import re
from pathlib import Path

import numpy as np
import pytest

from topoloom import InputError, compare_fabrics, open_network
from topoloom.fabric.exports.registry import EXPORTS, ExportRequest, write_export
from topoloom.fabric.identify import identify
from topoloom.fabric.port_names import named_plugs
from topoloom.formats import FORMATS, encode
from topoloom.formats._registry import PORTS
from topoloom.model.link_rates import RATE

PLANS = Path(__file__).parent / "fixtures" / "plans"
DISCOVERED = """
Switch 41 "S-000000000000000a" # "leaf1" base port 0 lid 1 lmc 0
[17] "H-0000000000000001"[1](1) # "node1 mlx5_0" lid 4 4xHDR
[3] "S-000000000000000c"[1] # "spine1" lid 3 4xHDR

Switch 41 "S-000000000000000b" # "leaf2" base port 0 lid 2 lmc 0
[18] "H-0000000000000002"[1](2) # "node2 mlx5_0" lid 5 4xEDR
[5] "S-000000000000000c"[2] # "spine1" lid 3 4xHDR

Switch 41 "S-000000000000000c" # "spine1" base port 0 lid 3 lmc 0
[1] "S-000000000000000a"[3] # "leaf1" lid 1 4xHDR
[2] "S-000000000000000b"[5] # "leaf2" lid 2 4xHDR

Ca 1 "H-0000000000000001" # "node1 mlx5_0"
[1](1) "S-000000000000000a"[17] # lid 4 lmc 0 "leaf1" lid 1 4xHDR

Ca 1 "H-0000000000000002" # "node2 mlx5_0"
[1](2) "S-000000000000000b"[18] # lid 5 lmc 0 "leaf2" lid 2 4xEDR
"""
#: A network with names of ports, one with hosts of several rates, one of InfiniBand.
NETWORKS = ("ports", "rates", "infiniband")
#: Formats that are written for special networks only: a spec of one.
SPECIAL = {"grid-edges": "grid:rows=4,columns=4,degree=3,length=3"}
#: For each export that holds a network: a spec for which it can be written, and the file that is opened; empty: the folder.
#: The networks above are written, too, where they can be.
READ = {
    "air": ("fat-tree:k=4", "fabric.air.json"),
    "anytopo": ("torus:dims=4x4,hosts=1", "network.graphml"),
    "booksim": ("torus:dims=4x4,hosts=1", "network.anynet"),
    "caminos": ("torus:dims=4x4,hosts=1", "network.nodos"),
    "containerlab": ("fat-tree:k=4", "fabric.clab.yml"),
    "frr": ("fat-tree:k=4", ""),
    "htsim": ("fat-tree:k=4", "network.topo"),
    "ibutils": ("fat-tree:k=4", "fabric.topo"),
    "infragraph": ("fat-tree:k=4", "infragraph.yaml"),
    "ns3": ("fat-tree:k=4", "network.txt"),
    "opensm": ("fat-tree:k=4", ""),
    "sonic": ("fat-tree:k=4", ""),
    "ufm": ("fat-tree:k=4", "fabric.topo"),
}
#: What these files do not hold of a network: hosts (caminos has them in its configuration).
WITHOUT_HOSTS = {"caminos", "edges", "grid-edges"}
#: Exports that hold no network that could be opened: a spec, a file, and what its refusal calls it.
NO_NETWORKS = {
    "analytical": ("torus:dims=4x4,hosts=1", "network.yml", "ASTRA-sim's network by dimensions, without cables"),
    "codes": ("dragonfly:a=4,h=1,p=1", "dragonfly-dally.conf", "a configuration of CODES"),
    "flux": ("fat-tree:k=4", "graph.json", "a graph of resources (JGF)"),
    "garnet": ("torus:dims=4x4,hosts=1", "TopoloomNetwork.py", "a topology class of gem5's Garnet"),
    "guid2lid": ("fat-tree:k=4", "guid2lid", "OpenSM's file of LIDs (guid2lid)"),
    "kueue": ("fat-tree:k=4", "topology.yaml", "a topology for a scheduler of Kubernetes"),
    "simai": ("fat-tree:k=4", "network.txt", "SimAI's network, with NVSwitches inside servers"),
    "slurm": ("fat-tree:k=4", "topology.conf", "Slurm's topology.conf"),
    "srv6": ("fat-tree:k=4", "switches/S0.sh", "a shell script"),
    "supersim": ("hyperx:dims=3x3,hosts=2", "network.json", "a configuration of SuperSim"),
    "topograph": ("fat-tree:k=4", "model.yaml", "a model of NVIDIA Topograph"),
    "volcano": ("fat-tree:k=4", "hypernodes.yaml", "a topology for a scheduler of Kubernetes"),
}
#: Exports that name ports by rules of their own: SONiC by lanes.
OWN_PORTS = {"sonic"}
#: Exports of Ethernet, which keep names of ports.
NAMED_PORTS = {"air", "containerlab", "frr"}


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """The three networks by name."""
    folder = tmp_path_factory.mktemp("networks")
    (folder / "found.net").write_text(DISCOVERED.lstrip())
    topology = open_network("fat-tree:k=4").topology
    rates = np.where(np.arange(topology.endpoints.size) % 2, 100.0, 200.0)
    mixed = topology.with_rates(400.0).replace(endpoint_rate_gbps=rates)
    (folder / "rates.json").write_bytes(encode(mixed, FORMATS.find("topoloom")))
    return {
        "ports": open_network(PLANS / "cvt-ptm.dot"),
        "rates": open_network(folder / "rates.json"),
        "infiniband": open_network(folder / "found.net"),
    }


def cables(fabric):
    """Every cable as a sorted pair of texts ``device:port``."""
    return sorted(tuple(sorted(f"{plain(device)}:{port}" for device, port in ends)) for ends in named_plugs(fabric))


def plain(name):
    """A name without the spaces that some tools do not take, and have another character for."""
    return re.sub("[ -]", "_", name)


def compared(plan, back):
    """The comparison of two networks."""
    return compare_fabrics(plan.fabric, back.fabric, identify(plan.fabric, back.fabric))


def names(fabric):
    """The names of all devices."""
    return sorted(map(plain, fabric.switch_names)), sorted(map(plain, fabric.host_names))


def size(network, hosts=True):
    """The numbers of switches and links, and of hosts and their cables."""
    topology = network.topology
    return topology.switches, len(topology.links), *((topology.hosts, topology.endpoints.size) if hosts else ())


def test_every_writer_is_in_a_table():
    """A format or an export that is new has to say how it is read back, or why not."""
    assert set(READ) | set(NO_NETWORKS) == set(EXPORTS)
    assert not set(READ) & set(NO_NETWORKS)
    assert set(SPECIAL) <= {name for name, record in FORMATS.items() if record.write}
    assert not [name for name, record in FORMATS.items() if record.write and not record.read]


@pytest.mark.parametrize("key", NETWORKS)
@pytest.mark.parametrize("name", [name for name, record in FORMATS.items() if record.write])
def test_formats(name, key, networks, tmp_path):
    """The same network; the same names, ports and rates where the format holds them. The content alone tells the format, or
    the suffix."""
    plan, record = networks[key] if name not in SPECIAL else open_network(SPECIAL[name]), FORMATS.find(name)
    path = tmp_path / f"x{record.suffixes[0]}"
    path.write_bytes(encode(plan.topology, record, ExportRequest(plan.fabric)))
    back = open_network(path)
    assert size(back, "endpoints" in record.keeps) == size(plan, "endpoints" in record.keeps)
    if PORTS in record.holds:
        assert cables(back.fabric) == cables(plan.fabric)
    if "names" in record.holds:
        comparison = compared(plan, back)
        assert (comparison.same, comparison.ports) == (True, "exact")
        assert names(back.fabric) == names(plan.fabric)
    if RATE in record.keeps and "endpoints" in record.keeps and plan.topology.rated:
        rates = (sorted(each.topology.rates_gbps.tolist()) for each in (plan, back))
        assert next(rates) == next(rates)


#: Exports that some of the networks here cannot be written to, and a part of the reason.
REFUSED = {
    "anytopo": (("rates", "infiniband"), "one rate"),
    "booksim": (("rates", "infiniband"), "has links of"),
    "caminos": (("ports", "rates", "infiniband"), "the same number at every router"),
    "htsim": (("ports", "rates", "infiniband"), "one rate"),
}


@pytest.mark.parametrize("key", ["spec", *NETWORKS])
@pytest.mark.parametrize("name", READ)
def test_exports_that_hold_a_network(name, key, networks, tmp_path, caplog):
    """The same network as far as the tool's files hold it; names and ports where they have them."""
    spec, file = READ[name]
    plan = open_network(spec) if key == "spec" else networks[key]
    if key in REFUSED.get(name, ((), ""))[0]:
        with pytest.raises(InputError, match=REFUSED[name][1]):
            write_export(name, plan, tmp_path / "out")
        return
    write_export(name, plan, tmp_path / "out")
    caplog.set_level(logging.ERROR)
    back = open_network(tmp_path / "out" / file)
    assert size(back, name not in WITHOUT_HOSTS) == size(plan, name not in WITHOUT_HOSTS)
    if key == "spec" and name not in WITHOUT_HOSTS | OWN_PORTS:
        comparison = compared(plan, back)
        assert (comparison.same, comparison.ports) == (True, "exact")
    if name in NAMED_PORTS:
        assert cables(back.fabric) == cables(plan.fabric)


@pytest.mark.parametrize("name", NO_NETWORKS)
def test_exports_that_hold_no_network(name, tmp_path):
    """The refusal says what the file is."""
    spec, file, what = NO_NETWORKS[name]
    write_export(name, open_network(spec), tmp_path / "out")
    with pytest.raises(InputError) as error:
        open_network(tmp_path / "out" / file)
    assert what in str(error.value)
