"""Bills: Besta 2014's cost and power model, Koibuchi 2013's ranges, Nakano 2016's watts, Truong 2016's spare ports."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from topoloom import InputError, build, place, price
from topoloom.cost.parts_files import load_parts
from topoloom.placement.floors.floor import preset

#: Row by row, as the papers lay out: what is priced here does not depend on how well places are chosen.
rows = partial(place, map="rows")


@pytest.mark.parametrize(
    ("spec", "radix", "usd", "watts"),
    [
        # The consistent recomputation of Besta 2014 Table IV: exact counts, fibre between racks, no host cables.
        ("slimfly:q=19,hosts=15", None, 1168.2, 8.213),
        ("dragonfly:h=7", None, 1422.0, 10.8),
        ("dragonfly:h=11", None, 1494.6, 10.945),
        ("dragonfly:a=22,h=2,p=11,g=45", 43, 1354.9, 10.945),
        ("flattened-butterfly:dims=12x12x12,hosts=12", None, 1545.8, 10.5),
        ("flattened-butterfly:dims=10x10x10,hosts=10", None, 1505.6, 10.36),
    ],
)
def test_the_networks_of_table_iv_cost_what_an_exact_count_gives(spec, radix, usd, watts):
    """USD and W per host agree with the independent recomputation."""
    bill = price(rows(build(spec)), radix=radix)
    assert bill.cost_per_host_usd == pytest.approx(usd, abs=0.06)
    assert bill.power_per_host_w == pytest.approx(watts, abs=0.0006)


def test_the_hypercube_costs_what_five_fibre_dimensions_cost():
    """32 racks of 256 switches as 8 x 4: 32,768 electric and 20,480 fibre cables, 4,935.1 USD per host."""
    bill = price(rows(build("hypercube:n=13,hosts=1"), replace(preset("slimfly-2014"), rows=8, columns=4)))
    assert [line.count for line in bill.lines] == [8192, 32768, 20480]
    assert bill.cost_per_host_usd == pytest.approx(4935.11, abs=0.01)


def test_a_bill_adds_up():
    """The sums are those of the lines, and every cable is on one line."""
    layout = rows(build("dragonfly:h=3"))
    bill = price(layout, host_cables=True)
    assert bill.cost_usd == pytest.approx(sum(line.cost_usd for line in bill.lines))
    switch, *cables, hosts = bill.lines
    assert switch.count == layout.topology.switches
    assert sum(line.count for line in cables) == len(layout.topology.links)
    assert sum(line.length_m for line in cables) == pytest.approx(layout.length_m.sum())
    assert hosts.count == layout.topology.hosts
    assert bill.power_w == pytest.approx(layout.topology.switches * layout.topology.radix * 2.8)


def test_cables_are_priced_in_proportion_to_the_rate():
    """Besta 2014's fits are per Gb/s: twice the rate, twice the price of the cables; switches stay."""
    layout = rows(build("slimfly:q=5,hosts=4"))
    slow, fast = price(layout, rate_gbps=40), price(layout, rate_gbps=80)
    assert fast.lines[0] == slow.lines[0]
    assert fast.lines[1].cost_usd == pytest.approx(2 * slow.lines[1].cost_usd)


def test_a_radix_below_the_ports_in_use_is_refused():
    """One cannot buy switches with fewer ports than the fabric uses."""
    with pytest.raises(InputError, match=r"a switch of slimfly.* uses 11 ports"):
        price(rows(build("slimfly:q=5,hosts=4")), radix=10)


def test_spare_ports_are_a_line_of_their_own():
    """25 % more than 11 ports are 14: the dearer switch is shown beside the bill without spare ports."""
    layout = rows(build("slimfly:q=5,hosts=4"))
    plain, spare = price(layout), price(layout, spare_ports=0.25)
    switch, more, *cables = spare.lines
    assert (switch, *cables) == plain.lines
    assert (more.item, more.count) == ("spare ports, 3 per switch", 150)
    assert spare.radix == 14
    assert spare.cost_usd == pytest.approx(price(layout, radix=14).cost_usd)
    assert more.cost_usd == pytest.approx(150 * 350.4)
    assert more.power_w == pytest.approx(150 * 2.8)


@pytest.mark.parametrize(
    ("spec", "share", "ports"),
    [("complete:n=21", 0.1, 22), ("petersen", 1, 6), ("petersen", 0.01, 4), ("petersen", 0, 3)],
)
def test_spare_ports_are_rounded_up(spec, share, ports):
    """ceil(ports (1 + share)), and 20 * 1.1 is 22, whatever floating point says."""
    assert price(rows(build(spec)), spare_ports=share).radix == ports


def test_a_radix_and_spare_ports_are_two_answers_to_one_question():
    """How many ports a switch has is said once; a share below 0 or one that is no number makes no sense."""
    layout = rows(build("petersen"))
    with pytest.raises(InputError, match="give one of them"):
        price(layout, radix=8, spare_ports=0.5)
    for share in (-0.5, float("nan"), float("inf")):
        with pytest.raises(InputError, match="give a share from 0 to a million"):
            price(layout, spare_ports=share)


def test_ranges_are_carried_through():
    """Koibuchi 2013's cables: 50 to 200 USD and 10 to 50 USD to lay, each of them; the middle is the single number."""
    layout = rows(build("hypercube:n=6,hosts=1"), "koibuchi-2013")
    bill = price(layout, "koibuchi-2013", host_cables=True)
    links = 6 * 64 // 2
    assert (bill.cost_low_usd, bill.cost_high_usd) == (60 * (links + 64), 250 * (links + 64))
    assert bill.cost_usd == (bill.cost_low_usd + bill.cost_high_usd) / 2
    assert bill.cost_per_host_usd == bill.cost_usd / 64
    assert [(line.item, line.count) for line in bill.lines[1:]] == [
        ("cable, copper or optical", links),
        ("host cable, copper or optical", 64),
        ("installation", links + 64),
    ]
    assert bill.unpriced == ("switch",)
    assert math.isnan(bill.lines[0].cost_usd)


def test_a_catalogue_without_prices_still_has_watts():
    """Nakano 2016's IS5024: 111.54 W with passive cables only, 200.4 W when all 36 ports are optical; money is NaN, not 0."""
    parts = load_parts("nakano-2016")
    assert parts.switch_w(36) == 111.54
    assert 111.54 + 36 * parts.link_w(np.array([7.5]), True, 40)[0] / 2 == pytest.approx(200.4)
    assert parts.link_w(np.array([7.0]), True, 40)[0] == 0
    layout = rows(build("slimfly:q=5,hosts=4"), "koibuchi-2013")
    bill = price(layout, parts)
    long = int((layout.length_m > 7).sum())
    assert long == 20
    assert bill.power_w == pytest.approx(50 * 111.54 + 2 * long * (200.4 - 111.54) / 36)
    assert math.isnan(bill.cost_usd)
    assert math.isnan(bill.cost_per_host_usd)


def test_the_rate_is_one_that_the_catalogue_is_for():
    """Left out, it is 40 Gb/s or the nearest that the prices hold for: Koibuchi 2013's cables are of 10 Gb/s."""
    layout = rows(build("petersen"))
    assert [price(layout, name).rate_gbps for name in ("slimfly-2014", "koibuchi-2013")] == [40, 10]
    for rate in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="give a rate in Gb/s above 0"):
            price(layout, rate_gbps=rate)


_WATTS = """
name = "watts"
source = "a test"
[[switch.product]]
name = "S8"
ports = 8
price_usd = [100, 300]
power_w = 10
power_w_per_port = 2
[[cable]]
medium = "copper"
use = "any"
base_usd = 5
"""


def test_a_product_draws_watts_for_the_ports_in_use(tmp_path):
    """Petersen has 3 links per switch: 10 + 3 * 2 W, also with 8 ports bought; the spare ones draw nothing."""
    path = tmp_path / "parts.toml"
    path.write_text(_WATTS)
    layout = rows(build("petersen"))
    assert price(layout, path).power_w == price(layout, path, spare_ports=1).power_w == 10 * 16
    more = price(layout, path, spare_ports=1).lines[1]
    assert (more.cost_low_usd, more.cost_high_usd) == (0, 0)
    assert price(layout, path).lines[0].cost_usd == 10 * 200


def test_no_hosts_means_no_cost_a_host():
    """Without hosts the cost per host is infinite, not a division error."""
    bill = price(rows(build("petersen")))
    assert bill.cost_per_host_usd == float("inf")
    assert np.isfinite(bill.cost_usd)
