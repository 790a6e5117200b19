"""`topoloom verify-tables`: forwarding tables that another program made, verified."""

from msgspec.structs import replace

from topoloom.cli.declared import declared, performed
from topoloom.cli.diagnosis import Diagnosed, report
from topoloom.cli.presentation import Threads
from topoloom.cli.running_fabric import TABLES, Now, printed_now
from topoloom.core.errors import InputError
from topoloom.operations.catalogue.verify_tables import VerifyTablesOperation


@declared(VerifyTablesOperation, Threads, Diagnosed, Now)
def command(operation: VerifyTablesOperation, threads: Threads, to: Diagnosed, live: Now) -> int:
    if not live.now:
        return report(performed(operation, threads.jobs), to, operation.fabric, operation.tables, operation.qos)
    if operation.installed is not None:
        raise InputError("--now and --installed both say what the switches hold; give one")
    with printed_now(TABLES, "now.lft") as installed:
        return report(
            performed(replace(operation, installed=installed), threads.jobs),
            to,
            operation.fabric,
            operation.tables,
            operation.qos,
        )
