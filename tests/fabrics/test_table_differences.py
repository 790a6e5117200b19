"""Whether the switches hold the tables that they should: TL407, from a dump or from the running fabric."""

import json
from dataclasses import replace

import numpy as np
import pytest

from topoloom.cli.main import main
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import lft_dump, opensm_texts, real_ports
from topoloom.fabric.lft import read_lft
from topoloom.fabric.table_differences import table_differences
from topoloom.routing.route import route
from topoloom.topologies.spec import build


@pytest.fixture(scope="module")
def routed():
    routing = route(build("torus:dims=3x3,hosts=2"), "orders")
    return routing, planned_fabric(routing.topology)


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run the command line in an empty folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return run


def read(ports, fabric, name="fabric.lft"):
    return read_lft(lft_dump(ports, fabric), name, fabric)


def test_every_changed_entry_is_counted_at_its_switch(routed):
    """Random entries changed or removed; the same tables differ nowhere."""
    routing, fabric = routed
    ports = real_ports(routing, fabric)
    wanted = read(ports, fabric)
    assert table_differences(wanted, wanted, fabric) == ()
    draws = np.random.default_rng(1)
    held = ports.copy()
    for switch, target in draws.integers([ports.shape[0], ports.shape[1]], size=(12, 2)).tolist():
        held[switch, target] = -1 if draws.random() < 0.5 else ports[switch, target] + 1
    differences = table_differences(wanted, read(held, fabric), fabric)
    counts = {f"S{switch}": int(count) for switch, count in enumerate((held != ports).sum(axis=1)) if count}
    assert {difference.switch: difference.entries for difference in differences} == counts


def test_entries_that_the_file_lacks_may_have_any_value(routed):
    """A subnet manager adds entries, as for its own host."""
    routing, fabric = routed
    ports = real_ports(routing, fabric)
    fewer = ports.copy()
    fewer[:, -9:] = -1
    assert table_differences(read(fewer, fabric), read(ports, fabric), fabric) == ()
    assert table_differences(read(ports, fabric), read(fewer, fabric), fabric)[0].port == -1


def test_the_second_path_of_a_pair_counts_too(routed):
    """LMC 1: the second address of a target has another port in the switches."""
    routing, fabric = routed
    wanted = read(real_ports(routing, fabric), fabric)
    second = wanted.ports.copy()
    second[4, 0] += 1
    double = np.full(wanted.ports.shape[1], 2)
    right = replace(wanted, more_ports=(wanted.ports,), path_counts=double)
    wrong = replace(wanted, more_ports=(second,), path_counts=double)
    (difference,) = table_differences(right, wrong, fabric)
    assert (difference.switch, difference.entries, difference.target) == ("S4", 1, "H0")


def test_the_running_fabric_is_asked(tmp_path, monkeypatch, call, routed):
    """`--now` reads what dump_lfts and ibnetdiscover print here; both are stood in for by scripts."""
    routing, fabric = routed
    for name, text in opensm_texts(routing, fabric).items():
        (tmp_path / name).write_text(text)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, file in (("dump_lfts", "held.lft"), ("ibnetdiscover", "fabric.net")):
        (programs / name).write_text(f"#!/bin/sh\ncat {tmp_path / file}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    ports = real_ports(routing, fabric)
    verify = ("verify-tables", "fabric.net", "fabric.lft", "--now", "--only", "TL407", "--json")
    (tmp_path / "held.lft").write_text(lft_dump(ports, fabric))
    assert call(*verify)[0] == 0
    ports[3, 7] += 1
    (tmp_path / "held.lft").write_text(lft_dump(ports, fabric))
    code, out, _ = call(*verify)
    assert (code, [entry["code"] for entry in json.loads(out)["diagnostics"]]) == (3, ["TL407"])
    assert call("verify", "fabric.net", "--now")[0] == 0
    code, _, err = call("verify", "fabric.net", "fabric.net", "--now")
    assert (code, err) == (2, "error: --now and ACTUAL both say what is cabled; give one\n")
    (programs / "ibnetdiscover").write_text("#!/bin/sh\necho 'no port' >&2; exit 1\n")
    code, _, err = call("verify", "fabric.net", "--now")
    assert (code, "(no port); run it on a host of the fabric" in err) == (2, True)
