"""Fields: the declaration of one argument of an operation, as the surfaces read it."""

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
    """One argument, as its declaration has it.

    Attributes
    ----------
    name : str
        In Python, in tasks, in forms and in the schema.
    type : type of msgspec.inspect
        All that it accepts; `kind`: that without None.
    optional : bool
        Whether None is accepted.
    default : object
        `msgspec.NODEFAULT` where it is required.
    required : bool
    description, unit, example : str
    option : str
        As the command line spells it: "--switch-ns"; the name in capitals for a positional argument.
    options : tuple of str
        All spellings: ("-o", "--output").
    positional : bool
    metavar : str
    reads : callable or None
        How a text is read.
    names : str
        "file" or "workload" where the value may name one.
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
        """Whether it is a table of names and values."""
        return isinstance(self.kind, (inspect.StructType, inspect.DictType))

    @property
    def item(self) -> Any:
        """The type of its items, where it is a list."""
        return bare(self.kind.item_type) if self.listed else None

    @property
    def listed(self) -> bool:
        """Whether it is a list."""
        return isinstance(self.kind, _LISTS)

    @property
    def accepts(self) -> str:
        """In words."""
        return accepts(self.type)

    @property
    def choices(self) -> tuple[str, ...]:
        """The values it accepts, where they can be counted."""
        kind = self.item if self.listed else self.kind
        return tuple(map(str, kind.values)) if isinstance(kind, inspect.LiteralType) else ()

    @property
    def range(self) -> tuple[float | None, float | None, float | None]:
        """The least value, the value that it is above, and the greatest; None for no such end."""
        kind = self.item if self.listed else self.kind
        if isinstance(kind, (inspect.IntType, inspect.FloatType)):
            return kind.ge, kind.gt, kind.le
        return None, None, None


def bare(kind: Any) -> Any:
    """A type of `msgspec.inspect` without its metadata."""
    return kind.type if isinstance(kind, inspect.Metadata) else kind


@cache
def fields_of(group: type[msgspec.Struct]) -> tuple[Field, ...]:
    """The fields of a declaration, in its order.

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
    meta = next((one for one in (whole, *types) if isinstance(one, inspect.Metadata)), None)
    given = [bare(one) for one in types if not isinstance(bare(one), inspect.NoneType)]
    extra: dict[str, Any] = (meta.extra or {}) if meta is not None else {}
    schema: dict[str, Any] = (meta.extra_json_schema or {}) if meta is not None else {}
    name = field.encode_name
    positional = bool(extra.get("positional"))
    spelled = str(extra.get("option", "")).split() or [name.upper() if positional else "--" + name.replace("_", "-")]
    return Field(
        name,
        whole,
        given[0] if len(given) == 1 else bare(whole),
        len(given) < len(types),
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
