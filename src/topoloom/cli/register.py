"""The commands of the command line: topoloom's own, and those that other packages add."""

from dataclasses import dataclass
from importlib import import_module

import click

from topoloom.core.errors import InputError
from topoloom.core.register import Register


@dataclass(frozen=True)
class Command:
    """A command, as the help of `topoloom` lists it. Its module is imported when the command is used.

    Attributes
    ----------
    help : str
        What the command does, in one line.
    place : str
        The click command: ``package.module:name``.
    group : str
        The heading under which the help lists the command.
    """

    help: str
    place: str
    group: str = "Commands"

    def load(self) -> click.Command:
        """The click command.

        Raises
        ------
        InputError
            The command belongs to another package and cannot be imported.
        """
        module, _, name = self.place.partition(":")
        try:
            command: click.Command = getattr(import_module(module), name)
        except Exception as error:
            if module.startswith("topoloom."):
                raise
            raise InputError(f"{self.place} cannot be imported: {type(error).__name__}: {error}") from error
        return command


#: Commands by name. Other packages add commands by entry points of this group, which are read only for the help and for
#: unknown names.
COMMANDS: Register[Command] = Register(
    "command", group="topoloom.commands", listed="topoloom --help", elsewhere={"reproduce": "topoloom-papers"}
)
