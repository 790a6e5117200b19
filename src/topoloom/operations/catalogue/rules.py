"""The operation rules: what verify looks for."""

from typing import Annotated, Any, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation

Only = Annotated[tuple[str, ...], setting("ask these rules only: TL203, host-missing, TL3xx", metavar="CODE")]
Ignore = Annotated[tuple[str, ...], setting("do not ask these rules", metavar="CODE")]


@operation
class RulesOperation(Operation, frozen=True, kw_only=True):
    """The numbered rules of topoloom verify and verify-tables, each with what it looks for."""

    group: ClassVar[str] = "rules"
    functions: ClassVar[tuple[str, ...]] = ("RULES",)
    studied: ClassVar[bool] = False

    only: Only = ()
    ignore: Ignore = ()

    def run(self, context: RunContext) -> dict[str, Any]:
        from topoloom.fabric.diagnosis.rule import chosen

        return {"rules": [one.record() for one in chosen(self.only, self.ignore)]}
