"""`topoloom layout TOPOLOGY`: cabinets on a floor, every cable with its length, and the files to build it from."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from topoloom.cli.output import json_option, print_facts, print_record, say
from topoloom.cli.placing import placing_of, placing_options, terms_of
from topoloom.cli.progress import working
from topoloom.cli.signals import hurried
from topoloom.cli.types import Number, Whole

if TYPE_CHECKING:
    from topoloom.layout.layout import Layout


@click.command(
    help="""Put the switches of TOPOLOGY into cabinets on a floor; every cable with its length.

    With -o the folder gets what it takes to build it: cables in the order of pulling, labels, an order list, sheets for
    every cabinet and switch, NetBox imports, and the floor plan.
    """
)
@click.argument("topology")
@placing_options()
@click.option("--improve", is_flag=True, help="Let switches change cabinets while fewer links run between cabinets.")
@click.option(
    "--objective",
    default="length",
    show_default=True,
    type=click.Choice(["length", "cost", "power", "longest"]),
    help="What to make small: the length of all cables, their cost or power in --parts, or the longest cable.",
)
@click.option("--seed", default=1, show_default=True, type=Whole(0, (1 << 63) - 1), help="Seed of the search.")
@click.option(
    "--seconds",
    type=Number(above=0, most=86_400, unit="seconds"),
    help="How long to search; left out, as many tries as the size asks for, the same on every machine.",
)
@click.option(
    "--moves", type=Whole(1, 10**12), help="Exchanges that each run of the maps anneal and tabu tries, and ..."
)
@click.option("--runs", type=Whole(1, 10**6), help="... how many runs they are the best of.")
@click.option("--jobs", type=Whole(1, 1024), help="Threads; the default is one for each core.")
@click.option("--host-cables/--no-host-cables", default=None, help="List the hosts' cables as well.")
@click.option("-o", "--output", "folder", type=click.Path(file_okay=False), help="Folder for the files.")
@json_option
def command(topology: str, host_cables: bool | None, folder: str | None, as_json: bool, **options: Any) -> None:
    from topoloom.cabling.cabling import cable
    from topoloom.cli.folders import writable_folder
    from topoloom.layout.layout import Layout
    from topoloom.opening import open_network

    network = open_network(topology)
    terms = terms_of({**options, "host_cables": host_cables}, [network])
    search = {name: options[name] for name in ("objective", "improve", "seed", "seconds", "moves", "runs", "jobs")}
    out = writable_folder(folder) if folder is not None else None
    with working("laying out") as work:
        network = network.priced(**terms).placed(**placing_of(options), **search, work=work)
    layout = network.part(Layout)
    if out is not None:
        _write(cable(network), out)
    if as_json:
        print_record(layout)
    else:
        _print_layout(layout)
        if out is not None:
            say(f"wrote {out}")
    if layout.ended == "interrupted":
        raise KeyboardInterrupt


def _print_layout(layout: "Layout") -> None:
    slots = layout.slots
    size = f"{slots.rows} x {slots.columns} places" if slots.rows else f"{len(slots)} slots"
    bound = "" if layout.least_mean_m is None else f" (no layout is below {layout.least_mean_m:.3f})"
    print_facts(
        f"{layout.topology.name} on {layout.floor.name}: {layout.cabinets} cabinet{'s' * (layout.cabinets != 1)}, {size}",
        [
            ("made", layout.made),
            ("cables", f"{layout.links:,}, {layout.links_between:,} of them between cabinets"),
            ("bundles", f"{layout.cabinet_pairs:,} pairs of cabinets with cables between them"),
            ("mean_length", f"{layout.mean_length_m:.3f} m{bound}; between cabinets {layout.mean_between_m:.3f} m"),
            ("longest", f"{layout.longest_m:.1f} m"),
            ("total", f"{layout.total_m:,.0f} m"),
            *_host_facts(layout),
        ],
    )


def _host_facts(layout: "Layout") -> list[tuple[str, str]]:
    """Of hosts in racks of their own."""
    if layout.housing is None:
        return []
    host = layout.housing.host
    full = layout.hosts_per_cabinet
    kilowatts = f"; {layout.topology.hosts * host.power_w / 1000:,.0f} kW" if host.power_w else ""
    return [
        ("hosts", f"{layout.topology.hosts:,} of '{host.name}', up to {full} in a rack{kilowatts}"),
        (
            "host_cables",
            f"{layout.host_cables:,}, {int(layout.host_between.sum()):,} of them between racks; {layout.host_total_m:,.0f} m,"
            f" the longest {layout.host_longest_m:.1f} m",
        ),
    ]


def _write(cables: Any, folder: Path) -> None:
    """Everything that a layout's folder holds."""
    from topoloom.cabling.files import save_cabling
    from topoloom.report.floor_data import rack_watts
    from topoloom.report.floorplan import floorplan_png, floorplan_svg

    if hurried():
        say("interrupted: the floor plan is not drawn", err=True)
        save_cabling(cables, folder, {})
        return
    medium, watts = cables.link_medium, rack_watts(cables.layout, cables.bought.parts, cables.rate_gbps)
    plans: dict[str, str | bytes] = {
        "floorplan.svg": floorplan_svg(cables.layout, medium, watts),
        "floorplan.png": floorplan_png(cables.layout, medium, watts),
    }
    save_cabling(cables, folder, plans)
