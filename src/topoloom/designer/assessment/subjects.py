"""Subjects by requirements: what the requirement of a network says of its switches, cables and collectives."""

from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.designer.assessment.subject import Subject
from topoloom.designer.need import Need
from topoloom.network import Network


def subject_of(
    network: Network,
    need: Need | None = None,
    *,
    lanes: int | None = None,
    radix: int | None = None,
    seed: int | None = None,
) -> Subject:
    """A network as it is assessed: by its requirement, where it has one, but for what is given.

    Parameters
    ----------
    network : Network
        With a layout.
    need : Need, optional
        The requirement; the one that the network remembers if omitted.
    lanes : int, optional
        Virtual lanes of a switch.
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
    need = remembered_need(network) if need is None else need
    given = {"lanes": lanes, "radix": radix, "seed": seed}
    known: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if need is None:
        return Subject(network, **known)
    remembered: dict[str, Any] = {
        "switch_ns": need.switch.delay_ns,
        "cable_ns_per_m": need.cable.delay_ns_per_m,
        "lanes": need.switch.lanes,
        "radix": need.radix,
        "all_to_all_mib": need.collective.all_to_all_mib,
        "all_reduce_mib": need.collective.all_reduce_mib,
    }
    return Subject(network, **{**remembered, **known})


def remembered_need(network: Network) -> Need | None:
    """The requirement that a network was designed for; None where it remembers none.

    Raises
    ------
    InputError
        It is damaged.
    """
    if network.requirements is None:
        return None
    try:
        return msgspec.convert(network.requirements, Need, strict=True)
    except (msgspec.ValidationError, InputError) as error:
        raise InputError(f"{network.source}: its requirement is damaged: {error}") from None
