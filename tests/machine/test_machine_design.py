"""Designs of machines: networks are joined without the product of their choices, under common limits."""

import itertools
import json
import math

import numpy as np
import pytest

from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.pareto import undominated
from topoloom.machine import designing
from topoloom.machine.choices import NetworkChoice
from topoloom.machine.designing import MachineCandidate, design_files, design_machine, joined_choices
from topoloom.machine.folder import save_machine
from topoloom.machine.reading import machine_of
from topoloom.network.opening import open_network

FILE = """
title = "two networks"
parts = "slimfly-2014"
shortlist = 2
minutes = 0.01
repeats = 1
[[host]]
name = "node"
count = 40
u = 1
power_w = 500
ports = { fabric = 1, storage = 2 }
[[host]]
name = "server"
role = "storage"
count = 8
u = 2
power_w = 600
ports = { storage = 2 }
[[network]]
name = "fabric"
rate_gbps = 40
switch = { radix = 12 }
families = { try = ["fat-tree", "clos", "hyperx"] }
[[network]]
name = "storage"
rate_gbps = 40
switch = { radix = 24 }
families = { try = ["fat-tree"] }
[floor]
preset = "koibuchi-2013"
"""


#: Of one family per network, for what does not depend on how many there are.
PLAIN = FILE.replace('"fat-tree", "clos", "hyperx"', '"fat-tree"')


@pytest.fixture(scope="module")
def designed():
    """The design of the file."""
    return design_machine(machine_of(FILE, "two.toml"), jobs=1)


def _choices(seed):
    """Some choices of four networks."""
    random = np.random.default_rng(seed)
    return [
        [
            NetworkChoice(
                f"n{network}", str(number), "", *random.integers(1, 6, 2).astype(float).tolist(), *values, None
            )
            for number, values in enumerate(
                zip(random.integers(1, 6, 5).tolist(), random.random(5).round(1), strict=True)
            )
        ]
        for network in range(4)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_joining_keeps_what_the_whole_product_keeps(seed):
    """The sums that none beats, of all products of the choices."""
    choices = _choices(seed)

    def sums(some):
        return tuple(
            round(sum(getattr(choice, key) for choice in some), 9)
            for key in ("cost_usd", "power_w", "switches", "regret")
        )

    every = np.array(sorted({sums(some) for some in itertools.product(*choices)}))
    best = {tuple(row) for row in every[undominated(every)].tolist()}
    joined = {sums(some) for some in joined_choices(choices)}
    assert joined == best


def test_a_machine_is_designed(designed):
    """Both networks have all ports, and the ranked machines are in the order of cost."""
    result = designed
    assert result.ranked
    assert not result.reason
    costs = [machine.cost_usd for machine in result.ranked]
    assert costs == sorted(costs)
    assert result.machine.networks["fabric"].topology.endpoints.size == 40
    assert result.machine.networks["storage"].topology.endpoints.size == 2 * 48
    assert result.bill.cost_usd == costs[0]
    assert result.from_record(result.record()).record() == result.record()


@pytest.mark.exhaustive
def test_the_networks_of_the_best_are_assessed(designed, tmp_path):
    """Each has a throughput, and its folder the tables that it was measured on."""
    result = designed
    assert list(result.assessments) == ["fabric", "storage"]
    save_machine(result.machine, tmp_path / "machine", design_files(result))
    for name, assessment in result.assessments.items():
        assert assessment.name == name
        assert 0 < assessment.value("worst_throughput") <= assessment.value("uniform_throughput") <= 1
        folder = tmp_path / "machine" / "networks" / name
        assert open_network(folder).tables is not None
        bill = result.bill.bills[result.bill.names.index(name)]
        assert assessment.value("cost_usd") == bill.cost_usd
        assert assessment.hosts == 40  # the storage servers send nothing
        stored = json.loads((folder / "assessment.json").read_bytes())
        assert Assessment.from_record(stored).figures == assessment.figures
    assert not design_machine(
        machine_of(PLAIN.replace("shortlist = 2", "shortlist = 0"), "two.toml"), jobs=1
    ).assessments


MANY_SWITCHES = """
title = "a network of many switches, and their management"
shortlist = 0
[[host]]
name = "node"
count = 24
u = 1
power_w = 500
ports = { fabric = 1, service = 1 }
[[network]]
name = "service"
rate_gbps = 10
switch = { radix = 36 }
families = { try = ["fat-tree"] }
minimize = "switches"
[[network]]
name = "fabric"
rate_gbps = 40
spec = "torus:dims=8x12,hosts=1"
switch = { radix = 16 }
[[network]]
name = "oob"
rate_gbps = 1
switch = { radix = 12 }
serves = "everything"
uplink = "service"
[[rack.device]]
name = "PDU"
count = 2
racks = "all"
u = 0
ports = 1
[floor]
preset = "koibuchi-2013"
"""


def test_a_network_has_places_for_the_uplinks_of_all_switches_that_manage_another():
    """It is chosen after the networks whose switches need management, and with the further devices of racks."""
    design = design_machine(machine_of(MANY_SWITCHES, "many.toml"), jobs=1)
    assert design.ranked
    machine = design.machine
    managing = machine.networks["oob"].topology
    devices = {group.kind: group.total for group in machine.groups["oob"]}
    assert devices["switches of fabric"] == 96
    assert devices["PDU"] == 2 * len(machine.racks)
    assert managing.endpoints.size == sum(devices.values())
    assert machine.networks["service"].topology.endpoints.size == 24 + 2 * managing.switches


@pytest.mark.exhaustive
def test_a_machine_whose_network_fails_a_measured_limit_is_dropped(monkeypatch):
    """The limit is named with its network, and no machine is left where the only one fails."""
    monkeypatch.setattr(
        "topoloom.machine.assessing.failed_by_assessment",
        lambda requirement, _: ("oversubscription", "measured") if requirement.switch.radix == 24 else None,
    )
    result = design_machine(machine_of(PLAIN, "two.toml"), jobs=1)
    assert not result.ranked
    assert result.reason.startswith("network 'storage': its limits.oversubscription: measured")
    assert result.machine is None


@pytest.mark.parametrize("column", ["power_w", "switches"])
def test_the_only_machine_within_a_limit_remains_however_many_are_cheaper(monkeypatch, column):
    """The one that takes least of each sum is among the partial machines, where only few of these are pursued."""
    monkeypatch.setattr(designing, "_MOST_PARTIAL", 4)
    choices = [
        [
            # The cheaper, the more power; and the more switches.
            NetworkChoice(f"n{network}", str(number), "", 10.0 + number, 90.0 - number, 50 - number, 0.0, None)
            for number in range(9)
        ]
        for network in range(3)
    ]
    joined = joined_choices(choices)
    assert len(joined) == 4
    assert [choice.spec for choice in joined[0]] == ["0", "0", "0"]
    least = sum(min(getattr(choice, column) for choice in some) for some in choices)
    assert min(sum(getattr(choice, column) for choice in some) for some in joined) == least


@pytest.mark.parametrize(("limit", "chosen"), [("power_w", "frugal"), ("racks", "few")])
def test_where_the_cheapest_exceeds_a_limit_others_are_tried(monkeypatch, limit, chosen):
    """Of the machines that none beats, the next that is placed takes least of what failed."""
    sums = {"cheap": (1.0, 9.0, 9), "middle": (2.0, 8.0, 8), "frugal": (3.0, 1.0, 5), "few": (4.0, 5.0, 1)}
    choices = [NetworkChoice("n", name, "", cost, watts, many, 0.0, None) for name, (cost, watts, many) in sums.items()]
    monkeypatch.setattr(designing, "choices_of", lambda *_: (choices, ""))
    monkeypatch.setattr(designing, "placed_machine", lambda *_: None)
    monkeypatch.setattr(designing, "price_machine", lambda *_, **__: None)

    def candidate(requirement, some, machine, bill):
        spec, beyond = some[0].spec, {"power_w": some[0].power_w > 4, "racks": some[0].switches > 4}[limit]
        exceeds = f"limits.{limit} = 4: the machine has more" if beyond else ""
        return MachineCandidate({"n": spec}, {}, some[0].cost_usd, some[0].power_w, some[0].switches, 1, 0.0, exceeds)

    monkeypatch.setattr(designing, "_candidate", candidate)
    monkeypatch.setattr(designing, "assessed_networks", lambda machine, *_: (machine, {}))
    text = (
        FILE.partition('[[network]]\nname = "storage"')[0]
        .replace(", storage = 2", "")
        .replace("shortlist = 2", "shortlist = 1")
    )
    text = text.replace("ports = { storage = 2 }", "ports = { fabric = 2 }")
    result = design_machine(machine_of(text, "one.toml"), jobs=1)
    assert [each.specs["n"] for each in result.ranked] == [chosen]
    assert [each.specs["n"] for each in result.dropped] == ["cheap"]


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("limit", "network"),
    [("cost_usd = 1000", "storage"), ("switches = 2", "storage"), ("network_power_w = 5", "storage")],
)
def test_the_limit_that_fails_first_is_named_with_its_network(limit, network):
    result = design_machine(machine_of(f"{PLAIN}[limits]\n{limit}\n", "two.toml"), jobs=1)
    assert not result.ranked
    assert result.reason.startswith(f"limits.{limit.split()[0]} = ")
    assert f"'{network}'" in result.reason


@pytest.mark.exhaustive
def test_a_limit_of_the_racks_is_tested_on_the_placed_machine():
    result = design_machine(machine_of(f"{PLAIN}[limits]\nracks = 1\n", "two.toml"), jobs=1)
    assert not result.ranked
    assert "limits.racks = 1: the machine has" in result.reason
    assert math.isfinite(result.dropped[0].cost_usd)
