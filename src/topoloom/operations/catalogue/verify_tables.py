"""The operation verify-tables: forwarding tables that another program made, verified as topoloom's own are."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.files import read_text
from topoloom.core.settings import setting
from topoloom.operations.catalogue._comparing import LONGEST_TEXT
from topoloom.operations.catalogue.rules import Ignore, Only
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import DATA_VLS, DataLanes, Radix

if TYPE_CHECKING:
    from topoloom.fabric.diagnosis.diagnostics import Diagnostics
    from topoloom.fabric.fabric import Fabric
    from topoloom.fabric.table_verifier import TableVerification


@operation
class VerifyTablesOperation(Operation, frozen=True, kw_only=True):
    """Verify forwarding tables of FABRIC (what ibnetdiscover prints, or any topology) that another program made.

    TABLES are forwarding tables (LFT) as OpenSM or ibroute dump them; they are followed as topoloom route follows its own, and
    the fabric is looked at by the rules of topoloom verify.

    Exit code 0: nothing is wrong (there may be notes); 3: there are errors or warnings.
    """

    group: ClassVar[str] = "verify-tables"
    doing: ClassVar[str] = "verifying"
    functions: ClassVar[tuple[str, ...]] = ("diagnose", "RULES")
    studied: ClassVar[bool] = False

    fabric: Annotated[str, setting("a spec, a file or a folder", positional=True, names="file")]
    tables: Annotated[
        str, setting("forwarding tables (LFT) as OpenSM or ibroute dump them", positional=True, names="file")
    ]
    qos: (
        Annotated[str, setting("a QoS policy, or lines of source GUID, LID, level", metavar="FILE", names="file")]
        | None
    ) = None
    guid2lid: (
        Annotated[str, setting("OpenSM's guid2lid, for entries without a port GUID", metavar="FILE", names="file")]
        | None
    ) = None
    only: Only = ()
    ignore: Ignore = ()
    radix: Radix | None = None
    data_vls: DataLanes = DATA_VLS

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
            self._verified(network.fabric, context),
            match=None,
            ports=True,
            facts=network.facts,
            limits=HardwareLimits(self.radix, self.data_vls),
            only=self.only,
            ignore=self.ignore,
        )

    def _verified(self, fabric: "Fabric", context: RunContext) -> "TableVerification":
        from topoloom.fabric.lft import read_guid2lid, read_lft
        from topoloom.fabric.service_levels import read_levels
        from topoloom.fabric.table_verifier import verify_tables

        if not fabric.topology.endpoints.size:
            raise InputError(
                f"{fabric.topology.name}: no hosts, so tables have nowhere to lead; add them, as in hosts=4"
            )
        text = None if self.guid2lid is None else read_text(self.guid2lid, LONGEST_TEXT)
        lids = None if text is None else read_guid2lid(text, str(self.guid2lid))
        read = read_lft(read_text(self.tables, LONGEST_TEXT), self.tables, fabric, lids)
        levels = None
        if self.qos is not None:
            levels = read_levels(read_text(self.qos, LONGEST_TEXT), self.qos, fabric, read.lid_of)
        return verify_tables(read, fabric, levels, context.jobs)
