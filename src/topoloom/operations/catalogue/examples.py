"""The operation examples: the examples that come with topoloom."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation

if TYPE_CHECKING:
    from topoloom.start.examples import Example


@operation
class ExamplesOperation(Operation, frozen=True, kw_only=True):
    """The examples that come with topoloom: requirements, studies, floors, quotes, machines, notebooks, a plug-in.

    Without NAME the command lists them; with NAME it shows one. -o copies one or all of them into a folder, with the files that
    they need.
    """

    group: ClassVar[str] = "examples"
    functions: ClassVar[tuple[str, ...]] = ("EXAMPLES", "copy_examples")
    studied: ClassVar[bool] = False

    name: Annotated[str, setting("one example", positional=True)] | None = None

    def chosen(self) -> "list[Example]":
        """The example, or all."""
        from topoloom.start.examples import EXAMPLES

        return [*EXAMPLES.values()] if self.name is None else [EXAMPLES.find(self.name)]

    def run(self, context: RunContext) -> dict[str, Any]:
        from topoloom.start.examples import examples_listed

        return examples_listed(self.chosen(), texts=self.name is not None)
