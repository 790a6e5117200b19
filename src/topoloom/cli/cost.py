"""`topoloom cost TOPOLOGY`: the bill."""

from typing import Any

import click

from topoloom.cli.output import json_option, print_json
from topoloom.reproduction.table_iv import Column
from topoloom.topology import Topology


@click.command(help="Switches, cables, watts and money of TOPOLOGY on a floor.")
@click.argument("topology")
@click.option("--floor", default="slimfly-2014", show_default=True, help="Floor preset.")
@click.option("--parts", default="slimfly-2014", show_default=True, help="Parts catalogue: a name or a TOML file.")
@click.option(
    "--rate", "rate_gbps", default=40.0, show_default=True, type=click.FloatRange(0, min_open=True), help="Gb/s a link."
)
@click.option("--radix", type=click.IntRange(1), help="Ports of every switch; the default is those that are used.")
@click.option("--host-cables", is_flag=True, help="Also bill a cable for every host.")
@click.option(
    "--as-printed",
    is_flag=True,
    help="For a network of Table IV of 004: its own assumptions beside the exact count, laid out as there.",
)
@json_option
def command(
    topology: str, floor: str, parts: str, rate_gbps: float, radix: int | None, host_cables: bool, as_printed: bool,
    as_json: bool,
) -> None:  # fmt: skip
    from topoloom.cost.bill import price
    from topoloom.formats import open_topology
    from topoloom.layout.place import place

    network = open_topology(topology)
    if as_printed:
        # The exact count beside the print is made as 004 lays the column out: its racks, its floor, its switches.
        column = _column(network)
        bill = column.exact()
    else:
        bill = price(place(network, floor), parts, rate_gbps, radix, host_cables)
    facts: dict[str, Any] = {
        "name": network.name, "parts": bill.parts, "rate_gbps": rate_gbps, "radix": bill.radix, "hosts": bill.hosts,
        "cost_usd": bill.cost_usd, "power_w": bill.power_w, "cost_per_host_usd": bill.cost_per_host_usd,
        "power_per_host_w": bill.power_per_host_w,
        "lines": [
            {
                "item": line.item, "count": line.count, "length_m": line.length_m, "cost_usd": line.cost_usd,
                "power_w": line.power_w,
            }
            for line in bill.lines
        ],
    }  # fmt: skip
    if as_printed:
        facts["as_printed"] = _as_printed(column)
    if as_json:
        print_json(facts)
        return
    for line in bill.lines:
        metres = f"{line.length_m:12,.0f} m" if line.length_m else " " * 14
        click.echo(f"{line.item:24} {line.count:10,} {metres} {line.cost_usd:16,.0f} USD {line.power_w:12,.0f} W")
    click.echo(f"{'sum':24} {'':10} {'':14} {bill.cost_usd:16,.0f} USD {bill.power_w:12,.0f} W")
    if bill.hosts:
        click.echo(
            f"{'a host':24} {bill.hosts:10,} {'':14} {bill.cost_per_host_usd:16,.1f} USD {bill.power_per_host_w:12,.3f} W"
        )
    else:
        click.echo("no hosts: add hosts=NUMBER or hosts=full to the spec for costs a host")
    if as_printed:
        told = facts["as_printed"]
        click.echo(
            f"Table IV, {told['column']}: printed {told['printed_cost_usd']:,.0f} USD and {told['printed_power_w']:g} W a host"
        )
        if told["cost_per_host_usd"] is None:
            click.echo("  its assumptions were not found, so the print is not recomputed")
        else:
            click.echo(
                f"  with its own assumptions: {told['cost_per_host_usd']:,.2f} USD and {told['power_per_host_w']:.3f} W a host"
            )
        note = f"; {told['note']}" if told["note"] else ""
        click.echo(f"  why the exact count differs: {told['assumption']}{note}")


def _column(network: Topology) -> Column:
    from topoloom.errors import InputError
    from topoloom.reproduction.table_iv import COLUMNS, column_of

    column = column_of(network)
    if column is None:
        known = "; ".join(one.spec for one in COLUMNS)
        raise InputError(f"{network.name} is not a network of Table IV (these are: {known})")
    return column


def _as_printed(column: Column) -> dict[str, Any]:
    from topoloom.cost.parts import load_parts

    parts = load_parts("slimfly-2014")
    count = column.as_printed() if column.as_printed is not None else None
    return {
        "column": column.title,
        "printed_cost_usd": column.printed.cost_usd,
        "printed_power_w": column.printed.power_w,
        "cost_per_host_usd": None if count is None else count.cost_usd(parts),
        "power_per_host_w": None if count is None else count.power_w(parts),
        "assumption": column.assumption,
        "note": column.note,
    }
