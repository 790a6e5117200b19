"""The operation nothing, which measures the time that a study itself needs."""

from typing import Annotated, Any, ClassVar

from topoloom.core.settings import setting
from topoloom.core.work import Work
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import SEED, Seed


@operation
class NothingOperation(Operation, frozen=True, kw_only=True):
    """Do nothing, and return the number."""

    group: ClassVar[str] = "nothing"

    number: Annotated[int, setting("a number to return")] = 0
    seed: Seed = SEED

    def run(self, context: RunContext) -> Any:
        return _nothing(self, context.jobs, context.work)


def _nothing(arguments: NothingOperation, _jobs: int | None, _work: Work) -> dict[str, Any]:
    return {"number": arguments.number, "seed": arguments.seed}
