"""The choices for each network of a machine: the candidates of its own requirement, and those that none of them beats."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.cost.price_factors import with_factors
from topoloom.cost.quotes import quoted_parts
from topoloom.cost.terms import DEFAULT_PARTS
from topoloom.designer.design import design
from topoloom.designer.offers import worst_taper
from topoloom.designer.outcomes import Candidate
from topoloom.designer.pareto import undominated
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_keys import NETWORK_KEYS
from topoloom.designer.wiring import without_populated
from topoloom.machine.connecting import Room
from topoloom.machine.devices import DeviceGroup
from topoloom.machine.faults import MachineError
from topoloom.machine.requirement import MachineNetwork, MachineRequirement
from topoloom.model.topology import Topology
from topoloom.network.opening import open_network
from topoloom.placement.hosts.housing import HostType
from topoloom.topologies.spec import build

#: Most choices of one network that machines are made of.
_MOST_CHOICES = 12


@dataclass(frozen=True, eq=False)
class NetworkChoice:
    """One choice for a network.

    Attributes
    ----------
    network, spec, name : str
        Of the machine; as `topoloom build` takes it; for people.
    cost_usd, power_w : float
        Of the network as screened: the common racks change its cables. NaN where not known.
    switches : int
    regret : float
        By how much it is worse than the best choice by the network's own objective, as a share of that.
    """

    network: str
    spec: str
    name: str
    cost_usd: float
    power_w: float
    switches: int
    regret: float
    room: Room


def network_parts(requirement: MachineRequirement, network: MachineNetwork) -> Parts:
    """The catalogue of a network, with its quotes, reduced to the switch that it names.

    Parameters
    ----------
    requirement : MachineRequirement
    network : MachineNetwork

    Raises
    ------
    InputError
        The catalogue or the quotes cannot be used, or the catalogue lacks the switch.
    """
    parts = all_parts(requirement, network)
    if not network.switch.product:
        return parts
    named = tuple(product for product in parts.switch.product if product.name == network.switch.product)
    if not named:
        sold = ", ".join(product.name for product in parts.switch.product)
        raise MachineError(
            f"network '{network.name}': the catalogue '{parts.name}' has no switch '{network.switch.product}' (it has {sold})",
            "network",
            network.name,
            "switch",
            "product",
        )
    if not named[0].ports_at(network.rate_gbps):
        raise MachineError(
            f"network '{network.name}': '{network.switch.product}' has no ports of {network.rate_gbps:g} Gb/s; give another"
            " rate_gbps or switch",
            "network",
            network.name,
            "rate_gbps",
        )
    return msgspec.structs.replace(parts, switch=msgspec.structs.replace(parts.switch, product=named))


def all_parts(requirement: MachineRequirement, network: MachineNetwork | None = None) -> Parts:
    """The catalogue of a network, or that of the machine, with quotes and price factors."""
    own = network is not None and bool(network.parts)
    name = network.parts if network is not None and own else requirement.parts or DEFAULT_PARTS
    prices = network.prices if network is not None and network.prices else "" if own else requirement.prices
    return with_factors(quoted_parts(name, prices or None), requirement.price_factors)


def given_room(network: MachineNetwork) -> Room:
    """The network that a machine file gives by its `spec`: a spec, or the path of a file."""
    try:
        topology = open_network(network.spec).topology
    except InputError as error:
        raise MachineError(f"network '{network.name}': {error}", "network", network.name, "spec") from None
    taper, limit = worst_taper(topology), network.limits.taper
    if taper is not None and limit is not None and taper > limit * (1 + 1e-9):
        raise MachineError(
            f"network '{network.name}': its spec has a taper of {taper:g}, above limits.taper = {limit:g}; give another spec or"
            " limit",
            *("network", network.name, "limits", "taper"),
        )
    return Room(topology, blocks_of(topology))


def blocks_of(topology: Topology) -> dict[str, np.ndarray]:
    """The leaf switches of each block, bool[switches]; empty where a network is not described by blocks.

    Parameters
    ----------
    topology : Topology

    Returns
    -------
    dict of str to bool[switches]
    """
    names = topology.labels.get("block")
    if names is None or names.dtype.kind != "U":
        return {}
    is_leaf = topology.endpoints_at > 0
    return {name: own for name in np.unique(names).tolist() if (own := (names == name) & is_leaf).any()}


def choices_of(
    requirement: MachineRequirement,
    network: MachineNetwork,
    groups: Sequence[DeviceGroup],
    jobs: int | None,
    work: Work,
) -> tuple[list[NetworkChoice], str]:
    """The choices for a network: its own candidates of which none is beaten in cost, power, switches and its own objective.

    Parameters
    ----------
    requirement : MachineRequirement
    network : MachineNetwork
        Without an uplink.
    groups : sequence of DeviceGroup
        Its devices, as far as known before the racks are.
    jobs : int or None
    work : Work

    Returns
    -------
    (list of NetworkChoice, str)
        Best first by its own objective; and why there is none, if so.

    Raises
    ------
    InputError
        The requirement cannot be used.
    """
    if network.spec:
        room = given_room(network)
        nan = math.nan
        return [
            NetworkChoice(network.name, network.spec, room.topology.name, nan, nan, room.topology.switches, 0.0, room)
        ], ""
    own = requirement_of_network(requirement, network, groups)
    result = design(own, shortlist=0, jobs=jobs, work=work)
    if not result.ranked:
        dropped = ", ".join(f"{limit} {count}" for limit, count in result.dropped_by.items())
        why = next((f"; {each.reason}" for each in result.dropped if each.limit == "parts" and each.reason), "")
        return [], f"no candidate is within the limits of its own requirement (dropped by: {dropped or 'none'}{why})"
    best = getattr(result.ranked[0], network.minimize)
    values = np.array([_values(candidate, network, best) for candidate in result.ranked])
    front = np.flatnonzero(undominated(np.nan_to_num(values))).tolist()
    return [_choice(network, result.ranked[i], best) for i in shortened(front, values, _MOST_CHOICES)], ""


def shortened(order: Sequence[int], values: np.ndarray, most: int) -> list[int]:
    """The first rows of an order, and the least of each column: a limit may leave only one that is not among the first.

    Parameters
    ----------
    order : sequence of int
        Rows, the best first.
    values : float64[rows, columns]
        NaN: not known.
    most : int
        How many rows remain; at least one per column.

    Returns
    -------
    list of int
        In this order.

    Examples
    --------
    >>> shortened([0, 1, 2, 3], np.array([[1.0, 9.0], [2.0, 8.0], [3.0, 7.0], [4.0, 1.0]]), 2)
    [0, 3]
    """
    sums = np.where(np.isnan(values), np.inf, values)
    remaining = {min(order, key=lambda row: sums[row, column]) for column in range(sums.shape[1])}
    for row in order:
        if len(remaining) >= most:
            break
        remaining.add(row)
    return [row for row in order if row in remaining]


def _values(candidate: Candidate, network: MachineNetwork, best: float) -> list[float]:
    return [candidate.cost_usd, candidate.power_w, float(candidate.switches), _regret(candidate, network, best)]


def _regret(candidate: Candidate, network: MachineNetwork, best: float) -> float:
    value = getattr(candidate, network.minimize)
    return 0.0 if not best or value is None else float(value) / best - 1.0


def _choice(network: MachineNetwork, candidate: Candidate, best: float) -> NetworkChoice:
    room = Room(build(without_populated(candidate.spec)))
    return NetworkChoice(
        network.name,
        candidate.spec,
        candidate.name,
        candidate.cost_usd,
        candidate.power_w,
        candidate.switches,
        _regret(candidate, network, best),
        room,
    )


def requirement_of_network(
    requirement: MachineRequirement, network: MachineNetwork, groups: Sequence[DeviceGroup]
) -> Requirement:
    """The requirement of one network of a machine, for the screening and the assessment.

    With `rails` or `planes`, its hosts are those of the group with most ports, and as many more as the ports of the other
    groups fill. Otherwise each port counts as a host of one port, since the ports of a device go to several leaf switches.

    Parameters
    ----------
    requirement : MachineRequirement
    network : MachineNetwork
    groups : sequence of DeviceGroup

    Returns
    -------
    Requirement
    """
    main = max(groups, key=lambda group: group.total)
    total = sum(group.total for group in groups)
    own = {key: getattr(network, key) for key in NETWORK_KEYS}
    if (network.rails or network.planes) and main.leaves is None:
        hosts = len(main.names) + -(-(total - main.total) // main.ports)
        own_rate = _own_rate(main, network)
        inside = {key: getattr(main.host, key) for key in ("scale_up", "scale_up_gb_per_s")}
        host = HostType(nics=main.ports, rate_gbps=own_rate, **inside)
    else:
        hosts, host = total, HostType(nics=1, rate_gbps=_own_rate(main, network))
    if host.rate_gbps is None and host.nics == 1:
        host = None  # type: ignore[assignment]
    else:
        host = msgspec.structs.replace(host, u=1.0)
    parts, prices = (
        (network.parts, network.prices) if network.parts else (requirement.parts, network.prices or requirement.prices)
    )
    return Requirement(
        **{**own, "usual": False},
        hosts=max(2, hosts),
        host=host,
        title=f"{requirement.title}: {network.name}",
        floor=requirement.floor,
        parts=parts,
        prices=prices,
        price_factors=requirement.price_factors,
        spares=requirement.spares,
        shortlist=0,
    )


def _own_rate(group: DeviceGroup, network: MachineNetwork) -> float | None:
    return None if group.rate_gbps == network.rate_gbps else group.rate_gbps
