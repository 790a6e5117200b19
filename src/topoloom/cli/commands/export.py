"""`topoloom export`: a routed network as the files of another tool."""

from typing import Annotated

import click

from topoloom.cli.commands.route import engines_listed
from topoloom.cli.declared import declared, performed
from topoloom.cli.exporting import ExportChanges, refuse_settings, write_settings
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Threads
from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.fabric.exports.registry import EXPORTS, export_named, write_order
from topoloom.operations.catalogue.export import ExportOperation

#: Most files that are named one by one.
_MOST_SHOWN = 12


class _Output(ExportChanges, frozen=True, kw_only=True):
    output: Annotated[
        str, setting("the folder of the files", option="-o --output", metavar="DIRECTORY", names="new folder")
    ]


def _sections(formatter: click.HelpFormatter) -> None:
    """The exports and the engines, each with its line, and the settings."""
    from topoloom.machine.exports.kinds import MACHINE_EXPORTS

    with formatter.section("Kinds"):
        formatter.write_dl([(name, record.words) for name, record in EXPORTS.items()])
    with formatter.section("Kinds of a machine's folder, and those of schedulers above"):
        formatter.write_dl([(name, record.words) for name, record in MACHINE_EXPORTS.items()])
    engines_listed(formatter)
    write_settings(formatter)


@declared(ExportOperation, Threads, _Output, sections=_sections)
def command(operation: ExportOperation, threads: Threads, to: _Output) -> None:
    from topoloom.cli.routing_text import print_tables
    from topoloom.cli.tables import warn_if_worse

    if operation.of_machine:
        _write_machine(operation, to)
        return
    record, options = export_named(operation.kind)
    refuse_settings(record.name, to.set)
    tables = performed(operation, threads.jobs)
    routed = tables.routing
    order = operation.request(tables, to.set)
    files = [f"{to.output}/{name}" for name in write_order(operation.kind, order, to.output)]
    if routed.verification is not None and not routed.verification.deadlock_free:
        say("warning: with these tables packets can block each other forever; engine orders is deadlock-free", err=True)
    if to.json:
        print_record(tables.repaired or routed)
    else:
        print_tables(routed, tables.repaired)
    for file in files:
        say(f"wrote {file}", err=True)
    warn_if_worse(routed)
    for sentence in record.advice(order, **options) if record.advice is not None else ():
        say(sentence, err=True)


def _write_machine(operation: ExportOperation, to: _Output) -> None:
    """Write the files of a machine."""
    from topoloom.core.folders import write_folder
    from topoloom.fabric.exports.written import WrittenFiles

    if to.set:
        raise InputError("--set changes rates and delays, which the files of a machine do not have; omit it")
    done = operation.machine_files()
    paths = [str(path) for path in write_folder(to.output, done.files, stale=done.stale)]
    if to.json:
        print_record(WrittenFiles(operation.kind, tuple(paths), done.provenance))
    for note in done.notes:
        say(note, err=True)
    shown = paths if len(paths) <= _MOST_SHOWN else [f"{len(paths)} files to {to.output}"]
    for path in shown:
        say(f"wrote {path}", err=True)
