"""Commands made from declarations: the options of an operation, and of the groups that control its output."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from typing import Any, TypeVar

import click
import msgspec

from topoloom.cli.output import quieted, say
from topoloom.cli.presentation import Elsewhere
from topoloom.cli.types import FileName, Number, ReadChoice, TextOption, Whole
from topoloom.core.errors import InputError
from topoloom.core.files import check_file
from topoloom.core.folders import check_folder
from topoloom.core.settings import Settings, changed, plain_of, shown, written
from topoloom.core.work import Work
from topoloom.model.directed import DirectedNetworkError
from topoloom.operations.context import RunContext
from topoloom.operations.field import Field, fields_of
from topoloom.operations.operation import Operation

Kind = msgspec.inspect
O = TypeVar("O", bound=Operation)  # noqa: E741
#: The form of a value of a table.
_PAIR = "KEY=VALUE"
#: An argument in a message of the library; "yes" or "no" after it means a flag that is on or off.
_NAMED = re.compile(r"`([a-z]\w*)`( yes\b| no\b)?")


class DeclaredCommand(click.Command):
    """A command made from the declarations in `groups`; `sections` writes further sections of its help."""

    def __init__(
        self,
        *args: Any,
        groups: tuple[type[Settings], ...] = (),
        sections: Callable[[click.HelpFormatter], None] | None = None,
        **kwargs: Any,
    ):
        super().__init__(*args, **kwargs)
        self.groups, self._sections = groups, sections

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self._sections is not None:
            self._sections(formatter)
        super().format_epilog(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; arguments that messages of the library name are written as options."""
        try:
            # Nagios reads the line of a plug-in whatever its exit code is.
            if not ctx.params.get("quiet") or ctx.params.get("nagios"):
                return super().invoke(ctx)
            with quieted() as code:
                result = super().invoke(ctx)
                code[0] = result or 0
            return result
        except DirectedNetworkError as refused:
            from topoloom.operations.directed import refused_by

            raise refused_by(refused, ctx.command_path) from refused
        except InputError as error:
            raise InputError(spelled(str(error), self)) from error


class DeclaredGroup(click.Group):
    """A group of declared commands. If the first word names none of them, all words go to the command `default`.

    Parameters
    ----------
    about : type
        Settings without fields: `group` is the name, the docstring is the help text.
    commands : iterable of click.Command
    default : str, optional
        The name of one of these commands.
    alone : bool
        Whether `default` also runs without any word.
    usages : iterable of str
        The usage lines of the help, without the group's name.
    """

    def __init__(
        self,
        about: type[Settings],
        commands: Iterable[click.Command],
        *,
        default: str = "",
        alone: bool = False,
        usages: Iterable[str] = (),
    ) -> None:
        super().__init__(about.group, list(commands), help=inspect.cleandoc(about.__doc__ or ""))
        self._default, self._alone, self._usages = default, alone, tuple(usages)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words of the command line, with the default command inserted if none is named."""
        first = args[0] if args else ""
        default = self.commands.get(self._default)
        if default is not None and (args or self._alone) and first not in {*self.commands, *ctx.help_option_names}:
            takes_words = any(isinstance(parameter, click.Argument) for parameter in default.params)
            # If the default command takes no words, a word is a wrong command's name.
            args = [self._default, *args] if takes_words or not first or first.startswith("-") else args
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line per usage."""
        for usage in self._usages:
            formatter.write_usage(ctx.command_path, usage)
        if not self._usages:
            super().format_usage(ctx, formatter)


def spelled(sentence: str, command: click.Command) -> str:
    """A message of the library in which arguments are written as the options of a command.

    Examples
    --------
    >>> command = click.Command("cuts", params=[click.Option(["--seed"]), click.Option(["--spares/--no-spares"])])
    >>> spelled("`seed` is needed for `parts`, `spares` no for all", command)
    '--seed is needed for `parts`, --no-spares for all'
    """
    commands = command.commands.values() if isinstance(command, click.Group) else ()
    parameters = {
        option.name: option for option in (*command.params, *(option for inner in commands for option in inner.params))
    }

    def typed(match: re.Match[str]) -> str:
        parameter, word = parameters.get(match[1]), match[2] or ""
        if parameter is None:
            return match[0]
        if isinstance(parameter, click.Argument):
            return parameter.human_readable_name.strip("[.]") + word
        if word and isinstance(parameter, click.Option) and parameter.is_flag:
            spellings = parameter.opts if word == " yes" else parameter.secondary_opts
            return max(spellings, key=len, default=match[0])
        return max(parameter.opts, key=len) + word

    return _NAMED.sub(typed, sentence)


def declared(
    *groups: type[Settings],
    several: str | Sequence[str | tuple[str, ...]] = (),
    sections: Callable[[click.HelpFormatter], None] | None = None,
) -> Callable[[Callable[..., int | None]], click.Command]:
    """Make a command from a function that takes a value of each group; the first group is the operation.

    Parameters
    ----------
    *groups : type
        First an `Operation`, or `Settings` for a command without one: its docstring is the help text, the last word of its
        `group` the command's name. Then the groups of output options.
    several : str or sequence of (str or tuple of str)
        The fields for which the command takes several values: the function gets a list of operations, one per combination;
        the last field varies fastest. Fields in a tuple vary together: one value for all, or one each.
    sections : callable (formatter), optional
        Writes further sections of the help.

    Returns
    -------
    callable
        The decorator.
    """

    parts = [
        (part,) if isinstance(part, str) else part for part in ([several] if isinstance(several, str) else several)
    ]
    first_of = {name: part[0] for part in parts for name in part}

    def decorate(function: Callable[..., int | None]) -> click.Command:
        def call(**values: Any) -> int | None:
            first, *others = groups
            given = _values(first, values)
            made: Any = (
                [first(**given | combination) for combination in _combined(first, parts, given)]
                if parts
                else first(**given)
            )
            outputs = [kind(**_values(kind, values)) for kind in others]
            for output in outputs:
                _check_written(output)
            return function(made, *outputs)

        return DeclaredCommand(
            groups[0].group.rpartition(" ")[2],
            callback=call,
            params=[_parameter(field, first_of.get(field.name)) for kind in groups for field in fields_of(kind)],
            help=inspect.cleandoc(groups[0].__doc__ or ""),
            groups=groups,
            sections=sections,
        )

    return decorate


def _check_written(output: Settings) -> None:
    """Refuse files and folders that could not be written, before any work."""
    for field in fields_of(type(output)):
        path = getattr(output, field.name)
        if path is not None and field.names == "new folder":
            check_folder(path)
        elif path is not None and field.names == "new file":
            check_file(path, field.option)


def _combined(
    kind: type[Settings], parts: Sequence[tuple[str, ...]], given: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Every combination of the values of the fields in `parts`."""
    fields = {field.name: field for field in fields_of(kind)}
    rows = []
    for names in parts:
        columns = [tuple(given[name] or (fields[name].default,)) for name in names]
        count = len(columns[0])
        for name, column in zip(names, columns, strict=True):
            if len(column) not in (1, count):
                raise InputError(
                    f"`{name}` has {len(column)} values for {count} `{names[0]}`; give one for all, or one for each"
                )
        row = list(zip(*(column * (count // len(column)) for column in columns), strict=True))
        for values in row:
            if len(names) > 1 and row.count(values) > 1:
                raise InputError(f"{values[0]} is given twice with the same `{names[-1]}`; give it once")
        rows.append([dict(zip(names, values, strict=True)) for values in row])
    for combination in product(*rows):
        yield {name: value for part in combination for name, value in part.items()}


def _values(kind: type[Settings], given: dict[str, Any]) -> dict[str, Any]:
    """The values of a group's fields; a repeatable option that was not given has its default."""
    values = {}
    for field in fields_of(kind):
        value = given[field.name]
        if field.table:
            value = _table(field, value)
        elif field.listed and field.reads is None:
            value = tuple(value) if value or field.required else field.default
        values[field.name] = value
    return values


def _table(field: Field, texts: tuple[str, ...]) -> Any:
    """The value of a table from texts ``KEY=VALUE``: a Struct with these values changed, or a dictionary. In a dictionary the
    texts of a repeated key are joined by commas."""
    if isinstance(field.default, msgspec.Struct):
        default: Any = field.default
        return changed(default, texts)
    plain = str if isinstance(field.kind.value_type, Kind.StrType) else plain_of
    table: dict[str, Any] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise InputError(f"{field.option} {shown(text)}: write {field.metavar or _PAIR}")
        again = isinstance(table.get(name), str)
        table[name] = f"{table[name]},{value}" if again else plain(value)
    return table


def _parameter(field: Field, several: str | None = None) -> click.Parameter:
    """The option or argument of a field. `several`: the field takes several values, which vary together with those of this
    field."""
    repeated = (field.listed and field.reads is None) or field.table or several is not None
    common: dict[str, Any] = {"type": _type(field), "required": field.required}
    if field.positional and several:
        common["metavar"] = f"{field.option}..."
    elif field.metavar or field.table:
        common["metavar"] = field.metavar or _PAIR
    if not field.required and (several is not None or not repeated):
        common["default"] = [field.default] if several is not None and field.default is not None else field.default
    if field.positional:
        return click.Argument([field.name], nargs=-1 if repeated else 1, **common)
    switch = isinstance(field.kind, Kind.BoolType)
    spelled = list(field.options)
    if switch:
        del common["type"]
        if field.default is not False:
            spelled[-1] = f"{field.option}/--no-{field.option.removeprefix('--')}"
        else:
            common["is_flag"] = True
    shown: bool | str = not (switch and field.default is False) and field.default not in (None, "")
    if field.reads is not None and not field.choices and field.default not in (None, msgspec.NODEFAULT):
        shown = _as_text(field.default)
    text = sentence(field)
    if several is not None:
        text = f"{text[:-1]}; may be repeated{'' if several == field.name else f', one per {several.upper()}'}."
    return click.Option([*spelled, field.name], help=text, show_default=shown, multiple=repeated, **common)


def sentence(field: Field) -> str:
    """A field's description as a sentence of a help text."""
    text = field.description
    named = re.search(rf"(?<!\w){re.escape(field.unit)}(?!\w)", text)
    unit = f" [{field.unit}]" if field.unit and not named else ""
    return f"{text[:1].upper()}{text[1:]}{unit}."


def _as_text(value: Any) -> str:
    if isinstance(value, tuple) and len(value) == 2:
        return "-".join(map(str, value))
    return written(value)


def _type(field: Field) -> click.ParamType | None:
    kind = field.item if field.listed and field.reads is None else field.kind
    if field.reads is not None:
        return ReadChoice(field.choices, field.reads) if field.choices else TextOption(field.reads)
    if isinstance(kind, Kind.LiteralType):
        return click.Choice([str(value) for value in kind.values])
    if isinstance(kind, Kind.IntType):
        return Whole(kind.ge, kind.le)
    if isinstance(kind, Kind.FloatType):
        return Number(kind.ge, kind.le, above=kind.gt, unit=field.unit)
    return FileName() if field.names == "file" else click.STRING


class _ScreenContext(RunContext):
    """A context whose work is shown on the terminal and can be stopped by signals, from its first use on."""

    def __init__(
        self, stack: ExitStack, title: str, jobs: int | None, elsewhere: Elsewhere | None, **asked: Any
    ) -> None:
        command = click.get_current_context().command
        # With an executor, `jobs` is the number of its tasks.
        on_executor = elsewhere is not None and elsewhere.executor is not None
        super().__init__(None if on_executor else jobs, on_note=lambda text: say(spelled(text, command), err=True))
        self._stack, self._title, self._options = stack, title, asked
        self._elsewhere, self._tasks = elsewhere, jobs

    def _begin(self) -> Work:
        from topoloom.cli.progress import working

        work = self._stack.enter_context(working(self._title, **self._options))
        if self._elsewhere is not None and self._elsewhere.executor is not None:
            from topoloom.cli.elsewhere import carried_out_elsewhere

            self._stack.enter_context(carried_out_elsewhere(work, self._elsewhere, self._tasks))
        return work


@contextmanager
def running(
    title: str,
    jobs: int | None = None,
    elsewhere: Elsewhere | None = None,
    *,
    seconds: float | None = None,
    on_result: Callable[[Any], None] | None = None,
) -> Iterator[RunContext]:
    """A context for an operation of this command: shown as `title`, and stopped by Ctrl-C and `kill`.

    Parameters
    ----------
    title : str
        Name of the work on the screen: "simulating".
    jobs : int, optional
        Threads; with an executor, its tasks at a time.
    elsewhere : Elsewhere, optional
        The executor for the parts of the operation.
    seconds : float, optional
        The deadline.
    on_result : callable, optional
        Passed to `RunContext`.

    Yields
    ------
    RunContext
    """
    with ExitStack() as stack:
        yield _ScreenContext(stack, title, jobs, elsewhere, seconds=seconds, on_result=on_result)


def performed(operation: Operation, jobs: int | None = None) -> Any:
    """Run an operation with its progress on the terminal, and return its result.

    Parameters
    ----------
    operation : Operation
    jobs : int, optional
        Threads.

    Returns
    -------
    object
        The return value of `run`.
    """
    with running(operation.doing, jobs) as context:
        return operation.run(context)
