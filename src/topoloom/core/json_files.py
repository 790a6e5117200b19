"""JSON. Reading is fast for files that topoloom wrote, and names the line of a fault in files of other programs and people.

Both ways raise only `InputError`, whatever the bytes are: not JSON, not UTF-8, too deep, a number of thousands of digits.
"""

import json
import re
from typing import Any, NoReturn, TypeVar, overload

import msgspec

from topoloom.core.errors import at

T = TypeVar("T")

_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
#: Most characters of a quoted name.
_LONGEST_SHOWN = 60


def indented_json(value: Any) -> bytes:
    """A value as the text of a JSON file for people, indented by one blank.

    Parameters
    ----------
    value : object
        What msgspec encodes.

    Returns
    -------
    bytes
    """
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


@overload
def parse_json(data: str | bytes, source: str) -> Any: ...
@overload
def parse_json(data: str | bytes, source: str, shape: type[T], what: str = "JSON") -> T: ...
def parse_json(data: str | bytes, source: str, shape: Any = Any, what: str = "JSON") -> Any:
    """The value of a JSON text that topoloom wrote.

    Parameters
    ----------
    data : str or bytes
    source : str
        The file's name, for messages.
    shape : type
        The expected type.
    what : str
        The kind of file, for messages: "note of a network folder".

    Returns
    -------
    shape

    Raises
    ------
    InputError
        The text is not JSON in UTF-8, or of another type.
    """
    try:
        return msgspec.json.decode(data, type=shape)
    except msgspec.DecodeError as error:
        raise at(source, _line(data, str(error)), f"is no {what}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise at(source, None, f"is no {what}: it nests too deep") from None
    except UnicodeError:
        raise at(source, None, f"is no {what}: it is not UTF-8 text") from None


def strict_json(text: str, source: str) -> Any:
    """The value of a JSON text of other programs or people, without repeated keys and infinite numbers.

    Parameters
    ----------
    text : str
    source : str
        The file's name, for messages.

    Returns
    -------
    dict, list, str, int, float, bool or None

    Raises
    ------
    InputError
        The text has a fault: ``file:line: reason``.
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_not_finite, parse_float=_finite)
        if _HALF_PAIR.search(text):
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except json.JSONDecodeError as error:
        raise at(source, error.lineno, f"is not JSON: {error.msg[:1].lower() + error.msg[1:]}") from None
    except RecursionError:
        raise at(source, None, "nests too deep") from None
    except _RepeatedError as error:
        places = re.finditer(re.escape(json.dumps(str(error), ensure_ascii=False)) + r"\s*:", text)
        starts = [place.start() for place in places]
        line = 1 + text.count("\n", 0, starts[1]) if len(starts) > 1 else None
        raise at(source, line, f"the field {_short(str(error))} is given twice") from None
    except _NotFiniteError as error:
        place = text.find(str(error))
        raise at(source, 1 + text.count("\n", 0, place), f"{_short(str(error))} is not a finite number") from None
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise at(source, None, f"holds {half!a}, half of a surrogate pair") from None
    except ValueError:  # Python reads no integer of more than 4,300 digits
        raise at(source, None, "holds a number of thousands of digits") from None


class _RepeatedError(Exception):
    """A key that occurs twice in an object."""


class _NotFiniteError(Exception):
    """A number that is infinite or NaN."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        seen = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedError(key)
            seen.add(key)
    return table


def _not_finite(word: str) -> NoReturn:
    raise _NotFiniteError(word)


def _finite(digits: str) -> float:
    value = float(digits)
    return value if abs(value) < float("inf") else _not_finite(digits)


def _line(data: str | bytes, message: str) -> int | None:
    """The line of a msgspec error, from its ``(byte 17)``."""
    match = re.search(r"\(byte ([0-9]+)\)", message)
    if match is None:
        return None
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return 1 + raw.count(b"\n", 0, int(match[1]))


def _short(text: str) -> str:
    shown = ascii(text) if not text.isprintable() else f"'{text}'"
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[: _LONGEST_SHOWN - 4]}...'"
