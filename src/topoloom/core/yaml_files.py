"""Reading YAML as plain data: texts, numbers, booleans, lists and tables, with the line of every fault.

PyYAML's constructors make dates, sets and binary data from tags, raise many kinds of errors, take the last of two equal keys,
and expand aliases to gigabytes. Here the values are built from the events of its parser.
"""

import math
import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from topoloom.core.errors import InputError, at

T = TypeVar("T")

#: Most levels of nested lists and tables; no real file has more.
_DEEPEST = 50
_MOST_DIGITS = 300
_WHOLE = re.compile(r"[-+]?(?:[1-9][0-9]*|0[0-7]*|0b[01]+|0x[0-9a-fA-F]+)")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_ENDLESS = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_TRUTHS = dict.fromkeys(("yes", "true", "on"), True) | dict.fromkeys(("no", "false", "off"), False)
_NOTHING = {"", "~", "null", "Null", "NULL"}
_PART = re.compile(r"\.([^.\[]+)|\[([0-9]+)\]")


def parse_yaml(text: str, shape: type[T], source: str, what: str, *, strict: bool = True) -> T:
    """A YAML text as a `shape`.

    Parameters
    ----------
    text : str
    shape : type of Struct
        The expected keys, with types and ranges.
    source : str
        The file's name, for messages.
    what : str
        The kind of file: "device type".
    strict : bool
        Whether texts that look like numbers stay texts.

    Returns
    -------
    shape
        The values. A date is an unchanged text.

    Raises
    ------
    InputError
        ``file:line: reason``: not YAML; a tag, an alias or a merge key; a repeated key; a number that is not
        finite or has hundreds of digits; half of a surrogate pair; more than 50 levels; a value that is not of its type;
        PyYAML is not installed.
    """
    value = _value(text, source, None)
    try:
        return msgspec.convert(value, shape, strict=strict)
    except msgspec.ValidationError as error:
        # Lines are needed only for a fault: a second reading is cheaper than recording them always.
        reason, _, where = str(error).partition(" - at `$")
        lines: dict[tuple[str, ...], int] = {}
        _value(text, source, lines)
        path = tuple(key or number for key, number in _PART.findall(where.rstrip("`")))
        line = next((lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in lines), None)
        place = where.rstrip("`").lstrip(".")
        message = f"{place}: {reason}" if place else reason
        raise at(source, line, f"is no {what}: {' '.join(message.split())}") from None


def _value(text: str, source: str, lines: dict[tuple[str, ...], int] | None) -> Any:
    """The value of a text; `lines`, if given, receives the line of each part by its path."""
    try:
        import yaml
    except ImportError:
        raise InputError(f"{source}: YAML needs pyyaml: pip install 'topoloom[yaml]'") from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Reader(yaml.parse(text, Loader=loader), source, lines).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error).partition("\n")[0]
        line = None if mark is None else mark.line + 1
        raise at(source, line, f"is no YAML: {' '.join(str(reason).split())}") from None
    except (ValueError, OverflowError) as error:
        # From PyYAML's pure-Python parser: an escape beyond all characters, a version number of thousands of digits.
        if isinstance(error, InputError):
            raise
        raise at(source, None, "is no YAML: it holds an invalid number or character") from None


class _Reader:
    """Builds plain data from the events of a YAML parser."""

    def __init__(self, events: Iterator[Any], source: str, lines: dict[tuple[str, ...], int] | None) -> None:
        self._events, self._source, self._lines = events, source, lines

    def document(self) -> Any:
        """The value of the only document; None for an empty text."""
        documents: list[Any] = []
        for event in self._events:
            if documents and type(event).__name__ == "DocumentStartEvent":
                raise self._wrong(event, "a second document; only one per file is read")
            if type(event).__name__ in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent", "AliasEvent"):
                documents.append(self._value(event, ()))
        return documents[0] if documents else None

    def _value(self, event: Any, path: tuple[str, ...]) -> Any:
        if len(path) > _DEEPEST:
            raise self._wrong(event, f"nests too deep, more than {_DEEPEST} levels")
        kind = type(event).__name__
        if kind == "AliasEvent":
            raise self._wrong(event, "a YAML alias (*); write out what it stands for")
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            raise self._wrong(event, f"a tag ({tag[:40]!a}); write the value without it")
        if self._lines is not None:
            self._lines[path] = event.start_mark.line + 1
        if kind == "SequenceStartEvent":
            return [
                self._value(item, (*path, str(number))) for number, item in enumerate(self._until("SequenceEndEvent"))
            ]
        return self._table(path) if kind == "MappingStartEvent" else self._scalar(event)

    def _table(self, path: tuple[str, ...]) -> dict[str, Any]:
        table: dict[str, Any] = {}
        for event in self._until("MappingEndEvent"):
            if type(event).__name__ != "ScalarEvent" or event.tag is not None:
                raise self._wrong(event, "a key that is not a text")
            key = self._text(event)
            if key == "<<" and event.implicit[0]:
                raise self._wrong(event, "a merge key (<<); write out what it stands for")
            if key in table:
                raise self._wrong(event, f"the key {key[:40]!a} occurs twice")
            table[key] = self._value(next(self._events), (*path, key))
        return table

    def _until(self, end: str) -> Iterator[Any]:
        for event in self._events:
            if type(event).__name__ == end:
                return
            yield event

    def _text(self, event: Any) -> str:
        text: str = event.value
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise self._wrong(event, "half of a surrogate pair, which UTF-8 cannot hold")
        return text

    def _scalar(self, event: Any) -> Any:
        """A value by the rules of YAML 1.1; numbers to base 60 (1:30) and dates stay text."""
        text = self._text(event)
        if not event.implicit[0]:  # in quotes, or a block
            return text
        if text in _NOTHING:
            return None
        if text.lower() in _TRUTHS and text in (text.lower(), text.upper(), text.capitalize()):
            return _TRUTHS[text.lower()]
        if not (text[0].isascii() and text[0] in "+-.0123456789"):
            return text
        digits = text.replace("_", "") if text[-1] != "_" and "__" not in text else text
        if _WHOLE.fullmatch(digits):
            if len(digits) > _MOST_DIGITS:
                raise self._wrong(event, f"a number of {len(digits):,} digits")
            octal = re.fullmatch(r"([-+]?)0([0-7]+)", digits)
            return int(octal[1] + octal[2], 8) if octal else int(digits, 0)
        if _ENDLESS.fullmatch(text) or _DECIMAL.fullmatch(digits):
            number = math.inf if _ENDLESS.fullmatch(text) else float(digits)
            if not math.isfinite(number):
                raise self._wrong(event, f"{text[:40]} is not a finite number")
            return number
        return text

    def _wrong(self, event: Any, reason: str) -> InputError:
        return at(self._source, event.start_mark.line + 1, reason)
