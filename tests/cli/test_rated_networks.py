"""Networks of several rates through the command line with its defaults; throughputs are counted by hand."""

import csv
import json

import pytest

from topoloom import save
from topoloom.cli.main import main
from topoloom.model.topology import Topology


def run(capsys, *arguments):
    """The JSON document of a command."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--json"])
    assert end.value.code == 0
    return json.loads(capsys.readouterr().out)


def leaves(tmp_path, links, host_rates):
    """The file of two switches, with links of these rates between them, and hosts of these rates on each."""
    hosts = len(host_rates)
    topology = Topology(
        links=[(0, 1)] * len(links),
        switches=2,
        endpoints=[0] * hosts + [1] * hosts,
        link_rate_gbps=links,
        endpoint_rate_gbps=[*host_rates, *host_rates],
        name="leaves",
    )
    save(topology, tmp_path / "leaves.json")
    return str(tmp_path / "leaves.json")


@pytest.mark.parametrize(
    ("links", "host_rates", "share"),
    [
        ([400], [100] * 4, 1.0),
        ([100] * 4, [25] * 48, 1 / 3),
        ([100, 100, 100, 50], [50] * 7, 1.0),  # a cable of 50 for one host in seven
        ([400, 400], [200] * 4 + [100] * 8, 0.5),  # splitters in two and in four: 1,600 Gb/s over 800
        ([400, 200, 100], [100] * 14, 0.5),  # three rates
    ],
)
def test_default_tables_pass_what_the_cables_between_leaves_carry(capsys, tmp_path, links, host_rates, share):
    """A permutation between two leaves."""
    network = leaves(tmp_path, links, host_rates)
    found = run(capsys, "quality", network, "--bisections", "10")
    assert found["permutation_throughput"] == pytest.approx(share)
    assert found["uniform_bound"] == pytest.approx(share)


def test_slow_hosts_under_one_fast_link(capsys):
    """Two leaves of four hosts at 100 Gb/s with one link of 400 each to a spine: no taper."""
    spec = "clos:leaves=2,spines=1,hosts=4+rates:links=400,hosts=100"
    found = run(capsys, "quality", spec, "--bisections", "10")
    assert (found["permutation_throughput"], found["worst_throughput"]) == (1, 1)
    verified = run(capsys, "verify", spec)
    assert "TL307" in verified["rules"]
    assert not verified["diagnostics"]


def test_a_cut_adds_the_rates_of_its_cables(capsys, tmp_path):
    """3 x 100 and 50 Gb/s."""
    found = run(capsys, "cuts", leaves(tmp_path, [100, 100, 100, 50], [100] * 4))
    assert (found["links"], found["gbps"]) == (4, 350)


@pytest.mark.exhaustive
def test_rates_per_plane_and_rails(capsys):
    """Each plane, and each rail, has the rates of the spec: hosts of 100 Gb/s under links of 400 are never the bottleneck."""
    tree = "fat-tree:k=8,hosts=32,leaf=4:1"
    for spec in (f"{tree}+planes:count=2+rates:links=400,hosts=100", f"{tree}+rails:nics=2+rates:links=400,hosts=100"):
        assert run(capsys, "quality", spec, "--bisections", "10")["uniform_throughput"] == pytest.approx(1)


def test_simulate_gives_each_host_as_a_share_of_its_rate(capsys, tmp_path):
    """The means of the file of hosts are those of the record; hosts of 400 and of 100 Gb/s have groups of their own."""
    network, file = leaves(tmp_path, [800], [400, 100]), tmp_path / "hosts.csv"
    (point,) = run(capsys, "simulate", network, "--loads", "0.2", "--hosts", str(file))["points"]
    assert [(each["rate_gbps"], each["hosts"]) for each in point["by_rate"]] == [(100, 2), (400, 2)]
    with file.open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert [row["host"] for row in rows] == ["0", "1", "2", "3"]
    fast = [float(row["accepted"]) for row in rows[::2]]
    assert sum(fast) / 2 == pytest.approx(point["by_rate"][1]["accepted"], abs=1e-4)
    assert [float(row["accepted_gbps"]) for row in rows[::2]] == pytest.approx(
        [400 * share for share in fast], rel=1e-4
    )
    alike = leaves(tmp_path, [400], [400, 400])
    assert "by_rate" not in run(capsys, "simulate", alike, "--loads", "0.2")["points"][0]
