"""The operation `reproduce` of studies: each task computes claims, on all machines of the study."""

from typing import Annotated, Any, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom_papers.reproduction import Full, Missing, Reproduction, Verdicts, reproduce


@operation
class ReproduceOperation(Operation, frozen=True, kw_only=True):
    """As `topoloom reproduce`: one claim, or all claims whose ids begin with the same text."""

    group: ClassVar[str] = "reproduce"

    claim: Annotated[str, setting("a claim's id, or the beginning of several ids: besta-2014/fig-8")]
    verdict: Verdicts = ()
    full: Full = False
    missing: Missing = False

    def run(self, context: RunContext) -> Reproduction:
        # Long runs use all cores of the machine by themselves, so the context's number of threads is ignored.
        return reproduce([self.claim], verdict=self.verdict, full=self.full, missing=self.missing, work=context.work)

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        return _row(result)


def _row(result: Reproduction) -> dict[str, Any]:
    if len(result.claims) == 1 and not result.others:
        (claim,) = result.claims
        return {"published": claim.published, "ours": claim.ours, "verdict": claim.verdict}
    return {"claims": len(result.claims), **result.verdicts}
