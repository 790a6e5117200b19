"""What `convert` and `route` share about the files for other tools: their settings, and the help that lists them."""

from typing import Annotated

import click

from topoloom.cli.presentation import Json
from topoloom.core.errors import InputError
from topoloom.core.settings import changed, described, setting
from topoloom.fabric.exports.registry import EXPORTS
from topoloom.fabric.exports.settings import ExportSettings
from topoloom.network import Network


class ExportChanges(Json, frozen=True, kw_only=True):
    """Settings of the files for simulators."""

    set: Annotated[
        tuple[str, ...],
        setting("change a setting of the files for simulators (below): rate_gbps=800", metavar="KEY=VALUE"),
    ] = ()


def export_settings(network: Network, changes: tuple[str, ...]) -> ExportSettings:
    """The settings for a network: its own rate, or that of its cables where their products tell it, and what the user changes.

    Parameters
    ----------
    network : Network
    changes : tuple of str
        KEY=VALUE.

    Raises
    ------
    InputError
        No such setting, or a value that is not of its type or out of its range.
    """
    own = network.topology.uniform_rate_gbps
    rate_gbps = network.rate_gbps if own is None else own
    known = ExportSettings() if rate_gbps is None else ExportSettings(rate_gbps=rate_gbps)
    return changed(known, changes)


def write_settings(formatter: click.HelpFormatter) -> None:
    """The section of a help text that lists the settings."""
    with formatter.section("Settings of files for simulators"):
        formatter.write_dl(
            [
                (f"{one.name}={one.default or 'none'}", f"{one.description}{f' [{one.unit}]' if one.unit else ''}")
                for one in described(ExportSettings)
            ]
        )


def refuse_settings(kind: str, changes: tuple[str, ...]) -> None:
    """Raise `InputError` where an export writes no rates and delays, and some are set, or wrongly."""
    changed(ExportSettings(), changes)
    if changes and not EXPORTS.find(kind).timed:
        raise InputError(f"--set changes rates and delays, which {kind} does not write; leave it out")
