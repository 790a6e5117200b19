"""A user's own prices and figures, laid over a parts catalogue product by product."""

import datetime
import logging
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts
from topoloom.errors import InputError, at, hint
from topoloom.files import read_text
from topoloom.toml_files import LONGEST
from topoloom.toml_lines import keys_with_lines, line_of

log = logging.getLogger("topoloom")

#: The tables whose products a file of quotes may name, as paths of keys.
_TABLES = (("switch", "product"), ("cable",), ("transceiver",), ("nic",), ("server",))
#: What may stand beside them: of the catalogue itself.
_PLAIN = ("installation_usd", "rewiring_usd", "slack_m")


def quoted_parts(name: str | Path, prices: str | Path | None = None) -> Parts:
    """A catalogue by name or path, as `load_parts` reads it, with a file of quotes laid over it if one is given.

    Raises
    ------
    InputError
        As `load_parts` and `lay_over`.
    """
    parts = load_parts(name)
    return parts if prices is None else lay_over(parts, prices)


def lay_over(parts: Parts, path: str | Path) -> Parts:
    """A catalogue with the prices and figures of a TOML file in place of its own.

    The file has the catalogue's tables; each product in them names one of the catalogue, and what it says of it replaces what
    the catalogue says (docs/parts.md).

    Parameters
    ----------
    parts : Parts
    path : path
        Of the file of quotes.

    Returns
    -------
    Parts
        Named after both.

    Raises
    ------
    InputError
        ``file:line: reason`` for a product that the catalogue has not, a key that there is not, or a value that is none.

    Notes
    -----
    A quote that is past its ``valid_until`` is used, and a warning names it.
    """
    path = str(path)
    text = read_text(path, LONGEST)
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}; see the TOML rules at toml.io") from None
    data = msgspec.to_builtins(parts, builtin_types=(datetime.date,))
    name = str(given.pop("name", Path(path).stem))
    extends = given.pop("extends", parts.name)
    if extends != parts.name:
        reason = f"the quotes are for the catalogue '{extends}', not '{parts.name}'; give --parts {extends}"
        raise at(path, line_of(text, ["extends"]), reason)
    for key in _PLAIN:
        if key in given:
            data[key] = given.pop(key)
    for keys in _TABLES:
        quoted, sold = given, data
        for key in keys[:-1]:
            quoted, sold = quoted.get(key, {}), sold[key]
        rows = quoted.pop(keys[-1], [])
        for number, row in enumerate(rows):
            _lay_row(row, sold[keys[-1]], path, line_of(text, [*keys, str(number)]))
    left = [key for key, value in given.items() if value]
    if left:
        known = [*dict.fromkeys(keys[0] for keys in _TABLES), *_PLAIN, "name", "extends"]
        line = next((line for keys, line in keys_with_lines(text) if keys[:1] == (left[0],)), None)
        raise at(path, line, f"quotes have no key '{left[0]}' ({hint(left[0], known)})")
    data["name"] = f"{parts.name} with {name}"
    try:
        made = msgspec.convert(data, Parts, strict=True)
        made.check()
    except (msgspec.ValidationError, InputError) as error:
        raise InputError(f"{path}: with these quotes the catalogue '{parts.name}' cannot be used: {error}") from None
    return made


def _lay_row(row: dict[str, Any], sold: list[dict[str, Any]], path: str, line: int | None) -> None:
    """One product's quote into the product of that name."""
    name = row.get("name")
    mine = [one for one in sold if (one.get("name") or one.get("medium")) == name]
    if not mine:
        names = [str(one.get("name") or one.get("medium")) for one in sold]
        raise at(path, line, f"the catalogue has no '{name}' there ({hint(str(name), names)})")
    row = dict(row)
    until = row.pop("valid_until", None)
    row.pop("seller", None)
    if until is not None and not isinstance(until, datetime.date):
        raise at(path, line, f"valid_until = {until!r}: it is a date, as in 2026-12-31")
    if until is not None and until < datetime.date.today():
        log.warning("%s: the quote for '%s' was valid until %s", path, name, until)
    for one in mine:
        one.update(row)
