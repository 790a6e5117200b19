"""The operation report: all figures of a machine, for its page."""

from typing import TYPE_CHECKING, ClassVar

from topoloom.core.errors import InputError
from topoloom.machine.recognizing import names_machine
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import Source

if TYPE_CHECKING:
    from topoloom.machine.machine import Machine
    from topoloom.machine.report import MachineReport


@operation
class ReportOperation(Operation, frozen=True, kw_only=True):
    """The report of the machine in the folder TOPOLOGY: its hosts, networks, bill, room and limits.

    -o writes it as a page: the machine, every network in its racks, and the room.
    """

    group: ClassVar[str] = "report"
    doing: ClassVar[str] = "drawing"
    functions: ClassVar[tuple[str, ...]] = ("machine_report",)
    studied: ClassVar[bool] = False

    topology: Source

    def machine(self) -> "Machine":
        """The machine.

        Raises
        ------
        InputError
            It is not the folder of one.
        """
        if not names_machine(self.topology):
            raise InputError(
                f"{self.topology} is no folder of a machine; 'topoloom design' writes the report of one network, and"
                " 'topoloom layout' its floor plan"
            )
        from topoloom.machine.opening import open_machine

        return open_machine(self.topology)

    def run(self, context: RunContext) -> "MachineReport":
        from topoloom.machine.report import machine_report

        return machine_report(self.machine())
