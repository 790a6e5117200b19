"""Files for a purchase: a workbook (.xlsx) with formulas and an order per vendor, and a table (.csv)."""

import datetime
import io
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topoloom._version import __version__
from topoloom.core.csv_files import csv_text
from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.core.workbooks import CONTROL, fill_cell, without_times
from topoloom.cost.items import Item

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

    from topoloom.cost.bill import Bill

#: The suffixes of these files.
SUFFIXES = (".xlsx", ".csv")

#: Words for the kinds of items.
_KINDS = {"nic": "interface"}
#: Characters that a cell of a workbook must not have, and those that the name of a sheet must not have.
_NOT_IN_TITLE = re.compile(r"[\[\]:*?/\\]")
_LONGEST_TITLE = 31
_Row = tuple[str, Item]
#: The columns of the table.
_CSV_COLUMNS = (
    "network",
    "phase",
    "kind",
    "part_number",
    "vendor",
    "description",
    "length_m",
    "quantity",
    "spares",
    "spare_rule",
    "to_order",
    "unit_price_low",
    "unit_price_high",
    "unit_price",
    "extended_price",
    "currency",
    "lead_weeks",
    "seller",
    "quoted",
    "valid_until",
    "product",
    "confidence",
    "source",
)
#: Bills of a purchase with more items than this are refused: a spreadsheet has about a million rows.
_MOST_ITEMS = 1_000_000


def save_purchase(bills: Sequence["Bill"], path: str | Path) -> None:
    """Write the items of bills as a workbook (.xlsx) or a table (.csv), completely or not at all.

    Parameters
    ----------
    bills : sequence of Bill
        Each a network of the purchase, with its items.
    path : path

    Raises
    ------
    InputError
        A bill has no items, the bills have several currencies, openpyxl is not installed, or the file cannot be written.
    """
    write_atomically(path, purchase_content(bills, Path(path).suffix))


def purchase_content(bills: Sequence["Bill"], suffix: str) -> bytes:
    """The file that `save_purchase` writes.

    Parameters
    ----------
    bills : sequence of Bill
    suffix : str
        One of `SUFFIXES`.

    Raises
    ------
    InputError
        As `save_purchase`, except that nothing is written.
    """
    _check(bills)
    return _workbook(bills) if suffix == ".xlsx" else purchase_csv(bills).encode()


def _check(bills: Sequence["Bill"]) -> None:
    for bill in bills:
        if not bill.items:
            raise InputError(f"the bill of {bill.provenance.name} does not list what to order; give `orders` yes")
    if len(currencies := dict.fromkeys(bill.currency for bill in bills)) > 1:
        raise InputError(f"the bills are in {' and '.join(currencies)}; write one file for each currency")
    if sum(len(bill.items) for bill in bills) > _MOST_ITEMS:
        raise InputError(f"a purchase has at most {_MOST_ITEMS:,} items; choose cables with stocked lengths")


def _rows(bills: Sequence["Bill"]) -> list[_Row]:
    return [(name, item) for name, bill in zip(_names(bills), bills, strict=True) for item in bill.items]


def _names(bills: Sequence["Bill"]) -> list[str]:
    """A name for each network, unlike those of the others."""
    names: list[str] = []
    for bill in bills:
        same = sum(other.provenance.name == bill.provenance.name for other in bills[: len(names)])
        names.append(f"{bill.provenance.name} ({same + 1})" if same else bill.provenance.name)
    return names


def purchase_csv(bills: Sequence["Bill"]) -> str:
    """One row per item, amounts as numbers."""
    return csv_text(
        _CSV_COLUMNS,
        [
            (
                *(
                    network,
                    item.phase,
                    _KINDS.get(item.kind, item.kind),
                    item.part_number,
                    item.vendor,
                    item.description,
                ),
                *(item.length_m or None, item.count, item.spares, item.spare_rule, item.to_order),
                *map(_amount, (item.unit_low_usd, item.unit_high_usd, item.unit_usd, item.cost_usd)),
                *(bills[0].currency, item.lead_weeks, item.seller, _day(item.quoted), _day(item.valid_until)),
                *(item.product, item.confidence, item.source),
            )
            for network, item in _rows(bills)
        ],
    )


def _amount(usd: float) -> float | None:
    return None if math.isnan(usd) else usd


def _day(day: datetime.date | None) -> str | None:
    return None if day is None else day.isoformat()


def _workbook(bills: Sequence["Bill"]) -> bytes:
    """The sheets summary, bill of materials, one order per vendor and phase, and sources."""
    try:
        from openpyxl import Workbook
    except ImportError:
        raise InputError(
            "a workbook needs openpyxl: pip install 'topoloom[spreadsheet]'; or write a .csv file"
        ) from None
    book = Workbook()
    summary = book.active
    rows = _rows(bills)
    if summary is None:
        raise InputError("openpyxl made no sheet; write a .csv file")
    summary.title = "Summary"
    materials = book.create_sheet("Bill of materials")
    _materials(materials, rows, bills[0].currency)
    _summary(summary, bills, len(rows))
    items = [item for _, item in rows if item.kind != "installation"]
    for phase, vendor in dict.fromkeys((item.phase, item.vendor) for item in items):
        when = f"{phase.partition(' ')[0]} " if phase else ""
        title = _title(f"Order {when}{vendor or 'any vendor'}", book.sheetnames)
        ordered = [item for item in items if (item.phase, item.vendor) == (phase, vendor)]
        _order(book.create_sheet(title), vendor, ordered, bills[0].currency)
    _sources(book.create_sheet("Sources"), rows)
    book.properties.creator = f"topoloom {__version__}"
    out = io.BytesIO()
    book.save(out)
    return without_times(out.getvalue())


#: The columns of the bill of materials: heading, width.
_COLUMNS = {
    "Network": 26,
    "Phase": 10,
    "Kind": 13,
    "Part number": 22,
    "Vendor": 12,
    "Description": 46,
    "Quantity": 10,
    "Spares": 8,
    "Spare rule": 24,
    "To order": 10,
    "Lowest price": 13,
    "Highest price": 13,
    "Unit price": 13,
    "Extended price": 16,
    "Lead time, weeks": 10,
    "Seller": 16,
    "Quoted": 12,
    "Valid until": 12,
    "Product": 24,
}
_LETTERS = {heading: chr(ord("A") + place) for place, heading in enumerate(_COLUMNS)}
_MONEY, _WHOLE = "#,##0.00", "#,##0"


def _materials(sheet: "Worksheet", rows: Sequence[_Row], currency: str) -> None:
    """One row per item; the number to order, the unit price and the extended price are formulas."""
    _heading(sheet, [f"{name}, {currency}" if "price" in name else name for name in _COLUMNS], _COLUMNS.values())
    at = _LETTERS
    for row, (network, item) in enumerate(rows, start=2):
        priced = not math.isnan(item.unit_usd)
        low, high = f"{at['Lowest price']}{row}", f"{at['Highest price']}{row}"
        cells = {
            "Network": network,
            "Phase": item.phase,
            "Kind": _KINDS.get(item.kind, item.kind),
            "Part number": item.part_number,
            "Vendor": item.vendor,
            "Description": item.description,
            "Quantity": item.count,
            "Spares": item.spares,
            "Spare rule": item.spare_rule,
            "Lowest price": item.unit_low_usd if priced else None,
            "Highest price": item.unit_high_usd if priced else None,
            "Lead time, weeks": item.lead_weeks,
            "Seller": item.seller,
            "Quoted": item.quoted,
            "Valid until": item.valid_until,
            "Product": item.product,
        }
        formulas = {"To order": f"={at['Quantity']}{row}+{at['Spares']}{row}"}
        if priced:
            formulas["Unit price"] = f"=({low}+{high})/2"
            formulas["Extended price"] = f"={at['To order']}{row}*{at['Unit price']}{row}"
        for name, value in cells.items():
            _write(sheet, f"{at[name]}{row}", value)
        for name, formula in formulas.items():
            sheet[f"{at[name]}{row}"] = formula
    last = len(rows) + 1
    _write(sheet, f"{at['Description']}{last + 1}", "Total")
    sheet[f"{at['Extended price']}{last + 1}"] = f"=SUM({at['Extended price']}2:{at['Extended price']}{last})"
    _bold(sheet, last + 1)
    for name in ("Lowest price", "Highest price", "Unit price", "Extended price"):
        _format(sheet, at[name], last + 1, _MONEY)
    for name in ("Quantity", "Spares", "To order"):
        _format(sheet, at[name], last + 1, _WHOLE)
    sheet.freeze_panes = "E2"
    sheet.auto_filter.ref = f"A1:{at['Product']}{last}"
    _print_wide(sheet)


def _rates(bill: "Bill") -> float | str:
    """The rate of the links, or all of several."""
    rates = bill.rates_gbps
    return rates[0] if len(rates) == 1 else " and ".join(f"{rate:g}" for rate in rates)


def _expired(bill: "Bill") -> str:
    """The products whose quotes are over."""
    today = datetime.date.today()
    over = dict.fromkeys(
        item.product for item in bill.items if item.valid_until is not None and item.valid_until < today
    )
    return ", ".join(over) or "none"


def _summary(sheet: "Worksheet", bills: Sequence["Bill"], count: int) -> None:
    """The networks, and their totals per kind as formulas over the bill of materials."""
    sheet.column_dimensions["A"].width = 28
    for letter in "BCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(bills)]:
        sheet.column_dimensions[letter].width = 48
    currency = bills[0].currency
    facts: list[tuple[str, list[Any]]] = [
        ("Network", _names(bills)),
        ("Parts catalogue", [bill.parts for bill in bills]),
        ("Currency", [currency] * len(bills)),
        ("Link rate, Gb/s", [_rates(bill) for bill in bills]),
        ("Hosts", [bill.hosts for bill in bills]),
        ("Switches", [bill.switches for bill in bills]),
        ("Racks", [bill.racks for bill in bills]),
        ("Links between racks", [bill.cables_between for bill in bills]),
        ("Power of the network, kW", [bill.power_w / 1000 for bill in bills]),
        ("Worst grade of the figures", [bill.confidence or "not graded" for bill in bills]),
        ("No price, not in the sums", [_named(bill.unpriced) for bill in bills]),
        ("No power, not in the sum", [_named(bill.unmetered) for bill in bills]),
        ("Quotes past their last day", [_expired(bill) for bill in bills]),
    ]
    row = 1
    for name, values in facts:
        _write(sheet, f"A{row}", name)
        for place, value in enumerate(values):
            _write(sheet, f"{chr(ord('B') + place)}{row}", value)
        row += 1
    _bold(sheet, 1)
    row += 1
    _write(sheet, f"A{row}", f"Costs, {currency}")
    _bold(sheet, row)
    at, last = _LETTERS, count + 1

    def column(name: str) -> str:
        return f"'Bill of materials'!${at[name]}$2:${at[name]}${last}"

    kinds = list(dict.fromkeys(_KINDS.get(item.kind, item.kind) for bill in bills for item in bill.items))
    first = row + 1
    for kind in kinds:
        row += 1
        _write(sheet, f"A{row}", kind)
        for place in range(len(bills)):
            letter = chr(ord("B") + place)
            chosen = f"{column('Network')},{letter}$1,{column('Kind')},$A{row}"
            sums, prices = (
                f"SUMIFS({column('Extended price')},{chosen})",
                f'COUNTIFS({chosen},{column("Unit price")},">=0")',
            )
            sheet[f"{letter}{row}"] = f'=IF(COUNTIFS({chosen})=0,"none",IF({prices}=0,"no price",{sums}))'
            sheet[f"{letter}{row}"].number_format = _MONEY
    row += 1
    _write(sheet, f"A{row}", "Total")
    for place in range(len(bills)):
        letter = chr(ord("B") + place)
        sheet[f"{letter}{row}"] = f"=SUM({letter}{first}:{letter}{row - 1})"
        sheet[f"{letter}{row}"].number_format = _MONEY
        sheet[f"{letter}{row + 1}"] = f'=IF({letter}5=0,"",{letter}{row}/{letter}5)'
        sheet[f"{letter}{row + 1}"].number_format = _MONEY
        share = f"SUMPRODUCT(({column('Network')}={letter}$1)*{column('Spares')}*{column('Unit price')})"
        sheet[f"{letter}{row + 2}"] = f"={share}"
        sheet[f"{letter}{row + 2}"].number_format = _MONEY
    _bold(sheet, row)
    _write(sheet, f"A{row + 1}", "Total per host")
    _write(sheet, f"A{row + 2}", "Of the total, spares")
    _print_wide(sheet)
    from openpyxl.styles import Alignment

    for cells in sheet.iter_rows(min_col=2):
        for cell in cells:
            cell.alignment = Alignment(horizontal="right", shrink_to_fit=True)


def _named(kinds: Iterable[str]) -> str:
    plurals = {"switch": "switches"}
    return ", ".join(plurals.get(kind, f"{_KINDS.get(kind, kind)}s") for kind in kinds) or "none"


def _order(sheet: "Worksheet", vendor: str, items: Sequence[Item], currency: str) -> None:
    """What to order from one vendor: equal part numbers of all networks together."""
    _heading(
        sheet,
        ["Part number", "Product", "Description", "To order", f"Unit price, {currency}", f"Extended price, {currency}"],
        (24, 26, 52, 12, 18, 20),
    )
    together: dict[tuple[Any, ...], list[Item]] = {}
    for item in items:
        price = None if math.isnan(item.unit_usd) else item.unit_usd
        together.setdefault((item.part_number, item.product, item.description, price), []).append(item)
    for row, ((number, product, description, price), some) in enumerate(together.items(), start=2):
        cells = (number or "not known", product, description, sum(item.to_order for item in some), price)
        for letter, value in zip("ABCDE", cells, strict=True):
            _write(sheet, f"{letter}{row}", value)
        if price is not None:
            sheet[f"F{row}"] = f"=D{row}*E{row}"
    last = len(together) + 1
    _write(sheet, f"C{last + 1}", f"Total, {vendor}" if vendor else "Total")
    sheet[f"F{last + 1}"] = f"=SUM(F2:F{last})"
    _bold(sheet, last + 1)
    _format(sheet, "D", last, _WHOLE)
    for letter in "EF":
        _format(sheet, letter, last + 1, _MONEY)
    sheet.freeze_panes = "A2"
    _print_wide(sheet)


def _sources(sheet: "Worksheet", rows: Sequence[_Row]) -> None:
    """The source and the grade of the figures of every product."""
    _heading(sheet, ["Product", "Part number", "Vendor", "Grade", "Source of its figures"], (26, 24, 14, 8, 100))
    products = {(item.product, item.part_number): item for _, item in rows if item.kind not in ("rack", "installation")}
    for row, item in enumerate(products.values(), start=2):
        cells = (item.product, item.part_number, item.vendor, item.confidence or "", item.source)
        for letter, value in zip("ABCDE", cells, strict=True):
            _write(sheet, f"{letter}{row}", value)
    sheet.freeze_panes = "A2"
    _print_wide(sheet)


def _write(sheet: "Worksheet", place: str, value: Any) -> None:
    """Write a value; a text is always text, even if it looks like a formula."""
    cell = sheet[place]
    fill_cell(cell, value)
    if isinstance(value, datetime.date):
        cell.number_format = "yyyy-mm-dd"


def _heading(sheet: "Worksheet", names: Sequence[str], widths: Iterable[float]) -> None:
    from openpyxl.styles import Alignment, PatternFill

    for number, (name, width) in enumerate(zip(names, widths, strict=True)):
        letter = chr(ord("A") + number)
        _write(sheet, f"{letter}1", name)
        sheet[f"{letter}1"].alignment = Alignment(wrap_text=True, vertical="top")
        sheet[f"{letter}1"].fill = PatternFill("solid", fgColor="DDE6EE")
        sheet.column_dimensions[letter].width = width
    _bold(sheet, 1)


def _bold(sheet: "Worksheet", row: int) -> None:
    from openpyxl.styles import Font

    for cell in sheet[row]:
        cell.font = Font(name="Calibri", size=11, bold=True)


def _format(sheet: "Worksheet", letter: str, last: int, form: str) -> None:
    for row in range(2, last + 1):
        sheet[f"{letter}{row}"].number_format = form


def _print_wide(sheet: "Worksheet") -> None:
    """Print it in landscape, as wide as one page, with the heading on each page."""
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.print_title_rows = "1:1"


def _title(text: str, taken: Sequence[str]) -> str:
    """A name that a sheet may have, unlike those that are taken."""
    plain = CONTROL.sub(" ", _NOT_IN_TITLE.sub("-", text)).strip().strip("'")[:_LONGEST_TITLE]
    lower, number, name = {title.lower() for title in taken}, 1, plain
    while name.lower() in lower:
        number += 1
        name = f"{plain[: _LONGEST_TITLE - len(str(number)) - 1]} {number}"
    return name
