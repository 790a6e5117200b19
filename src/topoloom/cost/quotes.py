"""A user's own prices and figures, laid over a parts catalogue product by product."""

import datetime
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from topoloom.core.errors import InputError, at, hint
from topoloom.core.files import read_text
from topoloom.core.settings import setting
from topoloom.core.toml_files import LONGEST, TomlTable, parse_toml
from topoloom.core.toml_lines import line_of
from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts

log = logging.getLogger("topoloom")

#: The tables whose products a file of quotes may name, as paths of keys.
_TABLES = (("switch", "product"), ("cable",), ("transceiver",), ("nic",), ("server",))
#: What may stand next to them: of the catalogue itself.
_PLAIN = ("installation_usd", "rewiring_usd", "slack_m")
_Rows = tuple[dict[str, Any], ...]


class _SwitchQuotes(TomlTable, frozen=True):
    """The table [switch] of a file of quotes."""

    product: Annotated[_Rows, setting("switches of the catalogue by their names, and what is quoted of each")] = ()


class _Quotes(TomlTable, frozen=True):
    """A file of quotes: what a row may say is known once its product is."""

    name: Annotated[str | None, setting("what bills call the quotes; the file's name when not given")] = None
    extends: Annotated[str | None, setting("the catalogue that they are for")] = None
    installation_usd: Annotated[Any, setting("of the catalogue: laying one cable", unit="USD")] = None
    rewiring_usd: Annotated[Any, setting("of the catalogue: moving one cable", unit="USD")] = None
    slack_m: Annotated[Any, setting("of the catalogue: what a cable must be longer than its link", unit="m")] = None
    switch: Annotated[_SwitchQuotes, setting("quotes of switches")] = _SwitchQuotes()
    cable: Annotated[_Rows, setting("quotes of cables, by the names of the catalogue")] = ()
    transceiver: Annotated[_Rows, setting("quotes of transceivers")] = ()
    nic: Annotated[_Rows, setting("quotes of network interfaces")] = ()
    server: Annotated[_Rows, setting("quotes of servers")] = ()


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
    the catalogue says (docs/reference/parts-catalogue.md).

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
    given = parse_toml(text, _Quotes, path)
    # A catalogue that quotes were laid over already is called "NAME with QUOTES", one with factors "NAME (FACTORS)".
    base = parts.name.partition(" with ")[0].partition(" (")[0]
    if given.extends not in (None, parts.name, base):
        reason = f"the quotes are for the catalogue '{given.extends}', not '{parts.name}'; give --parts {given.extends}"
        raise at(path, line_of(text, ["extends"]), reason)
    *_, (_, data) = _laid(parts, given, text, path)
    called = f" with {given.name or Path(path).stem}"
    data["name"] = parts.name if parts.name.endswith(called) else parts.name + called
    try:
        return _usable(data)
    except (msgspec.ValidationError, InputError):
        # Which quote it was is looked for only now.
        for line, data in _laid(parts, given, text, path):
            try:
                _usable(data)
            except (msgspec.ValidationError, InputError) as error:
                why = " ".join(str(error).split())
                raise at(path, line, f"with this quote the catalogue '{parts.name}' cannot be used: {why}") from None
        raise


def _laid(parts: Parts, given: _Quotes, text: str, path: str) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """The catalogue with quotes laid over it, one more each time, and the line of that one."""
    data = msgspec.to_builtins(parts, builtin_types=(datetime.date,))
    yield None, data
    for key in _PLAIN:
        if (value := getattr(given, key)) is not None:
            data[key] = value
            yield line_of(text, [key]), data
    for keys in _TABLES:
        rows: Any = given
        sold: Any = data
        for key in keys:
            rows, sold = getattr(rows, key), sold[key]
        for number, row in enumerate(rows):
            line = line_of(text, [*keys, str(number)])
            _lay_row(row, sold, path, line)
            yield line, data


def _usable(data: dict[str, Any]) -> Parts:
    parts = msgspec.convert(data, Parts, strict=True)
    parts.check()
    return parts


def _lay_row(row: dict[str, Any], sold: list[dict[str, Any]], path: str, line: int | None) -> None:
    """One product's quote into the product of that name."""
    name = row.get("name")
    mine = [one for one in sold if (one.get("name") or one.get("medium")) == name]
    if not mine:
        names = [str(one.get("name") or one.get("medium")) for one in sold]
        raise at(path, line, f"the catalogue has no '{str(name)[:60]}' there ({hint(str(name)[:60], names)})")
    row = dict(row)
    until = row.pop("valid_until", None)
    row.pop("seller", None)
    if until is not None and (not isinstance(until, datetime.date) or isinstance(until, datetime.datetime)):
        raise at(path, line, f"valid_until = {str(until)[:40]!a}: it is a date, as in 2026-12-31")
    if until is not None and until < datetime.date.today():
        log.warning("%s: the quote for '%s' was valid until %s", path, name, until)
    for one in mine:
        one.update(row)
