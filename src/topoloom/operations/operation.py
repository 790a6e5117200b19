"""Operation: one Struct of fields and one function, from which all interfaces are generated; and the register of operations."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import msgspec

from topoloom.core.errors import InputError, hint
from topoloom.core.register import Register
from topoloom.core.settings import Settings, fits, shown
from topoloom.model.results import Result, json_value
from topoloom.operations.context import RunContext
from topoloom.operations.field import Field, fields_of
from topoloom.operations.sections import section_of

O = TypeVar("O", bound="Operation")  # noqa: E741 (as mathematicians write it)

#: Longer texts of a result are omitted from rows.
_MOST_CHARACTERS = 200


class Operation(Settings, frozen=True, kw_only=True):
    """Base of every operation: its fields are its arguments, `run` is its function, its docstring the help text.

    The class generates the options of the command, the task of a study, the form of the explorer, the JSON Schema
    (`schema_of`), the table in the docs, and the error texts.

    Raises
    ------
    InputError
        A value has the wrong type or is out of range, or arguments contradict each other.
    """

    #: The name, on the command line and in studies; `Settings` puts it in front of its messages.
    group: ClassVar[str] = "operation"
    #: The name of the work in the progress bar.
    doing: ClassVar[str] = "working"
    #: The Python functions that do the same; the first takes the fields as keywords.
    functions: ClassVar[tuple[str, ...]] = ()
    #: Whether a study can run it, because its result is numbers and not a file.
    studied: ClassVar[bool] = True
    #: Whether it takes directed networks; all other operations refuse them (`operations.directed`).
    directed: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.validate()

    def validate(self) -> None:
        """Refuse arguments that contradict each other, before any work."""

    def repeatable(self) -> "Operation":
        """The operation as a study runs it: with a value for every argument that determines the result.

        Returns
        -------
        Operation

        Raises
        ------
        InputError
            The result depends on the machine.
        """
        return self

    def run(self, context: RunContext) -> Any:
        """Run the operation.

        Parameters
        ----------
        context : RunContext
            Threads, deadline, progress, cancellation.

        Returns
        -------
        Result or dict
        """
        raise NotImplementedError

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        """The numbers and texts of a result in a row of a study."""
        return flat(result.record() if isinstance(result, Result) else result)

    def arguments(self) -> dict[str, Any]:
        """All arguments by name."""
        return {name: getattr(self, name) for name in _FIELDS[type(self)]}

    def given(self) -> dict[str, Any]:
        """The arguments that differ from their defaults, as plain values."""
        return {
            name: json_value(value)
            for name, field in _FIELDS[type(self)].items()
            if (value := getattr(self, name)) != field.default
        }


class _Fields(dict[type[Operation], dict[str, Field]]):
    """The fields of each operation, by name."""

    def __missing__(self, kind: type[Operation]) -> dict[str, Field]:
        fields = self[kind] = {field.name: field for field in fields_of(kind)}
        return fields


_FIELDS = _Fields()

OPERATIONS: Register[type[Operation]] = Register(
    "operation",
    package="topoloom.operations.catalogue",
    group="topoloom.operations",
    elsewhere={"reproduce": "topoloom-papers"},
)


def operation(kind: type[O]) -> type[O]:
    """Class decorator: add an operation to the register, under its `group`."""
    OPERATIONS.add(kind.group, kind)
    return kind


def studied(name: str) -> type[Operation]:
    """The operation with this name, for a study.

    Raises
    ------
    InputError
        No operation has this name, or its result is not numbers.
    """
    kind = OPERATIONS.find(name)
    if not kind.studied:
        raise InputError(f"{name} writes files or lists; a study runs operations whose results are numbers")
    return kind


def section(kind: type[Operation]) -> str:
    """The group of the help that lists an operation; empty for an operation without a command."""
    return section_of(kind.group)


def operation_of(kind: type[O], arguments: Mapping[str, Any]) -> O:
    """An operation with its arguments, checked.

    Parameters
    ----------
    kind : type
    arguments : mapping
        Plain values by name, as in a study's file or a form.

    Returns
    -------
    Operation

    Raises
    ------
    InputError
        An argument is unknown, missing, of the wrong type or out of range, or arguments contradict each other.
    """
    fields = _FIELDS[kind]
    for name in arguments:
        if name == "executor" and name not in fields:
            raise InputError(
                f"{kind.group}: a task of a study runs on one machine; its executor is that of [run], so omit 'executor'"
            )
        if name not in fields:
            raise InputError(f"{kind.group} has no argument {shown(name)} ({hint(str(name), fields)})")
    for name, field in fields.items():
        if field.required and name not in arguments:
            raise InputError(f"{kind.group} needs the argument '{name}'")
    return kind(**{name: _converted(kind, fields[name], value) for name, value in arguments.items()})


def _converted(kind: type[Operation], field: Field, value: Any) -> Any:
    """A plain value in the type of the field: lists as tuples, tables as Structs; a single value of a list as a list of one."""
    plain_value = [value] if field.listed and isinstance(value, int | float | str) else value
    try:
        converted = msgspec.convert(plain_value, _hints(kind)[field.name], strict=True)
    except msgspec.ValidationError as error:
        cause = error.__cause__
        if isinstance(cause, InputError):
            raise cause from None
        place = str(error).partition(" - at `$")[2].strip("`.")
        if place and isinstance(field.kind, msgspec.inspect.StructType):
            raise InputError(f"{kind.group}: {field.name}: {error}") from None
    else:
        if fits(field.type, converted):
            return converted
    raise InputError(f"{kind.group}: {field.name}={shown(value)}; it is {field.accepts}") from None


def _hints(kind: type[Operation]) -> dict[str, Any]:
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


def schema_of(kind: type[Operation]) -> dict[str, Any]:
    """The JSON Schema of an operation's arguments.

    Parameters
    ----------
    kind : type

    Returns
    -------
    dict
    """
    return msgspec.json.schema(kind)


def flat(content: Mapping[str, Any]) -> dict[str, Any]:
    """The plain values of a record; those of inner tables get names ``table.key``; lists and long texts are omitted.

    >>> flat({"schema": "x", "diameter": 2, "latency": {"mean_ns": 3.5}, "histogram": [1, 2]})
    {'diameter': 2, 'latency.mean_ns': 3.5}
    """
    row: dict[str, Any] = {}
    for key, value in content.items():
        if key in ("schema", "provenance"):
            continue
        if isinstance(value, Mapping):
            row |= {f"{key}.{inner}": leaf for inner, leaf in value.items() if _plain(leaf) and inner != "provenance"}
        elif _plain(value):
            row[key] = value
    return row


def _plain(value: Any) -> bool:
    return (
        value is None
        or isinstance(value, (bool, int, float))
        or (isinstance(value, str) and len(value) <= _MOST_CHARACTERS)
    )
