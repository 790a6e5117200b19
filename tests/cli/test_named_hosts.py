"""Hosts in racks under their names wherever a fabric is spoken of; machines in `convert`; rates that products carry."""

import numpy as np
import pytest

from topoloom import InputError, open_network
from topoloom.cabling.product_rates import product_rates
from topoloom.cli.main import main
from topoloom.formats.ibnetdiscover import load_fabric
from topoloom.placement.hosts.files import read_host_names

SERVERS = '[host]\nname = "DGX H100"\n[rack]\nu = 48\npower_w = 44_000\nleaf = "mor"\n'
SPEC = "fat-tree:hosts=64,k=16+rails:nics=8"


@pytest.fixture(scope="module")
def pod(tmp_path_factory):
    """A folder with eight servers in racks: `pod`."""
    folder = tmp_path_factory.mktemp("named")
    (folder / "servers.toml").write_text(SERVERS)
    words = ["--floor", "koibuchi-2013", "--parts", "infiniband-2026", "--rate", "400", "--map", "rows"]
    call("layout", SPEC, *words, "--server", folder / "servers.toml", "-o", folder / "pod")
    return folder


def call(*words):
    """Run the command line; the exit code."""
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    return left.value.code or 0


@pytest.mark.exhaustive
def test_every_way_out_of_a_folder_has_the_names(pod, capsys):
    """Comparisons, tables, plans for other tools, and a folder of tables made of it."""
    fabric = open_network(pod / "pod").fabric
    assert fabric.host_names == tuple(f"node000{number}" for number in range(1, 9))
    assert call("export", pod / "pod", "opensm", "-o", pod / "out") == 0
    assert load_fabric(pod / "out" / "fabric.net").host_names == fabric.host_names
    assert "'node0001'" in (pod / "out" / "fabric.lft").read_text()
    assert call("convert", pod / "pod", pod / "ufm", "--format", "ufm") == 0
    assert "GCA8 node0008" in (pod / "ufm" / "fabric.topo").read_text()
    assert call("route", pod / "pod", "-o", pod / "routed") == 0
    assert open_network(pod / "routed").fabric.host_names == fabric.host_names
    capsys.readouterr()
    # The cable of port 3 of the third server is gone.
    text = (pod / "out" / "fabric.net").read_text()
    guid = int(fabric.host_guids[2])
    gone = [x for x in text.split("\n") if f'"H-{guid:016x}"[3]' not in x and not x.startswith(f"[3]({guid + 3:x})")]
    (pod / "lost.net").write_text("\n".join(gone))
    assert call("verify", pod / "pod", pod / "lost.net") == 3
    out = capsys.readouterr().out
    assert "missing: planned" in out or "missing: cable" in out
    assert "node0003 port 3" in out
    assert "H2" not in out


@pytest.mark.exhaustive
def test_real_names_may_stand_in_the_list(pod):
    """hosts.csv may call hosts otherwise; two of one name are refused with the line."""
    path = pod / "pod" / "hosts.csv"
    kept = path.read_text()
    other = pod / "other.csv"
    other.write_text(kept.replace("node0001", "gpu-a").replace("node0002", ""))
    assert read_host_names(other, 8)[:3] == ("gpu-a", "H1", "node0003")
    other.write_text(kept.replace("node0001", "node0002"))
    with pytest.raises(InputError, match=r"other.csv:3: host 1 has the name 'node0002' of the host in line 2"):
        read_host_names(other, 8)
    other.write_text("host,rack\n0,A01\n")
    with pytest.raises(InputError, match="the column name is missing"):
        read_host_names(other, 8)


def test_a_folder_plans_the_rates_of_its_products(pod):
    """A product that carries one rate says it; an unknown one does not."""
    rates = product_rates(["MPO-12 OM4", "unknown", ""])
    assert rates.tolist() == [400.0, 0.0, 0.0]
    network = open_network(pod / "pod")
    assert np.array_equal(network.fabric.link_rate_gbps, product_rates(network.cables.product))
    assert network.fabric.link_rate_gbps.max() == 400


def test_convert_joins_machines(tmp_path, capsys):
    """--join-machines: one host of the adapters of each machine, with names and GUIDs in a .net file."""
    text = 'Switch 4 "S-000000000000000a" # "leaf"\n[1] "H-00000000000000c0"[1](c0)\n[2] "H-00000000000000c1"[1](c1)\n'
    for place in range(2):
        guid = f"{0xC0 + place:016x}"
        text += f'Ca 1 "H-{guid}" # "node7 mlx5_{place}"\n[1](c{place}) "S-000000000000000a"[{place + 1}]\n'
    (tmp_path / "found.net").write_text(text)
    assert call("convert", tmp_path / "found.net", tmp_path / "machines.net", "--join-machines") == 0
    found = load_fabric(tmp_path / "machines.net")
    assert (found.host_names, found.port_guids.tolist()) == (("node7",), [0xC0, 0xC1])
    assert found.switch_names == ("leaf",)
    assert call("convert", tmp_path / "found.net", tmp_path / "out", "--format", "slurm", "--join-machines") == 0
    assert "Nodes=node7" in (tmp_path / "out" / "topology.conf").read_text()
    assert call("convert", tmp_path / "found.net", tmp_path / "plain.json", "--join-machines") == 0
    assert open_network(tmp_path / "plain.json").topology.hosts == 1
    assert "1 hosts" in capsys.readouterr().err
