"""Purchases: the lines that one bill has more than another, and those that it no longer needs."""

import math
from collections.abc import Sequence
from dataclasses import replace

from topoloom.cost.choose import CableLot
from topoloom.cost.lines import Line


def purchases(owned: Sequence[Line], needed: Sequence[Line]) -> tuple[Line, ...]:
    """The lines to buy if `owned` exists and `needed` is wanted: of each item, what is missing.

    Parameters
    ----------
    owned, needed : sequence of Line
        The lines of two bills; items are equal if kind and text are.

    Returns
    -------
    tuple of Line
        In the order of `needed`. ``purchases(needed, owned)`` are the items that are left over.

    Examples
    --------
    >>> small, large = [Line("cable, 2 m", 3, 30.0, 36.0, kind="cable")], [Line("cable, 2 m", 5, 50.0, 60.0, kind="cable")]
    >>> [(line.count, line.cost_usd) for line in purchases(small, large)], purchases(large, small)
    ([(2, 22.0)], ())
    """
    had = {(line.kind, line.item): line for line in owned}
    bought = []
    for line in needed:
        old = had.get((line.kind, line.item))
        if old is None:
            if line.count:
                bought.append(line)
        elif line.count > old.count:
            bought.append(_more(old, line))
    return tuple(bought)


def _more(old: Line, new: Line) -> Line:
    """What `new` has more than `old` of one item."""
    return replace(
        new,
        count=new.count - old.count,
        cost_low_usd=new.cost_low_usd - old.cost_low_usd,
        cost_high_usd=new.cost_high_usd - old.cost_high_usd,
        power_w=new.power_w - old.power_w,
        length_m=new.length_m - old.length_m,
    )


def lots_to_buy(owned: Sequence[CableLot], needed: Sequence[CableLot]) -> tuple[CableLot, ...]:
    """The lots of cables and transceivers to buy if `owned` exists and `needed` is wanted, as `purchases` of lines.

    Lots are of one kind if product and length are equal.
    """
    had = {(lot.product, lot.stock_m): lot for lot in owned}
    bought = []
    for lot in needed:
        old = had.get((lot.product, lot.stock_m))
        if old is None or lot.count > old.count:
            bought.append(lot if old is None else _more_of_lot(old, lot))
    return tuple(bought)


def _more_of_lot(old: CableLot, new: CableLot) -> CableLot:
    """What `new` has more than `old` of one product and length."""
    columns = ("count", "cost_low_usd", "cost_high_usd", "power_w")
    return replace(new, **{column: getattr(new, column) - getattr(old, column) for column in columns})


def total_usd(lines: Sequence[Line], *kinds: str) -> float:
    """The cost of the lines of some kinds, of all without any: NaN if one of them has no price, 0 without lines."""
    return math.fsum(line.cost_usd for line in lines if not kinds or line.kind in kinds)
