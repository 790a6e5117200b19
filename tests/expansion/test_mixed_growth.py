"""Growth of networks whose hosts have another rate than the links between switches: new cables have the rate of their kind."""

import pytest

from topoloom import InputError, build, check_plan, expand, load_expansion, price, save_expansion
from topoloom.cost.parts_files import load_parts

RATES = "+rates:links=400,hosts=100"
#: A network, what it grows to, and the links that must go: as of the same networks without rates.
GROWING = {
    "fat tree": ("fat-tree:k=16,hosts=64", 128, {}),
    "part of a tree": ("fat-tree:k=16,hosts=128+part:hosts=64", 128, {}),
    "rails": ("fat-tree:k=16,hosts=64+rails:nics=4", 32, {}),
    "two planes": ("jellyfish:n=20,degree=4,hosts=2+planes:count=2", 24, {}),
    "a family's method": ("dsn-f:n=24,hosts=1", 32, {}),
    "more channels": ("torus:dims=4x4,hosts=1", 40, {"method": "channels", "radix": 8}),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "part of a tree" else pytest.mark.exhaustive) for name in GROWING]
)
def test_a_plan_is_that_of_the_network_without_rates(name, tmp_path):
    """The same tasks; every step has the rates of both kinds of cable, and the plan is read back with them."""
    spec, to, options = GROWING[name]
    mixed, plain = (expand(build(each), to, host_cables=True, **options) for each in (spec + RATES, spec))
    assert (mixed.removed, mixed.added, mixed.kept) == (plain.removed, plain.added, plain.kept)
    works = [
        [(task.work, task.cable, task.ends) for step in plan.steps for task in step.tasks] for plan in (mixed, plain)
    ]
    assert works[0] == works[1]
    save_expansion(mixed, tmp_path / "plan")
    again = load_expansion(tmp_path / "plan")
    assert check_plan(tmp_path / "plan").exact
    assert again.record() == mixed.record()
    for plan in (mixed, again):
        for topology in [step.topology for step in plan.steps] + [plan.after.layout.topology]:
            assert set(topology.link_rate_gbps) == {400.0}
            assert set(topology.endpoint_rate_gbps) == {100.0}
        assert set(zip(plan.after.rates_gbps.tolist(), plan.after.to_host.tolist(), strict=True)) == {
            (400, False),
            (100, True),
        }


def test_new_cables_cost_what_their_rate_costs():
    """No cable goes: the plan's cables are those of the larger bill less the smaller; 8 new leaves have 16 ports each."""
    plan = expand(build("fat-tree:k=16,hosts=128+part:hosts=64" + RATES), 128, host_cables=True)
    bills = [price(cabling.layout, host_cables=True) for cabling in (plan.before, plan.after)]
    before, after = (sum(line.cost_usd for line in bill.lines if line.kind == "cable") for bill in bills)
    assert plan.cost.cables_usd == pytest.approx(after - before)
    assert plan.cost.switches_usd == pytest.approx(8 * sum(load_parts("slimfly-2014").switch_usd_range(16)) / 2)


def test_growth_into_a_network_takes_the_rates_that_are():
    """A goal without rates gets them; one with others is refused, and so is one with rates where the network has none."""
    stands, goal = "torus:dims=4x4,hosts=1", "torus:dims=4x5,hosts=1"
    plan = expand(build(stands + RATES), into=build(goal))
    assert plan.topology.rates_gbps.tolist() == [100, 400]
    with pytest.raises(
        InputError, match=r"400 Gb/s, and 100 Gb/s of hosts, and .* 400 Gb/s, and 200 Gb/s of hosts; a network"
    ):
        expand(build(stands + RATES), into=build(goal + "+rates:links=400,hosts=200"))
    with pytest.raises(InputError, match=r"has links of 100 and 400 Gb/s, and .* has no rates; give it its own"):
        expand(build(stands), into=build(goal + RATES))


@pytest.mark.parametrize(
    ("rates", "reason"),
    [
        (
            "+rates:levels=100x400",
            "has links between switches of 100 and 400 Gb/s, so the rate of a new cable is not known",
        ),
        (RATES, "400 Gb/s is one rate for all; omit it"),
    ],
)
def test_what_is_not_known_is_refused(rates, reason):
    """Links of several rates: which one a new cable has is not known; one rate for all is not either."""
    options = {"rate_gbps": 400} if rates == RATES else {}
    with pytest.raises(InputError, match=reason):
        expand(build("fat-tree:k=4" + rates), into=build("fat-tree:k=6"), **options)
