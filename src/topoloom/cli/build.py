"""`topoloom build`: a topology from a spec, into a file."""

import click

from topoloom.cli.output import json_option, print_json
from topoloom.formats import Format, choose_format, losses, save
from topoloom.topology import Topology


@click.command(help="Make a topology from SPEC (slimfly:q=19,hosts=15) and write it to a file.")
@click.argument("spec")
@click.option("-o", "output", metavar="FILE", default="-", help="Where; left out: standard output, in topoloom's JSON.")
@click.option("--format", "name", metavar="FORMAT", help="The file's format; else its suffix tells.")
@json_option
def command(spec: str, output: str, name: str | None, as_json: bool) -> None:
    from pathlib import Path

    from topoloom.errors import InputError
    from topoloom.spec import build

    # A wrong file name should not cost a long build.
    record = checked(output, name, as_json)
    if Path(spec).is_file():
        raise InputError(f"{spec} is a file; 'topoloom convert' reads files, build takes a spec")
    deliver(build(spec), output, record, as_json)


def checked(output: str, name: str | None, as_json: bool) -> Format:
    """The format to write; what cannot be written is refused before any work."""
    if as_json and output == "-":
        raise click.UsageError("--json tells of the file that was written; name it")
    return choose_format(output, name)


def deliver(topology: Topology, output: str, record: Format, as_json: bool) -> None:
    """Write a topology to a file ('-': standard output), and say on stderr what was written and what was left out."""
    save(topology, output, record.name)
    lost = losses(topology, record)
    dropped = f"; {record.name} leaves out {', '.join(lost)}" if lost else ""
    size = f"{topology.switches} switches, {len(topology.links)} links, {topology.hosts} hosts"
    where = "standard output" if output == "-" else output
    click.echo(f"wrote {topology.name} to {where} ({record.name}): {size}{dropped}", err=True)
    if as_json:
        print_json(
            {
                "file": output, "format": record.name, "name": topology.name, "spec": topology.spec,
                "switches": topology.switches, "links": len(topology.links), "hosts": topology.hosts,
                "digest": topology.digest, "left_out": lost,
            }
        )  # fmt: skip
