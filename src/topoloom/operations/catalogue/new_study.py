"""The operation new study: a study from six answers."""

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import EXECUTOR, Executor

if TYPE_CHECKING:
    from topoloom.start.draft import Draft


@operation
class NewStudyOperation(Operation, frozen=True, kw_only=True):
    """Write a study for topoloom study: six questions, or their answers as options."""

    group: ClassVar[str] = "new study"
    functions: ClassVar[tuple[str, ...]] = ("new_study",)
    studied: ClassVar[bool] = False

    operation: Annotated[str, setting("what every task runs: simulate, hops, quality, resilience ...")] = "simulate"
    networks: Annotated[
        tuple[str, ...],
        setting(
            "a spec or a file, {side} in it is the value of the axis side; may be repeated",
            option="--network",
            metavar="NETWORK",
            names="file",
        ),
    ] = ("slimfly:q=5,hosts=4", "fat-tree:k=8", "torus:dims=7x7,hosts=4")
    axis: (
        Annotated[
            str,
            setting(
                "the argument that varies, or a name in braces; none: only the networks vary. If omitted, the name in braces,"
                " or the loads of simulate"
            ),
        ]
        | None
    ) = None
    values: (
        Annotated[str, setting("of the axis: a list 4,8,16, steps 0.1:0.9:0.2 or factors 4:64:x2", metavar="VALUES")]
        | None
    ) = None
    seeds: Annotated[int, setting("every task runs with the seeds 1 to this number", least=1, most=1_000_000)] = 1
    executor: Executor = EXECUTOR
    task: Annotated[
        dict[str, Any], setting("another argument that all tasks share: traffic=uniform; may be repeated")
    ] = msgspec.field(default_factory=dict)
    title: Annotated[str, setting("the title; made of the answers if omitted")] | None = None

    def validate(self) -> None:
        _library().check_operation(self.operation, self.task)

    def drafted(self, folder: str = ".") -> "Draft":
        """The study, whose paths start from `folder`."""
        draft: Draft = _library().new_study(**self.arguments(), folder=folder)
        return draft

    def run(self, context: RunContext) -> "Draft":
        return self.drafted()


def _library() -> Any:
    """Studies stand above operations, whose arguments they hold: they are called by name only."""
    return import_module("topoloom.studies.new_study")
