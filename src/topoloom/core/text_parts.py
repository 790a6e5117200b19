"""Lines and numbers of a text from outside, by the same rules for every reader.

Python's functions accept more than any file format: `str.splitlines` ends lines at characters that editors show within lines,
so text after such a character in a comment would count; `int` and `float` take digits of other scripts, underscores, ``nan``
and ``inf``; and `int` of more than 4,300 digits raises a plain ValueError.
"""

import math
import re

_END = re.compile(r"\r\n|\n|\r")
_WHOLE = re.compile(r"[0-9]+")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,4})?")


def text_lines(text: str) -> list[str]:
    """The lines of a text without their line ends (Unix, Windows or old Mac).

    Examples
    --------
    >>> text_lines("0 1\\r\\n# a\\u2028b\\n") == ["0 1", "# a\\u2028b"]
    True
    """
    lines = _END.split(text) if "\r" in text else text.split("\n")
    if not lines[-1]:
        del lines[-1]
    return lines


def whole_in(text: str, most: int) -> int | None:
    """The whole number from 0 to `most` in a text of the digits 0 to 9, with blanks around; None for any other text.

    Examples
    --------
    >>> whole_in(" 007 ", 9), whole_in("10", 9), whole_in("-1", 9), whole_in("1_0", 99)
    (7, None, None, None)
    """
    word = text.strip()
    if not _WHOLE.fullmatch(word) or len(word.lstrip("0")) > len(str(most)):
        return None
    number = int(word.lstrip("0") or "0")
    return number if number <= most else None


def decimal_in(text: str) -> float | None:
    """The finite number in a text of the digits 0 to 9, with blanks around; None for any other text.

    Examples
    --------
    >>> decimal_in("-1.5e3"), decimal_in("1e999"), decimal_in("nan"), decimal_in("1_0")
    (-1500.0, None, None, None)
    """
    word = text.strip()
    number = float(word) if _DECIMAL.fullmatch(word) else math.nan
    return number if math.isfinite(number) else None
