"""The verb design."""

from typing import Annotated, Any, ClassVar

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.core.work import Work
from topoloom.designer.design import Design, design
from topoloom.designer.measure import MEASURES
from topoloom.designer.need import Need
from topoloom.designer.need_files import read_need
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation


@operation
class DesignOperation(Operation, frozen=True, kw_only=True):
    """As `topoloom design`, without finalists unless `change` asks for some."""

    group: ClassVar[str] = "design"

    need: Annotated[str, setting("the requirement's file", positional=True, names="file")]
    change: Annotated[
        dict[str, Any], setting("what is changed of it: change.hosts, change.switch.radix, change.prices")
    ] = msgspec.field(default_factory=dict)
    measured: (
        Annotated[str, setting("a folder of measurements: what another design measured is taken from it")] | None
    ) = None

    def run(self, context: RunContext) -> Any:
        return _design(self, context.jobs, context.work)

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        return _design_row(result)


def changed_need(need: Need, changes: dict[str, Any]) -> Need:
    """A requirement with some of its keys changed, tables within it key by key.

    Raises
    ------
    InputError
        A key that there is not, or a value out of its range.
    """
    content = _merged(msgspec.to_builtins(need), changes)
    try:
        return msgspec.convert(content, Need, strict=True)
    except (msgspec.ValidationError, InputError) as error:
        raise InputError(f"design: change: {error}") from None


def _merged(content: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = dict(content)
    for key, value in changes.items():
        inner = merged.get(key)
        merged[key] = _merged(inner if isinstance(inner, dict) else {}, value) if isinstance(value, dict) else value
    return merged


def _design(arguments: DesignOperation, jobs: int | None, work: Work) -> Design:
    need = changed_need(read_need(arguments.need), {"finalists": 0, **arguments.change})
    return design(need, store=arguments.measured, jobs=jobs, work=work)


def _design_row(found: Design) -> dict[str, Any]:
    best = found.winner
    row: dict[str, Any] = {"best": found.best, "ranked": len(found.ranked), "dropped": sum(found.dropped_by.values())}
    if best is not None:
        row |= {"family": best.family} | {key: getattr(best, key) for key in MEASURES}
    return row
