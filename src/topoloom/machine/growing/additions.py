"""What a machine file adds to an existing machine: more hosts of its kinds, and further kinds; all else stays."""

from collections.abc import Iterator

import msgspec

from topoloom.core.errors import InputError
from topoloom.machine.choices import all_parts
from topoloom.machine.devices import HostKind, host_kinds
from topoloom.machine.faults import MachineError
from topoloom.machine.machine import Machine
from topoloom.machine.requirement import MachineRequirement

#: The keys of a network that the existing one has decided.
_FIXED = ("rate_gbps", "uplink", "uplinks", "uplink_gbps", "managers", "manager", "place")


def grown_kinds(machine: Machine, into: MachineRequirement) -> tuple[HostKind, ...]:
    """The kinds of hosts of the grown machine: existing hosts keep their names, and new ones continue their numbers.

    Parameters
    ----------
    machine : Machine
    into : MachineRequirement
        The machine file with more hosts.

    Returns
    -------
    tuple of HostKind
        In the order of the file.

    Raises
    ------
    InputError
        The file changes or lacks what exists, or adds nothing, or has phases.
    """
    if into.phase:
        raise InputError(
            f"machine '{into.title}': an existing machine grows by all new hosts at once; omit [[phase]], or make a file for"
            " each step"
        )
    _check_networks(machine, into)
    planned = {kind.plan.name: kind for kind in host_kinds(into, all_parts(into))}
    for kind in machine.kinds:
        if kind.plan.name not in planned:
            raise InputError(
                f"host '{kind.plan.name}': the machine has {len(kind.names):,} of them, and the file none; an existing machine"
                " keeps its hosts: give their [[host]]"
            )
    kinds = tuple(_continued(machine, planned))
    if sum(len(kind.names) for kind in kinds) == machine.hosts:
        raise InputError(
            f"machine '{into.title}': the file has the {machine.hosts:,} hosts that the machine has; raise the `count` of a"
            " [[host]], or add one"
        )
    return kinds


def _check_networks(machine: Machine, into: MachineRequirement) -> None:
    names = [network.name for network in into.network]
    missing = [name for name in machine.networks if name not in names]
    if missing:
        raise InputError(f"network '{missing[0]}': the machine has it, and the file does not; give its [[network]]")
    for network in into.network:
        if network.name not in machine.networks:
            raise MachineError(
                f"network '{network.name}': the machine does not have it (it has {', '.join(machine.networks)}); hosts can be"
                " added to an existing machine, and networks cannot",
                "network",
                network.name,
            )
        stands = machine.requirement.plan(network.name)
        changed: list[tuple[str, ...]] = [(key,) for key in _FIXED if getattr(network, key) != getattr(stands, key)]
        changed += [
            ("switch", key) for key in ("product", "radix") if _of_switch(network, key) != _of_switch(stands, key)
        ]
        for keys in changed:
            raise MachineError(
                f"network '{network.name}': {'.'.join(keys)} differs from that of the machine; an existing network keeps it",
                "network",
                network.name,
                *keys,
            )


def _of_switch(network: msgspec.Struct, key: str) -> object:
    return getattr(network.switch, key)  # type: ignore[attr-defined]


def _continued(machine: Machine, planned: dict[str, HostKind]) -> Iterator[HostKind]:
    """The planned kinds with the names of existing hosts."""
    existing = {kind.plan.name: kind for kind in machine.kinds}
    taken = {name for kind in machine.kinds for name in kind.names}
    for name, kind in planned.items():
        stands = existing.get(name)
        if stands is None:
            twice = next((each for each in kind.names if each in taken), None)
            if twice is not None:
                raise MachineError(
                    f"host '{name}': the machine has a host {twice} already; give this kind another `node`",
                    *("host", name, "node"),
                )
            yield kind
            continue
        before, after = len(stands.names), len(kind.names)
        if after < before:
            raise MachineError(
                f"host '{name}': the machine has {before:,} of them, and the file {after:,}; an existing machine keeps its"
                " hosts",
                *("host", name, "count"),
            )
        same = msgspec.structs.replace(kind.plan, count=before)
        for key in same.__struct_fields__:
            if getattr(same, key) != getattr(stands.plan, key):
                raise MachineError(
                    f"host '{name}': `{key}` differs from that of the machine; its hosts stay as they are: add others as"
                    " another [[host]]",
                    *("host", name, key),
                )
        yield HostKind.named(kind.plan, kind.server, stands.digits)
