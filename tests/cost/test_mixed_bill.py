"""Bills of networks whose cables have several rates: every cable, module and switch by the rates of its own ports."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from topoloom import InputError, build, cable, load_layout, open_network, place, price
from topoloom.cabling.files import save_cabling
from topoloom.cost.parts_files import load_parts
from topoloom.cost.placed import _by_rates
from topoloom.cost.switch_kinds import port_counts, switch_kinds
from topoloom.cost.switch_products import Breakout, PortGroup, SwitchProduct
from topoloom.cost.terms import Terms
from topoloom.placement.floors.floor import PRESETS

#: Two leaves of four 100G hosts and one 400G uplink each, to one spine.
PAIR = "clos:leaves=2,spines=1,hosts=4+rates:links=400,hosts=100"

PARTS = """
name = "two rates"
source = "made up for this test"

[[switch.product]]
name = "leaf"
ports = [{ count = 4, rate_gbps = 100 }, { count = 1, rate_gbps = 400 }]
price_usd = 1_000
power_w = 100

[[switch.product]]
name = "spine"
ports = 8
cages = 4
rate_gbps = 400
price_usd = 5_000
power_w = 300

[[cable]]
name = "copper 100G"
medium = "copper"
use = "any"
to = "host"
rates_gbps = [100]
base_usd = 10
power_w = 1

[[cable]]
name = "fibre 400G"
medium = "fibre"
use = "any"
rates_gbps = [400]
base_usd = 50
modules = ["twin"]

[[transceiver]]
name = "twin"
links = 2
price_usd = 700
power_w = 15
"""


@pytest.fixture
def parts(tmp_path):
    """The catalogue above, from a file."""
    (tmp_path / "parts.toml").write_text(PARTS)
    return load_parts(tmp_path / "parts.toml")


def lines_of(bill):
    """Count, price and power of every line, by item."""
    return {line.item: (line.count, line.cost_usd, line.power_w) for line in bill.lines}


def test_a_bill_of_two_rates_counted_by_hand(parts):
    """Two leaves and a spine, eight host cables of 100G, two fibres of 400G; twin modules: one per leaf, one at the spine."""
    bill = price(place(build(PAIR)), parts, host_cables=True)
    assert lines_of(bill) == {
        "switch, 4 x 100G + 1 x 400G ports (leaf)": (2, 2_000, 200),
        "switch, 2 ports (spine)": (1, 5_000, 300),
        "cable, fibre 400G": (2, 100, 0),
        "host cable, copper 100G": (8, 80, 8),
        "transceiver, twin": (3, 2_100, 45),
    }
    assert (bill.rate_gbps, bill.rates_gbps, bill.radix) == (None, (100.0, 400.0), 5)
    assert (bill.ports_used, bill.ports_bought) == (12, 2 * 5 + 8)


def test_spare_ports_are_a_share_of_each_rates_ports(parts):
    """Twice the ports of a leaf are 8 x 100G + 2 x 400G, which a larger product has; the spine has 4 of its 8."""
    layout = place(build(PAIR))
    with pytest.raises(InputError, match=r"no switch has 8 x 100G \+ 2 x 400G ports"):
        price(layout, parts, spare_ports=1.0)
    large = SwitchProduct(name="large", ports=(PortGroup(16, 100), PortGroup(4, 400)), price_usd=9_000.0, power_w=500.0)
    switch = msgspec.structs.replace(parts.switch, product=(*parts.switch.product, large))
    lines = lines_of(price(layout, msgspec.structs.replace(parts, switch=switch), spare_ports=1.0))
    assert lines["switch, 4 x 100G + 1 x 400G ports (large)"] == (2, 2_000, 200)
    assert lines["spare ports, 5 per switch"] == (10, 16_000, 800)
    assert lines["switch, 2 ports (large)"][0] == 1


def test_a_rate_for_all_is_refused(parts):
    """A network of several rates has its own: `rate_gbps` and `radix` name the remedy."""
    layout = place(build(PAIR))
    with pytest.raises(InputError, match=r"price: .*links of 100 and 400 Gb/s, and 400 Gb/s is one rate for all; omit"):
        price(layout, parts, 400)
    with pytest.raises(InputError, match=r"radix=8: .*ports of several rates.*spare_ports"):
        price(layout, parts, radix=8)


def test_equal_rates_give_the_plain_bill_to_the_cent():
    """A network whose rates are all 400 has the bill of the same network without rates at 400 Gb/s."""
    plain = price(place(build("fat-tree:k=8")), "ethernet-2026", 400, host_cables=True, spares=True)
    rated = price(place(build("fat-tree:k=8+rates:links=400")), "ethernet-2026", host_cables=True, spares=True)
    assert repr(rated.lines) == repr(plain.lines)  # unpriced lines hold NaN
    assert (rated.rate_gbps, rated.ports_bought, rated.power_w) == (400, plain.ports_bought, plain.power_w)


def test_prices_that_do_not_depend_on_rates_give_the_plain_bill():
    """With one price for all cables and a line for switches, a Slim Fly's bill is the same with two rates as with one."""
    parts = load_parts("slimfly-2014")
    cables = tuple(
        msgspec.structs.replace(
            one, base_usd=7.0, per_metre_usd=1.25, base_usd_per_gbps=None, per_metre_usd_per_gbps=None
        )
        for one in parts.cable
    )
    flat = msgspec.structs.replace(parts, cable=cables)
    plain, mixed = (
        price(place(build(spec), map="rows"), flat, host_cables=True, spare_ports=0.25)
        for spec in ("slimfly:q=5,hosts=4", "slimfly:q=5,hosts=4+rates:links=100,hosts=200")
    )
    assert mixed.cost_usd == pytest.approx(plain.cost_usd, rel=1e-12)
    assert mixed.power_w == pytest.approx(plain.power_w, rel=1e-12)


def test_each_kind_of_switch_by_its_own_ports():
    """Leaves and spines are bought apart; leaves with fewer hosts like full ones, unless no product has the most of both."""
    leaves = build("clos:leaves=4,spines=2,hosts=3+rates:links=400,hosts=100")
    kinds = switch_kinds(leaves, Terms())
    assert [(kind.switches.tolist(), kind.ports) for kind in kinds] == [
        ([0, 1, 2, 3], {100.0: 3, 400.0: 2}),
        ([4, 5], 4),
    ]
    assert port_counts(leaves).tolist() == [[3, 2]] * 4 + [[0, 4]] * 2


@pytest.mark.parametrize(
    ("ports", "idle"),
    [
        ({800.0: 32, 400.0: 64}, 0),  # a leaf: 32 cages down, 32 up
        ({800.0: 32, 400.0: 65}, None),
        ({800.0: 33, 400.0: 63}, None),
        ({800.0: 32, 400.0: 63}, 1),  # a leg is free
        ({400.0: 127, 200.0: 1}, 0),  # the last leg of a cage of two serves a slower port
        ({400.0: 127, 200.0: 2}, None),
        ({400.0: 100, 200.0: 56}, 0),
        ({400.0: 4, 200.0: 248}, 0),  # 2 + 62 cages; 252 ports
        ({400.0: 1}, 1 + 63),
    ],
)
def test_cages_run_in_different_modes(ports, idle):
    """An SN5600 has 64 cages of 1 x 800, 2 x 400 or 4 x 200; counted by hand."""
    product = next(one for one in load_parts("ethernet-2026").switch.product if one.name == "SN5600")
    assert product.idle_ports(ports) == idle
    assert product.serves(ports) == (idle is not None)


def brute_force(cages, modes, needed):
    """Whether some choice of a mode for each cage gives the needed ports, each on a leg at least as fast."""
    rates = sorted({rate for rate, _ in modes}, reverse=True)

    def fits(number, legs):
        if number < cages:
            return any(fits(number + 1, [*legs, (rate, count)]) for rate, count in modes)
        free = {rate: sum(count for fast, count in legs if fast == rate) for rate in rates}
        for rate in rates:  # of the legs that are fast enough, the slowest first
            left = needed.get(rate, 0)
            for fast in reversed([one for one in rates if one >= rate]):
                taken = min(left, free[fast])
                free[fast] -= taken
                left -= taken
            if left:
                return False
        return True

    return fits(0, [])


def test_modes_of_cages_agree_with_all_choices():
    """For three cages, every need of up to six ports per rate fits exactly if some choice of modes has it."""
    product = SwitchProduct(
        name="small",
        ports=3,
        rate_gbps=800,
        cages=3,
        breakout=(Breakout(rate_gbps=400, legs=2), Breakout(rate_gbps=200, legs=4)),
    )
    modes = [(800.0, 1), (400.0, 2), (200.0, 4)]
    for fast, middle, slow in np.ndindex(4, 7, 13):
        needed = {rate: count for rate, count in ((800.0, fast), (400.0, middle), (200.0, slow)) if count}
        if needed:
            assert product.serves(needed) == brute_force(3, modes, needed), needed


def test_a_list_of_ports_and_their_breakouts():
    """48 x 25G + 6 x 100G, of which each fast cage splits into four: 72 ports of 25G, and at most 6 of 100G."""
    product = SwitchProduct(
        name="leaf", ports=(PortGroup(48, 25), PortGroup(6, 100, (Breakout(rate_gbps=25, legs=4),))), logical_ports=70
    )
    assert [product.ports_at(rate) for rate in (25, 50, 100, 200, None)] == [70, 6, 6, 0, 70]
    assert product.serves({25.0: 48, 100.0: 6})
    assert product.serves({25.0: 52, 100.0: 5})
    assert not product.serves({25.0: 53, 100.0: 5})
    assert not product.serves({25.0: 49, 100.0: 6})
    assert not product.serves({25.0: 48, 100.0: 7})
    assert product.idle_ports({100.0: 1, 25.0: 1}) == 47 + 5


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("ports = []", "the list is empty"),
        ("ports = [{ count = 48 }]", "rate_gbps"),
        ("ports = [{ count = 0, rate_gbps = 25 }]", "count"),
        ("ports = [{ count = 48, rate_gbps = 25 }]\nrate_gbps = 25", "belong to its entries"),
        ("ports = [{ count = 48, rate_gbps = 25 }]\ncages = 6", "belong to its entries"),
        ("ports = 64\nrate_gbps = 800\nbreakout = [{ legs = 2, rate_gbps = 400 }]", "give the number of `cages`"),
        ("ports = 64\ncages = 64\nrate_gbps = 800\nbreakout = [{ rate_gbps = 400 }]", "and not both"),
        (
            "ports = 64\ncages = 64\nrate_gbps = 800\nbreakout = [{ rate_gbps = 400, legs = 2, ports = 8 }]",
            "and not both",
        ),
        ("ports = 0", "ports"),
        ('ports = "many"', "ports"),
    ],
)
def test_wrong_ports_are_refused_with_their_line(line, sentence, tmp_path):
    """``file:line: reason``, in one sentence."""
    text = PARTS.replace("ports = 8\ncages = 4\nrate_gbps = 400", line)
    (tmp_path / "wrong.toml").write_text(text)
    with pytest.raises(InputError, match=rf"wrong.toml:\d+: .*{sentence}"):
        load_parts(tmp_path / "wrong.toml")


def test_a_mixed_layout_is_saved_and_read_back(parts, tmp_path):
    """The cable list has the rate of every cable, and the folder opens as the same network with the same bill."""
    network = open_network(PAIR).placed(parts=parts).priced(host_cables=True)
    network.save(tmp_path / "hall")
    again = open_network(tmp_path / "hall")
    assert again == network
    assert price(again).lines == network.bill.lines
    cabling = cable(network)
    assert cabling.rate_gbps is None
    assert sorted(cabling.rates_gbps.tolist()) == [100.0] * 8 + [400.0] * 2
    save_cabling(cabling, tmp_path / "lists")
    assert load_layout(tmp_path / "lists").topology == network.topology
    speeds = [
        row.rsplit(",", 1)[1] for row in (tmp_path / "lists" / "netbox" / "interfaces.csv").read_text().split()[1:]
    ]
    assert sorted(speeds) == ["100000000"] * 16 + ["400000000"] * 4


def test_a_mixed_network_is_placed_by_the_mean_over_its_links_rates(parts):
    """Half of the links take 1 W and half 3 W: the search counts 2 W for each; and it places the network."""
    cables = tuple(
        msgspec.structs.replace(parts.cable[1], modules=(), name=name, rates_gbps=(rate,), power_w=watts)
        for name, rate, watts in (("slow", 100.0, 1.0), ("fast", 400.0, 3.0))
    )
    sold = msgspec.structs.replace(parts, cable=cables, switch=load_parts("slimfly-2014").switch)
    network = open_network("fat-tree:k=4+rates:levels=100x400")
    watts = _by_rates(sold.link_w, network.topology, 40.0)(np.array([1.0, 9.0]), np.array([False, True]))
    assert watts.tolist() == [2.0, 2.0]
    layout = network.placed(parts=sold, objective="power", map="anneal", moves=2000, runs=1).layout
    assert layout.topology == network.topology


def test_a_rack_supplies_each_switch_with_its_own_power(parts):
    """A rack of both leaves and the spine needs 2 x 100 + 300 W, and 3 modules of 15 W; with less, not all stand in it."""
    floor = replace(PRESETS.find("slimfly-2014"), rows=1, columns=3, switches_per_rack=3, power_w_per_rack=545.0)
    network = open_network(PAIR)
    assert network.placed(floor, parts=parts, cluster="sequential", map="rows").layout.racks == 1
    tight = replace(floor, power_w_per_rack=544.0)
    assert network.placed(tight, parts=parts, cluster="sequential", map="rows").layout.racks == 2
