"""A bill as CSV."""

import math

from topoloom.core.csv_files import csv_text
from topoloom.cost.bill import Bill


def _known(value: float, digits: int) -> str | None:
    """A number with so many digits; an empty cell where it is not known."""
    return None if math.isnan(value) else f"{value:.{digits}f}"


def bill_csv(bill: Bill) -> str:
    """The bill's lines and its sums."""
    columns = ("item", "count", "length_m", "cost_usd", "power_w", "cost_low_usd", "cost_high_usd")
    rows: list[list[object]] = [
        [
            line.item,
            line.count,
            f"{line.length_m:.1f}" if line.length_m else None,
            *(_known(value, digits) for value, digits in ((line.cost_usd, 2), (line.power_w, 1))),
            *(_known(value, 2) for value in (line.cost_low_usd, line.cost_high_usd)),
        ]
        for line in bill.lines
    ]
    low, high = bill.cost_low_usd, bill.cost_high_usd
    rows.append(["sum", None, None, f"{bill.cost_usd:.2f}", f"{bill.power_w:.1f}", f"{low:.2f}", f"{high:.2f}"])
    rows.append(
        [
            "a host",
            None,
            None,
            f"{bill.cost_per_host_usd:.4f}",
            f"{bill.power_per_host_w:.4f}",
            f"{bill.per_host(low):.4f}",
            f"{bill.per_host(high):.4f}",
        ]
    )
    return csv_text(columns, rows)
