"""`topoloom degradation`: the throughput that failures leave, and the table entries that they change."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import one_record
from topoloom.cli.presentation import Json, Threads
from topoloom.operations.catalogue.degradation import DegradationOperation


@declared(DegradationOperation, Threads, Json, several="topology")
def command(operations: list[DegradationOperation], threads: Threads, to: Json) -> None:
    from topoloom.cli.resilience_text import print_degradations

    results = [performed(operation, threads.jobs) for operation in operations]
    if to.json:
        one_record(results)
    else:
        print_degradations(results)
