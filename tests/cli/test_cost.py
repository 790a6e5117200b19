"""`topoloom cost`: one bill, several side by side, ranges, spare ports, what to order."""

import json
import re

import pytest
from click.testing import CliRunner

from topoloom import build, place, price
from topoloom.cli.commands import cost
from topoloom.core.errors import InputError
from topoloom.cost.bill import Bill, Bills

SLIM_FLY, DRAGONFLY = "slimfly:q=5,hosts=4", "dragonfly:h=3"


def run(*arguments):
    """What the command prints; its errors are raised."""
    result = CliRunner().invoke(cost.command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


def document(*arguments):
    """The JSON document that the command prints."""
    return json.loads(run(*arguments, "--json"))


@pytest.mark.exhaustive
def test_one_bill_keeps_its_keys():
    """What other tools read of one topology, and nothing of a range where there is none."""
    found = document("slimfly:q=19,hosts=15")
    assert (found["schema"], found["provenance"]["name"]) == ("topoloom/bill/4", "slimfly(q=19,hosts=15)")
    expected = {"parts": "slimfly-2014", "rate_gbps": 40, "radix": 44, "hosts": 10830}
    assert {key: found[key] for key in expected} == expected
    assert found["cost_per_host_usd"] == pytest.approx(1168.248, abs=0.001)
    assert found["cost_low_usd"] == found["cost_usd"] == found["cost_high_usd"] == pytest.approx(12652129, abs=1)
    assert found["power_per_host_w"] == pytest.approx(8.21333, abs=1e-5)
    assert [line["count"] for line in found["lines"]] == [722, 3971, 6498]
    assert set(found["lines"][0]) >= {"item", "count", "length_m", "cost_usd", "power_w"}
    assert (found["racks"], found["cables_inside"], found["cables_between"]) == (19, 3971, 6498)


@pytest.mark.exhaustive
def test_several_stand_side_by_side():
    """A row each, in the order given; the cheapest a host is the measure of the others."""
    found = document(DRAGONFLY, SLIM_FLY)["bills"]
    assert [one["hosts"] for one in found] == [342, 200]
    alone = document(SLIM_FLY)
    assert found[1] == {key: value for key, value in alone.items() if key != "schema"}
    head, dragonfly, slim_fly, _ = run(DRAGONFLY, SLIM_FLY).splitlines()
    assert head.endswith("USD per host over the least")
    more = 100 * (found[0]["cost_per_host_usd"] / found[1]["cost_per_host_usd"] - 1)
    assert dragonfly.startswith("dragonfly(h=3")
    assert dragonfly.endswith(f"{more:+,.1f} %")
    assert slim_fly.endswith("least")


@pytest.mark.exhaustive
def test_ranges_stand_in_every_column():
    """Koibuchi 2013's cables cost 60 to 250 USD each, so both ends of the range put the same ratio between two topologies."""
    text = run(SLIM_FLY, DRAGONFLY, "--parts", "koibuchi-2013")
    assert "10,500-43,750    52.5-218.8" in text
    assert re.search(r"\+52\.4 %\nkoibuchi-2013 has no prices for switches: the sums do not include them\n", text)
    assert "\nkoibuchi-2013 has no power figures\n" in text
    found = document(SLIM_FLY, "--parts", "koibuchi-2013")
    assert (found["cost_low_usd"], found["cost_usd"], found["cost_high_usd"]) == (10500, 27125, 43750)
    assert (found["rate_gbps"], found["unpriced"]) == (10, ["switch"])
    assert found["lines"][0]["cost_usd"] is None


def test_a_range_may_change_the_difference(tmp_path):
    """Where only the cables are a range, the network with more of them is not always dearer by the same share."""
    parts = tmp_path / "parts.toml"
    parts.write_text(
        'name = "m"\nsource = "s"\n[switch]\nper_port_usd = 100\n[[cable]]\nmedium = "any"\nuse = "any"\nbase_usd = [1, 500]\n'
    )
    few, many = (document(spec, "--parts", str(parts)) for spec in ("torus:dims=4x4,hosts=1", "complete:n=16,hosts=1"))
    low, high = (100 * (many[key] / few[key] - 1) for key in ("cost_low_usd", "cost_high_usd"))
    assert f"{low:+,.1f} to {high:+,.1f} %" in run(
        "complete:n=16,hosts=1", "torus:dims=4x4,hosts=1", "--parts", str(parts)
    )


@pytest.mark.exhaustive
def test_without_prices_watts_are_compared():
    """Nakano 2016's catalogue has no prices: money is null, and the last column is about watts."""
    assert document(SLIM_FLY, "--parts", "nakano-2016")["cost_usd"] is None
    head, _, dragonfly, note = run(SLIM_FLY, DRAGONFLY, "--parts", "nakano-2016").splitlines()
    assert head.endswith("W per host over the least")
    assert dragonfly.endswith("+33.7 %")
    assert note == "nakano-2016 has no prices for switches and cables: the sums do not include them"
    assert re.search(r"^sum +no price +\d", run(SLIM_FLY, "--parts", "nakano-2016"), re.MULTILINE)


@pytest.mark.exhaustive
def test_without_hosts_whole_prices_are_compared():
    """One topology without hosts among the others has no price a host."""
    head, petersen, slim_fly, _ = run("petersen", SLIM_FLY).splitlines()
    assert head.endswith("  USD over the least")
    assert "no hosts" in petersen
    assert petersen.endswith("least")
    assert "no hosts: add hosts=NUMBER" in run("petersen")
    assert re.search(r"\+[\d,]+\.\d %$", slim_fly)


def test_nothing_divides_by_nothing():
    """A switch without links in a catalogue without its price and watts: 0 of 0 is no more and no less."""
    text = run("complete:n=1", "complete:n=1,hosts=2", "--parts", "koibuchi-2013")
    assert text.splitlines()[2].endswith("+0.0 %")


@pytest.mark.exhaustive
def test_the_documents_are_the_records_of_results():
    """`--json` prints what a bill and a set of bills say of themselves, and they are read back from it."""
    bills = [price(place(build(spec)), orders=True) for spec in (DRAGONFLY, SLIM_FLY)]
    assert document(SLIM_FLY, "--orders") == bills[1].record()
    both = document(DRAGONFLY, SLIM_FLY, "--orders")
    assert both == Bills(tuple(bills)).record()
    assert Bill.from_record(bills[1].record()) == bills[1]
    assert Bills.from_record(both).bills == tuple(bills)
    first, second = Bills.from_record(both).rows()
    assert (first["topology"], second["topology"]) == (bills[0].provenance.name, bills[1].provenance.name)
    assert second["cost_usd"] == bills[1].cost_usd


@pytest.mark.exhaustive
def test_the_switch_line_names_the_product_that_is_bought(tmp_path):
    """In a catalogue of products the bill says which switch it is; with spare ports, the one that has them."""
    parts = tmp_path / "parts.toml"
    products = "".join(
        f'[[switch.product]]\nname = "{name}"\nports = {ports}\nprice_usd = {usd}\npower_w = 1\n'
        for name, ports, usd in (("Weaver 12", 12, 900), ("Weaver 24", 24, 1500))
    )
    parts.write_text(f'name = "m"\nsource = "s"\n{products}[[cable]]\nmedium = "any"\nuse = "any"\nbase_usd = 1\n')
    assert document(SLIM_FLY, "--parts", str(parts))["lines"][0]["item"] == "switch, 11 ports (Weaver 12)"
    assert "switch, 11 ports (Weaver 24)" in run(SLIM_FLY, "--parts", str(parts), "--spare", "25")


@pytest.mark.exhaustive
def test_spare_ports_and_what_to_order():
    """--spare takes per cent; --orders lists every cable once, in the document too."""
    assert document(SLIM_FLY, "--spare", "25")["radix"] == 14
    found = document(SLIM_FLY, "--orders", "--host-cables")["orders"]
    assert sum(order["count"] for order in found) == 175 + 200
    assert {order["product"] for order in found} == {"electric", "fibre"}
    assert document(SLIM_FLY)["orders"] == []
    assert re.search(r"^order list\n  electric +75 +cut to 1 m ", run(SLIM_FLY, "--orders"), re.MULTILINE)


@pytest.mark.exhaustive
def test_a_rate_that_the_catalogue_is_not_for_is_told():
    """Prices hold for some rates; outside, the bill says that they are extrapolated."""
    assert "extrapolated" not in run(SLIM_FLY)
    assert "slimfly-2014 is for links of 10 to 56 Gb/s: at 100 Gb/s its numbers are extrapolated" in run(
        SLIM_FLY, "--rate", "100"
    )
    assert "koibuchi-2013 is for links of 10 Gb/s: at 40 " in run(SLIM_FLY, "--parts", "koibuchi-2013", "--rate", "40")


def test_the_print_of_table_iv_stands_beside_one_topology():
    """--as-published: the paper's own assumptions; it is about one column."""
    found = document("slimfly:q=19,hosts=15", "--as-published")
    assert found["as_published"]["cost_per_host_usd"] == pytest.approx(1033.17, abs=0.01)
    assert found["cost_per_host_usd"] == pytest.approx(1168.25, abs=0.01)
    with pytest.raises(InputError, match="--as-published takes one topology"):
        run(SLIM_FLY, DRAGONFLY, "--as-published")


@pytest.mark.exhaustive
def test_cables_follow_the_floor():
    """The layout that is priced is the one of the floor and the cluster that were asked for."""
    found = [document("torus:dims=16x16,hosts=1", "--floor", floor) for floor in ("slimfly-2014", "koibuchi-2013")]
    assert [one["racks"] for one in found] == [1, 16]
    assert document(DRAGONFLY, "--cluster", "sequential")["racks"] != document(DRAGONFLY)["racks"]
