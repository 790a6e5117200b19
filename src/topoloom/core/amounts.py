"""Numbers as people read them: significant digits, commas, no exponent."""

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
