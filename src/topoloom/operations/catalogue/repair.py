"""The operation repair: the installed tables of a fabric, repaired for the fabric as it is now, in steps."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.files import read_text
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import MOST_VIRTUAL_CHANNELS

if TYPE_CHECKING:
    from topoloom.fabric.repair_result import Repair

_MOST_TEXT_BYTES = 1 << 30


@operation
class RepairOperation(Operation, frozen=True, kw_only=True):
    """Repair the installed TABLES of a fabric that has changed, with as few changed entries as possible.

    OLD is the fabric as discovered when the tables were made, NEW the fabric as discovered now; TABLES are the installed
    tables, as OpenSM or ibroute dump them. The steps of the update cannot deadlock in between.
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
    qos: (
        Annotated[str, setting("a QoS policy, or lines of source GUID, LID, level", metavar="FILE", names="file")]
        | None
    ) = None
    virtual_channels: (
        Annotated[int, setting("most virtual channels; 15 if omitted", least=1, most=MOST_VIRTUAL_CHANNELS)] | None
    ) = None

    def run(self, context: RunContext) -> "Repair":
        from topoloom.fabric.lft import read_lft
        from topoloom.fabric.repair import repair_fabric
        from topoloom.fabric.service_levels import read_levels
        from topoloom.network.opening import open_network

        before, after = open_network(self.old).fabric, open_network(self.new).fabric
        read = read_lft(read_text(self.tables, _MOST_TEXT_BYTES), self.tables, before)
        levels = None
        if self.qos is not None:
            levels = read_levels(read_text(self.qos, _MOST_TEXT_BYTES), self.qos, before, read.lid_of)
        return repair_fabric(
            before,
            read,
            after,
            levels=levels,
            virtual_channels=self.virtual_channels,
            jobs=context.jobs,
            work=context.work,
        )
