"""The operation `reproduce` of studies: claims of the papers as tasks, on as many machines as a study runs on."""

from typing import Annotated, Any, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom_papers.reproduction import Full, Missing, Reproduction, reproduce


@operation
class ReproduceOperation(Operation, frozen=True, kw_only=True):
    """As `topoloom reproduce`, one claim or those whose ids begin alike."""

    group: ClassVar[str] = "reproduce"

    claim: Annotated[str, setting("a claim's id, or what ids begin with: besta-2014/fig-8")]
    full: Full = False
    missing: Missing = False

    def run(self, context: RunContext) -> Reproduction:
        # Long runs take the cores of the machine by themselves: a claim takes no number of threads.
        return reproduce([self.claim], full=self.full, missing=self.missing, work=context.work)

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        return _row(result)


def _row(result: Reproduction) -> dict[str, Any]:
    if len(result.claims) == 1:
        (one,) = result.claims
        return {"published": one.published, "ours": one.ours, "verdict": one.verdict}
    return {"claims": len(result.claims), **result.verdicts}
