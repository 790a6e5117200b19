"""The operation `centre`: how much of all shortest paths passes the busiest switch; for studies."""

from typing import Annotated, Any, ClassVar

from topoloom import build, route
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation


@operation
class CentreOperation(Operation, frozen=True, kw_only=True):
    """What a study may say of it: each field is an argument or an axis."""

    group: ClassVar[str] = "centre"

    topology: Annotated[str, setting("a spec")]
    engine: Annotated[str, setting("how paths are chosen")] = "minimal"

    def run(self, context: RunContext) -> dict[str, Any]:
        """The busiest switch, and its share of all pairs; no number may depend on `context.jobs`, the threads."""
        verification = route(build(self.topology), self.engine, jobs=context.jobs, work=context.work).verification
        load = verification.switch_load
        return {"switch": int(load.argmax()), "share": float(load.max()) / verification.pairs}
