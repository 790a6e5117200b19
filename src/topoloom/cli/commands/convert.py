"""`topoloom convert`: a topology in one format, into another, or into the files of another tool."""

from pathlib import Path
from typing import Annotated

import click
import numpy as np

from topoloom.cli.declared import declared, performed
from topoloom.cli.delivery import checked, deliver
from topoloom.cli.exporting import ExportChanges, refuse_settings, write_settings
from topoloom.cli.output import print_record, say
from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.fabric.exports.registry import EXPORTS, ExportRequest, export_named, write_order
from topoloom.fabric.exports.written import WrittenFiles
from topoloom.formats import FORMATS, format_for
from topoloom.model.directed import DirectedTopology
from topoloom.model.link_rates import drops
from topoloom.model.results import provenance_of
from topoloom.network import Network
from topoloom.network.adopting import check_new_folder
from topoloom.operations.catalogue.convert import ConvertOperation
from topoloom.operations.catalogue.export import export_settings


class _Output(ExportChanges, frozen=True, kw_only=True):
    output: Annotated[str, setting("the file, or the folder of files for another tool", positional=True, metavar="OUT")]
    format: Annotated[str, setting("the format of OUT (below); by its suffix if omitted", metavar="FORMAT")] | None = (
        None
    )


def _sections(formatter: click.HelpFormatter) -> None:
    """The formats and the exports, each with its line."""
    with formatter.section("Formats"):
        formatter.write_dl([(name, record.description) for name, record in FORMATS.items()])
    with formatter.section("For other tools (OUT is a folder)"):
        formatter.write_dl([(name, record.words) for name, record in EXPORTS.items() if not record.tables])
    write_settings(formatter)


@declared(ConvertOperation, _Output, sections=_sections)
def command(operation: ConvertOperation, to: _Output) -> None:
    if operation.adopt:
        _adopt(operation, to)
        return
    if to.format is not None and to.format.partition(":")[0] in EXPORTS and not _one_file(to.output, to.format):
        export_named(to.format)  # a wrong option is refused before a large network is read
        _export(to.format, _undirected(operation, performed(operation)), to.output, to.set, to.json)
        return
    record = checked(to.output, to.format, to.json)
    if to.set and record.write_order is None:
        raise InputError(f"--set changes rates and delays, which the format {record.name} does not hold; omit it")
    with drops() as dropped:
        network: Network | DirectedTopology = performed(operation)
    if isinstance(network, DirectedTopology):
        deliver(network, to.output, record, to.json)
        return
    order = ExportRequest(network.fabric)
    if record.write_order is not None:
        order = ExportRequest(network.fabric, None, export_settings(network, to.set), network.lengths)
    deliver(network.topology, to.output, record, to.json, order, tuple(dropped))


def _adopt(operation: ConvertOperation, to: _Output) -> None:
    """Write what is cabled as a network folder, and report what it holds."""
    given = {"--format": to.format is not None, "--set": bool(to.set)}
    unused = next((option for option, is_given in given.items() if is_given), None)
    if unused is not None:
        raise InputError(f"{unused} has no meaning for the network folder of --adopt; omit it")
    check_new_folder(to.output)
    network = _undirected(operation, performed(operation))
    adopted = network.adopt(to.output)
    topology, fabric = adopted.topology, adopted.fabric
    rates = np.concatenate([fabric.link_rate_gbps, fabric.endpoint_rate_gbps])
    racks = np.concatenate([fabric.switch_rack != "", fabric.host_rack != ""])
    facts = [
        f"{topology.switches} switches, {len(topology.links)} links, {topology.hosts} hosts",
        f"ports by {'name' if fabric.named_ports else 'number'}",
        f"rates of {int((rates > 0).sum())} of {rates.size} cables",
        f"racks of {int(racks.sum())} of {racks.size} devices",
    ]
    say(f"adopted {network.source} as {to.output}: {'; '.join(facts)}", err=True)
    if to.json:
        files = sorted(f"{to.output}/{path.name}" for path in Path(to.output).iterdir() if path.is_file())
        print_record(WrittenFiles("folder", tuple(files), adopted.provenance))


def _undirected(operation: ConvertOperation, network: Network | DirectedTopology) -> Network:
    """The network, refused if it is directed: the files of other tools hold no directions."""
    if isinstance(network, DirectedTopology):
        raise InputError(
            f"{operation.source}: this network is directed, and the files of another tool hold no directions; with --undirected"
            " its links have both"
        )
    return network


def _one_file(output: str, name: str) -> bool:
    """Whether a name that an export and a format share means the format: for standard output, and files with its suffix."""
    record = format_for(output)
    return name in FORMATS and (output == "-" or (record is not None and record.name == name))


def _export(kind: str, network: Network, folder: str, changes: tuple[str, ...], as_json: bool) -> None:
    record, _ = export_named(kind)
    refuse_settings(record.name, changes)
    order = ExportRequest(network.fabric, layout=network.layout)
    if record.timed:
        order = ExportRequest(network.fabric, None, export_settings(network, changes), network.lengths, network.layout)
    files = [f"{folder}/{name}" for name in write_order(kind, order, folder)]
    if as_json:
        print_record(WrittenFiles(kind, tuple(files), provenance_of(network.topology)))
    shown = f"{len(files)} files to {folder}" if len(files) > 3 else ", ".join(files)
    say(f"wrote {shown}", err=True)
