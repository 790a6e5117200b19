"""`topoloom layout TOPOLOGY`: racks on a floor, every cable with its length, and the files to build it from."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from topoloom.cli.declared import declared, running
from topoloom.cli.output import print_facts, print_record, print_table, say
from topoloom.cli.presentation import Json, Threads
from topoloom.cli.signals import hurried
from topoloom.core.errors import InputError
from topoloom.core.folders import check_folder
from topoloom.core.settings import setting
from topoloom.operations.catalogue.placed import LayoutOperation
from topoloom.operations.shared import HostCables

if TYPE_CHECKING:
    from topoloom.core.staging import Content
    from topoloom.placement.layout.layout import Layout


class _Output(Json, frozen=True, kw_only=True):
    host_cables: HostCables | None = None
    output: (
        Annotated[
            str,
            setting(
                "folder for the files; of a machine, the picture of the room (.svg or .png)",
                option="-o --output",
                metavar="DIRECTORY",
            ),
        ]
        | None
    ) = None


@declared(LayoutOperation, Threads, _Output)
def command(operation: LayoutOperation, threads: Threads, to: _Output) -> None:
    from topoloom.cabling.cabling import cable
    from topoloom.cost.leaf_racks import leaves_apart
    from topoloom.network.folder import fabric_files
    from topoloom.placement.layout.layout import Layout

    if operation.of_machine:
        _show_machine(operation, to)
        return
    if to.output is not None:
        check_folder(to.output)
    with running(operation.doing, threads.jobs) as context:
        network = operation.placed(context, to.host_cables)
    layout = network.part(Layout)
    if to.output is not None:
        _write(cable(network), to.output, fabric_files(network, "layout"))
    if to.json:
        print_record(layout)
    else:
        _print_layout(layout)
        if (apart := leaves_apart(layout, network.terms)) is not None:
            say(apart)
        if to.output is not None:
            say(f"wrote {to.output}")
    if layout.ended == "interrupted":
        raise KeyboardInterrupt


def _show_machine(operation: LayoutOperation, to: _Output) -> None:
    """Print the networks of a machine, and draw its room."""
    from topoloom.core.files import write_atomically
    from topoloom.machine.facility import machine_facility
    from topoloom.machine.overview import overview
    from topoloom.machine.tables import NETWORK_HEAD, network_rows
    from topoloom.report.machine_room import room_plan

    suffix = "" if to.output is None else Path(to.output).suffix.lower()
    if to.output is not None and suffix not in (".svg", ".png"):
        raise InputError(
            f"--output {to.output}: of a machine, layout draws the room as .svg or .png; 'topoloom export' writes its lists"
        )
    if to.host_cables is not None:
        raise InputError("--host-cables: a machine has the cables of all hosts; omit it")
    machine = operation.machine()
    if to.output is not None:
        picture = room_plan(machine, machine_facility(machine, tested=False), suffix)
        write_atomically(to.output, picture)
    figures = overview(machine)
    if to.json:
        print_record(figures)
        return
    say(f"{figures.title} on {machine.floor.name}: {figures.racks:,} racks, {len(machine.slots):,} places")
    print_table([NETWORK_HEAD, *network_rows(figures)])
    if to.output is not None:
        say(f"wrote {to.output}")


def _print_layout(layout: "Layout") -> None:
    slots = layout.slots
    size = f"{slots.rows} x {slots.columns} places" if slots.rows else f"{len(slots)} slots"
    bound = "" if layout.least_mean_m is None else f" (no layout is below {layout.least_mean_m:.3f})"
    print_facts(
        f"{layout.topology.name} on {layout.floor.name}: {layout.racks} rack{'s' * (layout.racks != 1)}, {size}",
        [
            ("made", layout.made),
            ("cables", f"{layout.links:,}, {layout.links_between:,} of them between racks"),
            ("bundles", f"{layout.rack_pairs:,} pairs of racks with cables between them"),
            ("mean_length", f"{layout.mean_length_m:.3f} m{bound}; between racks {layout.mean_between_m:.3f} m"),
            ("longest", f"{layout.longest_m:.1f} m"),
            ("total", f"{layout.total_m:,.0f} m"),
            *_passive_facts(layout),
            *_stated_facts(layout),
            *_host_facts(layout),
        ],
    )


def _passive_facts(layout: "Layout") -> list[tuple[str, str]]:
    """Rows about the panels, cords and trunks that links pass through."""
    from topoloom.placement.fibre.polarity import parts_in_words

    parts, plant = layout.passive, layout.plant
    if parts is None or plant is None:
        return []
    return [
        (
            "panels",
            f"{parts.panels:,} in {parts.panel_racks:,} racks, for {parts.links:,} of {layout.links:,} links ({parts.method})",
        ),
        (
            "trunks",
            f"{parts.trunks:,}, {parts.trunk_total_m:,.0f} m; pairs of racks {parts.trunk_runs:,}, lengths"
            f" {parts.trunk_lengths:,}",
        ),
        ("cords", f"{parts.cords:,}, {parts.cord_total_m:,.0f} m"),
        *([("loop plugs", f"{parts.loops:,}, where trunks come later")] if parts.loops else []),
        ("loss", f"up to {parts.most_loss_db:.2f} dB and {parts.most_connectors} connectors between transceivers"),
        ("polarity", f"{parts.polarity or 'no method of TIA-568.3-E'}: {parts_in_words(plant)}"),
    ]


def _stated_facts(layout: "Layout") -> list[tuple[str, str]]:
    """A row about the lengths that the source of a cabled network states."""
    stated = layout.stated
    if stated is None or not ((stated.link_m > 0).any() or (stated.host_m > 0).any()):
        return []
    counts = [f"{int((of > 0).sum()):,} of {of.size:,}" for of in (stated.link_m, stated.host_m)]
    others = "" if (stated.link_m > 0).all() and (stated.host_m > 0).all() else "; the others by the floor"
    return [("lengths", f"{counts[0]} between switches and {counts[1]} of hosts as the source states{others}")]


def _host_facts(layout: "Layout") -> list[tuple[str, str]]:
    """Rows about hosts that have their own racks."""
    if layout.housing is None:
        return []
    kinds, full = layout.housing.kinds(layout.topology.hosts), layout.hosts_per_rack
    watts = sum(len(hosts) * host.power_w for host, hosts in kinds)
    kilowatts = f"; {watts / 1000:,.0f} kW" if watts else ""
    counts = [f"{len(hosts):,} of '{host.name}'" for host, hosts in kinds]
    return [
        ("hosts", f"{', '.join(counts)}, up to {full} in a rack{kilowatts}"),
        (
            "host_cables",
            f"{layout.host_cables:,}, {int(layout.host_between.sum()):,} of them between racks; {layout.host_total_m:,.0f} m,"
            f" the longest {layout.host_longest_m:.1f} m",
        ),
    ]


def _write(cables: Any, folder: str, cabled: Mapping[str, "Content"]) -> None:
    """Write all files of a layout's folder, with the real names and ports of the network."""
    from topoloom.cabling.files import save_cabling
    from topoloom.cost.facility import rack_power
    from topoloom.figures.absent import file_if_drawn
    from topoloom.report.floorplan import floorplan_png, floorplan_svg

    if hurried():
        say("interrupted: the floor plan is not drawn", err=True)
        save_cabling(cables, folder, cabled)
        return
    medium, power = cables.link_medium, rack_power(cables.layout, cables.terms)
    plans: dict[str, Content] = {
        **cabled,
        "floorplan.svg": floorplan_svg(cables.layout, medium, power),
        **file_if_drawn("floorplan.png", lambda: floorplan_png(cables.layout, medium, power)),
    }
    save_cabling(cables, folder, plans)
