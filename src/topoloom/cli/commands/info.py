"""`topoloom info`: the figures of a topology, on one page."""

from typing import TYPE_CHECKING

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_facts, print_record, print_table, say
from topoloom.cli.presentation import Json, Threads
from topoloom.operations.catalogue.info import InfoOperation

if TYPE_CHECKING:
    from topoloom.graph.directed_info import DirectedInfo
    from topoloom.machine.overview import MachineOverview


@declared(InfoOperation, Threads, Json)
def command(operation: InfoOperation, threads: Threads, output: Json) -> None:
    result = performed(operation, threads.jobs)
    if output.json:
        print_record(result)
        return
    if result.record_name == "machine-overview":
        _print_machine(result)
        return
    if result.record_name == "directed-info":
        _print_directed(result)
        return
    from topoloom.graph.measure_register import MEASURES

    omitted = {"skipped", "provenance", "planes", "measures"}
    provenance = result.provenance
    rows = [("spec", provenance.spec)] if provenance.spec is not None else []
    if result.planes > 1:
        rows.append(("planes", f"{result.planes}; measures are per plane, sizes and bisection of all planes together"))
    values = {key: getattr(result, key) for key in result.__dataclass_fields__ if key not in omitted}
    linkless = result.links == 0 and result.switches > 1
    if linkless:
        # Distances are infinite, and bounds, cuts and loads say nothing.
        values = {key: values[key] for key in ("switches", "hosts", "links", "radix")}
    rows += [(key, plain(value)) for key, value in values.items() if value is not None]
    if linkless:
        rows.append(("no distances", "its switches have no links among them; another network joins them"))
    rows += [(name, f"{plain(value)} {MEASURES[name].unit}".rstrip()) for name, value in result.measures.items()]
    rows.append(("digest", provenance.digest[:16]))
    rows += [(f"no {name}", reason) for name, reason in result.skipped.items()]
    print_facts(provenance.name, rows)


def _print_directed(result: "DirectedInfo") -> None:
    """Print the measures of a directed network."""
    provenance = result.provenance
    values = {key: getattr(result, key) for key in result.__dataclass_fields__ if key not in ("skipped", "provenance")}
    rows = [("spec", provenance.spec)] if provenance.spec is not None else []
    rows += [(key, plain(value)) for key, value in values.items() if value is not None]
    rows.append(("digest", provenance.digest[:16]))
    rows += [(f"no {name}", reason) for name, reason in result.skipped.items()]
    print_facts(f"{provenance.name} (directed)", rows)


def _print_machine(machine: "MachineOverview") -> None:
    """Print the kinds of hosts and the networks of a machine, one row each."""
    from topoloom.machine.tables import HOST_HEAD, NETWORK_HEAD, host_rows, network_rows

    say(
        f"{machine.title}: {machine.hosts:,} hosts, {machine.switches:,} switches, {machine.connections:,} connections,"
        f" {machine.racks:,} racks"
    )
    print_table([HOST_HEAD, *host_rows(machine)])
    print_table([NETWORK_HEAD, *network_rows(machine)])
    for network in machine.networks:
        say(f"{network.name}: {', '.join(f'{ports:,} of {kind}' for kind, ports in network.by_kind.items())}")
