"""What every command shares: the `--json` option, and JSON that any reader takes."""

import math
from collections.abc import Callable
from typing import Any

import click

json_option: Callable[[Any], Any] = click.option(
    "--json", "as_json", is_flag=True, help="One JSON document on stdout; everything else on stderr."
)


def print_json(value: Any) -> None:
    """Print `value` as one JSON document; infinities and NaN, which JSON lacks, become null."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(_plain(value)), indent=2).decode())


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
