"""Names in neighbour tables that cannot be those of a device or a port: the entry is omitted and reported, the rest is read."""

from dataclasses import replace

from topoloom.fabric.flaws import NO_NAME, Flaw
from topoloom.fabric.named_cables import is_name
from topoloom.formats._lldp.views import MAC, DeviceView, Neighbour, mac_of
from topoloom.formats._text import short


def with_names(view: DeviceView) -> tuple[DeviceView | None, list[Flaw]]:
    """A view without the entries whose names are too long or cannot be printed.

    Parameters
    ----------
    view : DeviceView

    Returns
    -------
    (DeviceView or None, list of Flaw)
        None if the device itself has no valid name; a flaw for each entry that is omitted.
    """
    if not is_name(view.name):
        return None, [_flaw(view, f"the name of the device is {short(view.name)}", "its entries are omitted")]
    flaws = []
    neighbours = []
    for neighbour in view.neighbours:
        wrong = _wrong_part(neighbour)
        if not wrong:
            free_text = neighbour.port_description
            neighbours.append(neighbour if is_name(free_text) else replace(neighbour, port_description=""))
            continue
        text = f"{view.name} port {_shown(neighbour.port)} hears {wrong}"
        flaws.append(replace(_flaw(view, text, "omitted"), ports=((view.name, neighbour.port),)))
    ports = sorted(port for port in view.ports if not is_name(port) and port not in {n.port for n in view.neighbours})
    flaws += [_flaw(view, f"{view.name} has a port {short(port)}", "omitted") for port in ports]
    valid = replace(
        view,
        neighbours=tuple(neighbours),
        ports=frozenset(filter(is_name, view.ports)),
        settings={port: settings for port, settings in view.settings.items() if is_name(port)},
        aliases={alias: port for alias, port in view.aliases.items() if is_name(alias) and is_name(port)},
    )
    return valid, flaws


def _wrong_part(neighbour: Neighbour) -> str:
    """What of an entry is no name, as a message says it; empty if all are valid. Descriptions are free text."""
    of_device = neighbour.name or (neighbour.chassis if not mac_of(neighbour.chassis) else "")
    of_port = "" if neighbour.port_type == MAC or mac_of(neighbour.port_id) else neighbour.port_id
    if of_device and not is_name(of_device):
        return f"a device {short(of_device)}"
    if of_port and not is_name(of_port):
        return f"the port {short(of_port)}"
    return "" if not neighbour.port or is_name(neighbour.port) else "a device, and has no valid name itself"


def _shown(name: str) -> str:
    return name if is_name(name) else short(name)


def _flaw(view: DeviceView, what: str, done: str) -> Flaw:
    source = view.source if view.source.isprintable() else ascii(view.source)
    text = f"{source}: {what}, which is too long or has characters that cannot be printed; {done}"
    return Flaw(NO_NAME, text, 0, ((view.name, 0),) if is_name(view.name) else ())
