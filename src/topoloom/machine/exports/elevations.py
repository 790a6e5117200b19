"""Elevations of a machine: the front view of every rack, with the devices of all networks."""

from importlib.resources import files

from markupsafe import Markup

from topoloom.cabling.elevations import front_view
from topoloom.core.pages.templating import framed, rendered
from topoloom.core.staging import Content
from topoloom.machine.contents import contents_of_racks
from topoloom.machine.exports.cable_lists import file_names
from topoloom.machine.facility import machine_facility
from topoloom.machine.machine import Machine
from topoloom.placement.layout.contents import RackType


def front_view_files(machine: Machine) -> dict[str, Content]:
    """The page ``elevations.html`` with all racks, and ``elevations/RACK.svg`` for each.

    Parameters
    ----------
    machine : Machine
    """
    loads, units = machine_facility(machine, tested=False).racks, round(machine.requirement.rack.u)
    pictures = {}
    for rack, devices in enumerate(contents_of_racks(machine)):
        load = loads[rack]
        alone = RackType(load.name, (rack,), load.switches, load.hosts, load.units)
        pictures[load.name] = front_view(alone, loads, units, [(device, device.product) for device in devices])
    style = (files("topoloom.cabling") / "elevations.css").read_text(encoding="utf-8")
    shown = [Markup(picture) for picture in pictures.values()]
    title = machine.requirement.title
    body = rendered("machine_elevations.html", machine=title, floor=machine.floor.name, racks=shown)
    return {
        "elevations.html": framed(f"Racks of {title}", style, body),
        **{f"elevations/{name}.svg": pictures[own] for own, name in file_names(pictures).items()},
    }
