"""The age of prices: a catalogue's prices and quotes older than three years, or past their last day, are marked."""

import datetime
from collections.abc import Iterator

from topoloom.cost.parts import Parts
from topoloom.cost.products import Cited

#: Years after which prices are old.
OLD_YEARS = 3
_DAYS_PER_YEAR = 365.25
#: Most quotes that a note names.
_MOST_NAMED = 3


def price_age(parts: Parts, today: datetime.date | None = None) -> int | None:
    """The full years since a catalogue's prices were collected; None if they are not old, or there is none or no date.

    Parameters
    ----------
    parts : Parts
        A catalogue that has prices of its own; quotes have dates of their own.
    today : date, optional
        Today, if omitted.

    Returns
    -------
    int or None
    """
    own = parts.switch.has_line or any(
        not product.quotes and product.quoted is None and _priced(product) for product in _products(parts)
    )
    return _years(parts.date, today) if own else None


def price_notes(parts: Parts, today: datetime.date | None = None) -> list[str]:
    """Sentences that mark old prices and quotes with their dates.

    Parameters
    ----------
    parts : Parts
    today : date, optional
        Today, if omitted.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from topoloom.cost.parts_files import load_parts
    >>> price_notes(load_parts("slimfly-2014"), datetime.date(2026, 11, 26))
    ['the prices of slimfly-2014 are old: of 2014-11-16, 12 years ago; use them to compare networks, not as a budget']
    >>> price_notes(load_parts("infiniband-2026"), datetime.date(2026, 11, 26))
    []
    """
    notes, quoted = [], [product for product in _products(parts) if product.quoted is not None]
    if (age := price_age(parts, today)) is not None:
        catalogue = parts.name.partition(" with ")[0]
        notes.append(
            f"the prices of {catalogue} are old: of {parts.date}, {age} years ago; use them to compare networks, not as a"
            " budget"
        )
    old = [f"{_name(product)} ({product.quoted})" for product in quoted if _years(product.quoted, today) is not None]
    if old:
        notes.append(f"quotes older than {OLD_YEARS} years: {_listed(old)}")
    now = today or datetime.date.today()
    early = [f"{_name(product)} ({product.quoted})" for product in quoted if product.quoted and product.quoted > now]
    if early:
        notes.append(f"quotes dated after today, {now}: {_listed(early)}")
    return notes


def expired_quotes(parts: Parts, today: datetime.date | None = None) -> str:
    """A sentence that names the quotes past their last day; empty if there is none.

    Parameters
    ----------
    parts : Parts
    today : date, optional
        Today, if omitted.

    Returns
    -------
    str
    """
    now = today or datetime.date.today()
    over = [
        f"{_name(product)} ({product.valid_until})"
        for product in _products(parts)
        if product.valid_until is not None and product.valid_until < now
    ]
    return f"quotes past their last day: {_listed(over)}" if over else ""


def _products(parts: Parts) -> Iterator[Cited]:
    for table in (parts.switch.product, parts.cable, parts.transceiver, parts.nic, parts.server):
        yield from table


def _priced(product: Cited) -> bool:
    return any(getattr(product, key) for key in product.__struct_fields__ if "usd" in key)


def _name(product: Cited) -> str:
    return str(getattr(product, "name", "") or getattr(product, "medium", ""))


def _listed(names: list[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = len(distinct) - _MOST_NAMED
    return ", ".join(distinct[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _years(date: datetime.date | None, today: datetime.date | None) -> int | None:
    """The full years since a date; None if it is not old, or not known."""
    if date is None:
        return None
    years = ((today or datetime.date.today()) - date).days / _DAYS_PER_YEAR
    return int(years) if years > OLD_YEARS else None
