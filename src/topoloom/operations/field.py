"""Fields: the declaration of one argument of an operation, as the command line, the forms and the docs read it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from topoloom.core.settings import accepts, default_of

inspect = msgspec.inspect
_LISTS = (inspect.ListType, inspect.VarTupleType)


@dataclass(frozen=True)
class Field:
    """One argument of an operation.

    Attributes
    ----------
    name : str
        The name in Python, in tasks, in forms and in the schema.
    type : type of msgspec.inspect
        The accepted type; `kind` is the same without None.
    optional : bool
        Whether None is accepted.
    default : object
        `msgspec.NODEFAULT` if the argument is required.
    required : bool
    description, unit, example : str
    option : str
        The name on the command line: "--switch-ns"; the name in capitals for a positional argument.
    options : tuple of str
        All spellings: ("-o", "--output").
    positional : bool
    metavar : str
    reads : callable or None
        Parses a text.
    names : str
        "file", "workload", "new file" or "new folder" if the value may name one.
    """

    name: str
    type: Any
    kind: Any
    optional: bool
    default: Any
    required: bool
    description: str
    unit: str
    example: str
    options: tuple[str, ...]
    positional: bool
    metavar: str
    reads: Callable[[str], Any] | None
    names: str

    @property
    def option(self) -> str:
        """The longest spelling."""
        return max(self.options, key=len)

    @property
    def table(self) -> bool:
        """Whether the field is a table of names and values."""
        return isinstance(self.kind, (inspect.StructType, inspect.DictType))

    @property
    def item(self) -> Any:
        """The type of the items, if the field is a list."""
        return bare(self.kind.item_type) if self.listed else None

    @property
    def listed(self) -> bool:
        """Whether the field is a list."""
        return isinstance(self.kind, _LISTS)

    @property
    def accepts(self) -> str:
        """The accepted values, in words."""
        return accepts(self.type)

    @property
    def choices(self) -> tuple[str, ...]:
        """The accepted values, if the field has a fixed set of them."""
        kind = self.item if self.listed else self.kind
        return tuple(map(str, kind.values)) if isinstance(kind, inspect.LiteralType) else ()

    @property
    def range(self) -> tuple[float | None, float | None, float | None]:
        """The least value, the excluded lower limit, and the greatest value; None for each that does not exist."""
        kind = self.item if self.listed else self.kind
        if isinstance(kind, (inspect.IntType, inspect.FloatType)):
            return kind.ge, kind.gt, kind.le
        return None, None, None


def bare(kind: Any) -> Any:
    """A type of `msgspec.inspect` without its metadata."""
    return kind.type if isinstance(kind, inspect.Metadata) else kind


@cache
def fields_of(group: type[msgspec.Struct]) -> tuple[Field, ...]:
    """The fields of a declaration, in the order of the declaration.

    Parameters
    ----------
    group : type
        An `Operation`, or a Struct of settings.

    Returns
    -------
    tuple of Field
    """
    info: Any = inspect.type_info(group)
    return tuple(map(_field, info.fields))


def _field(field: Any) -> Field:
    whole = field.type
    types = bare(whole).types if isinstance(bare(whole), inspect.UnionType) else (whole,)
    meta = next((kind for kind in (whole, *types) if isinstance(kind, inspect.Metadata)), None)
    kinds = [bare(kind) for kind in types if not isinstance(bare(kind), inspect.NoneType)]
    extra: dict[str, Any] = (meta.extra or {}) if meta is not None else {}
    schema: dict[str, Any] = (meta.extra_json_schema or {}) if meta is not None else {}
    name = field.encode_name
    positional = bool(extra.get("positional"))
    spelled = str(extra.get("option", "")).split() or [name.upper() if positional else "--" + name.replace("_", "-")]
    return Field(
        name,
        whole,
        kinds[0] if len(kinds) == 1 else bare(whole),
        len(kinds) < len(types),
        default_of(field),
        field.required,
        str(schema.get("description", "")),
        str(extra.get("unit", "")),
        str(extra.get("example", "")),
        tuple(spelled),
        positional,
        str(extra.get("metavar", "")),
        extra.get("reads"),
        str(extra.get("names", "")),
    )
