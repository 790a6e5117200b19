"""`topoloom verify`: the faults of a plan, and of the fabric that is cabled by it."""

from msgspec.structs import replace

from topoloom.cli.declared import declared, performed
from topoloom.cli.diagnosis import Diagnosed, report
from topoloom.cli.running_fabric import DISCOVERY, Now, printed_now
from topoloom.core.errors import InputError
from topoloom.operations.catalogue.verify import VerifyOperation


@declared(VerifyOperation, Diagnosed, Now)
def command(operation: VerifyOperation, to: Diagnosed, live: Now) -> int:
    if not live.now:
        files = (name.partition("=")[2] or name for name in operation.actual)
        return report(performed(operation), to, *files, *operation.plane, operation.plan, *operation.counters)
    if operation.actual or operation.plane:
        raise InputError("--now and ACTUAL both say what is cabled; give one")
    with printed_now(DISCOVERY, "now.net") as actual:
        return report(performed(replace(operation, actual=(actual,))), to, operation.plan, *operation.counters)
