"""Designs of machines: networks are joined without the product of their choices, under common limits."""

import itertools
import math

import numpy as np
import pytest

from topoloom.designer.pareto import undominated
from topoloom.machine.choices import NetworkChoice
from topoloom.machine.designing import design_machine, joined_choices
from topoloom.machine.reading import machine_of

FILE = """
title = "two networks"
parts = "slimfly-2014"
shortlist = 2
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


def test_a_machine_is_designed():
    """Both networks have all ports, and the ranked machines are in the order of cost."""
    result = design_machine(machine_of(FILE, "two.toml"), jobs=1)
    assert result.ranked
    assert not result.reason
    costs = [machine.cost_usd for machine in result.ranked]
    assert costs == sorted(costs)
    assert result.machine.networks["fabric"].topology.endpoints.size == 40
    assert result.machine.networks["storage"].topology.endpoints.size == 2 * 48
    assert result.bill.cost_usd == costs[0]
    assert result.from_record(result.record()).record() == result.record()


@pytest.mark.parametrize(
    ("limit", "network"),
    [("cost_usd = 1000", "storage"), ("switches = 2", "storage"), ("network_power_w = 5", "storage")],
)
def test_the_limit_that_fails_first_is_named_with_its_network(limit, network):
    result = design_machine(machine_of(f"{FILE}[limits]\n{limit}\n", "two.toml"), jobs=1)
    assert not result.ranked
    assert result.reason.startswith(f"limits.{limit.split()[0]} = ")
    assert f"'{network}'" in result.reason


def test_a_limit_of_the_racks_is_tested_on_the_placed_machine():
    result = design_machine(machine_of(f"{FILE}[limits]\nracks = 1\n", "two.toml"), jobs=1)
    assert not result.ranked
    assert "limits.racks = 1: the machine has" in result.reason
    assert math.isfinite(result.dropped[0].cost_usd)
