"""The operation export: a routed network, or a machine, as the files of another tool."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import changed, setting
from topoloom.machine.recognizing import names_machine
from topoloom.operations.catalogue._routed import LOST, RoutedOperation, TableChoice
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import Worse

if TYPE_CHECKING:
    from topoloom.fabric.exports.registry import ExportRequest
    from topoloom.fabric.exports.settings import ExportSettings
    from topoloom.machine.exports.kinds import MachineFiles
    from topoloom.network import Network


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

    def request(self, tables: TableChoice, changes: tuple[str, ...] = ()) -> "ExportRequest":
        """The input of the export.

        Parameters
        ----------
        tables : TableChoice
            The return value of `routed_network`.
        changes : tuple of str
            Changed settings of files for simulators: KEY=VALUE.

        Raises
        ------
        InputError
            A setting does not exist, or its value has the wrong type or is out of range.
        """
        from topoloom.fabric.exports.registry import ExportRequest, export_named

        timed = export_named(self.kind)[0].timed
        # After losses hosts and switches are renumbered; the layout has the old numbers.
        layout = tables.network.layout if self.without is None else None
        order = ExportRequest(tables.fabric, tables.routing, lengths=tables.lengths if timed else None, layout=layout)
        return replace(order, settings=export_settings(tables.network, changes)) if timed else order


def export_settings(network: "Network", changes: tuple[str, ...]) -> "ExportSettings":
    """The settings of an export of a network: its own rate, else the rate of its cables' products; then the user's changes.

    Parameters
    ----------
    network : Network
    changes : tuple of str
        KEY=VALUE.

    Raises
    ------
    InputError
        A setting does not exist, or its value has the wrong type or is out of range.
    """
    from topoloom.fabric.exports.settings import ExportSettings

    own_rate_gbps = network.topology.uniform_rate_gbps
    rate_gbps = network.rate_gbps if own_rate_gbps is None else own_rate_gbps
    settings = ExportSettings() if rate_gbps is None else ExportSettings(rate_gbps=rate_gbps)
    return changed(settings, changes)
