"""Cable choice: product, stock length, price and watts of every link; the order list."""

from functools import partial

import numpy as np
import pytest

from topoloom import InputError, build, place, price
from topoloom.cost.choose import choose_cables, endpoint_cables, link_cables, order_list
from topoloom.cost.parts_files import load_parts

#: Row by row, as the papers lay out: what is priced here does not depend on how well places are chosen.
rows = partial(place, map="rows")

_PARTS = """
name = "stock"
source = "a test"
slack_m = 0.5
installation_usd = 20
[switch]
per_port_usd = 100
[[cable]]
name = "DAC"
medium = "passive copper"
use = "any"
rates_gbps = [100, 200]
lengths_m = [1, 2, 3]
prices_usd = [50, [60, 80], 90]
[[cable]]
name = "AOC"
medium = "optical"
use = "any"
lengths_m = [5, 10]
base_usd = 200
per_metre_usd = [4, 6]
power_w_per_end = 2
[[cable]]
name = "fibre"
medium = "fibre"
use = "between"
reach_m = 100
base_usd = 300
base_usd_per_gbps = 1
per_metre_usd = 1
per_metre_usd_per_gbps = 0.01
"""


@pytest.fixture
def parts(tmp_path):
    """Products in stock lengths, and one that is cut to length."""
    path = tmp_path / "parts.toml"
    path.write_text(_PARTS)
    return load_parts(path)


def test_a_cable_is_the_next_length_of_the_first_product_that_fits(parts):
    """With 0.5 m of slack: 0.5 m is a cable of 1 m, 0.6 m one of 2 m, 2.6 m is too long for the first product."""
    length_m = np.array([0.5, 0.6, 1.5, 2.5, 2.6, 4.5, 4.6, 9.5, 9.6])
    cables = choose_cables(parts, length_m, True, 100)
    assert cables.product.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2]
    assert cables.stock_m == pytest.approx([1, 2, 2, 3, 5, 5, 10, 10, 10.1])
    assert cables.usd_low == pytest.approx([50, 60, 60, 90, 220, 220, 240, 240, 300 + 100 + 10.1 + 10.1])
    assert cables.usd_high == pytest.approx([50, 80, 80, 90, 230, 230, 260, 260, 420.2])
    assert cables.power_w.tolist() == [0, 0, 0, 0, 4, 4, 4, 4, 0]
    assert cables.medium.tolist() == ["passive copper"] * 4 + ["optical"] * 4 + ["fibre"]


def test_order_decides_not_price(parts):
    """At 40 Gb/s the first product carries nothing, and the dear one is next in the catalogue."""
    assert choose_cables(parts, np.array([0.5]), False, 40).product.tolist() == [1]


def test_sums_of_places_are_not_exact(parts):
    """0.1 + 0.2 m and like sums do not need the next length: lengths within a nanometre are equal."""
    cables = choose_cables(parts, np.array([0.2 + 0.1 + 0.2, 2.5 + 1e-12]), False, 100)
    assert cables.stock_m.tolist() == [1, 3]
    with pytest.raises(
        InputError, match=r"no cable reaches 9.6 m and 0.5 m of slack inside racks .*longest reaches 10 m"
    ):
        choose_cables(parts, np.array([1.0, 9.6]), False, 100)


def test_the_order_list_holds_every_cable_once(parts):
    """Counts, prices and watts of the list are those of the bill, by product and stock length."""
    layout = rows(build("dragonfly:h=2"), "koibuchi-2013")
    bill = price(layout, parts, 100, host_cables=True)
    cables = link_cables(layout, parts, 100), endpoint_cables(layout, parts, 100)
    orders = order_list(*cables)
    assert len({(order.product, order.stock_m) for order in orders}) == len(orders)
    assert sum(order.count for order in orders) == len(layout.topology.links) + layout.topology.hosts
    assert sum(order.count for order in orders if order.product == "DAC") == sum(
        line.count for line in bill.lines if line.item.endswith("cable, DAC")
    )
    bought = [line for line in bill.lines if "cable, " in line.item]
    assert sum(order.cost_low_usd for order in orders) == pytest.approx(sum(line.cost_low_usd for line in bought))
    assert sum(order.cost_high_usd for order in orders) == pytest.approx(sum(line.cost_high_usd for line in bought))
    assert sum(order.power_w for order in orders) == pytest.approx(sum(line.power_w for line in bought))
    assert sum(order.stock_m * order.count for order in orders) == pytest.approx(sum(line.length_m for line in bought))
    assert [order.cut for order in orders] == [order.product == "fibre" for order in orders]
    assert bill.lines[-1].cost_usd == 20 * sum(line.count for line in bought)


def test_no_cables_are_no_orders(parts):
    """A topology of one switch has nothing to order."""
    layout = rows(build("complete:n=1"))
    assert order_list(link_cables(layout, parts, 100)) == ()
    assert [line.item for line in price(layout, parts, 100).lines] == ["switch, 0 ports"]
