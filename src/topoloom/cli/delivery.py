"""Write a topology to a file and report what was written: shared by `build`, `convert` and `damage`."""

from dataclasses import replace

import click

from topoloom.cli.output import print_record, say
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.formats import Format, choose_format, save, save_directed
from topoloom.model.directed import DirectedTopology
from topoloom.model.topology import Topology


def checked(output: str, name: str | None, as_json: bool) -> Format:
    """The format to write. An output that cannot be written is refused before any work.

    Parameters
    ----------
    output : str
        The file, or '-' for standard output.
    name : str or None
        The format that the user names; None: the format of the file's suffix.
    as_json : bool
        Whether a record is printed as well.

    Returns
    -------
    Format
        The one to write.
    """
    if as_json and output == "-":
        raise click.UsageError("--json describes the file that was written; name it")
    return choose_format(output, name)


def deliver(
    topology: Topology | DirectedTopology,
    output: str,
    record: Format,
    as_json: bool,
    order: ExportRequest | None = None,
    dropped: tuple[str, ...] = (),
) -> None:
    """Write a topology to a file ('-': standard output), and print on stderr what was written and what was omitted.

    Parameters
    ----------
    topology : Topology or DirectedTopology
        The topology to write.
    output : str
        The file, or '-' for standard output.
    record : Format
        Its format.
    as_json : bool
        Whether to print a record of what was written.
    order : ExportRequest, optional
        Further data of the network, for the formats that hold it.
    dropped : tuple of str
        The quantities that were dropped when the network was read.
    """
    directed = isinstance(topology, DirectedTopology)
    written = (
        save_directed(topology, output, record.name)
        if isinstance(topology, DirectedTopology)
        else save(topology, output, record.name, order=order)
    )
    lost = f"; {record.name} omits {', '.join(written.omitted)}" if written.omitted else ""
    size = f"{written.switches} switches, {written.links} {'arcs' if directed else 'links'}, {written.hosts} hosts"
    where = "standard output" if output == "-" else output
    say(f"wrote {topology.name} to {where} ({record.name}): {size}{lost}", err=True)
    if as_json:
        print_record(replace(written, dropped=tuple(dict.fromkeys((*dropped, *written.dropped)))))
