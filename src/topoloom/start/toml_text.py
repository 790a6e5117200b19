"""TOML written from a declaration: a line per key with its meaning; a key that is not set stands in a comment."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from topoloom.core.settings import Setting, default_of, described
from topoloom.core.toml_files import described_keys, toml_string
from topoloom.model.results import json_value

inspect = msgspec.inspect
#: Characters of a line, and of the longest key with its value that widens the column of values.
_WIDTH, _COLUMN = 120, 36
_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
#: An integer of this many digits is easier to read in groups.
_GROUPED = 10_000


def toml_text(
    declaration: type[msgspec.Struct],
    values: Mapping[str, Any],
    *,
    samples: Mapping[str, Any] | None = None,
    more: Mapping[str, Sequence[Setting]] | None = None,
    omit: Sequence[str] = (),
) -> str:
    """A TOML file with all keys of a declaration: those with a value set, the others in comments.

    Parameters
    ----------
    declaration : type
        A Struct of settings, with tables within it.
    values : mapping
        What is set: a value per key, a mapping per table.
    samples : mapping of str to object, optional
        Example values of keys without a default, by "table.key".
    more : mapping of str to sequence of Setting, optional
        What may stand in a table of free keys, by the table's name; as `unset` gives it.
    omit : sequence of str
        Keys that the file does not mention.

    Returns
    -------
    str
        It ends with a line end.
    """
    return "\n".join(_lines(declaration, values, samples or {}, more or {}, frozenset(omit), "")).strip("\n") + "\n"


def unset(declaration: type[msgspec.Struct], samples: Mapping[str, Any]) -> list[Setting]:
    """The settings of a declaration, each with its default in TOML, or an example where it has none.

    Parameters
    ----------
    declaration : type
        A Struct of settings.
    samples : mapping of str to object
        Example values by name.

    Returns
    -------
    list of Setting
    """
    info: Any = inspect.type_info(declaration)
    settings = []
    for setting, field in zip(described(declaration), info.fields, strict=True):
        default = json_value(default_of(field)) if not field.required else None
        value = samples.get(setting.name, _sample(_bare(field.type)[0]) if default in (None, "", []) else default)
        about = _marked(setting.description, example=value != default)
        settings.append(msgspec.structs.replace(setting, default=toml_value(value), description=about))
    return settings


def toml_value(value: Any) -> str:
    """A plain value in TOML.

    Examples
    --------
    >>> toml_value(10_000), toml_value(2.0), toml_value(["a", True]), toml_value({"from": 0.1, "to": 0.9})
    ('10_000', '2', '["a", true]', '{ from = 0.1, to = 0.9 }')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, int):
        return f"{value:_}" if abs(value) >= _GROUPED else str(value)
    if isinstance(value, float):
        return str(value)  # inf and nan are TOML's words, too
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{toml_key(key)} = {toml_value(inner)}" for key, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return f"[{', '.join(map(toml_value, value))}]"


def toml_key(key: str) -> str:
    """A key in TOML, in quotes where it must be: ``loads``, ``"UGAL-L, 2"``, ``"change.hosts"``."""
    return key if _BARE.fullmatch(key) else toml_value(key)


def _lines(
    declaration: type[msgspec.Struct],
    values: Mapping[str, Any],
    samples: Mapping[str, Any],
    more: Mapping[str, Sequence[Setting]],
    omit: frozenset[str],
    within: str,
) -> Iterator[str]:
    """The plain keys of a declaration, then its tables; `within` is the table's name with a point."""
    info: Any = inspect.type_info(declaration)
    rows, tables = [], []
    for setting, field in zip(described_keys(declaration), info.fields, strict=True):
        name = within + setting.name
        if name in omit:
            continue
        kind, optional = _bare(field.type)
        if isinstance(kind, inspect.StructType | inspect.DictType):
            tables.append((name, setting, kind, optional))
        else:
            sample = samples[name] if name in samples else _sample(kind)
            example = name in samples or not setting.default
            value = values.get(setting.name)
            if value is None:
                setting = msgspec.structs.replace(setting, description=_marked(setting.description, example=example))
            rows.append((setting, value, toml_value(sample) if example else setting.default))
    # What is set stands first: among the keys of a table, and among the tables.
    rows.sort(key=lambda row: _place(row[0].name, values))
    tables.sort(key=lambda table: _place(table[1].name, values))
    yield from _rows(rows)
    for name, setting, kind, optional in tables:
        given = values.get(setting.name)
        # An empty table changes nothing; one that may be missing does: [host] puts hosts into racks of their own.
        empty = isinstance(kind, inspect.DictType) and not given and name not in more
        mark = "# " if (optional and given is None) or empty else ""
        yield from ("", *_comment(_sentence(setting.description)), f"{mark}[{name}]")
        if isinstance(kind, inspect.StructType):
            yield from _lines(kind.cls, given or {}, samples, more, omit, f"{name}.")
        else:
            yield from _free(given or {}, more.get(name, ()))


def _marked(description: str, *, example: bool) -> str:
    """A description of a key in a comment, which says whether its value there is the default or an example."""
    return f"{'(e.g.)' if example else '(default)'} {description}"


def _place(name: str, values: Mapping[str, Any]) -> int:
    """Where a key stands: in the order of the values, then the keys without one."""
    return [*values].index(name) if name in values else len(values)


def _free(given: Mapping[str, Any], more: Sequence[Setting]) -> Iterator[str]:
    """A table of free keys: what is set, then what else it may hold."""
    declared = {setting.name: setting for setting in more}
    rows = [(declared.get(key, Setting(key, "", "", "", False, "")), value, "") for key, value in given.items()]
    rows += [(setting, None, setting.default) for setting in more if setting.name not in given]
    yield from _rows(rows)


def _rows(rows: Sequence[tuple[Setting, Any, str]]) -> Iterator[str]:
    """Lines of keys: each with its value, or a comment with its default or an example."""
    texts = [
        f"# {toml_key(setting.name)} = {default}"
        if value is None
        else f"{toml_key(setting.name)} = {toml_value(value)}"
        for setting, value, default in rows
    ]
    column = max((len(text) for text in texts if len(text) <= _COLUMN), default=0)
    for text, (setting, _, _) in zip(texts, rows, strict=True):
        words = _short(setting, _WIDTH - max(column, len(text)) - 4)
        yield f"{text:{column}}  # {words}" if words else text


def _short(setting: Setting, width: int) -> str:
    """A description in one line: what does not fit is cut off at a semicolon, colon or comma."""
    text, unit = setting.description.replace(" (below)", ""), setting.unit
    if unit and not re.search(rf"(?<!\w){re.escape(unit)}(?!\w)", text):
        text = f"{text} [{unit}]"
    if len(text) <= width:
        return text
    ends = [match.start() for match in re.finditer(r"[;:,](?= )", text) if match.start() <= width]
    # A half of what is in brackets says nothing.
    whole = [end for end in ends if text.count("(", 0, end) == text.count(")", 0, end)]
    return text[: whole[-1]] if whole else textwrap.shorten(text, max(width, 20), placeholder=" ...")


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ") if text else []


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def _bare(kind: Any) -> tuple[Any, bool]:
    """A type without metadata and None, and whether None is accepted."""
    kind = kind.type if isinstance(kind, inspect.Metadata) else kind
    if not isinstance(kind, inspect.UnionType):
        return kind, False
    kinds = [choice.type if isinstance(choice, inspect.Metadata) else choice for choice in kind.types]
    given = [choice for choice in kinds if not isinstance(choice, inspect.NoneType)]
    return given[0], len(given) < len(kinds)


def _sample(kind: Any) -> Any:
    """A value of a type, for a key that has neither a default nor an example."""
    if isinstance(kind, inspect.BoolType):
        return True
    if isinstance(kind, inspect.LiteralType):
        return kind.values[0]
    if isinstance(kind, inspect.IntType | inspect.FloatType):
        return max(kind.ge or 0, 1)
    if isinstance(kind, inspect.StructType | inspect.DictType):
        return {}
    return "" if isinstance(kind, inspect.StrType) else []
