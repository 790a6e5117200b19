"""The operation `centre` for studies: the share of all paths that pass through the switch with the maximum load."""

from typing import Annotated, Any, ClassVar

from topoloom import build, route
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation


@operation
class CentreOperation(Operation, frozen=True, kw_only=True):
    """The arguments of `centre`: a study can use each field as an argument or an axis."""

    group: ClassVar[str] = "centre"

    topology: Annotated[str, setting("a spec")]
    engine: Annotated[str, setting("how paths are chosen")] = "minimal"

    def run(self, context: RunContext) -> dict[str, Any]:
        """The switch with the maximum load, and its share of all pairs; results must not depend on the number of threads."""
        verification = route(build(self.topology), self.engine, jobs=context.jobs, work=context.work).verification
        load = verification.switch_load
        return {"switch": int(load.argmax()), "share": float(load.max()) / verification.pairs}
