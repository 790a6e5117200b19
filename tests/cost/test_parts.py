"""Parts catalogues: which part serves, what it costs, and what a catalogue may not say."""

import re
from functools import partial

import msgspec
import numpy as np
import pytest

from topoloom import InputError, build, place, price
from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts
from topoloom.cost.products import Price

#: Row by row, as the papers lay out: what is priced here does not depend on how well places are chosen.
rows = partial(place, map="rows")

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
rate_gbps = 40
price_usd = 12000
power_w = 180
[[cable]]
medium = "copper"
use = "any"
reach_m = 3
rates_gbps = [10, 40]
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


def catalogue(folder, text):
    """A catalogue in a file."""
    path = folder / "parts.toml"
    path.write_text(text)
    return path


def test_products_and_reach_decide(tmp_path):
    """The smallest switch with enough ports is bought, and the first cable that reaches is used."""
    path = catalogue(tmp_path, _PARTS.format(reach=100))
    layout = rows(build("slimfly:q=5,hosts=4"), "koibuchi-2013")
    bill = price(layout, path)
    assert bill.lines[0].cost_usd == 50 * 5000
    short = int((layout.length_m <= 3).sum())
    assert [line.count for line in bill.lines[1:]] == [short, 175 - short]
    assert bill.lines[2].power_w == pytest.approx(1.5 * (175 - short))


def test_rates_decide_too(tmp_path):
    """At 100 Gb/s no copper cable and not the larger switch are left."""
    parts = load_parts(catalogue(tmp_path, _PARTS.format(reach=100)))
    assert parts.product_of(np.array([1.0, 3.0, 3.1]), False, 40).tolist() == [0, 0, 1]
    assert parts.product_of(np.array([1.0]), False, 100).tolist() == [1]
    assert parts.product_of(np.array([1.0]), False).tolist() == [0]
    assert parts.switch_usd(30, 40) == 12000
    with pytest.raises(InputError, match=r"parts.toml:5: no switch has 30 ports \(at most 24\)"):
        parts.switch_usd(30, 100)


def test_parts_that_do_not_exist_are_named(tmp_path):
    """No switch with so many ports, no cable that reaches so far, no such catalogue: one sentence each, and its place."""
    path = catalogue(tmp_path, _PARTS.format(reach=4))
    layout = rows(build("slimfly:q=5,hosts=4"), "koibuchi-2013")
    with pytest.raises(
        InputError, match=r"parts.toml:\d+: no cable reaches 8.8 m between racks at 40 Gb/s \(the longest reaches 4 m\)"
    ):
        price(layout, path)
    with pytest.raises(InputError, match=r"parts.toml:5: no switch has 60 ports \(at most 48\)"):
        load_parts(path).switch_usd(60)
    with pytest.raises(InputError, match="parts 'nakano-2016': no cable inside racks carries 100 Gb/s"):
        load_parts("nakano-2016").product_of(np.array([1.0]), False, 100)
    with pytest.raises(InputError, match="parts 'nakano-2016': no switch has ports of 100 Gb/s"):
        load_parts("nakano-2016").switch_w(8, 100)
    with pytest.raises(
        InputError, match=r"no parts catalogue named 'x' \(there are ethernet-2026, infiniband-2026, koibuchi-2013, "
    ):
        load_parts("x")


def test_a_cable_for_one_use_is_not_for_the_other(tmp_path):
    """Without a cable for between racks there is none, however far the others reach."""
    text = (
        'name = "m"\nsource = "s"\n[switch]\nbase_usd = 1\n[[cable]]\nmedium = "copper"\nuse = "inside"\nbase_usd = 1\n'
    )
    parts = load_parts(catalogue(tmp_path, text))
    assert parts.product_of(np.array([1e6]), False).tolist() == [0]
    with pytest.raises(InputError, match=r"parts.toml:5: no cable is used between racks; add one with use = 'between'"):
        parts.product_of(np.array([1.0]), True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("name =", "nam ="), r"parts.toml:2: there is no key 'nam' \(did you mean name"),
        (('"copper"', '"cooper"'), r'parts.toml:17: cable.medium = "cooper": it is one of "active'),
        (("= 0.5", "= -0.5"), r"parts.toml:21: cable.base_usd_per_gbps = -0.5: it is a number from 0"),
        (("= 0.5", "= nan"), r"parts.toml:21: cable.base_usd_per_gbps = nan: it is a number from 0"),
        (("= 0.5", "= [0.5, -1]"), r"parts.toml:21: cable.base_usd_per_gbps = -1: it is a number from 0"),
        (("= 0.5", "= '0.5'"), r'parts.toml:21: cable.base_usd_per_gbps = "0.5": it is a number from 0'),
        (
            ("= 0.5", "= [2, 1]"),
            r"parts.toml:\d+: cable: base_usd_per_gbps: \[2, 1\] is not a range; give a number or \[lowest",
        ),
        (("= 0.5", "= [1, 2, 3]"), r"parts.toml:\d+: cable: base_usd_per_gbps: \[1, 2, 3\] is not a range"),
        (("= 0.5", "= []"), r"parts.toml:\d+: cable: base_usd_per_gbps: \[\] is not a range"),
        (
            ("= 0.5", "= 0.5\nprices_usd = [1]"),
            r"cable: prices_usd: 1 prices for 0 lengths_m; give one price per length",
        ),
        (
            ("= 0.5", "= 1\nlengths_m = [1]\nprices_usd = [1]"),
            r"cable: prices_usd: give it or a line \(base_usd, .*not both",
        ),
        (("= 0.5", "= 1\nlengths_m = [2, 1]"), r"cable: lengths_m: each length must be greater"),
        (("= 0.5", "= 1\nlengths_m = [2, 5]"), r"cable: lengths_m: 5 m is beyond the reach of 3 m"),
        (("power_w = 1.5", "power_w = 1\npower_w_per_end = 2"), r"cable: power_w_per_end: give it or power_w"),
        (("power_w = 1.5", "power_w = -1"), r"parts.toml:29: cable.power_w = -1: it is a number from 0"),
        (("= 7\n", "= [7, 1]\n"), r"parts.toml:27: cable: base_usd_per_gbps: \[7, 1\] is not a range"),
        (("price_usd = 12000\n", ""), r"parts.toml:10: the switch 'S48' has no price"),
        (("reach_m = 3", "reach_m = nan"), r"parts.toml:19: cable.reach_m = nan: it is a number above 0"),
        (
            ("price_usd = 5000", "price_usd = -1"),
            r"parts.toml:8: switch.product.price_usd = -1: it is a number from 0 or a list",
        ),
        (("price_usd = 5000", "price_usd = [9, 3]"), r"switch.product: price_usd: \[9, 3\] is not a range"),
        (
            ("price_usd = 5000\n", ""),
            r"parts.toml:5: the switch 'S24' has no price; give .* or set unpriced = \['switch'\]",
        ),
        (
            ("base_usd_per_gbps = 0.5\nper_metre_usd_per_gbps = 0.4\n", ""),
            r"parts.toml:16: the cable 'copper' has no price",
        ),
        (("[switch]", 'unpriced = ["gold"]'), r'parts.toml:4: unpriced = "gold": it is "cable" or "switch"'),
        (("[switch]", "rate_gbps = [40, 10]"), r"parts.toml:4: rate_gbps: the lower one"),
        (("[switch]", "installation_usd = [40, 10]"), r"parts.toml:4: installation_usd: \[40, 10\] is not a range"),
        (("[switch]", "slack_m = -1"), r"parts.toml:4: slack_m = -1: it is a number from 0"),
        (("[switch]", "format = 2"), r"parts.toml:4: format = 2: it is 1$"),
        (("[switch]", "date = 'today'"), r"parts.toml:4: date = .*: it is a date, as in"),
        (("[switch]", "[switch"), r"parts.toml:4: "),
    ],
)
def test_what_a_catalogue_may_not_say(tmp_path, change, words):
    """Each mistake is one sentence with the file, the line and the key."""
    text = _PARTS.format(reach=100)
    path = catalogue(tmp_path, text)
    assert load_parts(path).name == "mine"
    changed = text.replace(*change, 1)
    assert changed != text
    with pytest.raises(InputError, match=words) as caught:
        load_parts(catalogue(tmp_path, changed))
    assert "\n" not in str(caught.value)


def test_switches_without_a_price_must_be_said(tmp_path):
    """A [switch] table that was forgotten does not make switches free."""
    text = 'name = "m"\nsource = "s"\n[[cable]]\nmedium = "any"\nuse = "any"\nbase_usd = 0\n'
    with pytest.raises(InputError, match=r"parts.toml: \[switch\] has no price; give base_usd and per_port_usd, or"):
        load_parts(catalogue(tmp_path, text))
    parts = load_parts(catalogue(tmp_path, 'unpriced = ["switch"]\n' + text))
    assert np.isnan(parts.switch_usd(8))
    assert parts.switch_w(8) == 0


def test_small_switches_are_not_given_away():
    """The 2014 fit crosses zero below three ports; nothing smaller than its smallest switch, of 7 ports, is sold."""
    parts = load_parts("slimfly-2014")
    assert parts.switch_usd(2) == parts.switch_usd(7) == pytest.approx(350.4 * 7 - 892.3)
    assert parts.switch_w(2) == parts.switch_w(7) == pytest.approx(19.6)
    assert parts.switch_usd(8) > parts.switch_usd(7)


def test_lines_of_switches_may_be_ranges(tmp_path):
    """Lowest and highest follow their own lines, never below 0; the price is the middle, the watts have a base too."""
    text = _PARTS.format(reach=9)
    text = text[: text.index("[switch]")] + (
        "[switch]\nbase_usd = [-100, 50]\nper_port_usd = [10, 20]\npower_w = 7\npower_w_per_port = 2\n"
        + text[text.index("[[cable]]") :]
    )
    parts = load_parts(catalogue(tmp_path, text))
    assert parts.switch_usd_range(20).tolist() == [100, 450]
    assert parts.switch_usd_range(5).tolist() == [0, 150]
    assert parts.switch_usd(20) == 275
    assert parts.switch_w(20, used=3) == 47


def test_a_link_is_priced_as_the_bill_prices_it(tmp_path):
    """`link_usd` and `link_w` are what an optimiser adds up: the bill's cables and their installation; inf beyond reach."""
    path = catalogue(tmp_path, "installation_usd = [10, 50]\nslack_m = 0.5" + _PARTS.format(reach=12))
    parts = load_parts(path)
    layout = rows(build("dragonfly:h=2"), "koibuchi-2013")
    bill = price(layout, parts)
    usd = parts.link_usd(layout.length_m, layout.between, 40)
    assert usd.sum() == pytest.approx(sum(line.cost_usd for line in bill.lines[1:]))
    assert parts.link_w(layout.length_m, layout.between, 40).sum() == pytest.approx(
        bill.power_w - bill.lines[0].power_w
    )
    table = parts.link_usd(np.array([[2.0, 2.6], [11.5, 11.6]]), np.array([[False, True], [True, True]]), 40)
    assert table == pytest.approx(np.array([[40 * 1.5 + 30, 40 * 7.31 + 30], [40 * 8.2 + 30, np.inf]]))
    with pytest.raises(InputError, match="no prices of cables"):
        load_parts("nakano-2016").link_usd(np.array([1.0]), False, 40)


@pytest.mark.parametrize("name", ["slimfly-2014", "nakano-2016", "koibuchi-2013"])
def test_our_own_catalogues_say_where_they_come_from(name):
    """Each has a version, a date and the section of its paper; its name is that of its file."""
    parts = load_parts(name)
    assert parts.name == name
    assert parts.version
    assert str(parts.date.year) in name
    assert re.match(r"(Koibuchi 2013|Nakano 2016|Besta 2014) [IVX]", parts.source)


def test_a_price_of_msgspec_reads_its_own_memory():
    """The union of a bounded number and a list, which msgspec gets wrong where the list has a fixed length."""
    assert msgspec.convert([1, 2.5], Price) == (1.0, 2.5)
    assert msgspec.convert(3, Price) == 3.0
    for wrong in (-1, [1, -1], "1", None):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, Price)


def test_a_catalogue_is_a_value():
    """Equal by content, wherever it was read from, and what it was read from is no key of it."""
    parts = load_parts("slimfly-2014")
    assert parts == load_parts("slimfly-2014")
    assert msgspec.convert(msgspec.to_builtins(parts), Parts) == parts
