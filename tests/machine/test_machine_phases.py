"""Phases of a machine: nothing moves, every phase has what its hosts need, and all phases together buy the machine."""

import csv
from collections import Counter
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from machine_cases import EXAMPLES, SMALL, built

from topoloom.cli.main import main
from topoloom.core.errors import InputError
from topoloom.graph.connectivity import components
from topoloom.machine.bill import price_machine
from topoloom.machine.designing import design_machine
from topoloom.machine.facility import machine_facility
from topoloom.machine.folder import save_machine
from topoloom.machine.lists import devices_csv, machine_cables_csv
from topoloom.machine.opening import open_machine
from topoloom.machine.overview import overview
from topoloom.machine.phases import machine_phases
from topoloom.machine.reading import machine_of

PHASES = """
[spares]
switches = 3
cables = 2
[[phase]]
name = "one"
hosts = { node = 10, storage = 2 }
[[phase]]
name = "two"
hosts = { node = 20, storage = 6 }
[[phase]]
name = "three"
hosts = { node = 30 }
"""
QUOTES = EXAMPLES.parent / "quotes" / "made-up-2026.toml"
PRICED = SMALL.replace('parts = "ethernet-2026"', f'parts = "ethernet-2026"\nprices = "{QUOTES}"')


@pytest.fixture(scope="module")
def grown():
    """The small machine in three phases."""
    return built(machine_of(PRICED + PHASES, "small.toml"))


def _rows(text):
    return [tuple(sorted(row.items())) for row in csv.DictReader(text.splitlines())]


def test_every_device_and_cable_of_a_phase_is_where_it_stays(grown):
    """Rack, unit and ports; each phase has what the one before had."""
    before = set(), set()
    for part in machine_phases(grown):
        devices, cables = set(_rows(devices_csv(part))), set(_rows(machine_cables_csv(part)))
        assert before[0] <= devices
        assert before[1] <= cables
        before = devices, cables
    assert before == (set(_rows(devices_csv(grown))), set(_rows(machine_cables_csv(grown))))


def test_every_phase_has_what_its_hosts_need(grown):
    """All ports of the hosts that are there; networks that are connected; no rack above its limit."""
    parts = machine_phases(grown)
    assert [overview(part).kinds[0].hosts for part in parts] == [10, 20, 30]
    assert [overview(part).kinds[1].hosts for part in parts] == [2, 6, 6]
    for part in parts:
        for kind in overview(part).kinds:
            whole = next(each for each in overview(grown).kinds if each.name == kind.name)
            assert kind.ports == whole.ports
        for name in ("fabric", "storage", "service"):
            topology = part.networks[name].topology
            assert np.unique(components(topology)).size == 1
        room = machine_facility(part)
        assert room.total.hosts_w == sum(kind.hosts * kind.power_w for kind in overview(part).kinds)
    watts = [machine_facility(part).total.max_w for part in parts]
    assert watts == sorted(watts)


def test_all_phases_together_buy_the_machine(grown):
    """Item by item, spares included, and in money."""
    plain = replace(grown, requirement=msgspec.structs.replace(grown.requirement, phase=()))
    phased, whole = price_machine(grown, orders=True), price_machine(plain, orders=True)
    ordered = Counter(), Counter()
    for counter, bill in zip(ordered, (phased, whole), strict=True):
        for each in bill.purchases():
            for item in each.items:
                key = each.provenance.name, item.kind, item.product, item.length_m
                counter[key] += item.count
                counter[(*key, "spares")] += item.spares
    assert ordered[0] == ordered[1]
    assert {item.phase for each in phased.purchases() for item in each.items} == {"one", "two", "three"}
    assert sum(phase.cost_low_usd for phase in phased.phases) == pytest.approx(whole.cost_low_usd, rel=1e-9)
    assert sum(phase.cables for phase in phased.phases) == whole.cables
    assert sum(phase.switches for phase in phased.phases) == whole.switches
    assert sum(phase.racks for phase in phased.phases) == whole.racks
    assert (phased.cost_usd, phased.power_w) == (whole.cost_usd, whole.power_w)


def test_a_phase_is_a_folder_of_its_own(grown, tmp_path, capsys):
    """It has the bill of what is there; the command prints what each phase buys."""
    save_machine(grown, tmp_path / "machine")
    for phase, part in zip(("one", "two"), machine_phases(grown), strict=False):
        again = open_machine(tmp_path / "machine" / "phases" / phase)
        assert price_machine(again).record() == price_machine(part).record()
        assert devices_csv(again) == devices_csv(part)
    with pytest.raises(SystemExit, match="0"):
        main(["cost", str(tmp_path / "machine")])
    assert "one    10 node, 2 storage, 2 login, 2 head, 1 gateway" in capsys.readouterr().out


def test_switches_of_a_network_that_would_fall_apart_come_at_once():
    """A ring without some of its switches has two ends; here two of its switches would be apart."""
    ring = PRICED.replace("clos:leaves=8,spines=4,hosts=8", "ring:n=8,hosts=9")
    machine = built(machine_of(ring + PHASES.replace("node = 10", "node = 1"), "small.toml"))
    for part in machine_phases(machine):
        topology = part.networks["fabric"].topology
        assert np.unique(components(topology)).size == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("node = 10, ", "nodes = 10, ", r"phase 'one': no kind of hosts has the name 'nodes' \(there are node,"),
        ("node = 20", "node = 9", "phase 'two': 9 hosts 'node' are fewer than before, or more than its count of 30"),
        ("node = 30", "node = 31", "31 hosts 'node' are fewer than before, or more"),
        ("node = 30", "node = 29", "the last phase has 29 of 30 hosts 'node'; give all of them"),
        ('name = "two"', 'name = "one"', "phase 'one': give each phase a name of its own"),
        ("storage = 2 }", "storage = 2, head = 1 }", "phase 'one': 1 hosts 'head' are no whole number of pairs"),
        ('switch = { product = "SN4600C" }', "switch = { radix = 64 }", "network 'service': phases need its switch"),
    ],
)
def test_phases_that_do_not_grow_are_refused_with_their_line(old, new, message):
    text = PRICED + PHASES
    assert old in text
    with pytest.raises(InputError, match=r"^small.toml:\d+: .*" + message):
        machine_of(text.replace(old, new, 1), "small.toml")


def test_a_design_has_the_purchase_of_each_phase():
    """That of the best machine."""
    text = PRICED + PHASES
    result = design_machine(machine_of("shortlist = 0\n" + text, "small.toml"), jobs=1)
    assert [phase.name for phase in result.bill.phases] == ["one", "two", "three"]
    assert result.machine.requirement.phase
    assert result.bill.record() == price_machine(result.machine, orders=True).record()
