"""The subject of a network, by its requirement: what that says of switches, cables and collectives."""

from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.designer.assessment.subject import Subject
from topoloom.designer.requirement import Requirement
from topoloom.network import Network
from topoloom.placement.hosts.housing import Housing
from topoloom.simulation.applications.rail_collectives import scale_up_of


def subject_of(
    network: Network,
    requirement: Requirement | None = None,
    *,
    virtual_channels: int | None = None,
    radix: int | None = None,
    seed: int | None = None,
) -> Subject:
    """The subject of a network: the values of its requirement, if any, with the given ones in their place.

    Parameters
    ----------
    network : Network
        With a layout.
    requirement : Requirement, optional
        If omitted, the requirement that the network remembers.
    virtual_channels : int, optional
        Virtual channels of a switch.
    radix : int, optional
        Ports of the available switches.
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
    settings = {"virtual_channels": virtual_channels, "radix": radix, "seed": seed}
    given: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
    housing = network.layout.housing if network.layout is not None else None
    if housing is not None:
        given["scale_up"] = scale_up_of(housing, network.topology.hosts)
    elif requirement is not None and requirement.host is not None:
        given["scale_up"] = scale_up_of(Housing(host=requirement.host, rack=requirement.rack), network.topology.hosts)
    if requirement is None:
        return Subject(network, **given)
    remembered: dict[str, Any] = {
        "switch_ns": requirement.switch.delay_ns,
        "cable_ns_per_m": requirement.cable.delay_ns_per_m,
        "virtual_channels": requirement.switch.virtual_channels,
        "radix": requirement.radix,
        "all_to_all_mib": requirement.collective.all_to_all_mib,
        "all_reduce_mib": requirement.collective.all_reduce_mib,
    }
    return Subject(network, **{**remembered, **given})


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
