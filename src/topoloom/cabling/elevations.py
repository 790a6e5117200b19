"""Elevations: the front view of each type of rack as an SVG picture, and one page with all types and their numbers."""

from collections.abc import Sequence
from importlib.resources import files

import numpy as np
from markupsafe import Markup

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.netbox_devices import switch_products
from topoloom.core.pages.templating import framed, rendered
from topoloom.cost.facility import Supply, power_words, supplies
from topoloom.placement.layout.contents import RackType, Standing, rack_contents, rack_types, rack_units
from topoloom.placement.layout.layout import Layout

#: The page and the pictures.
PAGE, PICTURES = "elevations.html", "elevations/*.svg"

#: Pixels: a unit, the column of its numbers, the inside of a rack, and the margins.
_UNIT, _NUMBERS, _WIDTH, _MARGIN, _HEAD = 18, 34, 380, 12, 62
_COLOURS = {"host": "#dbe7f5", "switch": "#fbe3c4", "device": "#e3e3e3"}
#: Characters that fit into the width of a rack.
_CHARACTERS = 58


def elevation_files(cabling: Cabling) -> dict[str, str]:
    """The files by name: the page ``elevations.html``, and ``elevations/type-1.svg`` for each type of rack."""
    layout = cabling.layout
    loads = supplies(layout, cabling.terms)
    of_switches = switch_products(layout.topology, cabling.terms)
    products = ["switch" if product is None else product.name for product in of_switches]
    out, shown = {}, []
    for rack_type in rack_types(layout, products):
        real = None if cabling.names is None else cabling.names.switches
        picture = elevation_svg(layout, rack_type, loads, products, real)
        out[f"elevations/{rack_type.name.replace(' ', '-')}.svg"] = picture
        names = [layout.rack_names[rack] for rack in rack_type.racks]
        shown.append((rack_type.name, len(names), ", ".join(names), Markup(picture)))
    style = (files("topoloom.cabling") / "elevations.css").read_text(encoding="utf-8")
    body = rendered(
        "elevations.html",
        network=layout.topology.name,
        floor=layout.floor.name,
        racks=layout.racks,
        housed=layout.housing is not None,
        types=shown,
    )
    return {PAGE: framed(f"Racks of {layout.topology.name}", style, body), **out}


def elevation_svg(
    layout: Layout,
    rack_type: RackType,
    loads: tuple[Supply, ...],
    products: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
) -> str:
    """The front view of a rack: unit numbers, and every device with its name and height.

    Parameters
    ----------
    layout : Layout
    rack_type : RackType
        Its first rack gives the names of the devices.
    loads : tuple of Supply
        Power and weight of every rack of the layout.
    products : sequence of str, optional
        The product of each switch; "switch" when omitted.
    names : sequence of str, optional
        The real name of each switch, of a network that is cabled.

    Returns
    -------
    str
        An ``<svg>`` element.
    """
    units = max(rack_units(layout), -int(-rack_type.height // 1))
    standing = rack_contents(layout, rack_type.racks[0], names)
    switches = iter(np.flatnonzero(layout.rack == rack_type.racks[0]).tolist())
    sold = [
        device.product if device.kind != "switch" else "switch" if products is None else products[next(switches)]
        for device in standing
    ]
    return front_view(rack_type, loads, units, list(zip(standing, sold, strict=True)))


def front_view(
    rack_type: RackType, loads: Sequence[Supply], units: int, devices: Sequence[tuple[Standing, str]]
) -> str:
    """The front view of a rack with these devices: unit numbers, and every device with its name and height.

    Parameters
    ----------
    rack_type : RackType
    loads : sequence of Supply
        Power and weight of every rack.
    units : int
        The height of the rack.
    devices : sequence of (Standing, str)
        The devices of its first rack, each with its product.

    Returns
    -------
    str
        An ``<svg>`` element.
    """
    aside = [device for device, _ in devices if device.unit is None]
    width, height = 2 * _MARGIN + 2 * _NUMBERS + _WIDTH, _HEAD + units * _UNIT + _MARGIN + 16 * len(aside)
    left, bottom = _MARGIN + _NUMBERS, _HEAD + units * _UNIT
    return str(
        rendered(
            "elevation.svg",
            width=width,
            height=height,
            left=left,
            top=_HEAD,
            inside=_WIDTH,
            tall=units * _UNIT,
            title=f"{rack_type.name}: {_count(len(rack_type.racks), 'rack')}",
            facts=[(35 + 14 * line, words) for line, words in enumerate(_facts(rack_type, loads, units))],
            units=[(unit, bottom - unit * _UNIT) for unit in range(1, units + 1)],
            boxes=[
                _box(device, device.unit, left, bottom, product)
                for device, product in devices
                if device.unit is not None
            ],
            aside=[(bottom + 14 + 16 * line, device.name) for line, device in enumerate(aside)],
        )
    )


def _box(device: Standing, unit: float, left: int, bottom: int, product: str) -> dict[str, str]:
    """A device: its frame, its name, its product and its height."""
    columns = 1 if device.units >= 1 else max(1, round(1 / device.units)) if device.units else 1
    base = int(unit) if columns > 1 else unit
    x = left + round((unit - base) / device.units) * _WIDTH / columns if columns > 1 else left
    width, height = _WIDTH / columns, (device.units if columns == 1 else 1) * _UNIT
    y = bottom - (base - 1) * _UNIT - height
    tall = f"{device.units:g}U"
    named = device.kind == "device" and product in device.name
    label = f"{device.name} · {tall}" if named else f"{device.name} · {product} · {tall}"
    most = max(1, _CHARACTERS // columns)
    shown = device.name if columns > 1 else label
    shown = shown if len(shown) <= most else shown[: most - 1] + "…"
    sides = {"x": x, "y": y, "width": width, "height": height, "text_x": x + 5, "text_y": y + height / 2 + 3.5}
    words = {"hint": f"U{base:g}: {label}", "fill": _COLOURS[device.kind], "text": shown}
    return {name: f"{value:g}" for name, value in sides.items()} | words


def _facts(rack_type: RackType, loads: Sequence[Supply], units: int) -> list[str]:
    """Two lines: what stands in the rack with its free units, and its power and weight."""
    some = [loads[rack] for rack in rack_type.racks]
    counts = [_count(rack_type.hosts, "host")] if rack_type.hosts else []
    counts += [_count(rack_type.switches, "switch", "es")] if rack_type.switches else []
    counts += [_count(rack_type.panels, "panel")] if rack_type.panels else []
    counts += [_count(some[0].devices, "further device")] if some[0].devices else []
    free = units - rack_type.height
    fullest = max(some, key=lambda supply: supply.max_w or 0.0)
    power = power_words(fullest)
    if fullest.max_w is not None and fullest.max_unknown:
        power += f", {_count(fullest.max_unknown, 'device')} unknown"
    weight = "weight unknown" if fullest.weight_kg is None else f"{fullest.weight_kg:,.0f} kg"
    if fullest.weight_kg is not None and fullest.weight_unknown:
        weight = f"at least {weight}, {_count(fullest.weight_unknown, 'device')} unknown"
    if rack_type.panels and fullest.weight_kg is not None:
        weight += " without panels"
    return [f"{', '.join(counts)}; {rack_type.height:g} of {units} units in use, {free:g} free", f"{power}; {weight}"]


def _count(count: int, what: str, plural: str = "s") -> str:
    return f"{count:,} {what}{plural * (count != 1)}"
