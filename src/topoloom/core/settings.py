"""Settings as data: what a user can set, each with its type, range, unit, default and description; texts read into them.

A group of settings is a frozen `Settings` Struct whose fields are annotated with `setting`. Help texts, tables in the docs,
error messages and web forms are made from these annotations (`described`), so that each stands in one place.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar

import msgspec

from topoloom.core.errors import InputError, hint

S = TypeVar("S", bound="Settings")

_YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_LONGEST_TEXT = 60
#: A number of more digits is in no range, and takes long to read.
_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,20}\s*", re.ASCII)
#: A bound so far out only keeps infinity and NaN away.
_ENDLESS = 1e15


def setting(
    description: str,
    *,
    unit: str = "",
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    example: str = "",
    option: str = "",
    positional: bool = False,
    metavar: str = "",
    reads: Callable[[str], Any] | None = None,
    names: str = "",
) -> Any:
    """The annotation of one setting: ``vcs: Annotated[int, setting("VCs of a port", least=0, most=32)] = 0``.

    Where None is allowed, too, it stands outside: ``Annotated[float, setting(...)] | None``.

    Parameters
    ----------
    description : str
        One line, without the range and the default.
    unit : str
        "flits", "m", "Gb/s"; empty for counts and words.
    least, most : number, optional
        The range, ends included.
    above : number, optional
        In place of `least`: everything above it.
    example : str
        A value that would do, where the range does not say enough.
    option : str
        How the command line spells it, where that is not the name with two hyphens: "-o --output".
    positional : bool
        The command line has it as an argument, not as an option.
    metavar : str
        What stands for its value in a help text: "ROWSxCOLUMNS".
    reads : callable (text) -> value, optional
        How a text on the command line or in a form is read, where that is not plain: "3-32", "64MiB". It raises `ValueError`
        with the words of what it takes.
    names : "", "file" or "workload"
        What the value may name: a file or a folder, or a workload of files. What lies there belongs to a study's task.

    Returns
    -------
    object
        What stands in ``Annotated``.
    """
    # Either `least` or `above` is None.
    made: Any = msgspec.Meta
    extra = {
        "unit": unit,
        "example": example,
        "option": option,
        "positional": positional,
        "metavar": metavar,
        "reads": reads,
        "names": names,
    }
    return made(ge=least, le=most, gt=above, description=description, extra=extra)


class Setting(msgspec.Struct, frozen=True):
    """One setting, described.

    Attributes
    ----------
    name : str
    accepts : str
        In words: "a whole number from 0 to 32".
    unit : str
    default : str
        As a user writes it; empty where it must be given or is worked out.
    required : bool
    description : str
    """

    name: str
    accepts: str
    unit: str
    default: str
    required: bool
    description: str


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every group of settings: checked when it is made, whether by a file, the command line or Python.

    Raises
    ------
    InputError
        A value of the wrong type or out of its range: ``router: vcs=99; it is a whole number from 0 to 32``.
    """

    #: What messages call the group: "router".
    group: ClassVar[str] = "settings"

    def __post_init__(self) -> None:
        for field in _fields(type(self)):
            value = getattr(self, field.name)
            if not fits(field.type, value):
                raise InputError(f"{self.group}: {field.encode_name}={shown(value)}; it is {accepts(field.type)}")

    def refuse_changed(self, names: Iterable[str], why: str) -> None:
        """Refuse settings that have another value than their default though they would change nothing.

        Parameters
        ----------
        names : iterable of str
        why : str

        Raises
        ------
        InputError
            One of them is changed.
        """
        defaults = {field.name: default_of(field) for field in _fields(type(self))}
        for name in names:
            if getattr(self, name) != defaults[name]:
                raise InputError(f"`{name}`: {why}; omit it")


def default_of(field: Any) -> Any:
    """The default of a field of `msgspec.inspect`; `msgspec.NODEFAULT` where it has none."""
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


def changed(settings: S, texts: Iterable[str]) -> S:
    """Settings with some values changed by texts ``KEY=VALUE``.

    Raises
    ------
    InputError
        No such key, or a value that is not of its type or out of its range.
    """
    fields = {field.encode_name: field for field in _fields(type(settings))}
    changes: dict[str, Any] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise InputError(f"{settings.group} setting {shown(text)}: write KEY=VALUE, as in {_example(settings)}")
        if name not in fields:
            raise InputError(f"no {settings.group} setting {shown(name)} ({hint(name, fields)})")
        changes[fields[name].name] = value_of(fields[name].type, value, f"{settings.group}: {name}")
    return msgspec.structs.replace(settings, **changes)


def value_of(kind: Any, text: str, where: str) -> Any:
    """A text as a value of a type of `msgspec.inspect`.

    Parameters
    ----------
    kind : type of msgspec.inspect
        What is wanted.
    text : str
        What was given.
    where : str
        The setting, for the message.

    Returns
    -------
    object
        A value of that type, within its range.

    Raises
    ------
    InputError
        It is none: ``WHERE='three'; it is a whole number from 0 to 32``.
    """
    for one in _alternatives(kind):
        value = _read(one, text)
        if value is not ... and fits(one, value):
            return value
    raise InputError(f"{where}={shown(text)}; it is {accepts(kind)}")


def texts_of(table: Mapping[str, Any]) -> list[str]:
    """A table of settings as texts ``KEY=VALUE``, as `changed` reads them.

    Examples
    --------
    >>> texts_of({"vcs": 3, "cut_through": True})
    ['vcs=3', 'cut_through=yes']
    """
    return [f"{name}={written(value)}" for name, value in table.items()]


def plain_of(text: str) -> Any:
    """A text as the plain value that it reads as: yes or no, a number, else the text."""
    if text.lower() in ("yes", "no", "true", "false"):
        return _YES_NO[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def described(group: type[msgspec.Struct]) -> list[Setting]:
    """Every setting of a Struct, in its order, for help texts, docs and forms."""
    found = []
    for field in _fields(group):
        kind = field.type
        meta = next(
            (one for one in (kind, *getattr(kind, "types", ())) if isinstance(one, msgspec.inspect.Metadata)), None
        )
        default = default_of(field)
        plain = default not in (msgspec.NODEFAULT, None) and not isinstance(default, (msgspec.Struct, dict))
        told = written(default) if plain else ""
        about: dict[str, Any] = (meta.extra if meta is not None and meta.extra else {}) or {}
        text = _description(meta)
        found.append(Setting(field.encode_name, accepts(kind), str(about.get("unit", "")), told, field.required, text))
    return found


def accepts(kind: Any) -> str:
    """What a type takes, in words: "a whole number from 0 to 32", "yes or no", "any or one"."""
    kind, _ = _bare(kind)
    inspect = msgspec.inspect
    if isinstance(kind, inspect.UnionType):
        return " or ".join(accepts(one) for one in kind.types)
    if isinstance(kind, inspect.IntType):
        return f"a whole number{_range(kind)}"
    if isinstance(kind, inspect.FloatType):
        return f"a number{_range(kind)}"
    if isinstance(kind, inspect.BoolType):
        return "yes or no"
    if isinstance(kind, inspect.NoneType):
        return "none"
    if isinstance(kind, inspect.LiteralType):
        return " or ".join(str(value) for value in kind.values)
    if isinstance(kind, inspect.EnumType):
        return " or ".join(str(one.value) for one in kind.cls)
    if isinstance(kind, (inspect.ListType, inspect.VarTupleType)):
        return f"a list, each {accepts(kind.item_type)}"
    if isinstance(kind, inspect.TupleType):
        return f"a list of {len(kind.item_types)}: {', '.join(accepts(one) for one in kind.item_types)}"
    if isinstance(kind, inspect.DictType):
        return f"a table of names, each {accepts(kind.value_type)}"
    if isinstance(kind, (inspect.StructType, inspect.DataclassType)):
        return "a table"
    return "any value" if isinstance(kind, inspect.AnyType) else "text"


def shown(value: object) -> str:
    """A value in a message: texts in quotes, nothing longer than a line, control characters visible."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 4]} ..."


def written(value: object) -> str:
    """A value as a user writes it: yes and no, numbers without a needless .0, lists with commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, (list, tuple)):
        return ",".join(map(written, value))
    return str(value)


@cache
def _fields(group: type[msgspec.Struct]) -> tuple[Any, ...]:
    info: Any = msgspec.inspect.type_info(group)
    return tuple(info.fields)


def _bare(kind: Any) -> tuple[Any, Any]:
    """A type without its metadata, and the metadata."""
    if isinstance(kind, msgspec.inspect.Metadata):
        return kind.type, kind
    return kind, None


def _description(meta: Any) -> str:
    schema = getattr(meta, "extra_json_schema", None) or {}
    return str(schema.get("description", ""))


def _alternatives(kind: Any) -> tuple[Any, ...]:
    kind, _ = _bare(kind)
    return tuple(kind.types) if isinstance(kind, msgspec.inspect.UnionType) else (kind,)


def _range(kind: Any) -> str:
    # Bounds that are there only to keep infinity out are not told.
    low, above, high = (
        None if bound is None or abs(bound) >= _ENDLESS else bound for bound in (kind.ge, kind.gt, kind.le)
    )
    if above is not None:
        return f" above {_number(above)}" + ("" if high is None else f", at most {_number(high)}")
    if kind.lt is not None:
        return ("" if low is None else f" from {_number(low)}") + f" below {_number(kind.lt)}"
    if low is not None and high is not None:
        return f" from {_number(low)} to {_number(high)}"
    return f" from {_number(low)}" if low is not None else "" if high is None else f" up to {_number(high)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _read(kind: Any, text: str) -> Any:
    """A text as a value of one type, or `...` if it is none."""
    kind, _ = _bare(kind)
    inspect = msgspec.inspect
    try:
        if isinstance(kind, inspect.BoolType):
            return _YES_NO[text.lower()]
        if isinstance(kind, (inspect.IntType, inspect.FloatType)):
            number = number_from(kind, text)
            return ... if number is None else number
        if isinstance(kind, inspect.NoneType):
            return None if text.lower() == "none" else ...
        if isinstance(kind, inspect.LiteralType):
            return next((value for value in kind.values if str(value) == text), ...)
        if isinstance(kind, inspect.EnumType):
            return kind.cls(text)
        if isinstance(kind, (inspect.ListType, inspect.VarTupleType)):
            items = [_read(kind.item_type, part.strip()) for part in text.split(",")]
            return ... if ... in items else items if isinstance(kind, inspect.ListType) else tuple(items)
    except (KeyError, ValueError):
        return ...
    return text


def number_from(kind: Any, text: str) -> int | float | None:
    """The number that a text is, whole where the type is; None: it is none. Its range is not looked at: `fits` does."""
    if isinstance(kind, msgspec.inspect.IntType):
        return int(text) if _WHOLE.fullmatch(text) else None
    try:
        return float(text)
    except ValueError:
        return None


def fits(kind: Any, value: Any) -> bool:
    """Whether a value is of a type and in its range; types that nobody can write as text are not looked into."""
    kind, _ = _bare(kind)
    inspect = msgspec.inspect
    if isinstance(kind, inspect.UnionType):
        return any(fits(one, value) for one in kind.types)
    if isinstance(kind, inspect.BoolType):
        return isinstance(value, bool)
    if isinstance(kind, (inspect.IntType, inspect.FloatType)):
        whole = isinstance(kind, inspect.IntType)
        if isinstance(value, bool) or not isinstance(value, Integral if whole else Real):
            return False
        number: Any = value
        if not whole:
            try:
                number = float(value)
            except OverflowError:  # a whole number of hundreds of digits
                number = math.inf if value > 0 else -math.inf  # type: ignore[operator]
        return not (
            (not whole and math.isnan(number))
            or (kind.ge is not None and number < kind.ge)
            or (kind.gt is not None and number <= kind.gt)
            or (kind.le is not None and number > kind.le)
            or (kind.lt is not None and number >= kind.lt)
        )
    if isinstance(kind, inspect.NoneType):
        return value is None
    if isinstance(kind, inspect.LiteralType):
        return value in kind.values
    if isinstance(kind, inspect.StrType):
        return isinstance(value, str)
    if isinstance(kind, inspect.EnumType):
        return isinstance(value, kind.cls)
    if isinstance(kind, (inspect.ListType, inspect.VarTupleType)):
        return isinstance(value, (list, tuple)) and all(fits(kind.item_type, item) for item in value)
    if isinstance(kind, inspect.TupleType):
        kinds = kind.item_types
        return isinstance(value, (list, tuple)) and len(value) == len(kinds) and all(map(fits, kinds, value))
    if isinstance(kind, inspect.DictType):
        return isinstance(value, Mapping) and all(
            fits(kind.key_type, key) and fits(kind.value_type, item) for key, item in value.items()
        )
    if isinstance(kind, inspect.StructType):
        return isinstance(value, kind.cls)
    return True


def _example(settings: Settings) -> str:
    for one in described(type(settings)):
        if one.default:
            return f"{one.name}={one.default}"
    return "key=value"
