"""Verbs as data: the arguments of each, what it gives, and the numbers that a row of a study shows of that."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import msgspec

from topoloom.operations.operation import flat
from topoloom.register import Register
from topoloom.results import Result
from topoloom.settings import Settings
from topoloom.work import Work

A = TypeVar("A", bound=Settings)


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


__all__ = ["VERBS", "Verb", "flat"]

VERBS: Register[Verb[Any]] = Register(
    "verb", room="topoloom.studies.verbs", group="topoloom.verbs", elsewhere={"reproduce": "topoloom-papers"}
)
