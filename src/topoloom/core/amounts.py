"""Numbers as people read them: significant digits, commas, no exponent."""

import math
import re
from decimal import Decimal


def amount(value: float, digits: int = 4) -> str:
    """A number with `digits` significant digits, or all digits before the point if these are more; never with an exponent.

    Parameters
    ----------
    value : float
    digits : int

    Returns
    -------
    str

    Examples
    --------
    >>> [amount(number) for number in (16_000_000.0, 1234.56, 1.5, 0.000012345, 3.0)]
    ['16,000,000', '1,235', '1.5', '0.00001234', '3']
    """
    if abs(value) >= 10**digits:
        return f"{value:,.0f}"
    # Rounded first, then written: the format "g" has exponents, the format "f" no significant digits.
    return f"{Decimal(f'{value:.{digits}g}'):,f}"


def with_currency(value: float, currency: str, digits: int = 0) -> str:
    """An amount with its currency.

    Parameters
    ----------
    value : float
    currency : str
        Three capital letters.
    digits : int
        Digits after the point.

    Returns
    -------
    str

    Examples
    --------
    >>> with_currency(2_730_000, "EUR"), with_currency(1168.24, "USD", 1)
    ('2,730,000 EUR', '1,168.2 USD')
    """
    return f"{value:,.{digits}f} {currency}"


def price_range(low: float, high: float, digits: int = 0) -> str:
    """A price, or the range of one; NaN is not known.

    Parameters
    ----------
    low, high : float
    digits : int
        Digits after the point.

    Returns
    -------
    str

    Examples
    --------
    >>> price_range(1200, 1680), price_range(5, 5), price_range(math.nan, math.nan)
    ('1,200-1,680', '5', 'no price')
    """
    if math.isnan(low):
        return "no price"
    lowest, highest = f"{low:,.{digits}f}", f"{high:,.{digits}f}"
    return lowest if lowest == highest else f"{lowest}-{highest}"


def in_currency(label: str, currency: str) -> str:
    """A label in the currency of a catalogue; labels are written in US dollars, the default.

    Parameters
    ----------
    label : str
    currency : str
        Three capital letters.

    Returns
    -------
    str

    Examples
    --------
    >>> in_currency("cost per host [USD]", "JPY")
    'cost per host [JPY]'
    """
    return label if currency == "USD" else re.sub(r"\bUSD\b", currency, label)
