"""Quotes: a user's own prices and figures, which replace those of a parts catalogue product by product."""

import datetime
import logging
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any

import msgspec

from topoloom.core.errors import InputError, at, hint
from topoloom.core.files import read_text
from topoloom.core.settings import setting
from topoloom.core.toml_files import LONGEST, TomlTable, fault_in, parse_toml
from topoloom.core.toml_lines import line_of
from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts
from topoloom.cost.products import LINE as _LINE
from topoloom.cost.products import low_high

log = logging.getLogger("topoloom")

#: The tables of products that a file of quotes may contain, as paths of keys.
_TABLES = (
    ("switch", "product"),
    ("cable",),
    ("transceiver",),
    ("nic",),
    ("server",),
    ("panel",),
    ("cord",),
    ("trunk",),
)
#: Tables of which a catalogue without its own has common products.
_COMMON = ("panel", "cord", "trunk")
#: Further keys that replace the catalogue's own.
_PLAIN = ("installation_usd", "rewiring_usd", "slack_m")
#: What belongs to a quoted price.
_OF_PRICE = ("quotes", "seller", "quoted", "valid_until", "lead_weeks")
_Rows = tuple[dict[str, Any], ...]


class _SwitchQuotes(TomlTable, frozen=True):
    """The table [switch] of a file of quotes."""

    product: Annotated[_Rows, setting("switches of the catalogue by name, with the quoted values")] = ()


class _Quotes(TomlTable, frozen=True):
    """A file of quotes; the allowed keys of a row depend on its product."""

    name: Annotated[str | None, setting("the name of the quotes in bills; the file's name, if omitted")] = None
    extends: Annotated[str | None, setting("the catalogue that the quotes are for")] = None
    installation_usd: Annotated[Any, setting("replaces the catalogue's value: laying one cable", unit="USD")] = None
    rewiring_usd: Annotated[Any, setting("replaces the catalogue's value: moving one cable", unit="USD")] = None
    slack_m: Annotated[
        Any, setting("replaces the catalogue's value: how much longer a cable must be than its link", unit="m")
    ] = None
    switch: Annotated[_SwitchQuotes, setting("quotes of switches")] = _SwitchQuotes()
    currency: (
        Annotated[
            str,
            msgspec.Meta(pattern="^[A-Z]{3}$"),
            setting(
                "the currency of all prices here, and of the bill: three capital letters; the catalogue's, if omitted"
            ),
        ]
        | None
    ) = None
    quote: Annotated[
        _Rows, setting("quotes by `part_number`, of products of any table; `price_usd` is the price of one")
    ] = ()
    cable: Annotated[_Rows, setting("quotes of cables, by the names of the catalogue")] = ()
    transceiver: Annotated[_Rows, setting("quotes of transceivers")] = ()
    nic: Annotated[_Rows, setting("quotes of network interfaces")] = ()
    server: Annotated[_Rows, setting("quotes of servers")] = ()
    panel: Annotated[_Rows, setting("quotes of panels of passive fibres")] = ()
    cord: Annotated[_Rows, setting("quotes of cords to panels")] = ()
    trunk: Annotated[_Rows, setting("quotes of trunks between panels")] = ()


def quoted_parts(name: str | Path, prices: str | Path | None = None) -> Parts:
    """A catalogue by name or path, as in `load_parts`, with a file of quotes applied if one is given.

    Raises
    ------
    InputError
        As `load_parts` and `lay_over`.
    """
    parts = load_parts(name)
    return parts if prices is None else lay_over(parts, prices)


def lay_over(parts: Parts, path: str | Path) -> Parts:
    """A catalogue with the prices and figures of a TOML file in place of its own.

    The file has the catalogue's tables; each product in them names one of the catalogue, and its values replace those of the
    catalogue (docs/reference/parts-catalogue.md).

    Parameters
    ----------
    parts : Parts
    path : path
        The file of quotes.

    Returns
    -------
    Parts
        Its name combines both names.

    Raises
    ------
    InputError
        ``file:line: reason`` for a product that the catalogue lacks, an unknown key, or a wrong value.

    Notes
    -----
    A quote past its ``valid_until`` is used, with a warning that names it.
    """
    return _with_quotes(parts, read_text(path, LONGEST), str(path))


@lru_cache(maxsize=4)  # a design asks for its catalogue at every step
def _with_quotes(parts: Parts, text: str, path: str) -> Parts:
    """`lay_over` with the text of the file."""
    quotes = parse_toml(text, _Quotes, path)
    # A catalogue with quotes is named "NAME with QUOTES", one with price factors "NAME (FACTORS)".
    base = parts.name.partition(" with ")[0].partition(" (")[0]
    if quotes.extends not in (None, parts.name, base):
        reason = (
            f"the quotes are for the catalogue '{quotes.extends}', not '{parts.name}'; give --parts {quotes.extends}"
        )
        raise at(path, line_of(text, ["extends"]), reason)
    quotes = _signed(quotes, path)
    *_, (_, data) = _laid(parts, quotes, text, path)
    if data["currency"] != parts.currency and (stays := _same_price(parts, data)) is not None:
        reason = (
            f"the quotes are in {data['currency']}, but {stays} keeps its price in {parts.currency}, from '{parts.name}';"
            " quote it too"
        )
        raise at(path, line_of(text, ["currency"]), reason)
    suffix = f" with {quotes.name}"
    data["name"] = parts.name if parts.name.endswith(suffix) else parts.name + suffix
    try:
        return _usable(data)
    except (msgspec.ValidationError, InputError):
        # Find the wrong quote: apply them one by one.
        for line, data in _laid(parts, quotes, text, path):
            try:
                _usable(data)
            except (msgspec.ValidationError, InputError) as error:
                why = fault_in(data, Parts) or " ".join(str(error).split())
                raise at(path, line, f"with this quote the catalogue '{parts.name}' cannot be used: {why}") from None
        raise


def _signed(quotes: _Quotes, path: str) -> _Quotes:
    """The quotes with a name, which every product with a price of theirs gets."""
    name = quotes.name or Path(path).stem

    def signed(rows: _Rows) -> _Rows:
        return tuple({**row, "quotes": name} if any("usd" in key for key in row) else row for row in rows)

    tables = {keys[0]: signed(getattr(quotes, keys[0])) for keys in _TABLES if len(keys) == 1}
    switch = msgspec.structs.replace(quotes.switch, product=signed(quotes.switch.product))
    return msgspec.structs.replace(quotes, name=name, switch=switch, quote=signed(quotes.quote), **tables)


def _laid(parts: Parts, quotes: _Quotes, text: str, path: str) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """The catalogue after each further quote, with the line of that quote."""
    data = msgspec.to_builtins(parts, builtin_types=(datetime.date,))
    for key in _COMMON:
        if getattr(quotes, key) and not data[key]:
            data[key] = msgspec.to_builtins(getattr(parts.passive, key), builtin_types=(datetime.date,))
    yield None, data
    for key in _PLAIN:
        if (value := getattr(quotes, key)) is not None:
            data[key] = value
            yield line_of(text, [key]), data
    for keys in _TABLES:
        rows: Any = quotes
        sold: Any = data
        for key in keys:
            rows, sold = getattr(rows, key), sold[key]
        for number, row in enumerate(rows):
            line = line_of(text, [*keys, str(number)])
            _lay_row(row, sold, [other.get("name") for other in rows], path, line)
            yield line, data
    for number, row in enumerate(quotes.quote):
        line = line_of(text, ["quote", str(number)])
        _lay_numbered(row, data, path, line)
        yield line, data
    if quotes.currency is not None:
        data["currency"] = quotes.currency
        yield line_of(text, ["currency"]), data


def _same_price(parts: Parts, data: dict[str, Any]) -> str | None:
    """What has the same price as before, in words; None where nothing has."""
    before = msgspec.to_builtins(parts, builtin_types=(datetime.date,))
    for key in _COMMON:
        before[key] = before[key] or data[key]
    for key in ("installation_usd", "rewiring_usd"):
        if before[key] and before[key] == data[key]:
            return f"'{key}'"
    for keys in (*_TABLES, ("switch",)):
        old, new = (
            _table_of(content, keys) if keys != ("switch",) else [content["switch"]] for content in (before, data)
        )
        for product, quoted in zip(old, new, strict=True):
            prices = {key: value for key, value in product.items() if "usd" in key and value}
            if any(quoted[key] == value for key, value in prices.items()):
                return f"'{product.get('name') or product.get('medium') or 'switch'}'"
    return None


def _usable(data: dict[str, Any]) -> Parts:
    parts = msgspec.convert(data, Parts, strict=True)
    parts.check()
    return parts


def _lay_row(
    row: dict[str, Any], sold: list[dict[str, Any]], quoted: list[str | None], path: str, line: int | None
) -> None:
    """Apply one row of quotes to all products with its name, or with its part number where it has no name.

    Its price is also that of the other products with the same part number, unless they have a quote (`quoted`: their names).
    """
    name = row.get("name")
    if name is None and "part_number" in row:
        _lay_number(row, [product for product in sold if row["part_number"] in _numbers(product)], sold, path, line)
        return
    named = [product for product in sold if (product.get("name") or product.get("medium")) == name]
    if not named:
        names = [str(product.get("name") or product.get("medium")) for product in sold]
        raise at(path, line, f"the catalogue has no '{str(name)[:60]}' in this table ({hint(str(name)[:60], names)})")
    _check_date(row, name, path, line)
    for product in named:
        product.update(row)
    price = {key: value for key, value in row.items() if "usd" in key or key in _OF_PRICE}
    numbers = [_numbers(product) for product in named if _numbers(product)]
    for product in sold:
        if _numbers(product) in numbers and (product.get("name") or product.get("medium")) not in (name, *quoted):
            product.update(price)


def _lay_numbered(row: dict[str, Any], data: dict[str, Any], path: str, line: int | None) -> None:
    """Apply a quote by part number to the products of all tables."""
    if "part_number" not in row:
        raise at(path, line, "a [[quote]] needs the part_number of a product")
    sold = [product for keys in _TABLES for product in _table_of(data, keys)]
    _lay_number(row, [product for product in sold if row["part_number"] in _numbers(product)], sold, path, line)


def _table_of(data: dict[str, Any], keys: tuple[str, ...]) -> list[dict[str, Any]]:
    rows: Any = data
    for key in keys:
        rows = rows[key]
    return list(rows)


def _numbers(product: dict[str, Any]) -> list[str]:
    """The order numbers of a product: of all its lengths."""
    return [number for number in (product.get("part_number"), *product.get("part_numbers", ())) if number]


def _lay_number(
    row: dict[str, Any], named: list[dict[str, Any]], sold: list[dict[str, Any]], path: str, line: int | None
) -> None:
    """Apply a quote by part number; that of one length of a cable sets the price of this length only."""
    number = row["part_number"]
    if not named:
        names = [order_number for product in sold for order_number in _numbers(product)]
        raise at(path, line, f"the catalogue has no part number '{str(number)[:60]}' ({hint(str(number)[:60], names)})")
    _check_date(row, number, path, line)
    for product in named:
        if number not in product.get("part_numbers", ()):
            product.update(row)
            continue
        each = {key: value for key, value in row.items() if key not in ("part_number", "price_usd")}
        if "price_usd" in row:
            prices = list(product.get("prices_usd") or ()) or _prices_of_line(product)
            prices[list(product["part_numbers"]).index(number)] = row["price_usd"]
            each["prices_usd"] = prices
            each |= dict.fromkeys(_LINE)
        product.update(each)


def _prices_of_line(product: dict[str, Any]) -> list[Any]:
    """The price of each length by the product's line; None where it has none, or one that depends on the rate."""
    base, metre, base_gbps, metre_gbps = (product.get(key) for key in _LINE)
    if (base is None and metre is None) or base_gbps is not None or metre_gbps is not None:
        return [None] * len(product["lengths_m"])
    ends = [low_high(base) + low_high(metre) * length_m for length_m in product["lengths_m"]]
    return [tuple(map(float, end)) for end in ends]


def _check_date(row: dict[str, Any], name: Any, path: str, line: int | None) -> None:
    """Check the last day of a quote; warn of one that is over."""
    until = row.get("valid_until")
    if until is not None and (not isinstance(until, datetime.date) or isinstance(until, datetime.datetime)):
        raise at(path, line, f"valid_until = {str(until)[:40]!a}: give a date, as in 2026-12-31")
    if until is not None and until < datetime.date.today():
        _warn_once(path, name, until)


@cache
def _warn_once(path: str, name: Any, until: datetime.date) -> None:
    """A catalogue is read many times in a design; the warning is given once."""
    log.warning("%s: the quote for '%s' was valid until %s", path, name, until)
