"""Reading machine files; each error names the line."""

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from topoloom.core.errors import InputError, check_path
from topoloom.core.files import read_text
from topoloom.core.toml_files import LONGEST, parse_toml
from topoloom.core.toml_lines import line_of
from topoloom.designer.requirement_tables import DesignLimits
from topoloom.machine.faults import MachineError
from topoloom.machine.requirement import EVERYTHING, MANAGER, MachineNetwork, MachineRequirement
from topoloom.placement.floors.floor import PRESETS

#: Names of networks are names of folders.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")

#: The keys by which a network is chosen.
_CHOOSING = ("families", "limits", "least", "search", "planes", "rails", "minimize", "collective")
_NOTHING = MachineNetwork(name="none", rate_gbps=1.0)


def read_machine_file(path: str | Path) -> MachineRequirement:
    """The machine in a TOML file.

    Paths under ``parts``, ``prices``, ``spec`` and ``floor`` are relative to the file's folder.

    Raises
    ------
    InputError
        ``file:line: reason`` for anything that cannot be read or used.
    """
    check_path(path, "read_machine_file", "name a machine file")
    return machine_of(read_text(path, LONGEST), str(path), Path(path).parent)


def placed_fault(fault: MachineError, requirement: MachineRequirement, path: str | Path) -> InputError:
    """A fault that appeared when a machine was designed, with its place in the machine file.

    Parameters
    ----------
    fault : MachineError
    requirement : MachineRequirement
        As read from the file.
    path : path

    Returns
    -------
    InputError
        ``file:line: reason``.
    """
    return fault.at_line(requirement, read_text(path, LONGEST), str(path))


def machine_of(text: str, source: str, folder: str | Path = ".") -> MachineRequirement:
    """The machine in a TOML text.

    Parameters
    ----------
    text : str
    source : str
        Its name in error messages.
    folder : path
        The folder that relative paths start from.

    Raises
    ------
    InputError
        ``source:line: reason`` for anything that cannot be read or used.
    """
    requirement, folder = parse_toml(text, MachineRequirement, source), Path(folder)

    def complain(error: object, *keys: str) -> InputError:
        line = line_of(text, list(keys))
        return InputError(f"{source}{f':{line}' if line else ''}: {error}")

    _check(requirement, complain)
    floor = requirement.floor
    if floor.preset not in PRESETS:
        raise complain(f"no floor named '{floor.preset}' (known: {', '.join(PRESETS)})", "floor", "preset")
    if floor.file:
        floor = msgspec.structs.replace(floor, file=_from(folder, floor.file))
        try:
            floor.floor()
        except InputError as error:
            raise complain(error, "floor", "file") from None
    networks = tuple(
        msgspec.structs.replace(
            network,
            spec=_from(folder, network.spec) if network.spec and (folder / network.spec).exists() else network.spec,
            **{
                key: _from(folder, value)
                for key in ("parts", "prices")
                if (value := getattr(network, key)).endswith(".toml")
            },
        )
        for network in requirement.network
    )
    own = {
        key: _from(folder, value)
        for key in ("parts", "prices")
        if (value := getattr(requirement, key)).endswith(".toml")
    }
    return msgspec.structs.replace(requirement, floor=floor, network=networks, **own)


def _from(folder: Path, path: str) -> str:
    return path if Path(path).is_absolute() else str(folder / path)


def _check(requirement: MachineRequirement, complain: Callable[..., InputError]) -> None:
    """Refuse names that do not fit together, and networks without hosts."""
    networks: dict[str, int] = {}
    for number, network in enumerate(requirement.network):
        where = ("network", str(number))
        if not _NAME.fullmatch(network.name):
            raise complain(
                f"network {network.name[:60]!r}: give a name of letters, digits, '-', '_' and '.': it is that of its folder",
                *where,
                "name",
            )
        if network.name in networks:
            raise complain(f"two networks have the name '{network.name}'; give each its own", *where, "name")
        networks[network.name] = number
    if not networks:
        raise complain("the machine has no network; add a [[network]]")
    kinds = {host.name for host in requirement.host}
    seen: set[str] = set()
    for number, host in enumerate(requirement.host):
        where = ("host", str(number))
        if host.name in seen:
            raise complain(f"two kinds of hosts have the name '{host.name}'; give each its own", *where, "name")
        seen.add(host.name)
        for name in host.ports:
            if name not in networks:
                raise complain(
                    f"host '{host.name}' has ports on network '{name}', which the machine does not have"
                    f" (it has {', '.join(networks)}); add a [[network]], or remove these ports",
                    *where,
                    "ports",
                    name,
                )
        counts = [host.on(name).count for name in host.ports]
        served = any(
            other.name not in host.ports and (other.serves == EVERYTHING or host.name in other.serves)
            for other in requirement.network
        )
        if not any(counts) and not served:
            raise complain(
                f"host '{host.name}' has no port on any network; give it `ports`, or name it in the `serves` of a [[network]]",
                *where,
                "ports",
            )
        if host.pair_cables and host.count % 2:
            raise complain(
                f"host '{host.name}': {host.count} hosts are no pairs, but pair_cables = {host.pair_cables}; give an even"
                " count, or omit pair_cables",
                *where,
                "pair_cables",
            )
        if partial := host.partial_system:
            raise complain(partial, *where, "count")
        for name in host.rack_switches:
            if name not in networks or not requirement.network[networks[name]].uplink:
                raise complain(
                    f"host '{host.name}': rack_switches are those of a network with an uplink, which '{name}' is not",
                    *where,
                    "rack_switches",
                    name,
                )
        for key, whole in (("power_w", "unit_power_w"), ("weight_kg", "unit_weight_kg")):
            if getattr(host, key) and getattr(host, whole):
                raise complain(
                    f"host '{host.name}' has {key} and {whole}, which is that of {host.unit_hosts or 'several'} hosts together;"
                    " omit one",
                    *where,
                    whole,
                )
        idle = [key for key in ("rack_hosts", "unit_hosts", "device", "rack_switches") if getattr(host, key)]
        if idle and not host.own_racks:
            raise complain(
                f"host '{host.name}' stands in network racks, where {' and '.join(idle)} would have no effect; give"
                ' racks = "own", or omit it',
                *where,
                idle[0],
            )
    _check_phases(requirement, complain)
    devices = {device.name for device in requirement.rack.device}
    devices |= {device.name for host in requirement.host for device in host.device}
    for number, network in enumerate(requirement.network):
        where = ("network", str(number))
        served = any(host.on(network.name).count for host in requirement.host)
        uplinked = any(other.uplink == network.name for other in requirement.network)
        if not served and not network.serves and not uplinked and not network.managers:
            raise complain(
                f"network '{network.name}' has no hosts; name it in the `ports` of a [[host]], or give it `serves`",
                *where,
            )
        if network.uplink and (network.uplink not in networks or network.uplink == network.name):
            others = ", ".join(name for name in networks if name != network.name)
            raise complain(
                f"network '{network.name}': its uplink '{network.uplink}' is no other network ({others})",
                *where,
                "uplink",
            )
        above, chain = network.uplink, [network.name]
        while above and above not in chain:
            chain.append(above)
            above = requirement.network[networks[above]].uplink
        if above:
            raise complain(
                f"network '{network.name}': its uplinks lead back to it ({' to '.join([*chain, above])}); connect one of them"
                " to a network without an uplink",
                *where,
                "uplink",
            )
        for key in ("leaves", "uplinks"):
            if not network.uplink and getattr(network, key) != getattr(_NOTHING, key):
                raise complain(f"network '{network.name}' has no uplink, so {key} has no effect; omit it", *where, key)
        if network.uplink and network.spec:
            raise complain(
                f"network '{network.name}' has an uplink and a spec; with an uplink it has no links of its own: omit one",
                *where,
                "spec",
            )
        if network.manager != MANAGER and not network.managers:
            raise complain(
                f"network '{network.name}' has no managers, so manager has no effect; give `managers`, their number",
                *where,
                "manager",
            )
        for name in () if network.serves == EVERYTHING else network.serves:
            if name not in kinds | devices | networks.keys():
                raise complain(
                    f"network '{network.name}' serves '{name}', which is no kind of hosts, no network and no device of a rack",
                    *where,
                    "serves",
                )
        given = [key for key in _CHOOSING if getattr(network, key) != getattr(_NOTHING, key)]
        if network.spec and network.limits == DesignLimits(taper=network.limits.taper):
            # A given network is tested against it, and keeps it when it grows.
            given = [key for key in given if key != "limits"]
        if given and (network.spec or network.uplink):
            raise complain(
                f"network '{network.name}' has {'a spec' if network.spec else 'an uplink'}, so there is nothing to choose by"
                f" {' and '.join(given)}: omit {'it' if len(given) == 1 else 'them'}",
                *where,
                given[0],
            )


def _check_phases(requirement: MachineRequirement, complain: Callable[..., InputError]) -> None:
    """Refuse phases that do not grow to the whole machine."""
    kinds = {host.name: host for host in requirement.host}
    names: set[str] = set()
    so_far = dict.fromkeys(kinds, 0)
    for number, phase in enumerate(requirement.phase):
        where = ("phase", str(number))
        if not _NAME.fullmatch(phase.name) or phase.name in names:
            raise complain(
                f"phase {phase.name[:60]!r}: give each phase a name of its own of letters, digits, '-', '_' and '.': it is that"
                " of its folder",
                *where,
                "name",
            )
        names.add(phase.name)
        for kind, count in phase.hosts.items():
            if kind not in kinds:
                raise complain(
                    f"phase '{phase.name}': no kind of hosts has the name '{kind}' (there are {', '.join(kinds)})",
                    *where,
                    "hosts",
                    kind,
                )
            host = kinds[kind]
            if not so_far[kind] <= count <= host.count:
                raise complain(
                    f"phase '{phase.name}': {count} hosts '{kind}' are fewer than before, or more than its count of"
                    f" {host.count}; give what is there after the phase",
                    *where,
                    "hosts",
                    kind,
                )
            if count % (host.unit_hosts or 1) or (host.pair_cables and count % 2):
                what = f"rack-scale systems of {host.unit_hosts}" if host.unit_hosts else "pairs"
                raise complain(
                    f"phase '{phase.name}': {count} hosts '{kind}' are no whole number of {what}", *where, "hosts", kind
                )
            so_far[kind] = count
        if number == 0:
            so_far |= {kind: host.count for kind, host in kinds.items() if kind not in phase.hosts}
    short = next((kind for kind, host in kinds.items() if requirement.phase and so_far[kind] < host.count), None)
    if short is not None:
        raise complain(
            f"the last phase has {so_far[short]} of {kinds[short].count} hosts '{short}'; give all of them, or another phase",
            "phase",
            str(len(requirement.phase) - 1),
        )
    for number, network in enumerate(requirement.network if requirement.phase else ()):
        if not network.switch.product:
            raise complain(
                f"network '{network.name}': phases need its switch as a `product`, so that all phases buy the same",
                "network",
                str(number),
                "switch",
            )
