"""The room of a machine as a page: all racks on the floor, types of racks, power and weight, trays by network."""

from typing import Any

import numpy as np
from markupsafe import Markup

from topoloom.cabling.elevations import front_view
from topoloom.core.pages.templating import rendered
from topoloom.cost.facility import Facility, RackPower, power_words
from topoloom.cost.supply_table import SUPPLY_HEAD, supply_cells, unknown_figures
from topoloom.figures.absent import svg_or_sentence
from topoloom.figures.floor_plan import tray_plan
from topoloom.figures.style import png_bytes, svg_text
from topoloom.machine.contents import contents_of_racks, types_of_racks
from topoloom.machine.machine import Machine
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.tray_load import tray_load
from topoloom.report.floorplan import floorplan, floorplan_svg
from topoloom.report.page import cards, figure, table

#: Most racks that the table lists, most types of racks that are drawn, and most racks of a type that are named.
_MOST_RACKS, _MOST_TYPES, _MOST_NAMES = 400, 40, 60
_CAPTION = (
    "All racks at their positions, coloured by their maximum power; bundles and lengths of cables by network; and the number of"
    " cables of all networks on each section of tray."
)


def room_section(machine: Machine, room: Facility) -> Markup:
    """The section of the room.

    Parameters
    ----------
    machine : Machine
    room : Facility
        The supply of its racks.

    Returns
    -------
    Markup
        A ``<section>`` element.
    """
    layout, total = common_layout(machine)[0], room.total
    rows = room.rows_of_floor if len(room.rows_of_floor) > 1 else ()
    racks = room.racks[:_MOST_RACKS]
    plan = str(room_plan(machine, room, ".svg"))
    loads = {name: tray_load(own) for name, own in _layouts(machine).items()}
    return rendered(
        "machine_room.html",
        floor=machine.floor.name,
        places=f"{len(machine.slots):,}",
        cards=_cards(room),
        plan=figure(plan, _CAPTION),
        supply=table(SUPPLY_HEAD, _supply_rows(room), text=frozenset({0}), best=len(rows) + len(racks)),
        unlisted=len(room.racks) - len(racks),
        unknown=[(what, f"{count:,}") for what, count in unknown_figures(total)],
        devices=_devices(machine),
        cables=_cables(machine),
        trays=figure(
            svg_or_sentence(lambda: svg_text(tray_plan(layout, loads))),
            "The cables of each network on each section of tray, with those of its hosts and other devices.",
        ),
        **_types(machine, room),
    )


def room_plan(machine: Machine, room: Facility, suffix: str) -> str | bytes:
    """The floor plan of a machine: all racks, with the cables of all networks.

    Parameters
    ----------
    machine : Machine
    room : Facility
        The supply of its racks.
    suffix : str
        ".svg", or ".png".

    Returns
    -------
    str or bytes
    """
    layout, network_of_link = common_layout(machine)
    power, held = power_on(layout, machine, room), _held(machine, layout)
    if suffix == ".png":
        return png_bytes(floorplan(layout, network_of_link, power, held=held))
    return floorplan_svg(layout, network_of_link, power, held=held)


def _layouts(machine: Machine) -> dict[str, Layout]:
    return {name: network.part(Layout) for name, network in machine.networks.items()}


def common_layout(machine: Machine) -> tuple[Layout, np.ndarray]:
    """One layout of all networks, for pictures of the floor, and the network of each of its links.

    Its nodes are the switches of each network and the devices on it, its links all their cables.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    layout : Layout
    network : array of str, shape (links,)
    """
    links, slots, names, first = [], [], [], 0
    for name, layout in _layouts(machine).items():
        own = layout.topology
        hosts = layout.slot[:0] if layout.host_slot is None else layout.host_slot
        links.append(own.links + first)
        if hosts.size:
            links.append(np.column_stack([own.endpoints + first, own.host + first + own.switches]))
        slots += [layout.slot, hosts]
        names += [name] * (own.switches + hosts.size)
        first += own.switches + hosts.size
    every = Topology(links=np.concatenate(links), switches=first, name=machine.requirement.title)
    return Layout(every, machine.floor, machine.slots, np.concatenate(slots)), np.array(names)[every.links[:, 0]]


def power_on(layout: Layout, machine: Machine, room: Facility) -> RackPower | None:
    """The maximum power of the racks of a layout, with all devices of the machine in them; None where nothing is known.

    Parameters
    ----------
    layout : Layout
        Of one network or of all.
    machine : Machine
    room : Facility

    Returns
    -------
    RackPower or None
    """
    supply_at = dict(zip(machine.slot.tolist(), room.racks, strict=True))
    own = [supply_at[slot] for slot in layout.used.tolist()]
    if not any(supply.max_w for supply in own):
        return None
    return RackPower(
        np.array([supply.max_w or 0.0 for supply in own]),
        tuple(power_words(supply) for supply in own),
        sum(supply.max_unknown for supply in own),
    )


def _held(machine: Machine, layout: Layout) -> list[str]:
    """The content of each rack of the common layout, abbreviated."""
    contents = machine.racks.contents
    rack_at = {slot: rack for rack, slot in enumerate(machine.slot.tolist())}
    held = []
    for slot in layout.used.tolist():
        switches, hosts = (int(count) for count in contents[rack_at[slot], :2])
        counts = [f"{switches} sw"] * (switches > 0) + [f"{hosts} host{'s' * (hosts > 1)}"] * (hosts > 0)
        held.append(", ".join(counts) or "devices")
    return held


def _cards(room: Facility) -> Markup:
    total = room.total
    least = ">= " if total.max_unknown else ""
    items = [(f"{total.racks:,}", "racks"), (f"{total.units:,.10g}", "rack units in use")]
    if total.max_w is not None and room.heat_btu_h is not None and room.fullest_w is not None:
        items += [
            (f"{least}{total.max_w / 1000:,.1f} kW", f"maximum power of all IT; {room.heat_btu_h:,.0f} BTU/h of heat"),
            (f"{room.fullest_w / 1000:,.1f} kW", f"maximum power of the fullest rack, on {room.feeds} feeds"),
        ]
    if room.facility_w is not None:
        items.append((f"{least}{room.facility_w / 1000:,.1f} kW", f"power of the facility at a PUE of {room.pue:g}"))
    if total.weight_kg is not None:
        mark = ">= " if total.weight_unknown else ""
        items.append((f"{mark}{total.weight_kg:,.0f} kg", "weight of all devices, without the empty racks"))
    if total.air_m3h is not None:
        items.append((f"{'>= ' if total.air_unknown else ''}{total.air_m3h:,.0f} m³/h", "air"))
    if total.liquid_w:
        items.append((f"{total.liquid_w / 1000:,.1f} kW", "heat into liquid"))
    if total.inlets:
        items.append((f"{total.inlets:,}", "power inlets of hosts"))
    shares = (
        ("hosts", total.hosts_w),
        ("switches", total.switches_w),
        ("optics", total.optics_w),
        ("further devices", total.devices_w),
    )
    items += [(f"{watts / 1000:,.1f} kW", f"maximum power of {what}") for what, watts in shares if watts]
    return cards(items)


def _supply_rows(room: Facility) -> list[tuple[str, ...]]:
    """As `topoloom facility` prints them: racks, rows of the floor, the total."""
    rows = room.rows_of_floor if len(room.rows_of_floor) > 1 else ()
    several = (("rack ", room.racks[:_MOST_RACKS]), ("row ", rows), ("", (room.total,)))
    return [supply_cells(supply, prefix) for prefix, some in several for supply in some]


def _devices(machine: Machine) -> Markup | str:
    """The further devices of racks; empty where there are none."""
    counts: dict[Any, int] = {}
    for _, device, _ in machine.racks.devices:
        counts[device] = counts.get(device, 0) + 1
    if not counts:
        return ""
    rows = [
        [
            device.name,
            f"{count:,}",
            {"all": "all racks", "hosts": "racks with hosts", "switches": "racks without hosts"}[device.racks],
            f"{device.u:g}",
            "not known" if device.power_w is None else f"{device.power_w:,.0f}",
            "not known" if device.weight_kg is None else f"{device.weight_kg:,g}",
        ]
        for device, count in counts.items()
    ]
    head = ["device", "count", "in", "units each", "max W each", "kg each"]
    return table(head, rows, text=frozenset({0, 2}))


def _cables(machine: Machine) -> Markup:
    """The cables of each network, those of hosts included, on their way through the room."""
    rows = []
    for name, layout in _layouts(machine).items():
        lengths = np.concatenate([layout.length_m, layout.host_length_m])
        between = np.concatenate([layout.between, layout.host_between])
        _, load = tray_load(layout)
        rows.append(
            [
                name,
                f"{lengths.size:,}",
                f"{int((~between).sum()):,}",
                f"{int(between.sum()):,}",
                f"{lengths.mean() if lengths.size else 0.0:,.1f}",
                f"{lengths.max(initial=0.0):,.1f}",
                f"{lengths.sum():,.0f}",
                f"{int(load.max(initial=0)):,}",
            ]
        )
    head = ["network", "links and ports", "inside racks", "between racks", "mean [m]", "longest [m]", "total [m]"]
    return table([*head, "cables in the fullest section of tray"], rows, text=frozenset({0}))


def _names(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def _types(machine: Machine, room: Facility) -> dict[str, Any]:
    """The types of racks: a table, and the front view of each."""
    contents = contents_of_racks(machine)
    types = types_of_racks(machine, contents)
    units = int(np.ceil(max(machine.requirement.rack.u, float(machine.racks.load[:, 0].max(initial=0.0)))))
    views = [
        front_view(each, room.racks, units, [(device, device.product) for device in contents[each.racks[0]]])
        for each in types[:_MOST_TYPES]
    ]
    rows = [
        [
            each.name,
            f"{len(each.racks):,}",
            f"{each.hosts:,}",
            f"{each.switches:,}",
            f"{each.height:g}",
            _names([machine.rack_names[rack] for rack in each.racks]),
        ]
        for each in types
    ]
    return {
        "types": table(["type", "racks", "hosts", "switches", "units", "names"], rows, text=frozenset({0, 5})),
        "views": [Markup(view) for view in views],
        "undrawn": len(types) - len(views),
    }
