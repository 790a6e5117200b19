"""The operation `reproduce` of studies: claims of the papers as tasks, on as many machines as a study runs on."""

from typing import Annotated, Any, ClassVar

from topoloom.core.settings import setting
from topoloom.core.work import Work
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom_papers.reproduction import Reproduction, reproduce


@operation
class ReproduceOperation(Operation, frozen=True, kw_only=True):
    """As `topoloom reproduce`, one claim or those whose ids begin alike."""

    group: ClassVar[str] = "reproduce"

    claim: Annotated[str, setting("a claim's id, or what ids begin with: besta-2014/fig-8")]
    full: Annotated[bool, setting("make long runs again, in place of those that are kept")] = False
    missing: Annotated[bool, setting("make the long runs that are not kept")] = False

    def run(self, context: RunContext) -> Any:
        return _reproduce(self, context.jobs, context.work)

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        return _row(result)


def _reproduce(arguments: ReproduceOperation, jobs: int | None, work: Work) -> Reproduction:
    # Long runs take the cores of the machine by themselves: a claim has no threads to be told of.
    return reproduce([arguments.claim], full=arguments.full, missing=arguments.missing, work=work)


def _row(result: Reproduction) -> dict[str, Any]:
    if len(result.claims) == 1:
        (one,) = result.claims
        return {"published": one.published, "ours": one.ours, "verdict": one.verdict}
    return {"claims": len(result.claims), **result.verdicts}
