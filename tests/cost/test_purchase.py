"""Files of a purchase: the totals of the workbook are those of the bill to the cent, and every item has its part number."""

import csv
import datetime
import math
import shutil
import subprocess

import numpy as np
import pytest

from topoloom import build, place, price
from topoloom.core.errors import InputError
from topoloom.cost.bill import Bill, Bills
from topoloom.cost.items import Item, with_spares
from topoloom.cost.parts_files import load_parts
from topoloom.cost.quotes import lay_over, quoted_parts
from topoloom.cost.servers import housing_of
from topoloom.cost.spares import Spares

openpyxl = pytest.importorskip("openpyxl")

QUOTES = "examples/quotes/made-up-ndr.toml"


@pytest.fixture(scope="module")
def bill():
    """A pod of 64 DGX H100 with made-up quotes and spares."""
    parts = quoted_parts("infiniband-2026", QUOTES)
    network = build("fat-tree:hosts=512,k=64+rails:nics=8")
    layout = place(network, "koibuchi-2013", housing=housing_of("DGX H100", parts), map="rows")
    return price(layout, parts, 400, orders=True, spares=True)


def test_the_items_are_the_bill(bill):
    """Their prices add up to it, spares included, and their numbers to those of its lines."""
    assert sum(item.cost_usd for item in bill.items if not math.isnan(item.cost_usd)) == pytest.approx(bill.cost_usd)
    for kind in ("switch", "cable", "transceiver", "nic", "rack"):
        in_items = sum(item.to_order for item in bill.items if item.kind == kind)
        assert in_items == sum(line.count for line in bill.lines if line.kind == kind)
    assert [item.count for item in bill.items if item.part_number == "980-9I51A-00NS00"] == [256]


def test_the_table_is_the_bill(bill, tmp_path):
    """One row per item, with the extended price and the currency."""
    bill.save(tmp_path / "bill.csv")
    with open(tmp_path / "bill.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(bill.items)
    assert sum(float(row["extended_price"] or 0) for row in rows) == pytest.approx(bill.cost_usd)
    assert {row["currency"] for row in rows} == {"USD"}
    switch = next(row for row in rows if row["kind"] == "switch")
    assert (switch["quantity"], switch["spares"], switch["spare_rule"]) == ("24", "1", "1 % of 24, rounded up")


def test_the_workbook_has_a_sheet_per_vendor(bill, tmp_path):
    """Summary, bill of materials, an order per vendor, sources; totals are formulas; equal bills give equal files."""
    for name in ("a.xlsx", "b.xlsx"):
        bill.save(tmp_path / name)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    assert book.sheetnames[:3] == ["Summary", "Bill of materials", "Order NVIDIA"]
    assert book.sheetnames[-1] == "Sources"
    materials = book["Bill of materials"]
    assert materials.max_row == len(bill.items) + 2
    assert materials.cell(materials.max_row, 14).value == f"=SUM(N2:N{len(bill.items) + 1})"


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_computes_the_total_of_the_bill(bill, tmp_path):
    """The formulas of every sheet, recalculated: the totals equal those of the record to the cent."""
    bill.save(tmp_path / "bill.xlsx")
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
    home = f"-env:UserInstallation=file://{tmp_path}/home"
    command = [
        "soffice",
        home,
        "--headless",
        "--convert-to",
        form,
        "--outdir",
        str(tmp_path),
        str(tmp_path / "bill.xlsx"),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    sheets = {}
    for path in tmp_path.glob("bill-*.csv"):
        with open(path, newline="") as file:
            sheets[path.stem.removeprefix("bill-")] = list(csv.reader(file))
    summary = dict(row[:2] for row in sheets["Summary"] if row[0])
    cents = round(100 * bill.cost_usd)
    assert round(100 * float(summary["Total"])) == cents
    assert round(100 * float(sheets["Bill of materials"][-1][13])) == cents
    assert round(100 * float(summary["Total per host"])) == round(100 * bill.cost_per_host_usd)
    assert summary["rack"] == "no price"
    orders = [rows for name, rows in sheets.items() if name.startswith("Order")]
    assert round(100 * sum(float(rows[-1][-1]) for rows in orders)) == cents
    assert not any("Err:" in cell or "#" in cell for rows in sheets.values() for row in rows for cell in row)


def test_spares_are_rounded_up_per_part_number():
    """Two stocked lengths have their own spares; one part number on two items counts once; cut lengths share theirs."""
    items = [
        Item("cable", "F", 30, 1, 1, "fibre, length 3 m", part_number="F3", length_m=3),
        Item("cable", "F", 30, 1, 1, "fibre, length 5 m", part_number="F5", length_m=5),
        Item("cable", "C", 30, 1, 1, "fibre, cut to 3.5 m", length_m=3.5),
        Item("cable", "C", 30, 1, 1, "fibre, cut to 4.5 m", length_m=4.5),
        Item("transceiver", "M", 50, 1, 1, part_number="M1"),
        Item("transceiver", "M, 800G", 50, 1, 1, part_number="M1"),
        Item("switch", "S", 1, 1, 1),
        Item("rack", "rack", 9, 1, 1),
    ]
    assert [item.spares for item in with_spares(items, Spares())] == [1, 1, 0, 2, 2, 0, 1, 0]
    assert [item.spares for item in with_spares(items, Spares(switches=0, cables=0))] == [0] * 8


def test_a_quote_by_part_number(tmp_path, caplog):
    """In any table by the number alone; one length of a cable leaves the others without a price."""
    path = tmp_path / "q.toml"
    path.write_text(
        '[[quote]]\npart_number = "980-9I51A-00NS00"\nprice_usd = 700\nseller = "S"\nquoted = 2026-11-01\nlead_weeks = 12\n'
        '[[quote]]\npart_number = "980-9I924-00N002"\nprice_usd = [200, 220]\nvalid_until = 2020-01-31\n'
    )
    parts = lay_over(load_parts("infiniband-2026"), path)
    module = next(module for module in parts.transceiver if module.name == "MMA4Z00-NS-FLT")
    assert (module.price_usd, module.seller, module.lead_weeks) == (700, "S", 12)
    assert module.quoted == datetime.date(2026, 11, 1)
    cable = next(cable for cable in parts.cable if cable.name == "MCP7Y00")
    assert cable.prices_usd == (None, None, (200, 220), None, None)
    assert math.isnan(cable.usd(np.array([1.0]), 400.0)[0, 0])
    assert cable.usd(np.array([2.0]), 400.0)[:, 0].tolist() == [200, 220]
    assert "the quote for '980-9I924-00N002' was valid until 2020-01-31" in caplog.text


def test_a_quote_by_name_prices_every_use_of_its_part_number(tmp_path):
    """A module with splitters is the same part as one without; a quote of its own stays, and nothing else is changed."""
    quote = '[[transceiver]]\nname = "MMA4Z00-NS"\nprice_usd = 750\npower_w = 16\nseller = "X"\n'
    (tmp_path / "q.toml").write_text(quote)
    before = {module.name: module for module in load_parts("infiniband-2026").transceiver}
    modules = {module.name: module for module in quoted_parts("infiniband-2026", tmp_path / "q.toml").transceiver}
    number = modules["MMA4Z00-NS"].part_number
    split = modules["MMA4Z00-NS, 4 x 200G"]
    assert (split.part_number, split.price_usd, split.seller) == (number, 750, "X")
    assert split.power_w == before[split.name].power_w
    assert {name for name, module in modules.items() if module.price_usd is not None} == {
        name for name, module in before.items() if module.part_number == number
    }
    (tmp_path / "q.toml").write_text('[[transceiver]]\nname = "MMA4Z00-NS, 4 x 200G"\nprice_usd = 800\n' + quote)
    modules = {module.name: module for module in quoted_parts("infiniband-2026", tmp_path / "q.toml").transceiver}
    assert (modules["MMA4Z00-NS, 4 x 200G"].price_usd, modules["MMA4Z00-NS"].price_usd) == (800, 750)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[quote]]\npart_number = "980-9I51A-00NS01"\nprice_usd = 1', r"q.toml:1: .*no part number .*did you mean"),
        ("[[quote]]\nprice_usd = 1", r"q.toml:1: a \[\[quote\]\] needs the part_number"),
        ('[[quote]]\npart_number = "980-9I51A-00NS00"\nprice_usd = -1', "q.toml:1: with this quote .*price_usd"),
        ('currency = "euro"', "currency"),
    ],
)
def test_what_a_quote_by_part_number_may_not_say(tmp_path, text, words):
    """One sentence with the line and the remedy."""
    path = tmp_path / "q.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        lay_over(load_parts("infiniband-2026"), path)


def test_a_bill_in_another_currency_says_so(tmp_path):
    """In its text, its table and its record; prices of two currencies are never added."""
    from topoloom.cli.cost_text import print_side_by_side

    path = tmp_path / "q.toml"
    path.write_text('currency = "EUR"\n[[switch.product]]\nname = "QM9700"\nprice_usd = 20_000\n')
    parts = lay_over(load_parts("infiniband-2026"), path)
    layout = place(build("fat-tree:hosts=64,k=64"), "koibuchi-2013", map="rows")
    euro = price(layout, parts, 400, orders=True)
    assert (euro.currency, euro.record()["currency"]) == ("EUR", "EUR")
    euro.save(tmp_path / "bill.csv")
    assert ",EUR," in (tmp_path / "bill.csv").read_text()
    assert "Unit price, EUR" in str(list(openpyxl_row(euro, tmp_path)))
    dollar = price(layout, "slimfly-2014", orders=True)
    with pytest.raises(InputError, match="the bills are in EUR and USD"):
        Bills((euro, dollar)).save(tmp_path / "two.csv")
    with pytest.raises(InputError, match="the bills are in EUR and USD"):
        print_side_by_side([euro, dollar])
    path.write_text('currency = "EUR"\n')
    with pytest.raises(InputError, match=r"q.toml:1: the quotes are in EUR, but 'electric' keeps its price in USD"):
        lay_over(load_parts("slimfly-2014"), path)


def openpyxl_row(bill, folder):
    """The headings of the bill of materials."""
    bill.save(folder / "e.xlsx")
    return [cell.value for cell in openpyxl.load_workbook(folder / "e.xlsx")["Bill of materials"][1]]


def test_texts_are_no_formulas(bill, tmp_path):
    """A product whose name looks like a formula stays text, and a vendor may have any name."""
    from dataclasses import replace

    bad = replace(bill.items[0], product="=1+1", vendor="a/b[c]: '*?" + "x" * 40, description="\x01-2")
    Bill.save(replace(bill, items=(bad, replace(bad, vendor=bad.vendor + "y"))), tmp_path / "bad.xlsx")
    book = openpyxl.load_workbook(tmp_path / "bad.xlsx")
    sheet = book["Bill of materials"]
    assert (sheet["S2"].value, sheet["S2"].data_type, sheet["F2"].value) == ("=1+1", "s", " -2")
    assert len(book.sheetnames) == 5


def test_a_bill_without_items_is_refused(tmp_path):
    """With the argument that gives them."""
    layout = place(build("petersen:hosts=1"))
    with pytest.raises(InputError, match="does not list what to order; give `orders` yes"):
        price(layout).save(tmp_path / "bill.xlsx")
    price(layout, orders=True).save(tmp_path / "bill.xlsx")
    price(layout).save(tmp_path / "bill.json")
    assert Bill.load(tmp_path / "bill.json").switches == 10
