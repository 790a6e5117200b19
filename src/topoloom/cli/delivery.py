"""Handing over a topology as a file: what `build` and `convert` share."""

from dataclasses import replace

import click

from topoloom.cli.output import print_record, say
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.formats import Format, choose_format, save
from topoloom.formats._storage import put
from topoloom.formats.written import written_file
from topoloom.model.topology import Topology


def checked(output: str, name: str | None, as_json: bool) -> Format:
    """The format to write; what cannot be written is refused before any work.

    Parameters
    ----------
    output : str
        The file, or '-' for standard output.
    name : str or None
        The format that the user names; None: the one that the file's ending says.
    as_json : bool
        Whether a record is printed, too.

    Returns
    -------
    Format
        The one to write.
    """
    if as_json and output == "-":
        raise click.UsageError("--json tells of the file that was written; name it")
    return choose_format(output, name)


def deliver(
    topology: Topology,
    output: str,
    record: Format,
    as_json: bool,
    order: ExportRequest | None = None,
    text: str | None = None,
    dropped: tuple[str, ...] = (),
) -> None:
    """Write a topology to a file ('-': standard output), and say on stderr what was written and what was omitted.

    Parameters
    ----------
    topology : Topology
        What is written.
    output : str
        The file, or '-' for standard output.
    record : Format
        How.
    as_json : bool
        Whether to print a record of what was written.
    order : ExportRequest, optional
        What else is known of the network, for the formats that carry it.
    text : str, optional
        The file's content, where it says more than the topology does: names and GUIDs.
    dropped : tuple of str
        The quantities that were dropped before: where the network was read.
    """
    if text is None:
        told = save(topology, output, record.name, order=order)
    else:
        put(text.encode(), output)
        told = written_file(topology, output, replace(record, keeps=record.keeps | {"labels"}))
    lost = f"; {record.name} leaves out {', '.join(told.omitted)}" if told.omitted else ""
    size = f"{told.switches} switches, {told.links} links, {told.hosts} hosts"
    where = "standard output" if output == "-" else output
    say(f"wrote {topology.name} to {where} ({record.name}): {size}{lost}", err=True)
    if as_json:
        print_record(replace(told, dropped=tuple(dict.fromkeys((*dropped, *told.dropped)))))
