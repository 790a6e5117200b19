"""`topoloom losses`: the effect of one loss of each kind, in the worst case."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import one_record
from topoloom.cli.presentation import Json, Threads
from topoloom.operations.catalogue.losses import LossesOperation


@declared(LossesOperation, Threads, Json, several="topology")
def command(operations: list[LossesOperation], threads: Threads, to: Json) -> None:
    from topoloom.cli.resilience_text import print_losses

    results = [performed(operation, threads.jobs) for operation in operations]
    if to.json:
        one_record(results)
    else:
        print_losses(results)
