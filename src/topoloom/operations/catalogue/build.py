"""The operation build: a topology from a spec."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.model.directed import DirectedNetworkError
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation

if TYPE_CHECKING:
    from topoloom.model.directed import DirectedTopology
    from topoloom.model.topology import Topology


@operation
class BuildOperation(Operation, frozen=True, kw_only=True):
    """Make a topology from SPEC (slimfly:q=19,hosts=15) and write it to a file."""

    group: ClassVar[str] = "build"
    doing: ClassVar[str] = "building"
    functions: ClassVar[tuple[str, ...]] = ("build", "save", "open_directed", "save_directed")
    studied: ClassVar[bool] = False
    directed: ClassVar[bool] = True

    spec: Annotated[str, setting("family:parameter=value,...", positional=True)]

    def validate(self) -> None:
        import os

        if os.path.isfile(self.spec):  # Path.is_file raises where a spec is longer than a file's name
            raise InputError(f"{self.spec} is a file; 'topoloom convert' reads files, build takes a spec")

    def run(self, context: RunContext) -> "Topology | DirectedTopology":
        from topoloom.topologies.spec import build

        try:
            return build(self.spec)
        except DirectedNetworkError as refused:
            return refused.opened()
