"""`topoloom manual`: man pages and completions, written where man and the shells look for them."""

import sys
from typing import Annotated, ClassVar, Literal

import click

from topoloom.cli.declared import declared
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json
from topoloom.core.settings import Settings, setting


class _Manual(Settings, frozen=True, kw_only=True):
    """Write the man pages of all commands, and completions for bash, zsh and fish.

    Without a folder they go into the environment of topoloom, where man finds the pages if the environment is active. With -o
    /usr/local they are for all users. --shell prints the completion of one shell and writes nothing.
    """

    group: ClassVar[str] = "manual"

    shell: Annotated[Literal["bash", "zsh", "fish"], setting("print the completion of this shell")] | None = None


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str,
            setting(
                "the prefix: pages go into its share/man/man1; the environment's own if omitted",
                option="-o --output",
                metavar="DIRECTORY",
            ),
        ]
        | None
    ) = None


@declared(_Manual, _Output)
def command(operation: _Manual, to: _Output) -> None:
    from topoloom.cli.main import cli
    from topoloom.cli.man_pages import SHELLS, manual_files
    from topoloom.core.folders import write_folder

    files = manual_files(cli)
    if operation.shell is not None:
        click.echo(files[SHELLS[operation.shell]], nl=False)
        return
    prefix = sys.prefix if to.output is None else to.output
    write_folder(prefix, files)
    if to.json:
        print_record({"prefix": prefix, "files": sorted(files)})
    say(f"wrote {len(files)} files in {prefix}/share", err=True)
