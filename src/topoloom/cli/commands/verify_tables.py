"""`topoloom verify-tables`: forwarding tables that another program made, verified."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.diagnosis import Diagnosed, report
from topoloom.cli.presentation import Threads
from topoloom.operations.catalogue.verify_tables import VerifyTablesOperation


@declared(VerifyTablesOperation, Threads, Diagnosed)
def command(operation: VerifyTablesOperation, threads: Threads, to: Diagnosed) -> int:
    return report(performed(operation, threads.jobs), to, operation.fabric, operation.tables, operation.qos)
