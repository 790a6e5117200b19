"""`topoloom convert`: a topology in one format, into another, or into the files of another tool."""

import click

from topoloom.cli.delivery import checked, deliver
from topoloom.cli.output import json_option, print_record, say
from topoloom.fabrics.exports.registry import EXPORTS, write_export
from topoloom.fabrics.exports.written import WrittenFiles
from topoloom.fabrics.fabric import Fabric
from topoloom.fabrics.machines import joined
from topoloom.fabrics.net_text import discovered_text
from topoloom.formats import FORMATS
from topoloom.formats.ibnetdiscover import NAME as DISCOVERED
from topoloom.opening import open_network
from topoloom.results import provenance_of


class _Help(click.Command):
    """Lists the formats and the exports, each with its line."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Formats"):
            formatter.write_dl([(name, record.description) for name, record in FORMATS.items()])
        with formatter.section("For other tools (OUT is a folder)"):
            formatter.write_dl([(name, record.help) for name, record in EXPORTS.items() if not record.tables])


@click.command(
    cls=_Help, help="Read a topology from IN and write it to OUT; '-' is standard input or output (topoloom's JSON)."
)
@click.argument("source", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option("--from", "source_format", metavar="FORMAT", help="The format of IN; else its suffix tells.")
@click.option("--format", "name", metavar="FORMAT", help="The format of OUT (below); else its suffix tells.")
@click.option(
    "--machines",
    is_flag=True,
    help="The adapters of one machine (node7 mlx5_0, node7 mlx5_1) become one host. A .net file then keeps names and GUIDs.",
)
@json_option
def command(
    source: str, output: str, source_format: str | None, name: str | None, machines: bool, as_json: bool
) -> None:
    if name is not None and name in EXPORTS:
        network = open_network(source, source_format)
        _export(name, joined(network.fabric) if machines else network.fabric, output, as_json)
        return
    record = checked(output, name, as_json)
    network = open_network(source, source_format)
    if not machines:
        deliver(network.topology, output, record, as_json)
        return
    fabric = joined(network.fabric)
    text = discovered_text(fabric) if record.name == DISCOVERED else None
    deliver(fabric.topology, output, record, as_json, text)


def _export(kind: str, fabric: Fabric, folder: str, as_json: bool) -> None:
    files = [f"{folder}/{name}" for name in write_export(kind, fabric, folder)]
    if as_json:
        print_record(WrittenFiles(kind, tuple(files), provenance_of(fabric.topology)))
    shown = f"{len(files)} files to {folder}" if len(files) > 3 else ", ".join(files)
    say(f"wrote {shown}", err=True)
