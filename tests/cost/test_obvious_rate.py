"""Where no rate is chosen: the catalogue's obvious one, or a sentence that asks for it."""

import pytest

from in_process import run
from topoloom import InputError, build, place, price
from topoloom.cost.parts_files import load_parts
from topoloom.cost.quotes import quoted_parts


@pytest.mark.parametrize(
    ("catalogue", "rate_gbps"),
    [("slimfly-2014", 40), ("koibuchi-2013", 10), ("nakano-2016", 40), ("slingshot", 200), ("infiniband-2026", None)],
)
def test_the_rate_of_a_catalogue(catalogue, rate_gbps):
    """A line of prices: 40 Gb/s or the nearest; one rate of switches: that; several: none."""
    assert load_parts(catalogue).obvious_rate() == rate_gbps


def test_switches_with_prices_decide(tmp_path):
    """Quotes of a 400G switch alone make 400 Gb/s obvious; quotes of two rates do not."""
    quotes = tmp_path / "mine.toml"
    rows = "[[switch.product]]\nname = '{}'\nprice_usd = 20_000\n"
    quotes.write_text("name = 'mine'\n" + rows.format("QM9700"))
    assert quoted_parts("infiniband-2026", quotes).obvious_rate() == 400
    quotes.write_text("name = 'mine'\n" + rows.format("QM9700") + rows.format("QM8700"))
    assert quoted_parts("infiniband-2026", quotes).obvious_rate() is None


def test_a_wrong_rate_is_not_assumed():
    """Cables of a catalogue of 100 to 800 Gb/s are not priced at a rate that nobody chose; with a rate they are."""
    layout = place(build("fat-tree:k=16,hosts=64"))
    asked = "has switches of 100, 200, 400 and 800 Gb/s; give the rate of the links with "
    with pytest.raises(InputError, match=asked):
        price(layout, "infiniband-2026")
    assert price(layout, "infiniband-2026", rate_gbps=400).rate_gbps == 400
    assert price(layout, "slingshot").rate_gbps == 200
    shown = run("cost", "fat-tree:k=16,hosts=64", "--parts", "infiniband-2026")
    assert shown.code == 2
    assert asked + "--rate" in shown.err
    # A network with a rate has one.
    assert price(build("ring:n=4,hosts=1").with_rates(400), "infiniband-2026").rate_gbps == 400
