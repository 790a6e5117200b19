"""`topoloom convert`: a topology in one format, into another."""

import click

from topoloom.cli.delivery import checked, deliver
from topoloom.cli.output import json_option
from topoloom.formats import load, open_topology


@click.command(help="Read a topology from IN and write it to OUT; '-' is standard input or output (topoloom's JSON).")
@click.argument("source", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option("--from", "source_format", metavar="FORMAT", help="The format of IN; else its suffix tells.")
@click.option("--format", "name", metavar="FORMAT", help="The format of OUT; else its suffix tells.")
@json_option
def command(source: str, output: str, source_format: str | None, name: str | None, as_json: bool) -> None:
    record = checked(output, name, as_json)
    topology = load(source, source_format) if source_format is not None else open_topology(source)
    deliver(topology, output, record, as_json)
