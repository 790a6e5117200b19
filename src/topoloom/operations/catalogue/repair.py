"""The operation repair: the installed tables of a fabric, repaired for the fabric as it is now, in steps."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import MOST_VIRTUAL_CHANNELS, Qos, Worse

if TYPE_CHECKING:
    from topoloom.fabric.repair_result import Repair


@operation
class RepairOperation(Operation, frozen=True, kw_only=True):
    """Repair the installed TABLES of a fabric that has changed, or replace them, in steps that cannot deadlock in between.

    OLD is the fabric as discovered when the tables were made, NEW the fabric as discovered now; TABLES are the installed
    tables, as OpenSM or ibroute dump them. Mode few-changes repairs broken paths with as few changed entries as possible, along
    shortest paths; mode best gives the tables of the engine that fits NEW; --to gives any tables of NEW.
    """

    group: ClassVar[str] = "repair"
    doing: ClassVar[str] = "repairing"
    functions: ClassVar[tuple[str, ...]] = ("repair_fabric",)
    studied: ClassVar[bool] = False

    old: Annotated[str, setting("the fabric when the tables were made", positional=True, names="file")]
    tables: Annotated[
        str, setting("forwarding tables (LFT) as OpenSM or ibroute dump them", positional=True, names="file")
    ]
    new: Annotated[str, setting("the fabric as it is discovered now", positional=True, names="file")]
    qos: Qos | None = None
    mode: Annotated[
        Literal["few-changes", "best"],
        setting("repair with as few changed entries as possible, or the best tables for the fabric as it is now"),
    ] = "few-changes"
    wished: (
        Annotated[
            str,
            setting(
                "the wished forwarding tables of NEW, in place of a mode", option="--to", metavar="FILE", names="file"
            ),
        ]
        | None
    ) = None
    wished_qos: (
        Annotated[
            str,
            setting(
                "the QoS policy or the levels of the wished tables", option="--to-qos", metavar="FILE", names="file"
            ),
        ]
        | None
    ) = None
    virtual_channels: (
        Annotated[int, setting("most virtual channels; 15 if omitted", least=1, most=MOST_VIRTUAL_CHANNELS)] | None
    ) = None
    worse: Worse = False

    def validate(self) -> None:
        super().validate()
        if self.wished is not None and "mode" in self.given():
            raise InputError("a mode and wished tables; give one of them: the steps lead to the wished tables")
        if self.wished is None and self.wished_qos is not None:
            raise InputError("service levels of wished tables without these tables; give them too")

    def run(self, context: RunContext) -> "Repair":
        from topoloom.fabric.installed import read_installed
        from topoloom.fabric.repair import repair_fabric
        from topoloom.network.opening import open_network

        before, after = open_network(self.old).fabric, open_network(self.new).fabric
        installed = read_installed(before, self.tables, self.qos, one_port="repair")
        wished = None if self.wished is None else read_installed(after, self.wished, self.wished_qos, one_port="repair")
        return repair_fabric(
            before,
            installed.tables,
            after,
            mode=self.mode,
            to=None if wished is None else wished.tables,
            levels=installed.levels,
            to_levels=None if wished is None else wished.levels,
            virtual_channels=self.virtual_channels,
            worse=self.worse,
            jobs=context.jobs,
            work=context.work,
        )
