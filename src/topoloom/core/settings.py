"""Settings as data: each with its type, range, unit, default and description, and reading them from texts.

A group of settings is a frozen `Settings` Struct whose fields are annotated with `setting`. Help texts, tables in the docs,
error messages and web forms come from these annotations (`described`), so each fact is written once.
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
#: Most characters of a value in a message.
_LONGEST_TEXT = 60
#: Whole numbers of up to 20 digits: more digits are outside every range, and slow to read.
_THOUSANDS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s?([kKMG])", re.ASCII)
_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,20}\s*", re.ASCII)
#: Bounds above this only exclude infinity and NaN.
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

    Where None is allowed too, it is outside the annotation: ``Annotated[float, setting(...)] | None``.

    Parameters
    ----------
    description : str
        One line, without the range and the default.
    unit : str
        "flits", "m", "Gb/s"; empty for counts and words.
    least, most : number, optional
        The range, ends included.
    above : number, optional
        Instead of `least`: all values above it.
    example : str
        A valid value, where the range alone is not clear.
    option : str
        Its name on the command line, where that is not the name with two hyphens: "-o --output".
    positional : bool
        Whether it is an argument on the command line, not an option.
    metavar : str
        The placeholder of its value in a help text: "ROWSxCOLUMNS".
    reads : callable (text) -> value, optional
        Reads special texts of the command line or a form: "3-32", "64MiB". It raises `ValueError` with a description of what it
        takes.
    names : "", "file", "workload", "new file" or "new folder"
        What the value may name: a file or a folder, or a workload of files. Their contents belong to a study's task. Or a file
        or folder that is written, which commands check before any work.

    Returns
    -------
    object
        The annotation for ``Annotated``.
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
        As a user writes it; empty where the setting is required or computed.
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
    """Base class of all groups of settings; values are checked at construction, from a file, the command line or Python.

    Raises
    ------
    InputError
        A value of the wrong type or out of its range: ``router: vcs=99; it is a whole number from 0 to 32``.
    """

    #: The name of the group in messages: "router".
    group: ClassVar[str] = "settings"

    def __post_init__(self) -> None:
        for field in _fields(type(self)):
            value = getattr(self, field.name)
            if not fits(field.type, value):
                raise InputError(f"{self.group}: {field.encode_name}={shown(value)}; it is {accepts(field.type)}")

    def refuse_changed(self, names: Iterable[str], why: str) -> None:
        """Refuse settings with other values than their defaults where they would have no effect.

        Parameters
        ----------
        names : iterable of str
        why : str

        Raises
        ------
        InputError
            One of them has another value than its default.
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
        A key is unknown, or a value is not of its type or out of its range.
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
        The wanted type.
    text : str
        The text to read.
    where : str
        The setting, for the message.

    Returns
    -------
    object
        A value of that type, within its range.

    Raises
    ------
    InputError
        The text is not such a value: ``WHERE='three'; it is a whole number from 0 to 32``.
    """
    for alternative in _alternatives(kind):
        value = _read(alternative, text)
        if value is not ... and fits(alternative, value):
            return value
    whole = any(isinstance(_bare(part)[0], msgspec.inspect.IntType) for part in _alternatives(kind))
    numeric = accepts(kind).startswith(("a whole number", "a number"))
    raise InputError(f"{where}={shown(text)}; it is {accepts(kind)}{in_digits(text, whole=whole) if numeric else ''}")


def texts_of(table: Mapping[str, Any]) -> list[str]:
    """A table of settings as texts ``KEY=VALUE``, in the form that `changed` reads.

    Examples
    --------
    >>> texts_of({"vcs": 3, "cut_through": True})
    ['vcs=3', 'cut_through=yes']
    """
    return [f"{name}={written(value)}" for name, value in table.items()]


def plain_of(text: str) -> Any:
    """The plain value of a text: yes or no, a number, else the text."""
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
    settings = []
    for field in _fields(group):
        kind = field.type
        meta = next(
            (part for part in (kind, *getattr(kind, "types", ())) if isinstance(part, msgspec.inspect.Metadata)), None
        )
        default = default_of(field)
        plain = default not in (msgspec.NODEFAULT, None) and not isinstance(default, (msgspec.Struct, dict))
        default_text = written(default) if plain else ""
        about: dict[str, Any] = (meta.extra if meta is not None and meta.extra else {}) or {}
        text = _description(meta)
        settings.append(
            Setting(field.encode_name, accepts(kind), str(about.get("unit", "")), default_text, field.required, text)
        )
    return settings


def accepts(kind: Any) -> str:
    """The accepted values of a type, in words: "a whole number from 0 to 32", "yes or no", "any or one"."""
    kind, _ = _bare(kind)
    inspect = msgspec.inspect
    if isinstance(kind, inspect.UnionType):
        return " or ".join(accepts(part) for part in kind.types)
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
        return " or ".join(str(part.value) for part in kind.cls)
    if isinstance(kind, (inspect.ListType, inspect.VarTupleType)):
        return f"a list, each {accepts(kind.item_type)}"
    if isinstance(kind, inspect.TupleType):
        return f"a list of {len(kind.item_types)}: {', '.join(accepts(part) for part in kind.item_types)}"
    if isinstance(kind, inspect.DictType):
        return f"a table of names, each {accepts(kind.value_type)}"
    if isinstance(kind, (inspect.StructType, inspect.DataclassType)):
        return "a table"
    return "any value" if isinstance(kind, inspect.AnyType) else "text"


def shown(value: object) -> str:
    """A value for a message: texts in quotes, shortened to 60 characters, control characters visible."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 4]} ..."


def written(value: object) -> str:
    """A value as a user writes it: yes or no, numbers without a trailing .0, lists with commas."""
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
    # Bounds that only exclude infinity are not shown.
    low, above, high = (
        None if bound is None or abs(bound) >= _ENDLESS else bound for bound in (kind.ge, kind.gt, kind.le)
    )
    if above is not None:
        return f" above {number_text(above)}" + ("" if high is None else f", at most {number_text(high)}")
    if kind.lt is not None:
        return ("" if low is None else f" from {number_text(low)}") + f" below {number_text(kind.lt)}"
    if low is not None and high is not None:
        return f" from {number_text(low)} to {number_text(high)}"
    return f" from {number_text(low)}" if low is not None else "" if high is None else f" up to {number_text(high)}"


def number_text(value: float) -> str:
    """A number for messages, without an exponent where it is whole: 12,000,000."""
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _read(kind: Any, text: str) -> Any:
    """The value of a text by one type; `...` if it is not one."""
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
        if isinstance(kind, inspect.TupleType):
            return tuple(map(_read, kind.item_types, map(str.strip, text.split(","))))
    except (KeyError, ValueError):
        return ...
    return text


def number_from(kind: Any, text: str) -> int | float | None:
    """The number in a text, whole for a whole type; None if it is not a number. The range is not checked: see `fits`."""
    if isinstance(kind, msgspec.inspect.IntType):
        return int(text) if _WHOLE.fullmatch(text) else None
    try:
        return float(text)
    except ValueError:
        return None


def in_digits(text: str, *, whole: bool = False) -> str:
    """How to write a number that ends in a letter for thousands, as the end of a message; empty for other texts.

    Examples
    --------
    >>> in_digits("12M"), in_digits("3k", whole=True), in_digits("three")
    ('; write 12e6', '; write 3000', '')
    """
    match = _THOUSANDS.fullmatch(text.strip())
    if match is None:
        return ""
    power = {"k": 3, "m": 6, "g": 9}[match[2].lower()]
    return f"; write {round(float(match[1]) * 10**power) if whole else f'{match[1]}e{power}'}"


def fits(kind: Any, value: Any) -> bool:
    """Whether a value is of a type and in its range; types that have no text form are not checked."""
    kind, _ = _bare(kind)
    inspect = msgspec.inspect
    if isinstance(kind, inspect.UnionType):
        return any(fits(part, value) for part in kind.types)
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
        return isinstance(value, str) and (kind.pattern is None or re.search(kind.pattern, value) is not None)
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
    for setting in described(type(settings)):
        if setting.default:
            return f"{setting.name}={setting.default}"
    return "key=value"
