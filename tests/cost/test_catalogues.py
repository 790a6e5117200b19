"""The catalogues of 2026, optics, breakouts, spares and quotes: exact counts, and nothing is omitted silently."""

import math

import numpy as np
import pytest
from msgspec import structs

from topoloom import build, place, price
from topoloom.core.errors import InputError
from topoloom.cost.parts_files import PARTS, load_parts
from topoloom.cost.quotes import lay_over, quoted_parts
from topoloom.cost.servers import housing_of
from topoloom.cost.spares import Spares

TODAY = ("infiniband-2026", "ethernet-2026", "slingshot")
QUOTES = "examples/quotes/made-up-ndr.toml"


@pytest.mark.parametrize("name", TODAY)
def test_every_product_says_where_its_figures_are_from(name):
    """Source and grade on each switch, cable, transceiver, interface and server; no guess; no price."""
    parts = load_parts(name)
    products = [*parts.switch.product, *parts.cable, *parts.transceiver, *parts.nic, *parts.server]
    assert all(one.source and one.confidence in ("A", "B", "C") for one in products)
    assert not any(one.price_usd for one in (*parts.switch.product, *parts.transceiver, *parts.nic))
    assert not any(cable.has_price for cable in parts.cable)
    assert {one.nic for one in parts.server if one.nic} <= {one.name for one in parts.nic}


@pytest.mark.parametrize(
    ("name", "ports", "rate", "product"),
    [
        ("infiniband-2026", 64, 400, "QM9700"),
        ("infiniband-2026", 144, 800, "Q3400-RA"),
        ("ethernet-2026", 64, 800, "SN5600"),
        ("ethernet-2026", 128, 400, "SN5600"),
        ("ethernet-2026", 512, 100, "8122-64EH"),
        ("ethernet-2026", 128, 800, "7060XE7-128PE"),
        ("slingshot", 64, 200, "R4K41B"),
    ],
)
def test_a_switch_is_found_by_ports_and_rate(name, ports, rate, product):
    """Broken out where that gives the ports: 64 ports of 800G are 512 of 100G."""
    assert load_parts(name).switch_product(ports, rate).name == product


def test_a_breakout_beyond_the_switch_is_refused():
    """512 ports of 200G are the most, of an SN6600."""
    with pytest.raises(InputError, match=r"no switch has 513 ports \(at most 512\)"):
        load_parts("ethernet-2026").switch_product(513, 200)


def bill_of(spec, server="DGX B200", parts="infiniband-2026", **more):
    """The bill of a network with racks of servers, on NDR."""
    catalogue = quoted_parts(parts) if isinstance(parts, str) else parts
    layout = place(build(spec), "koibuchi-2013", housing=housing_of(server, catalogue))
    return price(layout, catalogue, 400, **more)


def test_no_price_and_no_watts_are_said_and_not_summed():
    """What has none is named; watts are those of the optics."""
    bill = bill_of("fat-tree:hosts=512,k=64+rails:nics=8")
    assert set(bill.unpriced) == {"switch", "cable", "transceiver", "rack"}
    assert bill.unmetered == ("switch",)
    assert math.isnan(bill.cost_usd)
    assert bill.power_w == sum(line.power_w for line in bill.lines if line.kind == "transceiver")


def test_one_port_parts_into_two_hosts():
    """Hosts beside their leaf: a splitter for each two of them, bought in the next length, half of one where they are odd."""
    parts = load_parts("infiniband-2026")
    for hosts, pieces in ((4, 2), (5, 3)):
        layout = place(build(f"complete:n=2,hosts={hosts}"), "slimfly-2014", map="rows")
        bill = price(layout, parts, 400, host_cables=True)
        line = next(line for line in bill.lines if line.item.startswith("host cable"))
        assert (line.item, line.count) == ("host cable, MCP7Y00", 2 * pieces)
        assert line.length_m == pytest.approx(2 * pieces * 1.5)


def test_a_quote_that_makes_the_catalogue_useless_is_named_with_its_line(tmp_path):
    """Also where the fault shows only when all quotes lie over the catalogue; the first bad one counts."""
    path = tmp_path / "q.toml"
    good = '[[switch.product]]\nname = "SB7800"\nprice_usd = 5\n'
    path.write_text(f"{good}\n{good.replace('SB7800', 'QM8700').replace('5', '-5')}")
    with pytest.raises(
        InputError, match=r"q.toml:5: with this quote the catalogue 'infiniband-2026' cannot be used: .*price"
    ):
        quoted_parts("infiniband-2026", path)
    path.write_text(f"\nslack_m = -1\n{good}")
    with pytest.raises(InputError, match=r"q.toml:2: with this quote .*slack_m"):
        quoted_parts("infiniband-2026", path)


def test_spares_are_bought_besides():
    """1 % of the switches and at least one, 2 % of cables and optics, at the price of one."""
    parts = quoted_parts("infiniband-2026", QUOTES)
    plain, more = (
        bill_of("fat-tree:hosts=512,k=64+rails:nics=8", parts=parts, spares=some) for some in (None, Spares())
    )
    lines = {line.item: line for line in more.lines}
    assert lines["spare switch, 64 ports (QM9700)"].count == 1
    assert lines["spare transceiver, MMA4Z00-NS-FLT"].count == math.ceil(256 * 0.02)
    one = lines["transceiver, MMA4Z00-NS-FLT"].cost_usd / 256
    assert lines["spare transceiver, MMA4Z00-NS-FLT"].cost_usd == pytest.approx(6 * one)
    assert more.power_w == plain.power_w
    assert more.cost_usd > plain.cost_usd


def test_quotes_lie_over_a_catalogue():
    """Prices become ranges of the bill, the rest stays; all that is used has a price, so nothing is unpriced but racks."""
    parts = quoted_parts("infiniband-2026", QUOTES)
    bill = bill_of("fat-tree:hosts=512,k=64+rails:nics=8", parts=parts)
    assert bill.unpriced == ("rack",)
    assert bill.unmetered == ()
    assert bill.cost_low_usd < bill.cost_usd < bill.cost_high_usd
    assert parts.switch_product(64, 400).price_usd == (25_000, 35_000)
    assert parts.switch_product(40, 200).price_usd is None
    assert len(PARTS.find("infiniband-2026").switch.product) == len(parts.switch.product)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '[[switch.product]]\nname = "QM9007"\nprice_usd = 1',
            r"q.toml:1: the catalogue has no 'QM9007' in this table \(did you mean QM9700\?\)",
        ),
        ('extends = "ethernet-2026"', "the quotes are for the catalogue 'ethernet-2026', not 'infiniband-2026'"),
        ("installation_usd = " + "1" * 5000, "q.toml:1: a number has thousands of digits"),
        ("installation_usd = " + "1" * 400, r"q\.toml:1: .* cannot be used"),
        ("a." * 50_000, "q.toml:1: tables and arrays nest more than 50 deep"),
        ("switch = 3", "q.toml:1: switch = 3: it is a table"),
        ("cable = [1]", "q.toml:1: cable = 1: it is a table"),
        ("extends = 3", "q.toml:1: extends = 3: it is text"),
        (
            '[[switch.product]]\nname = "QM9700"\nvalid_until = 2020-01-01T00:00:00',
            "q.toml:1: valid_until = .*: give a date",
        ),
        ('[[swich.product]]\nname = "QM9700"', r"q.toml: there is no key 'swich' \(did you mean switch"),
        ('[[switch.product]]\nname = "QM9700"\nprice = 1', "cannot be used: .*price"),
        ('[[cable]]\nname = "MCP4Y10"\nprices_usd = [1, 2]', "2 prices for 4 lengths_m"),
        ('[[nic]]\nname = "ConnectX-7"\nprice_usd = -1', "cannot be used"),
        ("[[cable]\n", "see the TOML rules"),
    ],
)
def test_what_quotes_may_not_say(tmp_path, text, words):
    """One sentence with the file, the line and the remedy."""
    path = tmp_path / "q.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        lay_over(load_parts("infiniband-2026"), path)


def test_a_quote_that_has_run_out_warns(tmp_path, caplog):
    """It is used all the same."""
    path = tmp_path / "q.toml"
    path.write_text('[[switch.product]]\nname = "QM9700"\nprice_usd = 9\nseller = "x"\nvalid_until = 2020-01-31\n')
    parts = lay_over(load_parts("infiniband-2026"), path)
    assert parts.switch_usd(64, 400) == 9
    assert "the quote for 'QM9700' was valid until 2020-01-31" in caplog.text


def test_a_module_that_is_too_hot_is_refused():
    """A cage of 12 W takes no module of 17."""
    parts = quoted_parts("infiniband-2026", QUOTES)
    cool = tuple(structs.replace(one, cage_power_w=12.0) for one in parts.switch.product)
    parts = structs.replace(parts, switch=structs.replace(parts.switch, product=cool))
    with pytest.raises(InputError, match=r"'MMA4Z00-NS' draws up to 17 W, but a cage of 'QM9700' takes 12 W"):
        bill_of("fat-tree:hosts=512,k=64+rails:nics=8", parts=parts)


def test_hosts_take_what_they_leave_out_from_the_catalogue(tmp_path):
    """By the name of a server; what the file says stays. A server that there is not is named with the nearest."""
    path = tmp_path / "hosts.toml"
    path.write_text('[host]\nname = "DGX B200"\npower_w = 12_000\n')
    host = housing_of(path, load_parts("infiniband-2026")).host
    assert (host.nics, host.u, host.power_w, host.nic) == (8, 10, 12_000, "ConnectX-7")
    with pytest.raises(InputError, match=r"no server 'DGX B20' \(did you mean DGX B200\?\)"):
        housing_of("DGX B20", load_parts("infiniband-2026"))


def test_shares_of_cables_add_up_to_pieces():
    """Every link has its part of a cable; the parts of each product are a whole number."""
    from topoloom.cost.choose import link_cables

    layout = place(build("fat-tree:hosts=1024,k=64"), "slimfly-2014", map="rows")
    bought = link_cables(layout, load_parts("infiniband-2026"), 400)
    for product in np.unique(bought.product):
        pieces = bought.share[bought.product == product].sum()
        assert pieces == pytest.approx(round(pieces))


def test_later_models_do_not_replace_the_first_of_a_size():
    """SN5610 and Q3401-RD have the ports of SN5600 and Q3400-RA; the catalogue's order decides."""
    for catalogue, ports, rate, first, other in (
        ("ethernet-2026", 128, 400, "SN5600", "SN5610"),
        ("infiniband-2026", 144, 800, "Q3400-RA", "Q3401-RD"),
    ):
        parts = load_parts(catalogue)
        assert parts.switch_product(ports, rate).name == first
        assert next(one for one in parts.switch.product if one.name == other).serves(ports, rate)


def test_servers_are_the_same_in_both_catalogues_of_2026():
    """A server does not depend on the network that it is bought with."""
    assert load_parts("infiniband-2026").server == load_parts("ethernet-2026").server
