"""`topoloom convert`: a topology in one format, into another, or into the files of another tool."""

import click

from topoloom.cli.delivery import checked, deliver
from topoloom.cli.output import json_option, print_record, say
from topoloom.fabrics.exports.registry import EXPORTS, export_named, write_export
from topoloom.fabrics.exports.written import WrittenFiles
from topoloom.formats import FORMATS
from topoloom.opening import open_network
from topoloom.results import provenance_of


class _Help(click.Command):
    """Lists the formats and the exports, each with its line."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Formats"):
            formatter.write_dl([(name, record.description) for name, record in FORMATS.items()])
        with formatter.section("For other tools (OUT is a folder)"):
            formatter.write_dl([(name, record.words) for name, record in EXPORTS.items() if not record.tables])


@click.command(
    cls=_Help, help="Read a topology from IN and write it to OUT; '-' is standard input or output (topoloom's JSON)."
)
@click.argument("source", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option("--from", "source_format", metavar="FORMAT", help="The format of IN; else its suffix tells.")
@click.option("--format", "name", metavar="FORMAT", help="The format of OUT (below); else its suffix tells.")
@json_option
def command(source: str, output: str, source_format: str | None, name: str | None, as_json: bool) -> None:
    if name is not None and name.partition(":")[0] in EXPORTS:
        _export(name, source, source_format, output, as_json)
        return
    record = checked(output, name, as_json)
    deliver(open_network(source, source_format).topology, output, record, as_json)


def _export(kind: str, source: str, source_format: str | None, folder: str, as_json: bool) -> None:
    export_named(kind)  # a wrong option is told before a large network is read
    network = open_network(source, source_format)
    fabric = network.fabric
    files = [f"{folder}/{name}" for name in write_export(kind, fabric, folder, layout=network.layout)]
    if as_json:
        print_record(WrittenFiles(kind, tuple(files), provenance_of(fabric.topology)))
    shown = f"{len(files)} files to {folder}" if len(files) > 3 else ", ".join(files)
    say(f"wrote {shown}", err=True)
