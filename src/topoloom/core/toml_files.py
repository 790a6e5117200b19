"""Reading TOML tables that people write by hand: errors name the file, the line, the key and the remedy."""

import datetime
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec

from topoloom.core.errors import InputError, at, hint
from topoloom.core.files import read_text
from topoloom.core.former_keys import FORMER_KEYS, with_current_keys
from topoloom.core.settings import Setting, Settings, accepts, described, fits, in_digits
from topoloom.core.toml_lines import DEEPEST, keys_with_lines, line_of

T = TypeVar("T")

#: Most characters of a file.
LONGEST = 4_000_000
#: Most characters of a value in a message.
_LONGEST_SHOWN = 60
#: Patterns of texts, in words.
_PATTERNS = {"^[A-Z]{3}$": 'a currency of three capital letters, as in "EUR"'}
#: Words that users write for keys with other names.
_SIMILAR = {"room": "floor", "hall": "floor", "nodes": "hosts", "servers": "hosts", "switches": "switch"}
_ENDLESS = re.compile(r"[0-9_]{4300,}")
#: How tomllib describes a text that does not end on its line.
_OPEN_TEXTS = ("Illegal character '\\n'", "Unterminated string", 'Expected "\'"')


class TomlTable(Settings, frozen=True):
    """Base class of settings in tables of a TOML file."""

    group: ClassVar[str] = "table"


def described_keys(table: type[msgspec.Struct]) -> list[Setting]:
    """As `topoloom.core.settings.described`, in the syntax of TOML: the accepted values of a key, and its default."""
    fields: Any = msgspec.inspect.type_info(table)
    return [
        msgspec.structs.replace(setting, accepts=_accepted(field.type), default=_written_default(field.default))
        for setting, field in zip(described(table), fields.fields, strict=True)
    ]


def _written_default(default: Any) -> str:
    """A default in the syntax of TOML; empty where a key is computed, omitted or a table."""
    if default in (msgspec.NODEFAULT, None, ()) or isinstance(default, msgspec.Struct):
        return ""
    return _written(list(default) if isinstance(default, tuple) else default)


def read_toml(path: str | Path, shape: type[T]) -> T:
    """The TOML file at `path` as a `shape` (a msgspec Struct that forbids unknown fields).

    Raises
    ------
    InputError
        The file cannot be read, is not TOML, or a key is unknown, missing or out of range: ``file:line: reason``.
    """
    text = read_text(path, LONGEST)
    return parse_toml(text, shape, str(path))


def parse_toml(text: str, shape: type[T], source: str, *, former: bool = False) -> T:
    """As `read_toml`, from text; errors name `source`.

    Parameters
    ----------
    text : str
        The content of the file.
    shape : type of Struct
        The expected keys, with types and ranges.
    source : str
        The file's name, for messages.
    former : bool
        Whether keys of earlier versions are accepted too: for files that topoloom writes.

    Returns
    -------
    shape
        The values.
    """
    tables = _tables(text, source)
    return table_of(with_current_keys(tables) if former else tables, shape, source, text)


def merged(content: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A table with changes, tables within it key by key."""
    result = dict(content)
    for key, value in changes.items():
        inner = result.get(key)
        result[key] = merged(inner if isinstance(inner, dict) else {}, value) if isinstance(value, dict) else value
    return result


def table_of(data: Any, shape: type[T], source: str, text: str = "") -> T:
    """As `parse_toml`, from its tables.

    Parameters
    ----------
    data : dict
        Plain values.
    shape : type of Struct
        The expected keys, with types and ranges.
    source : str
        Their origin, for messages.
    text : str
        The text of their file, for the lines of messages; empty without a file.

    Returns
    -------
    shape
        The values.

    Raises
    ------
    InputError
        A key is unknown, or a value is not of its type or out of its range.
    """
    try:
        return msgspec.convert(data, shape, strict=True)
    except msgspec.ValidationError as error:
        raise _explained(error, data, text, shape, source) from None


def fault_in(data: Any, shape: type) -> str:
    """The first fault of plain values that are not of a type, with the key and the remedy; empty if there is none.

    Parameters
    ----------
    data : dict
    shape : type of Struct
        The expected keys, with types and ranges.

    Returns
    -------
    str
    """
    fault = _fault(msgspec.inspect.type_info(shape), data, ())
    return "" if fault is None else fault[1]


def _tables(text: str, source: str) -> dict[str, Any]:
    """The text's tables.

    Raises
    ------
    InputError
        The text is not TOML, or nests too deep.
    """
    for path, line in keys_with_lines(text):
        # Checked before any other reader, whose time grows with the square of the depth.
        if len(path) > DEEPEST:
            raise at(source, line, f"tables and arrays nest more than {DEEPEST} deep here; no such file needs that")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(match[1]) if match else text.count("\n") + 1
        reason = re.sub(r" \(at .*\)$", "", str(error))
        if reason.startswith(_OPEN_TEXTS):
            reason += ": a quotation mark is missing"
        if reason.startswith("Cannot overwrite a value"):
            key = text.split("\n")[line - 1].partition("=")[0].strip()
            raise at(source, line, f"{_quoted(key, '')} is set twice; remove one of the lines") from None
        if reason.startswith("Cannot declare"):
            head = text.split("\n")[line - 1].strip()
            raise at(source, line, f"{_quoted(head, '')} is there twice; write its keys under one of the two") from None
        raise at(source, line, f"{reason}; see the TOML rules at toml.io") from None
    except RecursionError:
        raise InputError(f"{source}: the tables nest too deep to be read") from None
    except ValueError:  # Python reads no integer of more than 4,300 digits
        endless = _ENDLESS.search(text)
        place = None if endless is None else 1 + text.count("\n", 0, endless.start())
        raise at(source, place, "a number has thousands of digits; write a shorter one") from None


def _explained(error: Exception, data: Any, text: str, shape: type, source: str) -> InputError:
    """The error for invalid tables, with its line and the remedy."""
    fault = _fault(msgspec.inspect.type_info(shape), data, ())
    if fault is not None:
        path, reason = fault
        if len(path) > 1 and reason.startswith("there is no key") and path[-1] in _plain_keys(shape):
            reason += "; it belongs to the top of the file, before the first [table]"
        return at(source, line_of(text, path), reason)
    # The message of a check of a whole table begins with the key that it concerns.
    reason, _, where = str(error).partition(" - at `$.")
    path = tuple(re.findall(r"[\w-]+", where))
    about = re.match(r"(\w+): ", reason)
    keys = _named(path)
    return at(
        source, line_of(text, [*path, about[1]] if about else path), ": ".join([*([keys] if keys else []), reason])
    )


def _plain_keys(shape: type) -> set[str]:
    """The keys of a file that are no tables."""
    info: Any = msgspec.inspect.type_info(shape)
    return {
        field.encode_name
        for field in getattr(info, "fields", ())
        if isinstance(
            field.type.type if isinstance(field.type, msgspec.inspect.Metadata) else field.type,
            (msgspec.inspect.IntType, msgspec.inspect.FloatType, msgspec.inspect.StrType, msgspec.inspect.LiteralType),
        )
    }


def _fault(kind: Any, value: Any, path: tuple[str, ...]) -> tuple[tuple[str, ...], str] | None:
    """The first part of a value that is not of its type: its path, and a sentence with the remedy; None if all fits."""
    inspect = msgspec.inspect
    bare = kind.type if isinstance(kind, inspect.Metadata) else kind
    if isinstance(bare, inspect.UnionType):
        faults = [_fault(part, value, path) for part in bare.types]
        if None in faults:
            return None
        parts = (part.type if isinstance(part, inspect.Metadata) else part for part in bare.types)
        tables = [part for part in parts if isinstance(part, inspect.StructType)]
        if isinstance(value, dict) and len(tables) == 1:
            return _table_fault(tables[0], value, path)
        # A fault deeper than the value itself belongs to the alternative that the user meant.
        inner = max((fault for fault in faults if fault is not None), key=lambda fault: len(fault[0]))
        return inner if len(inner[0]) > len(path) else _unfit(kind, value, path)
    if isinstance(bare, inspect.StructType):
        return _table_fault(bare, value, path) if isinstance(value, dict) else _unfit(kind, value, path)
    if isinstance(bare, inspect.DictType):
        if not isinstance(value, dict):
            return _unfit(kind, value, path)
        return _first(_fault(bare.value_type, part, (*path, key)) for key, part in value.items())
    if isinstance(bare, (inspect.ListType, inspect.VarTupleType)):
        count = len(value) if isinstance(value, (list, tuple)) else -1
        if count < max(0, bare.min_length or 0) or (bare.max_length is not None and count > bare.max_length):
            return _unfit(kind, value, path)
        return _first(_fault(bare.item_type, part, (*path, str(number))) for number, part in enumerate(value))
    if isinstance(bare, inspect.TupleType):
        if not isinstance(value, (list, tuple)) or len(value) != len(bare.item_types):
            return _unfit(kind, value, path)
        pairs = zip(bare.item_types, value, strict=True)
        return _first(_fault(part, item, (*path, str(number))) for number, (part, item) in enumerate(pairs))
    if isinstance(bare, inspect.DateType):
        whole = isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
        return None if whole else _unfit(kind, value, path)
    if isinstance(bare, inspect.EnumType):
        return None if value in [part.value for part in bare.cls] else _unfit(kind, value, path)
    return None if fits(kind, value) else _unfit(kind, value, path)


def _table_fault(struct: Any, table: dict[str, Any], path: tuple[str, ...]) -> tuple[tuple[str, ...], str] | None:
    """As `_fault`, for a table whose keys are the fields of a Struct."""
    fields = {field.encode_name: field for field in struct.fields}
    where = f" in [{_named(path)}]" if path else ""
    for key, value in table.items():
        if key in fields:
            fault = _fault(fields[key].type, value, (*path, key))
            if fault is not None:
                return fault
        elif struct.cls.__struct_config__.forbid_unknown_fields:
            current, similar = FORMER_KEYS.get(key), _SIMILAR.get(key)
            other = (
                f"it is called {current}"
                if current in fields
                else f"did you mean {similar}?"
                if similar in fields
                else hint(key, fields)
            )
            return (*path, key), f"there is no key {_quoted(key)}{where} ({other})"
    missing = next((name for name, field in fields.items() if field.required and name not in table), None)
    return None if missing is None else (path, f"the key '{missing}' is missing{where}")


def _first(faults: Iterable[tuple[tuple[str, ...], str] | None]) -> tuple[tuple[str, ...], str] | None:
    return next((fault for fault in faults if fault is not None), None)


def _unfit(kind: Any, value: Any, path: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """The path and sentence for a value that is not of its type: ``hosts = "many": it is a whole number from 2 to
    1,000,000``.
    """
    keys = _named(path)
    if isinstance(value, dict):
        subject = f"[{keys}] is a table"
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        subject = f"[[{keys}]] are tables"
    else:
        subject = f"{keys} = {_written(value)}"
    return path, f"{subject}: it is {_accepted(kind)}{_meant(kind, value)}"


def _meant(kind: Any, value: Any) -> str:
    """What the user may have meant by a text that does not fit: a similar word, or a number; as the end of a message."""
    if not isinstance(value, str):
        return ""
    inspect = msgspec.inspect
    bare = kind.type if isinstance(kind, inspect.Metadata) else kind
    parts = bare.types if isinstance(bare, inspect.UnionType) else (kind,)
    for part in (part.type if isinstance(part, inspect.Metadata) else part for part in parts):
        if isinstance(part, inspect.LiteralType):
            advice = hint(value, map(str, part.values))
            return f"; {advice}" if advice.startswith("did you mean") else ""
        if isinstance(part, (inspect.IntType, inspect.FloatType)):
            return in_digits(value, whole=isinstance(part, inspect.IntType))
    return ""


def _accepted(kind: Any) -> str:
    """The accepted values of a key, in the syntax of TOML."""
    inspect = msgspec.inspect
    bare = kind.type if isinstance(kind, inspect.Metadata) else kind
    if isinstance(bare, inspect.UnionType):
        # None means an omitted key; TOML has no word for it.
        alternatives = [_accepted(part) for part in bare.types if not isinstance(part, inspect.NoneType)]
        return " or ".join(dict.fromkeys(alternatives))
    if isinstance(bare, inspect.BoolType):
        return "true or false"
    if isinstance(bare, inspect.StrType):
        return "text in quotes" if bare.pattern is None else _PATTERNS[bare.pattern]
    if isinstance(bare, (inspect.LiteralType, inspect.EnumType)):
        words = bare.values if isinstance(bare, inspect.LiteralType) else [part.value for part in bare.cls]
        return ("one of " if len(words) > 2 else "") + (", " if len(words) > 2 else " or ").join(map(_written, words))
    if isinstance(bare, (inspect.ListType, inspect.VarTupleType)):
        item = bare.item_type.type if isinstance(bare.item_type, inspect.Metadata) else bare.item_type
        some = " of at least one" if bare.min_length == 1 else f" of {bare.min_length} or more" * bool(bare.min_length)
        if isinstance(item, inspect.StructType):
            return f"tables in double brackets, [[name]]{', one or more' * bool(bare.min_length)}"
        return f"a list{some}, each {_accepted(bare.item_type)}"
    if isinstance(bare, inspect.TupleType):
        return f"a list of {len(bare.item_types)}, each {' or '.join(dict.fromkeys(map(_accepted, bare.item_types)))}"
    if isinstance(bare, inspect.DateType):
        return "a date, as in 2026-07-31"
    return accepts(kind)


def toml_string(text: str) -> str:
    """A text as a string in TOML, whole.

    Examples
    --------
    >>> toml_string('a "b"')
    '"a \\\\"b\\\\""'
    """
    # JSON's escapes are those of TOML, except for DEL, and for halves of a character, so nothing else is escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _written(value: Any) -> str:
    """A value in the syntax of TOML, shortened to 60 characters, control characters visible."""
    if isinstance(value, str):
        return _quoted(value, '"')
    if isinstance(value, bool):
        return "true" if value else "false"
    text = f"[{', '.join(map(_written, value[:20]))}]" if isinstance(value, list) else str(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 4]} ..."


def _quoted(text: str, mark: str = "'") -> str:
    short = text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 4]} ..."
    return mark + (short if short.isprintable() else ascii(short)[1:-1]) + mark


def _named(path: Iterable[str]) -> str:
    """The dotted name of a key, without the numbers of array entries, which the line number shows."""
    return ".".join(key for key in path if not key.isdigit())
