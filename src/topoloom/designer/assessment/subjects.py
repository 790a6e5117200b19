"""Subjects by requirements: what the requirement of a network says of its switches, cables and collectives."""

from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.designer.assessment.subject import Subject
from topoloom.designer.requirement import Requirement
from topoloom.network import Network


def subject_of(
    network: Network,
    requirement: Requirement | None = None,
    *,
    virtual_channels: int | None = None,
    radix: int | None = None,
    seed: int | None = None,
) -> Subject:
    """A network as it is assessed: by its requirement, where it has one, but for what is given.

    Parameters
    ----------
    network : Network
        With a layout.
    requirement : Need, optional
        The requirement; the one that the network remembers if omitted.
    virtual_channels : int, optional
        Virtual virtual channels of a switch.
    radix : int, optional
        Ports of the switches that can be had.
    seed : int, optional

    Returns
    -------
    Subject

    Raises
    ------
    InputError
        The requirement that the network remembers is damaged.
    """
    requirement = remembered_requirement(network) if requirement is None else requirement
    given = {"virtual_channels": virtual_channels, "radix": radix, "seed": seed}
    known: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if requirement is None:
        return Subject(network, **known)
    remembered: dict[str, Any] = {
        "switch_ns": requirement.switch.delay_ns,
        "cable_ns_per_m": requirement.cable.delay_ns_per_m,
        "virtual_channels": requirement.switch.virtual_channels,
        "radix": requirement.radix,
        "all_to_all_mib": requirement.collective.all_to_all_mib,
        "all_reduce_mib": requirement.collective.all_reduce_mib,
    }
    return Subject(network, **{**remembered, **known})


def remembered_requirement(network: Network) -> Requirement | None:
    """The requirement that a network was designed for; None where it remembers none.

    Raises
    ------
    InputError
        It is damaged.
    """
    if network.requirements is None:
        return None
    try:
        return msgspec.convert(network.requirements, Requirement, strict=True)
    except (msgspec.ValidationError, InputError) as error:
        raise InputError(f"{network.source}: its requirement is damaged: {error}") from None
