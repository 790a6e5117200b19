"""A discovered fabric in the terms of its plan: its switches and hosts, and the adapters of machines, are those of the plan."""

from collections.abc import Mapping
from dataclasses import replace

from topoloom.fabric.fabric import Fabric
from topoloom.fabric.identify import plain_name
from topoloom.fabric.machines import joined_for
from topoloom.fabric.named_cables import NamedCables
from topoloom.fabric.port_names import UNKNOWN, named_plugs


def as_planned(plan: Fabric, actual: Fabric, machines: str = "auto") -> Fabric:
    """A discovered fabric as it is matched and compared with a plan; `diagnose` does it where no match is given.

    Parameters
    ----------
    plan, actual : Fabric
    machines : "auto", "joined" or "apart"
        As in `topoloom.fabric.machines.joined_for`.

    Returns
    -------
    Fabric
        Devices that the plan knows are switches or hosts as the plan says; adapters of one machine are one host if they are
        in the plan. The same object if nothing changes.

    Raises
    ------
    InputError
        `machines` has another value.
    """
    kinds = dict.fromkeys(plan.switch_names, False) | dict.fromkeys(plan.host_names, True)
    return joined_for(plan, with_kinds(kinds, actual), machines)


def with_kinds(is_host: Mapping[str, bool], actual: Fabric) -> Fabric:
    """A discovered fabric in which the devices that are known are switches or hosts as is known.

    Parameters
    ----------
    is_host : mapping of str to bool
        Whether each known device is a host, by its name.
    actual : Fabric

    Returns
    -------
    Fabric
        The same object if no device changes, or if its ports have no names.
    """
    if not actual.named_ports:
        return actual
    kinds = {plain_name(name): host for name, host in is_host.items()}
    differs = any(kinds.get(plain_name(name), False) for name in actual.switch_names)
    if not differs and all(kinds.get(plain_name(name), True) for name in actual.host_names):
        return actual
    cables = NamedCables(actual.made, lenient=True)
    cables.by_neighbours = actual.by_neighbours
    for switch, names, of_ports, racks, units in (
        (True, actual.switch_names, actual.switch_port_names, actual.switch_rack, actual.switch_unit),
        (False, actual.host_names, actual.host_port_names, actual.host_rack, actual.host_unit),
    ):
        for name, ports, rack, unit in zip(names, of_ports, racks.tolist(), units.tolist(), strict=True):
            device = cables.device(name, switch=switch, rack=rack, unit=unit)
            device.ports |= {port for port in ports.values() if port != UNKNOWN}
    rates, lengths_m, parts, silent = (
        [*getattr(actual, f"link_{what}").tolist(), *getattr(actual, f"endpoint_{what}").tolist()]
        for what in ("rate_gbps", "length_m", "part", "one_sided")
    )
    for index, ends in enumerate(named_plugs(actual)):
        near_end, other = ((cables.device(device), port) for device, port in ends)
        if index < len(rates):
            about = {"rate_gbps": rates[index], "length_m": lengths_m[index]}
            cables.cable(near_end, other, part=parts[index], silent=[1] if silent[index] else [], **about)
        else:  # from a switch to itself
            cables.cable(near_end, other)
    fabric = cables.fabric(actual.topology.name, "", lambda name: kinds.get(plain_name(name)))
    flaws = (*actual.flaws, *fabric.flaws)
    return replace(fabric, port_settings=actual.port_settings, unread=actual.unread, flaws=flaws)
