"""The operation methods: the methods by which expand grows a network."""

from typing import Any, ClassVar

from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation


@operation
class MethodsOperation(Operation, frozen=True, kw_only=True):
    """The methods of `topoloom expand`: what each does, and what its size (--to) counts."""

    group: ClassVar[str] = "methods"
    functions: ClassVar[tuple[str, ...]] = ("METHODS",)
    studied: ClassVar[bool] = False

    def run(self, context: RunContext) -> dict[str, Any]:
        from topoloom.cabling.expansion.registry import methods_listed

        return methods_listed()
