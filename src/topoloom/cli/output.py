"""What every command shares: the `--json` option, and JSON that any reader takes."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import click

json_option: Callable[[Any], Any] = click.option(
    "--json", "as_json", is_flag=True, help="One JSON document on stdout; everything else on stderr."
)


def print_json(value: Any) -> None:
    """Print `value` as one JSON document; infinities and NaN, which JSON lacks, become null."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(_encodable(value)), indent=2).decode())


def _encodable(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encodable(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return _encodable(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_facts(title: str | None, rows: Sequence[tuple[str, str]]) -> None:
    """A title if there is one, and a line for each (what, value), the values aligned and never cut."""
    width = max((len(what) for what, _ in rows), default=0)
    if title:
        click.echo(title)
    for what, value in rows:
        click.echo(f"{what.replace('_', ' '):{width}}  {value}")


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Rows under a first row of headings, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


def plain(value: Any) -> str:
    """A value as people read it: at most six digits after the point, yes and no, "infinite" if so."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if not math.isfinite(value):
            return "infinite"
        return f"{value:.3g}" if 0 < abs(value) < 1e-3 else f"{value:.6f}".rstrip("0").rstrip(".")
    return str(value)
