"""Settings of the files for other tools, and the help section that lists them: shared by `convert` and `export`."""

from typing import Annotated

import click

from topoloom.cli.presentation import Json
from topoloom.core.errors import InputError
from topoloom.core.settings import changed, described, setting
from topoloom.fabric.exports.registry import EXPORTS
from topoloom.fabric.exports.settings import ExportSettings


class ExportChanges(Json, frozen=True, kw_only=True):
    """Settings of the files for simulators."""

    set: Annotated[
        tuple[str, ...],
        setting("change a setting of the files for simulators (below): rate_gbps=800", metavar="KEY=VALUE"),
    ] = ()


def write_settings(formatter: click.HelpFormatter) -> None:
    """Write the section of a help text that lists the settings."""
    with formatter.section("Settings of files for simulators"):
        formatter.write_dl(
            [
                (
                    f"{field.name}={field.default or 'none'}",
                    f"{field.description}{f' [{field.unit}]' if field.unit else ''}",
                )
                for field in described(ExportSettings)
            ]
        )


def refuse_settings(kind: str, changes: tuple[str, ...]) -> None:
    """Raise `InputError` if a change is wrong, or if the export writes no rates and delays that could be changed."""
    changed(ExportSettings(), changes)
    if changes and not EXPORTS.find(kind).timed:
        raise InputError(f"--set changes rates and delays, which {kind} does not write; omit it")
