"""The age of prices: a catalogue's prices older than three years are marked as old wherever they are shown."""

import datetime

from topoloom.cost.parts import Parts

#: Years after which prices are old.
OLD_YEARS = 3
_DAYS_PER_YEAR = 365.25


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
    products = any(product.price_usd is not None for product in parts.switch.product)
    # The prices of products may be quotes; a line in the number of ports never is.
    own = parts.switch.has_line or (" with " not in parts.name and (products or "cable" not in parts.unpriced))
    if parts.date is None or not own:
        return None
    years = ((today or datetime.date.today()) - parts.date).days / _DAYS_PER_YEAR
    return int(years) if years > OLD_YEARS else None


def old_prices(parts: Parts, today: datetime.date | None = None) -> str:
    """A sentence that marks old prices with their date; empty if they are not old.

    Parameters
    ----------
    parts : Parts
    today : date, optional
        Today, if omitted.

    Returns
    -------
    str

    Examples
    --------
    >>> from topoloom.cost.parts_files import load_parts
    >>> old_prices(load_parts("slimfly-2014"), datetime.date(2026, 11, 26))
    'the prices of slimfly-2014 are old: of 2014-11-16, 12 years ago; use them to compare networks, not as a budget'
    >>> old_prices(load_parts("infiniband-2026"), datetime.date(2026, 11, 26))
    ''
    """
    age = price_age(parts, today)
    if age is None:
        return ""
    return (
        f"the prices of {parts.name} are old: of {parts.date}, {age} years ago; use them to compare networks, not as a"
        " budget"
    )
