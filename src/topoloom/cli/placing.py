"""Options that were given though they would change nothing."""

from collections.abc import Iterable

import click
from click.core import ParameterSource

from topoloom.core.errors import InputError

# For the command app, until it is made of its declaration.
from topoloom.operations.catalogue._placing import placing_of

__all__ = ["placing_of", "refuse_given"]


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options of the running command that were given though they would change nothing."""
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is not ParameterSource.DEFAULT:
            raise InputError(f"{option.opts[0]}: {why}; leave it out")
