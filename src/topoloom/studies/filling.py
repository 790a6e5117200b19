"""Filling the texts of a study with the values of its axes: ``torus:dims={side}x{side}``."""

from collections.abc import Iterator, Mapping, Sequence
from string import Formatter
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.settings import shown
from topoloom.operations.field import fields_of
from topoloom.operations.operation import Operation


def names_in(value: Any) -> Iterator[str]:
    """The names in braces in every text of a value.

    Raises
    ------
    InputError
        A brace is not closed.
    """
    return (name for text in _texts(value) for name in _fields(text))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for element in value:
            yield from _texts(element)


def _fields(text: str) -> Iterator[str]:
    try:
        return (name for _, name, _, _ in list(Formatter().parse(text)) if name is not None)
    except ValueError:
        raise InputError(f"study: {shown(text)}: a brace is not closed; write {{{{ for a literal brace") from None


def filled(task: Mapping[str, Any], values: Mapping[str, Any], kind: type[Operation]) -> dict[str, Any]:
    """The arguments at a point: the shared ones, the axes that are arguments, and every text with its braces filled.

    Parameters
    ----------
    task : mapping
        The arguments that all points share.
    values : mapping
        The values of the axes.
    kind : type of Operation

    Returns
    -------
    dict
        The arguments of a task.

    Raises
    ------
    InputError
        An axis belongs to an argument that is not a table.

    Examples
    --------
    >>> from topoloom.operations.operation import studied
    >>> filled({"topology": "torus:dims={side}x{side}"}, {"side": 4}, studied("hops"))
    {'topology': 'torus:dims=4x4'}
    """
    names = {field.name for field in fields_of(kind)}
    arguments: dict[str, Any] = _copied(task)
    # A value may itself name other axes: family = "dsn:n={n}".
    values = {name: _formatted(value, values) for name, value in values.items()}
    for name, value in values.items():
        path: Sequence[str] = name.split(".")
        if path[0] not in names:
            continue
        inner = arguments
        for part in path[:-1]:
            inner = inner.setdefault(part, {})
            if not isinstance(inner, dict):
                raise InputError(f"study: the axis '{name}' belongs to a table, but '{part}' is not a table")
        inner[path[-1]] = value
    return {name: _formatted(shared, values) for name, shared in arguments.items()}


def _copied(value: Any) -> Any:
    return {name: _copied(item) for name, item in value.items()} if isinstance(value, Mapping) else value


def _formatted(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, str) and "{" in value:
        parts = list(Formatter().parse(value))
        if len(parts) == 1 and parts[0][0] == "" and parts[0][1] is not None:
            return values[parts[0][1]]  # the text is only the axis: keep its type
        return "".join(text + ("" if name is None else str(values[name])) for text, name, _, _ in parts)
    if isinstance(value, Mapping):
        return {name: _formatted(item, values) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_formatted(element, values) for element in value]
    return value
