"""The operation verify-tables: forwarding tables of another program, verified like topoloom's own."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.catalogue.rules import Ignore, Only
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import DATA_VLS, DataVls, Qos, Radix

if TYPE_CHECKING:
    from topoloom.fabric.diagnosis.diagnostics import Diagnostics
    from topoloom.fabric.fabric import Fabric
    from topoloom.fabric.table_verifier import TableVerification


@operation
class VerifyTablesOperation(Operation, frozen=True, kw_only=True):
    """Verify the forwarding tables that another program made for FABRIC (the output of ibnetdiscover, or any topology).

    TABLES are forwarding tables (LFT) as OpenSM, ibroute or ibdiagnet dump them, with groups of ports (adaptive
    routing) or without. They are verified like those of topoloom route, and the fabric is checked by the rules of topoloom
    verify.

    Exit code 0: no errors or warnings (notes are possible); 3: errors or warnings: packets are lost, or can wait in a cycle, or
    it takes the service levels to know.
    """

    group: ClassVar[str] = "verify-tables"
    doing: ClassVar[str] = "verifying"
    functions: ClassVar[tuple[str, ...]] = ("diagnose", "RULES")
    studied: ClassVar[bool] = False

    fabric: Annotated[str, setting("a spec, a file or a folder", positional=True, names="file")]
    tables: Annotated[
        str, setting("forwarding tables (LFT) as OpenSM, ibroute or ibdiagnet dump them", positional=True, names="file")
    ]
    qos: Qos | None = None
    sl2vl: (
        Annotated[
            str,
            setting(
                "the virtual lane of each level, port by port, in opensm-sl2vl.dump; if omitted, level n is virtual lane n",
                metavar="FILE",
                names="file",
            ),
        ]
        | None
    ) = None
    guid2lid: (
        Annotated[str, setting("OpenSM's guid2lid, for entries without a port GUID", metavar="FILE", names="file")]
        | None
    ) = None
    installed: (
        Annotated[
            str,
            setting(
                "what the switches hold now, as dump_lfts prints it: entries that differ from the tables are reported",
                metavar="FILE",
                names="file",
            ),
        ]
        | None
    ) = None
    only: Only = ()
    ignore: Ignore = ()
    radix: Radix | None = None
    data_vls: DataVls = DATA_VLS

    def validate(self) -> None:
        from topoloom.fabric.diagnosis.rule import chosen

        chosen(self.only, self.ignore)

    def run(self, context: RunContext) -> "Diagnostics":
        from topoloom.fabric.diagnosis.diagnose import diagnose
        from topoloom.fabric.diagnosis.evidence import HardwareLimits
        from topoloom.network.opening import open_network

        network = open_network(self.fabric, lenient=True)
        return diagnose(
            network.fabric,
            None,
            self._verified(network.fabric),
            match=None,
            ports=True,
            facts=network.facts,
            limits=HardwareLimits(self.radix, self.data_vls),
            only=self.only,
            ignore=self.ignore,
        )

    def _verified(self, fabric: "Fabric") -> "TableVerification":
        from topoloom.fabric.installed import read_installed, read_virtual_lanes
        from topoloom.fabric.table_verifier import verify_tables

        wanted = read_installed(fabric, self.tables, self.qos, self.guid2lid)
        held = None if self.installed is None else read_installed(fabric, self.installed, None, self.guid2lid).tables
        sl2vl = None if self.sl2vl is None else read_virtual_lanes(self.sl2vl, fabric)
        return verify_tables(wanted.tables, fabric, wanted.levels, sl2vl=sl2vl, skipped=wanted.skipped, installed=held)
