"""`topoloom verify`: the faults of a plan, and of the fabric that is cabled by it."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.diagnosis import Diagnosed, report
from topoloom.operations.catalogue.verify import VerifyOperation


@declared(VerifyOperation, Diagnosed)
def command(operation: VerifyOperation, to: Diagnosed) -> int:
    return report(performed(operation), to, operation.actual, operation.plan, *operation.counters)
