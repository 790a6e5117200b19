"""The cables of several files about one network, each of which may call a port by its name or by its alias."""

from collections.abc import Sequence

from topoloom.fabric.named_cables import NamedCables
from topoloom.fabric.port_aliases import aliases_of


def merged_cables(parts: Sequence[NamedCables], source: str, *, lenient: bool) -> NamedCables:
    """The devices and cables of all files.

    Parameters
    ----------
    parts : sequence of NamedCables
    source : str
        The folder, for messages.
    lenient : bool
        Whether the caller reports cables that cannot be right itself.

    Returns
    -------
    NamedCables
    """
    merged = NamedCables(source, lenient=lenient)
    for part in parts:
        for device in part.devices:
            own = merged.device(device.name, device.line, rack=device.rack, unit=device.unit, source=device.source)
            # What two files say of a device may differ; the plan or the names decide then.
            own.switch = device.switch if own.switch is None else own.switch
            for port, settings in device.settings.items():
                own.set_up(port, settings)
    for part in parts:
        # Each file calls the ports of a device by their names or by their aliases; the device's own file has both.
        words = {
            device.name: aliases_of(own.settings).spoken_as(own.settings, device.ports)
            for device in part.devices
            if (own := merged.device(device.name))
        }
        for device in part.devices:
            merged.device(device.name).ports |= {words[device.name].get(port, port) for port in device.ports}
        for cable in part.cables:
            near_end, other = (
                (merged.device(device.name), words[device.name].get(port, port)) for device, port in cable.ends
            )
            merged.cable(
                *(near_end, other, cable.line),
                rate_gbps=cable.rate_gbps,
                length_m=cable.length_m,
                part=cable.part,
                silent=cable.silent,
                source=cable.source,
                where=cable.where,
            )
        merged.flaws += part.flaws
    return merged
