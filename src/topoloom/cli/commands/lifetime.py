"""`topoloom lifetime`: how long a network stays connected without repair."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import one_record
from topoloom.cli.presentation import Json, Threads
from topoloom.operations.catalogue.lifetime import LifetimeOperation


@declared(LifetimeOperation, Threads, Json, several="topology")
def command(operations: list[LifetimeOperation], threads: Threads, to: Json) -> None:
    from topoloom.cli.resilience_text import print_lifetimes

    results = [performed(operation, threads.jobs) for operation in operations]
    if to.json:
        one_record(results)
    else:
        print_lifetimes(results)
