"""Exports of networks with several rates: every link and host port at its own, or one sentence that says why not."""

import json
import re

import numpy as np
import pytest

from topoloom import EXPORTS, InputError, build, open_network, write_export
from topoloom.cli.main import main
from topoloom.fabric.exports._grids import network_grid
from topoloom.fabric.exports.settings import ExportSettings
from topoloom.model.link_rates import drops

#: Two leaves of four 100G hosts and one 400G uplink each.
PAIR = "clos:leaves=2,spines=1,hosts=4+rates:links=400,hosts=100"


def run(arguments):
    """A command that must succeed."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 0


def test_ns3_keeps_rates_and_delays(tmp_path):
    """The issue's example: 100 and 400G and 1000 ns, also after it is read and written again, by both ways of writing."""
    first, again = tmp_path / "first.ns3", tmp_path / "again.ns3"
    run(["convert", PAIR, str(first), "--set", "cable_m=200"])
    lines = first.read_text().splitlines()
    assert lines[2:] == [f"{h} {8 + h // 4} 100Gbps 1000ns 0" for h in range(8)] + [
        f"{leaf} 10 400Gbps 1000ns 0" for leaf in (8, 9)
    ]
    network = open_network(first)
    assert network.topology.link_rate_gbps.tolist() == [400, 400]
    assert set(network.topology.endpoint_rate_gbps.tolist()) == {100}
    assert network.lengths.link_m.tolist() == [200, 200]
    run(["convert", str(first), str(again)])
    assert again.read_text() == first.read_text()
    write_export("ns3", network, tmp_path / "folder")
    assert (tmp_path / "folder" / "network.txt").read_text() == first.read_text()


def test_each_cable_of_ns3_keeps_its_own_delay(tmp_path):
    """Delays follow their cables into the topology's order, in all of ns-3's units; a word that is no time is refused."""
    text = "5 3 4\n0 1 2\n2 1 400Gbps 2us 0\n1 0 100Gbps 25ns 0\n4 2 10Gbps 0.003ms 0\n3 0 10Gbps 7e3ps 0\n"
    (tmp_path / "a.ns3").write_text(text)
    lengths = open_network(tmp_path / "a.ns3").lengths
    assert (lengths.link_m * 5).tolist() == pytest.approx([25, 2000])
    assert (lengths.host_m * 5).tolist() == pytest.approx([7, 3000])
    (tmp_path / "b.ns3").write_text(text.replace("2us", "2xs"))
    with pytest.raises(InputError, match=r"b.ns3:3: .2xs. is not a delay; write 25ns"):
        _ = open_network(tmp_path / "b.ns3").lengths


def test_sonic_gives_every_port_the_speed_of_its_cable(tmp_path):
    """Ports 1 to 4 of a leaf at 100G and port 5 at 400G; the spine's at 400G."""
    write_export("sonic", PAIR, tmp_path)
    ports = {
        folder.name: [port["speed"] for port in json.loads((folder / "config_db.json").read_text())["PORT"].values()]
        for folder in tmp_path.iterdir()
        if folder.is_dir()
    }
    assert sorted(ports.values()) == [["100000"] * 4 + ["400000"]] * 2 + [["400000"] * 2]


def test_sonic_splits_a_cage_into_ports_of_one_rate(tmp_path):
    """Four hosts in one cage of four, the uplink in the next; a cage of two kinds is refused, and so is one rate for all."""
    write_export("sonic:breakout=4", PAIR, tmp_path)
    table = next(
        tables
        for path in tmp_path.glob("*/config_db.json")
        if len((tables := json.loads(path.read_text()))["BREAKOUT_CFG"]) == 2
    )
    assert [cage["brkout_mode"] for cage in table["BREAKOUT_CFG"].values()] == ["4x100G", "4x400G"]
    with pytest.raises(InputError, match=r"cage 1 has ports of 100 and 400 Gb/s; .*breakout=1"):
        write_export("sonic:breakout=8", PAIR, tmp_path)
    with pytest.raises(InputError, match=r"rate_gbps=400: .*links of 100 and 400 Gb/s.*omit it"):
        write_export("sonic:rate_gbps=400", PAIR, tmp_path)


def test_sonic_takes_the_rate_of_the_network(tmp_path):
    """One rate for all: the network's own, else the given one, else 400G."""
    for spec, name, speed in (
        ("petersen:hosts=1+rates:links=100", "sonic", "100000"),
        ("petersen:hosts=1+rates:links=100", "sonic:rate_gbps=200", "200000"),
        ("petersen:hosts=1", "sonic", "400000"),
    ):
        write_export(name, spec, tmp_path)
        tables = json.loads(next(tmp_path.glob("*/config_db.json")).read_text())
        assert {port["speed"] for port in tables["PORT"].values()} == {speed}


def test_codes_has_a_rate_for_each_kind_of_link(tmp_path):
    """Local, global and host bandwidth in GiB/s; a kind with two rates is refused."""
    write_export("codes", "dragonfly:h=2+rates:links=200,between=400,hosts=100", tmp_path)
    text = (tmp_path / "dragonfly-dally.conf").read_text()
    words = [line.split("=") for line in text.splitlines() if "_bandwidth" in line]
    rates = {key.strip(' "'): float(value.strip(' ";')) for key, value in words}
    assert rates == {
        f"{kind}_bandwidth": pytest.approx(gbps * 1e9 / 8 / 2**30, rel=1e-4)
        for kind, gbps in (("local", 200), ("global", 400), ("cn", 100))
    }
    fly = build("dragonfly:h=2")
    uneven = fly.with_rates(np.where(np.arange(len(fly.links)) < 1, 100.0, 200.0), 100)
    with pytest.raises(
        InputError, match=r"links inside groups of .* have 100 and 200 Gb/s; CODES' models have one rate"
    ):
        write_export("codes", uneven, tmp_path)


#: A network of two rates that an export's tool can have, where it is not the pair of leaves.
SPECS = {
    "analytical": "torus:dims=4x4,hosts=4+rates:links=400,hosts=100",
    "anytopo": "complete:n=3,hosts=2+rates:links=400,hosts=100",
    "caminos": "petersen:hosts=1+rates:links=400,hosts=100",
    "codes": "dragonfly:h=2+rates:links=200,hosts=100",
}


@pytest.mark.parametrize("name", sorted(EXPORTS))
def test_no_export_drops_rates_in_silence(name, tmp_path):
    """Of a network of two rates, each export writes both, refuses in one sentence, or reports that it drops them."""
    record, spec = EXPORTS.find(name), SPECS.get(name, PAIR)
    if record.timed and not record.rates:
        assert record.one_rate
        remedy = r"infragraph have a rate per cable, or make all links alike \(topoloom convert IN OUT --drop-rates\)"
        with pytest.raises(InputError, match=rf"^export {name}: .* Gb/s; {re.escape(record.one_rate)}; .*{remedy}$"):
            write_export(name, spec, tmp_path)
        return
    with drops() as dropped:
        write_export(name, spec, tmp_path)
    assert bool(dropped) != record.rates


def test_sst_has_one_rate_for_links_and_a_lower_one_for_hosts(tmp_path):
    """A port and an interface agree on the lower rate: hosts may be slower, but not faster, and links are alike."""
    write_export("anytopo", "complete:n=3,hosts=2+rates:links=400,hosts=100", tmp_path)
    parameters = json.loads((tmp_path / "parameters.json").read_text())
    assert (parameters["link_bw"], parameters["host_link_bw"]) == ("400Gb/s", "100Gb/s")
    square = build("ring:n=4,hosts=1")
    for links, hosts in ((100, 400), ([100, 100, 100, 400], 100)):
        with pytest.raises(
            InputError, match="SST's routers have one rate for all links, and hosts one that is not higher"
        ):
            write_export("anytopo", square.with_rates(links, hosts), tmp_path)


def test_the_analytical_network_has_a_rate_per_dimension(tmp_path):
    """Four hosts of 100G share a switch's link of 400G of each dimension; what the file cannot say is refused."""
    write_export("analytical", "torus:dims=4x3,hosts=4+rates:links=400,hosts=100", tmp_path)
    assert "bandwidth: [ 12.5, 12.5, 12.5 ]" in (tmp_path / "network.yml").read_text()
    torus = build("torus:dims=4x3,hosts=4")
    grid = network_grid(torus)
    write_export("analytical", torus.with_rates(np.where(grid.dimension == 0, 400, 200), 400), tmp_path)
    assert "bandwidth: [ 50, 12.5, 6.25 ]" in (tmp_path / "network.yml").read_text()
    for rates, reason in (
        ((np.where(np.arange(len(torus.links)) == 0, 100, 400), 100), "links of dimension . have 100 and 400 Gb/s"),
        ((400, np.where(np.arange(48) == 0, 100, 400)), "hosts have 100 and 400 Gb/s"),
        ((800, 100), "a host of 100 Gb/s has 200 Gb/s of the links of dimension 0"),
    ):
        with pytest.raises(InputError, match=reason + ".*ns3, simai and infragraph have a rate per cable"):
            write_export("analytical", torus.with_rates(*rates), tmp_path)


def test_equal_rates_are_written_as_before(tmp_path):
    """A network whose rates are all 800 has the files of the plain one with rate_gbps=800."""
    for name in ("ns3", "infragraph", "htsim"):
        write_export(name, "fat-tree:k=4+rates:links=800", tmp_path / f"{name}-rated")
        write_export(name, "fat-tree:k=4", tmp_path / name, settings=ExportSettings(rate_gbps=800))
        for path in (tmp_path / name).iterdir():
            rated = (tmp_path / f"{name}-rated" / path.name).read_text()
            assert re.sub(r"[+-]rates.links.800", "", rated) == path.read_text(), path
