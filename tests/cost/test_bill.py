"""Bills: 004's cost and power model, and parts catalogues."""

import numpy as np
import pytest

from topoloom import InputError, build, place, price
from topoloom.cost.parts import load_parts
from topoloom.layout.floor import preset


@pytest.mark.parametrize(
    ("spec", "radix", "usd", "watts"),
    [
        # The consistent recomputation of 004 Table IV: exact counts, fibre between racks, no host cables.
        ("slimfly:q=19,hosts=15", None, 1168.2, 8.213),
        ("dragonfly:h=7", None, 1422.0, 10.8),
        ("dragonfly:h=11", None, 1494.6, 10.945),
        ("dragonfly:a=22,h=2,p=11,g=45", 43, 1354.9, 10.945),
        ("flattened-butterfly:dims=12x12x12,hosts=12", None, 1545.8, 10.5),
        ("flattened-butterfly:dims=10x10x10,hosts=10", None, 1505.6, 10.36),
    ],
)
def test_the_networks_of_table_iv_cost_what_an_exact_count_gives(spec, radix, usd, watts):
    """USD and W a host agree with the independent recomputation."""
    bill = price(place(build(spec)), radix=radix)
    assert bill.cost_per_host_usd == pytest.approx(usd, abs=0.06)
    assert bill.power_per_host_w == pytest.approx(watts, abs=0.0006)


def test_the_hypercube_costs_what_five_fibre_dimensions_cost():
    """32 racks of 256 switches as 8 x 4: 32,768 electric and 20,480 fibre cables, 4,935.1 USD a host."""
    bill = price(place(build("hypercube:n=13,hosts=1"), preset("slimfly-2014", rows=8, columns=4)))
    assert [line.count for line in bill.lines] == [8192, 32768, 20480]
    assert bill.cost_per_host_usd == pytest.approx(4935.11, abs=0.01)


def test_a_bill_adds_up():
    """The sums are those of the lines, and every cable is on one line."""
    layout = place(build("dragonfly:h=3"))
    bill = price(layout, host_cables=True)
    assert bill.cost_usd == pytest.approx(sum(line.cost_usd for line in bill.lines))
    switch, *cables, hosts = bill.lines
    assert switch.count == layout.topology.switches
    assert sum(line.count for line in cables) == len(layout.topology.links)
    assert sum(line.length_m for line in cables) == pytest.approx(layout.length_m.sum())
    assert hosts.count == layout.topology.hosts
    assert bill.power_w == pytest.approx(layout.topology.switches * layout.topology.radix * 2.8)


def test_cables_are_priced_in_proportion_to_the_rate():
    """004's fits are per Gb/s: twice the rate, twice the price of the cables; switches stay."""
    layout = place(build("slimfly:q=5,hosts=4"))
    slow, fast = price(layout, rate_gbps=40), price(layout, rate_gbps=80)
    assert fast.lines[0] == slow.lines[0]
    assert fast.lines[1].cost_usd == pytest.approx(2 * slow.lines[1].cost_usd)


def test_a_radix_below_the_ports_in_use_is_refused():
    """One cannot buy switches with fewer ports than the fabric uses."""
    with pytest.raises(InputError, match=r"a switch of slimfly.* uses 11 ports"):
        price(place(build("slimfly:q=5,hosts=4")), radix=10)


_PARTS = """
name = "mine"
source = "a test"
[switch]
[[switch.product]]
name = "S24"
ports = 24
price_usd = 5000
power_w = 100
[[switch.product]]
name = "S48"
ports = 48
price_usd = 12000
power_w = 180
[[cable]]
medium = "copper"
use = "any"
reach_m = 3
base_usd_per_gbps = 0.5
per_metre_usd_per_gbps = 0.4
[[cable]]
medium = "optical"
use = "any"
reach_m = {reach}
base_usd_per_gbps = 7
per_metre_usd_per_gbps = 0.1
power_w = 1.5
"""


def test_products_and_reach_decide(tmp_path):
    """The smallest switch with enough ports is bought, and the first medium that reaches is used."""
    path = tmp_path / "parts.toml"
    path.write_text(_PARTS.format(reach=100))
    layout = place(build("slimfly:q=5,hosts=4"), "koibuchi-2013")
    bill = price(layout, path)
    assert bill.lines[0].cost_usd == 50 * 5000
    short = int((layout.length_m <= 3).sum())
    assert [line.count for line in bill.lines[1:]] == [short, 175 - short]
    assert bill.lines[2].power_w == pytest.approx(1.5 * (175 - short))


def test_parts_that_do_not_exist_are_named(tmp_path):
    """No switch with so many ports, no medium that reaches so far, no such catalogue: one sentence each."""
    path = tmp_path / "parts.toml"
    path.write_text(_PARTS.format(reach=4))
    layout = place(build("slimfly:q=5,hosts=4"), "koibuchi-2013")
    with pytest.raises(InputError, match="no medium reaches"):
        price(layout, path)
    with pytest.raises(InputError, match="no switch has 60 ports \\(at most 48\\)"):
        load_parts(path).switch_usd(60)
    with pytest.raises(InputError, match="no parts named 'x' \\(known: slimfly-2014"):
        load_parts("x")
    path.write_text("name = 'mine'")
    with pytest.raises(InputError, match=r"parts.toml: the key 'source' is missing"):
        load_parts(path)


def test_small_switches_are_not_given_away():
    """The 2014 fit crosses zero below three ports; nothing smaller than its smallest switch, of 7 ports, is sold."""
    parts = load_parts("slimfly-2014")
    assert parts.switch_usd(2) == parts.switch_usd(7) == pytest.approx(350.4 * 7 - 892.3)
    assert parts.switch_w(2) == parts.switch_w(7) == pytest.approx(19.6)
    assert parts.switch_usd(8) > parts.switch_usd(7)


def test_no_hosts_means_no_cost_a_host():
    """Without hosts the cost a host is infinite, not a division error."""
    bill = price(place(build("petersen")))
    assert bill.cost_per_host_usd == float("inf")
    assert np.isfinite(bill.cost_usd)
