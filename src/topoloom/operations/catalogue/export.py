"""The operation export: a routed network, or a machine, as the files of another tool."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.machine.recognizing import names_machine
from topoloom.operations.catalogue._routed import LOST, RoutedOperation, TableChoice
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import Worse

if TYPE_CHECKING:
    from topoloom.machine.exports.kinds import MachineFiles


@operation
class ExportOperation(RoutedOperation, frozen=True, kw_only=True):
    """Write the files of another tool for TOPOLOGY (a spec, a file or a folder) and its forwarding tables.

    KIND is the tool (below), followed by its options. The tables are the installed ones; --engine, --virtual-channels, --root
    or --seed make new ones. Of the folder of a machine: its cables, labels, front views and NetBox files with all networks, and
    the nodes of schedulers.
    """

    group: ClassVar[str] = "export"
    doing: ClassVar[str] = "routing"
    functions: ClassVar[tuple[str, ...]] = ("write_export", "write_machine_export")
    studied: ClassVar[bool] = False

    kind: Annotated[str, setting("the tool, with options", positional=True)]
    without: Annotated[str, setting(LOST, metavar="LOST")] | None = None
    network: (
        Annotated[
            str,
            setting(
                "of a machine, for schedulers: the network by which nodes are near each other; that whose ports carry most"
                " of the compute hosts, if omitted"
            ),
        ]
        | None
    ) = None
    worse: Worse = False

    @property
    def of_machine(self) -> bool:
        """Whether it is asked about a machine, not a network."""
        return names_machine(self.topology)

    def validate(self) -> None:
        from topoloom.fabric.exports.registry import EXPORTS, export_named

        super().validate()
        name = self.kind.partition(":")[0]
        if name in EXPORTS:
            export_named(self.kind)
            return
        from topoloom.machine.exports.kinds import MACHINE_EXPORTS

        if name not in MACHINE_EXPORTS:
            EXPORTS.find(name)
        if not self.of_machine:
            raise InputError(
                f"{name} is written of the folder of a machine, and {self.topology} is one network; 'topoloom layout -o' writes"
                " the lists, labels, front views and NetBox files of one"
            )

    def machine_files(self) -> "MachineFiles":
        """The files of a machine.

        Raises
        ------
        InputError
            Machines have no such export, or an option is given that concerns tables.
        """
        from topoloom.machine.exports.kinds import machine_export
        from topoloom.machine.opening import open_machine

        own = ("engine", "virtual_channels", "root", "seed", "tables", "without", "worse")
        self.refuse_changed(own, "these files of a machine have no forwarding tables")
        return machine_export(self.kind, open_machine(self.topology), self.network, source=self.topology)

    def run(self, context: RunContext) -> "TableChoice | MachineFiles":
        return self.machine_files() if self.of_machine else self.routed_network(context)

    def routed_network(self, context: RunContext) -> TableChoice:
        """The network with the tables to write.

        Parameters
        ----------
        context : RunContext

        Raises
        ------
        InputError
            A network of a machine is named, or the tables are worse than the installed ones.
        """
        from topoloom.fabric.exports.registry import export_named

        if self.network is not None:
            raise InputError(f"`network`: {self.topology} is one network, not the folder of a machine; omit it")
        by_host = export_named(self.kind)[0].by_host
        choice = self.chosen_tables(context, self.without, by_host=by_host)
        if not self.worse:
            self.refuse_worse(choice.routing)
        return choice
