"""Purchases: what one bill has more than another, and what it no longer needs."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from topoloom.cost.choose import CableLot
from topoloom.cost.items import Item
from topoloom.cost.lines import Line

#: Lines of a bill, equal if kind and text are; lots of cables and transceivers, or items, equal if product and length are.
Bought = TypeVar("Bought", Line, CableLot, Item)


def purchases(owned: Sequence[Bought], needed: Sequence[Bought]) -> tuple[Bought, ...]:
    """What to buy if `owned` exists and `needed` is wanted: of each line or lot, what is missing.

    Parameters
    ----------
    owned, needed : sequence of Line, of CableLot, or of Item
        Of two bills.

    Returns
    -------
    tuple of Line, of CableLot, or of Item
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
        if old is None or any(getattr(entry, column) > getattr(old, column) for column in _counts(entry)):
            bought.append(entry if old is None else _more(old, entry))
    return tuple(bought)


def in_stock(owned: Sequence[Bought], needed: Sequence[Bought]) -> tuple[Bought, ...]:
    """What is there after `needed` was bought: all of it, and what `owned` has more of.

    Parameters
    ----------
    owned, needed : sequence of Line, of CableLot, or of Item

    Returns
    -------
    tuple of Line, of CableLot, or of Item
    """
    more: dict[_Name, Bought] = {_name(entry): entry for entry in owned}
    stock: list[Bought] = []
    for entry in needed:
        old = more.pop(_name(entry), None)
        stock.append(entry if old is None else _most(old, entry))
    stock.extend(more.values())
    return tuple(stock)


_Name = tuple[str | float, ...]


def _name(entry: Line | CableLot | Item) -> _Name:
    if isinstance(entry, Item):
        return entry.kind, entry.product, entry.part_number, entry.description, entry.length_m
    return (entry.kind, entry.item) if isinstance(entry, Line) else (entry.product, entry.stock_m)


def _counts(entry: Line | CableLot | Item) -> tuple[str, ...]:
    """The columns that count parts: spares of an item are bought with it."""
    return ("count", "spares") if isinstance(entry, Item) else ("count",)


def _most(old: Bought, new: Bought) -> Bought:
    """The larger of two counts of one line, lot or item."""
    if isinstance(new, Item):
        return replace(new, **{column: max(getattr(old, column), getattr(new, column)) for column in _counts(new)})
    return new if old.count <= new.count else old


def _more(old: Bought, new: Bought) -> Bought:
    """What `new` has more than `old` of one line, lot or item."""
    if isinstance(new, Item):
        counts = {column: max(0, getattr(new, column) - getattr(old, column)) for column in _counts(new)}
        return replace(new, **counts)
    columns = ("count", "cost_low_usd", "cost_high_usd", "power_w", *(("length_m",) if isinstance(new, Line) else ()))
    return replace(new, **{column: getattr(new, column) - getattr(old, column) for column in columns})


def total_usd(lines: Sequence[Line], *kinds: str) -> float:
    """The cost of the lines of some kinds, of all without any: NaN if one of them has no price, 0 without lines."""
    return math.fsum(line.cost_usd for line in lines if not kinds or line.kind in kinds)
