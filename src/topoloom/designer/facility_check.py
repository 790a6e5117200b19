"""The limits of `[facility]` for candidates: the power of all IT by formula before a placement, and everything after it."""

from topoloom.cost.facility import facility
from topoloom.cost.facility_limits import check_total
from topoloom.cost.parts import Parts
from topoloom.cost.switch_kinds import kinds_if_sold
from topoloom.designer.requirement import Requirement
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout


def check_power(topology: Topology, requirement: Requirement, parts: Parts) -> None:
    """Refuse a network whose hosts and switches alone take more than `[facility]` supplies.

    Parameters
    ----------
    topology : Topology
        A network that is sized for growth has the hosts that it has then.
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.

    Raises
    ------
    InputError
        The sentence gives both powers.
    """
    rule = requirement.facility
    if rule.power_w is None:
        return
    kinds = kinds_if_sold(topology, requirement.terms(parts, topology)) or ()
    network_w = sum(kind.switches.size * parts.switch_feed_w(kind.bought, kind.rate_gbps) for kind in kinds)
    host_w = 0.0 if requirement.host is None else requirement.host.power_w
    check_total(topology.hosts * host_w + network_w, rule)


def check_room(layout: Layout, requirement: Requirement, parts: Parts) -> None:
    """Refuse a placed network that the room of `[facility]` does not carry, as `facility` does.

    Parameters
    ----------
    layout : Layout
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.

    Raises
    ------
    InputError
        The first limit that is exceeded.
    """
    if layout.housing is not None and requirement.facility.limits:
        terms = requirement.terms(parts, layout.topology)
        facility(layout, terms.parts, terms.rate_gbps)
