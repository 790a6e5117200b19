"""The operation of the page of cabling: what dropped files are to a plan (discoveries)."""

from typing import Annotated, Any, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import Plan


@operation
class DiscoveriesOperation(Operation, frozen=True, kw_only=True):
    """What files are to a plan: discoveries, with day, network and planes; error counters; or neither, with the reason."""

    group: ClassVar[str] = "discoveries"

    plan: Plan
    files: Annotated[tuple[str, ...], setting("files, and folders of files", names="file")]
    in_order: Annotated[bool, setting("the files are in the order of time; by their dates and names if omitted")] = (
        False
    )

    def run(self, context: RunContext) -> Any:
        from topoloom.web.discoveries import discoveries

        return discoveries(self.plan, self.files, context, in_order=self.in_order)
