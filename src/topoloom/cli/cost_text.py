"""What `topoloom cost` says of bills: one line by line, or several side by side."""

import math
from collections.abc import Sequence

from topoloom.cli.output import print_table, say
from topoloom.cost.bill import AsPublished, Bill
from topoloom.cost.lines import Line
from topoloom.cost.parts import Parts


def print_bill(bill: Bill) -> None:
    """One bill, line by line; what to order and the print of Table IV where they were asked for."""
    lines = [*bill.lines, Line("sum", 0, bill.cost_low_usd, bill.cost_high_usd, bill.power_w)]
    prices = [_usd(line.cost_low_usd, line.cost_high_usd) for line in lines]
    wide = max(20, *map(len, prices))
    item = max(24, *(len(line.item) for line in lines))
    for line, usd in zip(lines, prices, strict=True):
        metres = f"{line.length_m:12,.0f} m" if line.length_m else " " * 14
        count = f"{line.count:10,}" if line.count else " " * 10
        watts = "    no watts" if math.isnan(line.power_w) else f"{line.power_w:12,.0f} W"
        say(f"{line.item:{item}} {count} {metres} {usd:>{wide}} {watts}".rstrip())
    if bill.hosts:
        usd = _usd(bill.cost_per_host_low_usd, bill.cost_per_host_high_usd, 1)
        say(f"{'per host':{item}} {bill.hosts:10,} {'':14} {usd:>{wide}} {bill.power_per_host_w:12,.3f} W")
    else:
        say("no hosts: add hosts=NUMBER or hosts=full to the spec for costs per host")
    if bill.ports_bought > bill.ports_used and bill.confidence is not None:
        idle = bill.ports_bought - bill.ports_used
        say(f"{'switch ports':{item}} {bill.ports_bought:10,}, {bill.ports_used:,} in use, {idle:,} idle")
    if bill.cost_low_usd < bill.cost_high_usd:
        say(f"the ranges are the catalogue's; the middle of the sum is {bill.cost_usd:,.0f} USD")
    if bill.orders:
        say("order list")
        for order in bill.orders:
            bought = "cut to" if order.cut else "in stock,"
            length = f"{bought} {order.stock_m:g} m" if order.stock_m else ""
            usd = _usd(order.cost_low_usd, order.cost_high_usd)
            say(f"  {order.product:{item - 2}} {order.count:10,} {length:>18} {usd:>{wide - 4}}")
    if bill.as_published is not None:
        _print_as_published(bill.as_published)


def print_side_by_side(bills: Sequence[Bill]) -> None:
    """A row for each topology, and what each costs over the cheapest (or draws, in a catalogue without prices)."""
    low, middle, high, basis = _basis(bills)
    best = min(bills, key=lambda one: float(getattr(one, middle)))
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
            "USD",
            "USD per host",
            "W per host",
            f"{basis} over the least",
        )
    ]
    for one in bills:
        counts = (one.switches, one.radix, one.hosts, one.racks, one.cables_inside, one.cables_between)
        a_host = _amount(one.cost_per_host_low_usd, one.cost_per_host_high_usd, 1) if one.hosts else "no hosts"
        more = [(getattr(one, key), getattr(best, key)) for key in (low, high)]
        rows.append(
            (
                one.provenance.name,
                *(f"{count:,}" for count in counts),
                f"{one.length_m:,.0f}",
                _amount(one.cost_low_usd, one.cost_high_usd),
                a_host,
                f"{one.power_per_host_w:,.3f}" if one.hosts else "",
                "least" if one is best else _more(*more),
            )
        )
    names, *columns = zip(*rows, strict=True)
    numbers = [[cell.rjust(max(map(len, column))) for cell in column] for column in columns]
    print_table(list(zip(names, *numbers, strict=True)))


def _basis(bills: Sequence[Bill]) -> tuple[str, str, str, str]:
    """What the topologies are compared by: the keys of its low, middle and high value, and its name."""
    hosts = all(one.hosts for one in bills)
    if any(math.isnan(one.cost_usd) for one in bills):
        watts = "power_per_host_w" if hosts else "power_w"
        return watts, watts, watts, "W per host" if hosts else "W"
    if hosts:
        return "cost_per_host_low_usd", "cost_per_host_usd", "cost_per_host_high_usd", "USD per host"
    return "cost_low_usd", "cost_usd", "cost_high_usd", "USD"


def _more(*pairs: tuple[float, float]) -> str:
    """How far each first value is above its second, in per cent: one number, or a range where they differ."""
    shares = [100 * (one / least - 1) if least else (math.inf if one else 0.0) for one, least in pairs]
    lowest, highest = f"{min(shares):+,.1f}", f"{max(shares):+,.1f}"
    return f"{lowest} %" if lowest == highest else f"{lowest} to {highest} %"


def print_notes(parts: Parts, bills: Sequence[Bill]) -> None:
    """What the catalogue does not know, and where its prices do not hold."""
    told = {"nic": "interfaces", "switch": "switches"}
    for what, missing in (
        ("prices", dict.fromkeys(kind for one in bills for kind in one.unpriced)),
        ("watts", dict.fromkeys(kind for one in bills for kind in one.unmetered)),
    ):
        if missing:
            of = " and ".join(told.get(kind, f"{kind}s") for kind in missing)
            whose = "no public prices" if what == "prices" and parts.transceiver else f"no {what}"
            say(f"{parts.name} has {whose} of {of}: the sums are without them")
    grade = max((one.confidence for one in bills if one.confidence), default=None)
    if grade is not None:
        say(f"the worst grade of its figures here is {grade} (docs: parts catalogues)")
    if not any(one.power_w or one.unmetered for one in bills):
        say(f"{parts.name} has no watts")
    rate = bills[0].rate_gbps
    if parts.nearest_rate(rate) != rate:
        low, high = parts.rate_gbps or (0.0, 0.0)
        held = f"{low:g} Gb/s" if low == high else f"{low:g} to {high:g} Gb/s"
        say(f"{parts.name} is for links of {held}: at {rate:g} Gb/s its numbers are extrapolated")


def _usd(low: float, high: float, digits: int = 0) -> str:
    """An amount with its unit, or a range of two."""
    amount = _amount(low, high, digits)
    return amount if math.isnan(low) else f"{amount} USD"


def _amount(low: float, high: float, digits: int = 0) -> str:
    if math.isnan(low):
        return "no price"
    lowest, highest = f"{low:,.{digits}f}", f"{high:,.{digits}f}"
    return lowest if lowest == highest else f"{lowest}-{highest}"


def _print_as_published(told: AsPublished) -> None:
    say(
        f"Table IV, {told.column}: printed {told.published_cost_usd:,.0f} USD and {told.published_power_w:g} W per host"
    )
    if told.cost_per_host_usd is None:
        say("  its assumptions were not found, so the print is not recomputed")
    else:
        say(f"  with its own assumptions: {told.cost_per_host_usd:,.2f} USD and {told.power_per_host_w:.3f} W per host")
    note = f"; {told.note}" if told.note else ""
    say(f"  why the exact count differs: {told.assumption}{note}")
