"""The operation rules: the rules of verify."""

from typing import Annotated, Any, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation

Only = Annotated[tuple[str, ...], setting("check only these rules: TL203, host-missing, TL3xx", metavar="CODE")]
Ignore = Annotated[tuple[str, ...], setting("do not check these rules", metavar="CODE")]


@operation
class RulesOperation(Operation, frozen=True, kw_only=True):
    """The numbered rules of topoloom verify and verify-tables, each with its meaning; CODE shows one in full."""

    group: ClassVar[str] = "rules"
    functions: ClassVar[tuple[str, ...]] = ("RULES",)
    studied: ClassVar[bool] = False

    codes: Annotated[
        tuple[str, ...],
        setting("rules to explain in full: TL107, host-missing, TL3xx", positional=True, metavar="[CODE]..."),
    ] = ()
    only: Annotated[tuple[str, ...], setting("show only these rules: TL203, host-missing, TL3xx", metavar="CODE")] = ()
    ignore: Annotated[tuple[str, ...], setting("do not show these rules", metavar="CODE")] = ()

    def run(self, context: RunContext) -> dict[str, Any]:
        from topoloom.fabric.diagnosis.rule import chosen

        return {"rules": [rule.record() for rule in chosen((*self.codes, *self.only), self.ignore)]}
