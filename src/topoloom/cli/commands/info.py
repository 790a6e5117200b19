"""`topoloom info`: the figures of a topology, on one page."""

from typing import TYPE_CHECKING

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_facts, print_record, print_table, say
from topoloom.cli.presentation import Json, Threads
from topoloom.operations.catalogue.info import InfoOperation

if TYPE_CHECKING:
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
    omitted = {"skipped", "provenance", "planes"}
    provenance = result.provenance
    rows = [("spec", provenance.spec)] if provenance.spec is not None else []
    if result.planes > 1:
        rows.append(("planes", f"{result.planes}; measures are per plane, sizes and bisection of all planes together"))
    values = {key: getattr(result, key) for key in result.__dataclass_fields__ if key not in omitted}
    rows += [(key, plain(value)) for key, value in values.items() if value is not None]
    rows.append(("digest", provenance.digest[:16]))
    rows += [(f"no {name}", reason) for name, reason in result.skipped.items()]
    print_facts(provenance.name, rows)


def _print_machine(machine: "MachineOverview") -> None:
    """Print the kinds of hosts and the networks of a machine, one row each."""
    say(
        f"{machine.title}: {machine.hosts:,} hosts, {machine.switches:,} switches, {machine.connections:,} connections,"
        f" {machine.racks:,} racks"
    )
    print_table(
        [
            ("hosts", "role", "count", "racks", "W each", "ports"),
            *(
                (
                    kind.name,
                    kind.role,
                    f"{kind.hosts:,}",
                    f"{kind.racks:,}",
                    f"{kind.power_w:,.0f}" if kind.power_w else "not known",
                    ", ".join(f"{name} {ports}" for name, ports in kind.ports.items()),
                )
                for kind in machine.kinds
            ),
        ]
    )
    print_table(
        [
            ("network", "Gb/s", "switches", "links", "devices", "ports", "cables", "longest", "topology"),
            *(
                (
                    network.name,
                    f"{network.rate_gbps:g}",
                    f"{network.switches:,}",
                    f"{network.links:,}",
                    f"{network.devices:,}",
                    f"{network.ports:,}",
                    f"{network.cables_m:,.0f} m",
                    f"{network.longest_m:,.1f} m",
                    network.topology,
                )
                for network in machine.networks
            ),
        ]
    )
    for network in machine.networks:
        say(f"{network.name}: {', '.join(f'{ports:,} of {kind}' for kind, ports in network.by_kind.items())}")
