"""`topoloom`: imports a command's file when it is called, and turns errors into one line and an exit code."""

import errno
import gc
import logging
import os
import sys
from typing import Any, NoReturn

import click

from topoloom._version import __version__
from topoloom.cli.examples import with_example
from topoloom.cli.output import say
from topoloom.cli.register import COMMANDS, Command
from topoloom.cli.signals import INTERRUPTED, interrupted, leave, listen
from topoloom.cli.streams import prepare
from topoloom.core.errors import TOO_LONG, InputError, Stopped
from topoloom.operations.sections import SECTIONS

#: Every command and its one-line help; the file of the same name is imported only when the command is used.
_OWN = {
    name: Command(text, f"topoloom.cli.commands.{name.replace('-', '_')}:command", section.capitalize())
    for section, commands in SECTIONS.items()
    for name, text in commands.items()
}
# Registered so that another package's command of the same name is reported.
for _name, _command in _OWN.items():
    COMMANDS.add(_name, _command)

#: The environment variable by which shells ask for completions.
_COMPLETION = "_TOPOLOOM_COMPLETE"
#: Packages that topoloom requires, which an installation with --no-deps may lack.
_DEPENDENCIES = {"numpy", "scipy", "numba", "jinja2", "markupsafe", "rich", "lazy_loader"}
#: Most characters of an error line: it may quote input that is longer than a screen.
_MOST_CHARACTERS = 2000
#: Characters that are shown of a path that is too long for the file system.
_SHOWN = 60


class _Lazy(click.Group):
    """A group whose commands are imported when they are needed."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return [*_OWN, *(name for name in COMMANDS if name not in _OWN)]

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        record = _OWN.get(name) or COMMANDS.get(name)  # installed packages are searched only for other names
        if record is None:
            return None
        command = record.load()
        command.help = with_example(name, command.help or "")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; arguments that messages of the library name are written as options."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            from topoloom.cli.declared import spelled

            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            raise (error if command is None else InputError(spelled(str(error), command))) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        width, groups = max(map(len, names)), dict[str, list[tuple[str, str]]]()
        for name in names:
            groups.setdefault(COMMANDS[name].group, []).append((f"{name:{width}}", COMMANDS[name].help))
        for group, lines in groups.items():
            with formatter.section(group):
                formatter.write_dl(lines)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _OWN and not args[0].startswith("-"):
            COMMANDS.find(args[0])
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Lazy,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="topoloom")
@click.pass_context
def cli(context: click.Context) -> None:
    """Design the networks of supercomputers and data centres.

    TOPOLOGY is a spec (slimfly:q=19,hosts=15) or a file in any known format. Every command takes --json.
    """
    if context.invoked_subcommand is None:
        from topoloom.cli.greeting import greeting

        names = context.command.list_commands(context)  # type: ignore[attr-defined]
        say(greeting({name: COMMANDS[name] for name in names}))


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line. Exit codes: 0 done, 1 a bug in topoloom, 2 wrong input, 3 differences found, 130 interrupted."""
    prepare()
    # A command makes many objects and few cycles: looking for these as often as by default takes 15 % of a large verify.
    gc.set_threshold(100_000, 20, 100)
    os.environ["MPLBACKEND"] = "agg"  # pictures are files, whatever backend the user's own programs draw with
    listen()
    logging.basicConfig(format="topoloom: %(message)s", level=logging.WARNING, stream=sys.stderr)
    try:
        code, message = _outcome(sys.argv[1:] if arguments is None else arguments)
        leave()
    except KeyboardInterrupt:  # a second signal while the first was being handled
        leave()
        code, message = INTERRUPTED, ""
    if interrupted():
        # The printed result is only the part that was finished by then, so the exit code says so.
        code, message = INTERRUPTED, message or "interrupted"
    if message and "--nagios" in (sys.argv[1:] if arguments is None else arguments):
        from topoloom.fabric.monitoring import UNKNOWN, nagios_line

        # Nagios reads the state from the exit code and the reason from standard output.
        say(nagios_line(UNKNOWN, message))
        code, message = UNKNOWN, ""
    if message:
        line = " ".join(message.split())
        say(f"error: {line if len(line) <= _MOST_CHARACTERS else line[:_MOST_CHARACTERS] + ' ...'}", err=True)
    if interrupted():
        # Threads may still be inside kernels; do not wait for them.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _outcome(arguments: list[str]) -> tuple[int, str]:
    """Run the command, and return its exit code and its error message, if any; all other output is printed."""
    try:
        result = _run(arguments)
        sys.stdout.flush()
        return (result if isinstance(result, int) else 0), ""
    except InputError as error:
        return 2, str(error)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2, ""
    except click.MissingParameter as error:
        folder = error.param is not None and "-o" in error.param.opts and error.param.metavar == "DIRECTORY"
        example = f", such as -o {error.ctx.command.name}" if folder and error.ctx is not None else ""
        return 2, error.format_message().rstrip(".") + example
    except click.BadParameter as error:
        named = error.param.opts[-1] if error.param is not None else error.param_hint or ""
        return 2, f"{named}: {error.message.rstrip('.')}"
    except click.ClickException as error:
        return 2, error.format_message().rstrip(".")
    except (KeyboardInterrupt, click.exceptions.Abort):
        return INTERRUPTED, "interrupted"
    except Stopped as error:
        return INTERRUPTED, str(error)
    except MemoryError:
        return 2, "not enough memory for this; try a smaller network"
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return 2, f"{str(error.filename)[:_SHOWN]}...: the name is too long; {TOO_LONG}"
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _DEPENDENCIES:
            raise
        return (
            2,
            f"this command needs the package {missing}, which this small installation lacks; pip install {missing}",
        )
    except RecursionError:
        return 2, "the input nests too deep to be read"
    except Exception:
        # A signal inside a library can appear as an error of that library.
        if not interrupted():
            raise
        return INTERRUPTED, "interrupted"


def _run(arguments: list[str]) -> Any:
    """Run the command, and return its return value or the exit code that it asked for."""
    if _COMPLETION in os.environ:
        return cli.main(arguments, prog_name="topoloom", standalone_mode=False, complete_var=_COMPLETION)
    # Not click's own `main`, which turns a closed pipe into an ordinary exit code.
    try:
        with cli.make_context("topoloom", arguments) as context:
            return cli.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
