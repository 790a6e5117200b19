"""`topoloom convert`: a topology in one format, into another, or into the files of another tool."""

from dataclasses import replace

import click

from topoloom.cli.delivery import checked, deliver
from topoloom.cli.exporting import export_settings, refuse_settings, settings_option, write_settings
from topoloom.cli.output import json_option, print_record, say
from topoloom.errors import InputError
from topoloom.fabrics.exports.registry import EXPORTS, Order, export_named, write_order
from topoloom.fabrics.exports.written import WrittenFiles
from topoloom.fabrics.fabric import without_rates
from topoloom.fabrics.machines import joined
from topoloom.fabrics.net_text import discovered_text
from topoloom.formats import FORMATS, format_for
from topoloom.formats.ibnetdiscover import NAME as DISCOVERED
from topoloom.link_rates import drops, tell_dropped
from topoloom.network import Network
from topoloom.opening import open_network
from topoloom.results import provenance_of


class _Help(click.Command):
    """Lists the formats and the exports, each with its line."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Formats"):
            formatter.write_dl([(name, record.description) for name, record in FORMATS.items()])
        with formatter.section("For other tools (OUT is a folder)"):
            formatter.write_dl([(name, record.words) for name, record in EXPORTS.items() if not record.tables])
        write_settings(formatter)


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
@click.option("--drop-rates", is_flag=True, help="Leave the rates of links aside: all of them are then alike.")
@settings_option
@json_option
def command(
    source: str,
    output: str,
    source_format: str | None,
    name: str | None,
    machines: bool,
    drop_rates: bool,
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    if name is not None and name.partition(":")[0] in EXPORTS and not _one_file(output, name):
        export_named(name)  # a wrong option is told before a large network is read
        _export(name, _opened(source, source_format, machines, drop_rates), output, changes, as_json)
        return
    record = checked(output, name, as_json)
    if changes and record.write_order is None:
        raise InputError(f"--set changes rates and delays, which the format {record.name} does not hold; leave it out")
    with drops() as dropped:
        network = _opened(source, source_format, machines, drop_rates)
    order = text = None
    if record.write_order is not None:
        order = Order(network.fabric, None, export_settings(network, changes), network.lengths)
    elif machines and record.name == DISCOVERED:
        text = discovered_text(network.fabric)
    deliver(network.topology, output, record, as_json, order, text, tuple(dropped))


def _opened(source: str, source_format: str | None, machines: bool, drop_rates: bool) -> Network:
    """The network, its adapters joined to machines and its rates dropped where that is asked for."""
    network = open_network(source, source_format)
    if drop_rates and network.topology.rated:
        topology = network.topology.without_rates()
        unrated = without_rates(network.fabric)
        tell_dropped(source, "--drop-rates")
        network = replace(network, topology=topology, known=network.known | {"fabric": lambda: unrated})
    if not machines:
        return network
    fabric = joined(network.fabric)
    # Nothing else that is known of it has its hosts.
    return replace(network, topology=fabric.topology, known={"fabric": lambda: fabric})


def _one_file(output: str, name: str) -> bool:
    """Whether a name that is an export's and a format's is the format's: for standard output, and a file with its suffix."""
    record = format_for(output)
    return name in FORMATS and (output == "-" or (record is not None and record.name == name))


def _export(kind: str, network: Network, folder: str, changes: tuple[str, ...], as_json: bool) -> None:
    record, _ = export_named(kind)
    refuse_settings(record.name, changes)
    order = Order(network.fabric, layout=network.layout)
    if record.timed:
        order = Order(network.fabric, None, export_settings(network, changes), network.lengths, network.layout)
    files = [f"{folder}/{name}" for name in write_order(kind, order, folder)]
    if as_json:
        print_record(WrittenFiles(kind, tuple(files), provenance_of(network.topology)))
    shown = f"{len(files)} files to {folder}" if len(files) > 3 else ", ".join(files)
    say(f"wrote {shown}", err=True)
