"""Reading TOML tables that people write by hand: every complaint names the file, the line and the key."""

import difflib
import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from topoloom.errors import InputError, at
from topoloom.files import read_text

T = TypeVar("T")

_LONGEST = 4_000_000


def read_toml(path: str | Path, shape: type[T]) -> T:
    """The TOML file at `path` as a `shape` (a msgspec Struct that forbids unknown fields).

    Raises
    ------
    InputError
        The file cannot be read, is not TOML, or a key is unknown, missing or out of range: ``file:line: reason``.
    """
    text = read_text(path, _LONGEST)
    return parse_toml(text, shape, str(path))


def parse_toml(text: str, shape: type[T], source: str) -> T:
    """As `read_toml`, from text; `source` is named in complaints."""
    import msgspec

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise at(source, line, re.sub(r" \(at .*\)$", "", str(error)) + "; see the TOML rules at toml.io") from None
    except RecursionError:
        raise InputError(f"{source}: the tables nest too deep to be read") from None
    except ValueError:  # Python reads no integer of more than 4,300 digits
        raise InputError(f"{source}: a number has thousands of digits; write a shorter one") from None
    try:
        return msgspec.convert(data, shape, strict=True)
    except msgspec.ValidationError as error:
        raise _explained(error, text, shape, source) from None


def _explained(error: Exception, text: str, shape: type, source: str) -> InputError:
    """msgspec's complaint with the line of the key it is about, and what would do."""
    reason, _, path = str(error).partition(" - at `$.")
    steps = re.findall(r"[\w-]+", path)  # with the numbers of tables in arrays, which only the line needs
    keys = [step for step in steps if not step.isdigit()]
    named = re.search(r"(?:unknown|required) field `(.+?)`", reason)
    if named:
        known = _fields(shape, keys)
        line = line_of(text, [*steps, named[1]] if "unknown" in reason else steps)
        where = f" in [{'.'.join(keys)}]" if keys else ""
        if "required" in reason:
            return at(source, line, f"the key '{named[1]}' is missing{where}")
        near = difflib.get_close_matches(named[1], known, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
        return at(source, line, f"there is no key '{named[1]}'{where} ({hint})")
    if reason.startswith("Invalid enum value"):
        reason += f" (it must be one of: {', '.join(_words(shape, keys))})"
    reason = reason.replace("`", "'").replace("Expected", "expected").replace("Invalid", "invalid")
    # A check of a whole table says first which key it is about.
    about = re.match(r"(\w+): ", reason)
    line = line_of(text, [*steps, about[1]] if about else steps)
    return at(source, line, ": ".join([*([".".join(keys)] if keys else []), reason]))


def _words(shape: Any, keys: list[str]) -> list[str]:
    """The words that the key may be."""
    import msgspec

    info: Any = msgspec.inspect.type_info(shape)
    for key in keys:
        while hasattr(info, "item_type"):
            info = info.item_type
        info = next((field.type for field in getattr(info, "fields", ()) if field.encode_name == key), None)
    info = getattr(info, "item_type", None) or (getattr(info, "item_types", ()) or [info])[0]
    return [str(word) for word in getattr(info, "values", ())]


def _fields(shape: Any, keys: list[str]) -> list[str]:
    """The keys that the table at `keys` of a Struct may have."""
    import msgspec

    info: Any = msgspec.inspect.type_info(shape)
    for key in [*keys, None]:
        while not hasattr(info, "fields"):
            inner = getattr(info, "item_type", None) or next(
                (t for t in getattr(info, "types", ()) if hasattr(t, "fields")), None
            )
            if inner is None:
                return []
            info = inner
        if key is not None:
            info = next((field.type for field in info.fields if field.encode_name == key), None)
            if info is None:
                return []
    return [field.encode_name for field in info.fields]


def line_of(text: str, keys: list[str]) -> int | None:
    """The line (from 1) where the key stands, or its table, or None for the file as a whole.

    In an array of tables a key may be followed by the table's number, from 0: ``["cable", "1", "reach_m"]`` is the key of
    the second ``[[cable]]``.
    """
    section: list[str] = []
    count: dict[str, int] = {}
    best, depth = None, 0
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]", line)
        if header:
            *above, last = (part.strip().strip("\"'") for part in header[2].split("."))
            section = []
            for part in above:
                section.append(part)
                section += [str(count[name])] if (name := ".".join(section)) in count else []
            section.append(last)
            if header[1] == "[[":
                if section == keys and len(keys) > depth:
                    best, depth = number, len(keys)
                name = ".".join(section)
                count[name] = count.get(name, -1) + 1
                section = [*section, str(count[name])]
            here = section
        else:
            assignment = re.match(r"\s*([\w\"'.-]+)\s*=", line)
            if not assignment:
                continue
            here = section + [part.strip().strip("\"'") for part in assignment[1].split(".")]
        if here == keys[: len(here)] and len(here) > depth:
            best, depth = number, len(here)
    return best
