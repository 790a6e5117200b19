"""Ports that have a name and an alias (SONiC): one port, where a file says so; nothing is guessed without one."""

import json
import re

import pytest

from in_process import run
from topoloom.fabric.port_aliases import aliases_of
from topoloom.fabric.port_settings import PortSettings
from topoloom.network.opening import open_network

#: Each leaf to each spine; the port of the leaf and of the spine, as places.
CABLES = [
    ("leaf1", 30, "spine1", 0),
    ("leaf1", 31, "spine2", 0),
    ("leaf2", 30, "spine1", 1),
    ("leaf2", 31, "spine2", 1),
]
SWAPPED = [("leaf1", 31, "spine1", 0), ("leaf1", 30, "spine2", 0), *CABLES[2:]]


def name(place):
    """What the switch calls the port."""
    return f"Ethernet{8 * place}"


def alias(place):
    """What it sends, and minigraph.xml has."""
    return f"etp{place + 1}"


def ports():
    """The table PORT."""
    return {name(i): {"alias": alias(i), "lanes": ",".join(map(str, range(8 * i, 8 * i + 8)))} for i in range(32)}


def minigraph(path, cables):
    """A plan by aliases."""
    links = "".join(
        f"<DeviceLinkBase><ElementType>DeviceInterfaceLink</ElementType><StartDevice>{a}</StartDevice><StartPort>{alias(p)}"
        f"</StartPort><EndDevice>{b}</EndDevice><EndPort>{alias(q)}</EndPort></DeviceLinkBase>"
        for a, p, b, q in cables
    )
    names = sorted({device for a, _, b, _ in cables for device in (a, b)})
    devices = "".join(
        f"<Device><ElementType>LeafRouter</ElementType><Hostname>{device}</Hostname></Device>" for device in names
    )
    path.write_text(
        f"<DeviceMiniGraph><PngDec><DeviceInterfaceLinks>{links}</DeviceInterfaceLinks><Devices>{devices}</Devices>"
        "</PngDec><Hostname>leaf1</Hostname></DeviceMiniGraph>"
    )
    return path


def ends(cables):
    """Each device with its ports, and what is at their other ends."""
    both = [*cables, *((b, q, a, p) for a, p, b, q in cables)]
    return {device: [(p, b, q) for a, p, b, q in both if a == device] for device, *_ in both}


def configurations(folder, cables, far=alias, stated=True):
    """config_db.json of every device; the far port by alias or by name."""
    folder.mkdir()
    for device, plugs in ends(cables).items():
        table = {name(p): {"name": b, "port": far(q)} for p, b, q in plugs}
        content = {"DEVICE_METADATA": {"localhost": {"hostname": device}}, "DEVICE_NEIGHBOR": table}
        content |= {"PORT": ports()} if stated else {}
        (folder / f"{device}.config_db.json").write_text(json.dumps(content))
    return folder


def tables(folder, cables, stated=True):
    """What show lldp table prints at every device, which hears aliases; and config_db.json, which tells the names."""
    folder.mkdir()
    heads = ("LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr")
    for device, plugs in ends(cables).items():
        rows = [heads, tuple("-" * 16 for _ in heads), *((name(p), b, alias(q), "BR", "") for p, b, q in plugs)]
        text = "\n".join("  ".join(f"{cell:<16}" for cell in row).rstrip() for row in rows)
        (folder / f"{device}.lldp.txt").write_text(text + "\n")
        if stated:
            content = {"DEVICE_METADATA": {"localhost": {"hostname": device}}, "PORT": ports()}
            (folder / f"{device}.config_db.json").write_text(json.dumps(content))
    return folder


def by_name(folder, cables):
    """config_db.json whose far ports are names."""
    return configurations(folder, cables, name)


FOUND = pytest.mark.parametrize("found", [configurations, by_name, tables])


@FOUND
def test_a_plan_by_aliases_and_ports_by_names_are_equal(tmp_path, found):
    """All cables are right, in their exact ports."""
    done = run("verify", minigraph(tmp_path / "minigraph.xml", CABLES), found(tmp_path / "found", CABLES))
    assert done.code == 0, done.out
    assert "ports                         exact" in done.out
    assert "right cables                  4" in done.out


@FOUND
def test_swapped_cables_are_found_and_named_as_planned(tmp_path, found):
    """The output has the aliases of the plan, each with the name in parentheses."""
    done = run("verify", minigraph(tmp_path / "minigraph.xml", CABLES), found(tmp_path / "found", SWAPPED))
    assert done.code == 3
    assert "etp31" in done.out
    assert "leaf1 port etp31 (Ethernet240) is in spine2 port etp1" in done.out
    assert "Ethernet" not in re.sub(r" \(Ethernet[0-9]+\)", "", done.out)


def test_the_plan_may_tell_the_aliases(tmp_path):
    """A plan with names and aliases, and a discovery by aliases."""
    plan = configurations(tmp_path / "plan", CABLES)
    for cables, code in ((CABLES, 0), (SWAPPED, 3)):
        done = run("verify", plan, minigraph(tmp_path / "minigraph.xml", cables))
        assert done.code == code, done.out
        assert "etp" not in re.sub(r" \(etp[0-9]+\)", "", done.out)


def test_nothing_is_guessed_without_a_file_that_tells_the_alias(tmp_path):
    """Names and aliases are then different ports."""
    found = configurations(tmp_path / "found", CABLES, name, stated=False)
    done = run("verify", minigraph(tmp_path / "minigraph.xml", CABLES), found)
    assert done.code == 3


def test_adopted_folders_keep_aliases(tmp_path):
    """So a plan by aliases fits them, too."""
    open_network(str(configurations(tmp_path / "found", CABLES))).adopt(tmp_path / "network")
    done = run("verify", minigraph(tmp_path / "minigraph.xml", CABLES), tmp_path / "network")
    assert done.code == 0, done.out


def test_an_alias_may_be_the_name_of_another_port():
    """Ethernet4 is the alias of Ethernet12: whether a plan has aliases, all its ports together tell."""
    settings = {f"Ethernet{4 * i}": PortSettings(alias=f"Ethernet{i + 1}") for i in range(4)}
    aliases = aliases_of(settings)
    names = ["Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12"]
    assert aliases.spoken_as(["Ethernet1", "Ethernet2", "Ethernet3", "Ethernet4"], names) == {
        "Ethernet0": "Ethernet1",
        "Ethernet4": "Ethernet2",
        "Ethernet8": "Ethernet3",
        "Ethernet12": "Ethernet4",
    }
    assert aliases.spoken_as(names, names) == {}
