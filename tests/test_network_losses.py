"""What is lost of a network is named as people name it, and what is nothing of it is said."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from topoloom import InputError, diagnose, losses, open_network
from topoloom.cli.main import cli
from topoloom.network.losses import Losses


def run(*arguments):
    done = CliRunner().invoke(cli, list(arguments))
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A network with labels, racks and cable numbers."""
    path = tmp_path_factory.mktemp("losses") / "plan"
    run(
        "layout",
        "slimfly:q=5,hosts=2",
        "--floor",
        "koibuchi-2013",
        "--switches-per-rack",
        "10",
        "--map",
        "rows",
        "-o",
        str(path),
    )
    return path


@pytest.fixture(scope="module")
def discovered(tmp_path_factory):
    """A fabric with names of its own; two switches are called alike."""
    path = tmp_path_factory.mktemp("losses") / "real.net"
    path.write_text(
        """switchguid=0xa1
Switch 4 "S-00000000000000a1" # "leaf-1" base port 0 lid 1 lmc 0
[1] "S-00000000000000a2"[1]
[2] "S-00000000000000a3"[1]
[4] "H-00000000000000b1"[1]
switchguid=0xa2
Switch 4 "S-00000000000000a2" # "spine" base port 0 lid 2 lmc 0
[1] "S-00000000000000a1"[1]
[2] "S-00000000000000a3"[2]
switchguid=0xa3
Switch 4 "S-00000000000000a3" # "spine" base port 0 lid 3 lmc 0
[1] "S-00000000000000a1"[2]
[2] "S-00000000000000a2"[2]
caguid=0xb1
Ca 1 "H-00000000000000b1" # "node0001 mlx5_0"
[1](b2) "S-00000000000000a1"[4]
"""
    )
    return open_network(str(path))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("leaf-1", Losses(switches=[0])),
        ("LEAF-1,0x00000000000000A2", Losses(switches=[0, 1])),
        ("leaf-1-0xa3", Losses(links=[(0, 2)])),
        ("leaf-1:2", Losses(cables=[1])),
        ("0xa2:2", Losses(cables=[2])),
        ("1-2, 0", Losses(links=[(1, 2)], switches=[0])),
        ("spine 0x00000000000000a2", Losses(switches=[1])),
        ("leaf-1 port 2", Losses(cables=[1])),
        ("leaf-1 port 2 - spine 0x00000000000000a3 port 1", Losses(cables=[1])),
    ],
)
def test_parts_of_a_discovered_fabric(discovered, text, expected):
    """Names, GUIDs with and without zeros, ports; capitals do not count."""
    assert losses(discovered, text) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("spine", "2 switches are called 'spine'"),
        ("leaf-2", "did you mean leaf-1"),
        ("node0001 mlx5_0", "is a host"),
        ("leaf-1:4", "no cable to another switch is in port 4"),
        ("leaf-1:9", "no cable to another switch is in port 9"),
        ("cable:7", "cables have no numbers here"),
        ("17", "no switch 17; they are 0 to 2"),
        ("", "neither a cable nor a switch"),
        (",,", "names nothing"),
        ("@/no/such/file", "no such file|cannot be read|No such file"),
    ],
)
def test_what_is_nothing_is_said(discovered, text, why):
    """With what was meant, or how to name it."""
    with pytest.raises(InputError, match=why):
        losses(discovered, text)


@pytest.mark.exhaustive
def test_labels_racks_and_numbers(folder):
    """As they are printed on switches and cables."""
    network = open_network(str(folder))
    first = network.labels[7]
    rack = network.racks[7]
    assert losses(network, first).switches == [7]
    inside = losses(network, rack).switches
    assert inside == [s for s, name in enumerate(network.racks) if name == rack]
    assert len(inside) == 10
    (switch, port), number = next((plug, n) for plug, n in network.cable_numbers.items() if plug[1] > 2)
    by_number, by_label = losses(network, f"cable:{number}"), losses(network, f"{network.labels[switch]}-P{port:02d}")
    assert by_number == by_label
    (row,) = by_number.cables
    assert switch in network.topology.links[row]


def test_lists_in_files(discovered, tmp_path):
    """A line each or several, with words beside them; the line that is wrong is named."""
    path = tmp_path / "lost.txt"
    path.write_text("# found on Monday\nleaf-1:1  # loose\n\n0xa3, 1-2\n")
    assert losses(discovered, f"@{path},0") == Losses(links=[(1, 2)], cables=[0], switches=[2, 0])
    path.write_text("leaf-1\nleaf-9\n")
    with pytest.raises(InputError, match=r"lost\.txt:2: 'leaf-9'"):
        losses(discovered, f"@{path}")


@pytest.mark.exhaustive
def test_route_takes_them(folder, tmp_path):
    """One cable of those named, and no other: the tables that come back have one link less."""
    network = open_network(str(folder))
    number = next(n for plug, n in network.cable_numbers.items() if plug[1] > 2)
    run("reroute", str(folder), f"cable:{number}", "-o", str(tmp_path / "left"))
    left = open_network(str(tmp_path / "left"))
    assert len(left.topology.links) == len(network.topology.links) - 1
    gone = losses(network, f"cable:{number}").cables
    kept = np.delete(network.topology.links, gone, axis=0)
    assert (left.topology.links == kept).all()


def test_every_cable_and_switch_that_verify_prints_is_a_name(folder, tmp_path):
    """The text of a finding names what it is about: with racks, numbers of cables and models."""
    network = open_network(str(folder))
    missing = network.topology.replace(links=network.topology.links[1:])
    findings = diagnose(network, missing, ports=False, only=["TL101"]).diagnostics
    assert len(findings) == 1
    for diagnostic in findings:
        assert losses(network, diagnostic.text.partition("missing: ")[2].replace("planned ", "")) == Losses(cables=[0])
    text = Path(tmp_path / "real.net")
    text.write_text(
        'Switch 2 "a" # "MF0;leaf1:MQM8700/U1"\n[1] "b"[1]\nSwitch 2 "b" # "MF0;core:MCS8500/L06/U2"\n[1] "a"[1]\n'
    )
    for name, switch in (("MF0;leaf1:MQM8700/U1", 0), ("leaf1", 0), ("core/L6/U2", 1), ("MF0;core:MCS8500/L06/U2", 1)):
        assert losses(open_network(str(text)), name) == Losses(switches=[switch])
    assert losses(open_network(str(text)), "MF0;leaf1:MQM8700/U1 port 1") == Losses(cables=[0])
    with pytest.raises(InputError, match="no cable to another switch is in port 2 of leaf1"):
        losses(open_network(str(text)), "leaf1 port 2")
    with pytest.raises(InputError, match="'leaf9' is neither a cable nor a switch"):
        losses(open_network(str(text)), "leaf9 port 2")


def test_consecutive_switches_are_lost_as_a_range():
    """Both ends included; a range that leaves the network, or runs backwards, is refused."""
    assert losses("petersen", "switch:2..4,switch:9..9").switches == [2, 3, 4, 9]
    for text in ("switch:8..10", "switch:4..2"):
        with pytest.raises(InputError, match="they are 0 to 9, the first before the last"):
            losses("petersen", text)
