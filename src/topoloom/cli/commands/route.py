"""`topoloom route`: tables for a topology, their figures, and the verification that they are deadlock-free."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import click

from topoloom.cli.declared import declared, running
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json, Threads
from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue.route import RouteOperation
from topoloom.operations.shared import Worse

if TYPE_CHECKING:
    from topoloom.model.directed import DirectedTopology


class _Output(Json, frozen=True, kw_only=True):
    on_disk: (
        Annotated[
            str,
            setting(
                "keep the tables in files of this folder (NumPy arrays) instead of in memory: for more than 32,768 switches",
                metavar="DIRECTORY",
                names="new folder",
            ),
        ]
        | None
    ) = None
    output: (
        Annotated[
            str,
            setting(
                "a folder for the tables and their network",
                option="-o --output",
                metavar="DIRECTORY",
                names="new folder",
            ),
        ]
        | None
    ) = None
    worse: Worse = False


def engines_listed(formatter: click.HelpFormatter) -> None:
    """The engines, each with its line."""
    from topoloom.routing.registry import engines

    with formatter.section("Engines"):
        formatter.write_dl([(name, record.words) for name, record in engines.items()])


@declared(RouteOperation, Threads, _Output, sections=engines_listed)
def command(operation: RouteOperation, threads: Threads, to: _Output) -> None:
    from topoloom.cli.routing_text import print_tables
    from topoloom.cli.tables import hint_of_fit, warn_if_worse
    from topoloom.model.directed import DirectedTopology

    folder, place = to.on_disk, to.on_disk if to.output is None else to.output
    if folder is not None and to.output is not None:
        raise InputError("--on-disk and -o both name the folder of the tables; give one")
    network = operation.opened()
    if isinstance(network, DirectedTopology):
        _route_directed(operation, network, threads.jobs, to)
        return
    with running(operation.doing, threads.jobs) as context:
        routed = operation.routed(network, context, folder)
    if place is not None and not to.worse:
        operation.refuse_worse(routed)
    files = [] if place is None else network.with_installed(routed).save(place)
    if to.json:
        print_record(routed)
    else:
        print_tables(routed)
    for file in files:
        say(f"wrote {file}", err=True)
    warn_if_worse(routed)
    quick = operation.check is None and folder is None
    if not to.json and operation.engine is not None and quick:
        hint_of_fit(routed)


def _route_directed(operation: RouteOperation, network: "DirectedTopology", jobs: int | None, to: _Output) -> None:
    """Route a directed network, and print the figures of its tables."""
    from topoloom.cli.routing_text import print_tables

    to.refuse_changed(("on_disk", "output", "worse"), "tables of directed networks are not written")
    with running(operation.doing, jobs) as context:
        routed = operation.directed_tables(network, context)
    if to.json:
        print_record(routed)
    else:
        print_tables(replace(routed.carried, provenance=routed.provenance))
