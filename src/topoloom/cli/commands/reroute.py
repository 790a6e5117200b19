"""`topoloom reroute`: the tables of a network, repaired after losses."""

from typing import Annotated

from topoloom.cli.commands.route import engines_listed
from topoloom.cli.declared import declared, running
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json, Threads
from topoloom.core.settings import setting
from topoloom.operations.catalogue.reroute import RerouteOperation
from topoloom.operations.shared import Worse


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str,
            setting(
                "a folder for what is left and its tables",
                option="-o --output",
                metavar="DIRECTORY",
                names="new folder",
            ),
        ]
        | None
    ) = None
    worse: Worse = False


@declared(RerouteOperation, Threads, _Output, sections=engines_listed)
def command(operation: RerouteOperation, threads: Threads, to: _Output) -> None:
    from topoloom.cli.routing_text import print_tables
    from topoloom.cli.tables import warn_if_worse
    from topoloom.network.folder import save_routing

    with running(operation.doing, threads.jobs) as context:
        tables = operation.chosen_tables(context, operation.lost)
    if to.output is not None and not to.worse:
        operation.refuse_worse(tables.routing)
    # The network after the losses is another one, so it is saved without layout and terms.
    files = [] if to.output is None else save_routing(tables.routing, to.output, tables.fabric)
    if to.json:
        print_record(tables.repaired or tables.routing)
    else:
        print_tables(tables.routing, tables.repaired)
    for file in files:
        say(f"wrote {file}", err=True)
    warn_if_worse(tables.routing)
