"""Verbs as data: the arguments of each, what it gives, and the numbers that a row of a study shows of that."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import msgspec

from topoloom.register import Register
from topoloom.results import Result
from topoloom.settings import Settings
from topoloom.work import Work

A = TypeVar("A", bound=Settings)

#: Texts of a result that are longer do not stand in a row.
_LONGEST = 200


@dataclass(frozen=True)
class Verb(Generic[A]):
    """A verb of the library as a task asks for it: plain arguments in, a result out.

    Attributes
    ----------
    name : str
        As on the command line.
    arguments : type
        A Struct of settings; their names are those of the command's options.
    run : callable (arguments, jobs, Work) -> Result or dict
        `jobs`: threads; no number depends on them.
    files : tuple of str
        Arguments that may name a file or a folder: what lies there belongs to the task.
    row : callable (result) -> dict, optional
        The numbers and texts of the result that a row shows; its plain fields when left out.
    workloads : tuple of str
        Arguments that may be a workload of files (``goal:file=...``): these belong to the task, too.
    """

    name: str
    arguments: type[A]
    run: Callable[[A, int, Work], Any]
    files: tuple[str, ...] = ("topology",)
    row: Callable[[Any], dict[str, Any]] | None = None
    workloads: tuple[str, ...] = ()

    @cached_property
    def fields(self) -> tuple[msgspec.structs.FieldInfo, ...]:
        """The fields of `arguments`; asked for once, for msgspec works them out each time."""
        return msgspec.structs.fields(self.arguments)

    def row_of(self, result: Any) -> dict[str, Any]:
        """The row of one result."""
        if self.row is not None:
            return self.row(result)
        return flat(result.record() if isinstance(result, Result) else result)


VERBS: Register[Verb[Any]] = Register(
    "verb", room="topoloom.studies.verbs", group="topoloom.verbs", elsewhere={"reproduce": "topoloom-papers"}
)


def flat(content: Mapping[str, Any]) -> dict[str, Any]:
    """The plain values of a record, those of tables within it as ``table.key``; lists and long texts stay in the record.

    >>> flat({"schema": "x", "diameter": 2, "latency": {"mean_ns": 3.5}, "histogram": [1, 2]})
    {'diameter': 2, 'latency.mean_ns': 3.5}
    """
    row: dict[str, Any] = {}
    for key, value in content.items():
        if key in ("schema", "provenance"):
            continue
        if isinstance(value, Mapping):
            row |= {f"{key}.{inner}": one for inner, one in value.items() if _plain(one) and inner != "provenance"}
        elif _plain(value):
            row[key] = value
    return row


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= _LONGEST)
