"""Purchases: what one bill has more than another, and what it no longer needs."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from topoloom.cost.choose import CableLot
from topoloom.cost.lines import Line

#: Lines of a bill, equal if kind and text are; or lots of cables and transceivers, equal if product and length are.
Bought = TypeVar("Bought", Line, CableLot)


def purchases(owned: Sequence[Bought], needed: Sequence[Bought]) -> tuple[Bought, ...]:
    """What to buy if `owned` exists and `needed` is wanted: of each line or lot, what is missing.

    Parameters
    ----------
    owned, needed : sequence of Line, or of CableLot
        Of two bills.

    Returns
    -------
    tuple of Line, or of CableLot
        In the order of `needed`. ``purchases(needed, owned)`` is what is left over.

    Examples
    --------
    >>> small, large = [Line("cable, 2 m", 3, 30.0, 36.0, kind="cable")], [Line("cable, 2 m", 5, 50.0, 60.0, kind="cable")]
    >>> [(line.count, line.cost_usd) for line in purchases(small, large)], purchases(large, small)
    ([(2, 22.0)], ())
    """
    had = {_name(entry): entry for entry in owned}
    bought = []
    for entry in needed:
        old = had.get(_name(entry))
        if entry.count > (0 if old is None else old.count):
            bought.append(entry if old is None else _more(old, entry))
    return tuple(bought)


def in_stock(owned: Sequence[Bought], needed: Sequence[Bought]) -> tuple[Bought, ...]:
    """What is there after `needed` was bought: all of it, and what `owned` has more of.

    Parameters
    ----------
    owned, needed : sequence of Line, or of CableLot

    Returns
    -------
    tuple of Line, or of CableLot
    """
    more: dict[tuple[str, str | float], Bought] = {_name(entry): entry for entry in owned}
    stock: list[Bought] = []
    for entry in needed:
        old = more.pop(_name(entry), None)
        stock.append(entry if old is None or old.count <= entry.count else old)
    stock.extend(more.values())
    return tuple(stock)


def _name(entry: Line | CableLot) -> tuple[str, str | float]:
    return (entry.kind, entry.item) if isinstance(entry, Line) else (entry.product, entry.stock_m)


def _more(old: Bought, new: Bought) -> Bought:
    """What `new` has more than `old` of one line or lot."""
    columns = ("count", "cost_low_usd", "cost_high_usd", "power_w", *(("length_m",) if isinstance(new, Line) else ()))
    return replace(new, **{column: getattr(new, column) - getattr(old, column) for column in columns})


def total_usd(lines: Sequence[Line], *kinds: str) -> float:
    """The cost of the lines of some kinds, of all without any: NaN if one of them has no price, 0 without lines."""
    return math.fsum(line.cost_usd for line in lines if not kinds or line.kind in kinds)
