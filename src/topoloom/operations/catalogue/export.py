"""The operation export: a routed network as the files of another tool."""

from typing import Annotated, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.catalogue._routed import LOST, RoutedOperation, TableChoice
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import Worse


@operation
class ExportOperation(RoutedOperation, frozen=True, kw_only=True):
    """Write the files of another tool for TOPOLOGY (a spec, a file or a folder) and its forwarding tables.

    KIND is the tool (below), followed by its options. The tables are the installed ones; --engine, --virtual-channels, --root
    or --seed make new ones.
    """

    group: ClassVar[str] = "export"
    doing: ClassVar[str] = "routing"
    functions: ClassVar[tuple[str, ...]] = ("write_export",)
    studied: ClassVar[bool] = False

    kind: Annotated[str, setting("the tool, with options", positional=True)]
    without: Annotated[str, setting(LOST, metavar="LOST")] | None = None
    worse: Worse = False

    def validate(self) -> None:
        from topoloom.fabric.exports.registry import export_named

        super().validate()
        export_named(self.kind)

    def run(self, context: RunContext) -> TableChoice:
        from topoloom.fabric.exports.registry import export_named

        by_host = export_named(self.kind)[0].by_host
        choice = self.chosen_tables(context, self.without, by_host=by_host)
        if not self.worse:
            self.refuse_worse(choice.routing)
        return choice
