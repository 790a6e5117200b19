"""The text that `topoloom cost` prints: one bill line by line, or several bills side by side."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from topoloom.cli.output import print_table, say
from topoloom.core.amounts import price_range
from topoloom.core.errors import InputError
from topoloom.cost.bill import AsPublished, Bill
from topoloom.cost.lines import Line
from topoloom.cost.parts import Parts
from topoloom.cost.price_age import price_notes

if TYPE_CHECKING:
    from topoloom.machine.bill import MachineBill


def print_bill(bill: Bill, *, orders: bool = True) -> None:
    """Print one bill line by line; with the order list (`orders`) and the published Table IV if it has them."""
    lines = [*bill.lines, Line("sum", 0, bill.cost_low_usd, bill.cost_high_usd, bill.power_w)]
    prices = [_usd(line.cost_low_usd, line.cost_high_usd, bill.currency) for line in lines]
    wide = max(20, *map(len, prices))
    item = max(24, *(len(line.item) for line in lines))
    for line, usd in zip(lines, prices, strict=True):
        metres = f"{line.length_m:12,.0f} m" if line.length_m else " " * 14
        count = f"{line.count:10,}" if line.count else " " * 10
        power = "    no power" if math.isnan(line.power_w) else f"{line.power_w:12,.0f} W"
        say(f"{line.item:{item}} {count} {metres} {usd:>{wide}} {power}".rstrip())
    if bill.hosts:
        usd = _usd(bill.cost_per_host_low_usd, bill.cost_per_host_high_usd, bill.currency, 1)
        say(f"{'per host':{item}} {bill.hosts:10,} {'':14} {usd:>{wide}} {bill.power_per_host_w:12,.3f} W")
    else:
        say("no hosts: add hosts=NUMBER or hosts=full to the spec for the cost per host")
    if bill.ports_bought > bill.ports_used and bill.confidence is not None:
        idle = bill.ports_bought - bill.ports_used
        say(f"{'switch ports':{item}} {bill.ports_bought:10,}, {bill.ports_used:,} in use, {idle:,} idle")
    if bill.cost_low_usd < bill.cost_high_usd:
        say(f"the ranges come from the catalogue; the middle of the sum is {bill.cost_usd:,.0f} {bill.currency}")
    if orders and bill.orders:
        say("order list")
        for order in bill.orders:
            bought = "cut to" if order.cut else "in stock,"
            length = f"{bought} {order.stock_m:g} m" if order.stock_m else ""
            usd = _usd(order.cost_low_usd, order.cost_high_usd, bill.currency)
            say(f"  {order.product:{item - 2}} {order.count:10,} {length:>18} {usd:>{wide - 4}}")
    if bill.as_published is not None:
        _print_as_published(bill.as_published)


def print_machine_bill(bill: "MachineBill") -> None:
    """Print the bill of a machine: each network line by line with its sum, what they share, and the total."""
    from topoloom.machine.tables import PHASE_HEAD, machine_bill_rows, phase_rows

    shown = machine_bill_rows(bill)
    item = max(24, *(len(row.item) for rows in shown.values() for row in rows))
    for name, rows in shown.items():
        say(name)
        for row in rows:
            metres = f"{row.metres:>12} m" if row.metres else " " * 14
            price = f"{row.price} {bill.currency}" if row.priced else row.price
            power = f"{row.power:>12} W" if row.metered else f"{row.power:>12}"
            say(f"  {row.item:{item}} {row.count:>10} {metres} {price:>24} {power}".rstrip())
    say(f"{bill.hosts:,} hosts, {bill.switches:,} switches, {bill.cables:,} cables, {bill.racks:,} racks")
    if bill.phases:
        print_table([PHASE_HEAD, *phase_rows(bill)])
    if bill.unpriced:
        say(f"without a price, and not in the sums: {', '.join(bill.unpriced)}")
    if bill.unmetered:
        say(f"without known power, and not in the sums: {', '.join(bill.unmetered)}")


def print_side_by_side(bills: Sequence[Bill]) -> None:
    """Print one row per topology, with its extra cost over the cheapest (extra power, in a catalogue without prices)."""
    currencies = {bill.currency for bill in bills}
    if len(currencies) > 1:
        raise InputError(f"the bills are in {' and '.join(sorted(currencies))}; compare bills of one currency")
    currency = bills[0].currency
    low, middle, high, basis = _basis(bills)
    best = min(bills, key=lambda bill: float(getattr(bill, middle)))
    rows: list[tuple[str, ...]] = [
        (
            "topology",
            "switches",
            "ports",
            "hosts",
            "racks",
            "inside",
            "between",
            "metres",
            currency,
            f"{currency} per host",
            "W per host",
            f"{basis} over the least",
        )
    ]
    for bill in bills:
        counts = (bill.switches, bill.radix, bill.hosts, bill.racks, bill.cables_inside, bill.cables_between)
        usd_per_host = (
            price_range(bill.cost_per_host_low_usd, bill.cost_per_host_high_usd, 1) if bill.hosts else "no hosts"
        )
        more = [(getattr(bill, key), getattr(best, key)) for key in (low, high)]
        rows.append(
            (
                bill.provenance.name,
                *(f"{count:,}" for count in counts),
                f"{bill.length_m:,.0f}",
                price_range(bill.cost_low_usd, bill.cost_high_usd),
                usd_per_host,
                f"{bill.power_per_host_w:,.3f}" if bill.hosts else "",
                "least" if bill is best else _more(*more),
            )
        )
    names, *columns = zip(*rows, strict=True)
    numbers = [[cell.rjust(max(map(len, column))) for cell in column] for column in columns]
    print_table(list(zip(names, *numbers, strict=True)))


def _basis(bills: Sequence[Bill]) -> tuple[str, str, str, str]:
    """The quantity by which the topologies are compared: the keys of its low, middle and high value, and its name."""
    hosts = all(bill.hosts for bill in bills)
    if any(math.isnan(bill.cost_usd) for bill in bills):
        power = "power_per_host_w" if hosts else "power_w"
        return power, power, power, "W per host" if hosts else "W"
    if hosts:
        return "cost_per_host_low_usd", "cost_per_host_usd", "cost_per_host_high_usd", f"{bills[0].currency} per host"
    return "cost_low_usd", "cost_usd", "cost_high_usd", bills[0].currency


def _more(*pairs: tuple[float, float]) -> str:
    """By how many per cent each first value exceeds its second: one number, or a range if they differ."""
    shares = [100 * (value / least - 1) if least else (math.inf if value else 0.0) for value, least in pairs]
    lowest, highest = f"{min(shares):+,.1f}", f"{max(shares):+,.1f}"
    return f"{lowest} %" if lowest == highest else f"{lowest} to {highest} %"


def print_notes(parts: Parts, bills: Sequence[Bill]) -> None:
    """Print which prices and powers the catalogue lacks, and where its prices are extrapolated."""
    print_unpriced(parts.name, bills, "no public prices" if parts.transceiver else "no prices")
    _print_missing(parts.name, "no power figures", dict.fromkeys(kind for bill in bills for kind in bill.unmetered))
    grade = max((bill.confidence for bill in bills if bill.confidence), default=None)
    if grade is not None:
        say(f"the worst grade of its figures here is {grade} (docs: parts catalogues)")
    if not any(bill.power_w or bill.unmetered for bill in bills):
        say(f"{parts.name} has no power figures")
    for note in price_notes(parts):
        say(note)
    for rate in dict.fromkeys(rate for bill in bills for rate in bill.rates_gbps):
        if parts.nearest_rate(rate) == rate:
            continue
        low, high = parts.rate_gbps or (0.0, 0.0)
        held = f"{low:g} Gb/s" if low == high else f"{low:g} to {high:g} Gb/s"
        say(f"{parts.name} is for links of {held}: at {rate:g} Gb/s its numbers are extrapolated")


def print_unpriced(catalogue: str, bills: Sequence[Bill], lacks: str = "no prices", *, err: bool = False) -> None:
    """Print which kinds of parts in these bills have no price; nothing if all have one.

    Parameters
    ----------
    catalogue : str
        The catalogue's name.
    bills : sequence of Bill
    lacks : str
        What it does not have, in words.
    err : bool
        Whether to print on standard error.
    """
    _print_missing(catalogue, lacks, dict.fromkeys(kind for bill in bills for kind in bill.unpriced), err=err)


def _print_missing(catalogue: str, lacks: str, kinds: Iterable[str], *, err: bool = False) -> None:
    plurals = {"nic": "interfaces", "switch": "switches"}
    if names := " and ".join(plurals.get(kind, f"{kind}s") for kind in kinds):
        say(f"{catalogue} has {lacks} for {names}: the sums do not include them", err=err)


def _usd(low: float, high: float, currency: str, digits: int = 0) -> str:
    """An amount with its unit, or a range."""
    amount = price_range(low, high, digits)
    return amount if math.isnan(low) else f"{amount} {currency}"


def _print_as_published(published: AsPublished) -> None:
    say(
        f"Table IV, {published.column}: published {published.published_cost_usd:,.0f} USD and"
        f" {published.published_power_w:g} W per host"
    )
    if published.cost_per_host_usd is None:
        say("  its assumptions are not known, so the published value is not recomputed")
    else:
        say(
            f"  with its own assumptions: {published.cost_per_host_usd:,.2f} USD, {published.power_per_host_w:.3f} W per host"
        )
    note = f"; {published.note}" if published.note else ""
    say(f"  why the exact count differs: {published.assumption}{note}")
