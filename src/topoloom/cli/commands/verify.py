"""`topoloom verify`: what is wrong with a plan, and with what is cabled."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.diagnosis import Diagnosed, report
from topoloom.operations.catalogue.verify import VerifyOperation


@declared(VerifyOperation, Diagnosed)
def command(operation: VerifyOperation, to: Diagnosed) -> int:
    return report(performed(operation), to, operation.actual, operation.plan)
