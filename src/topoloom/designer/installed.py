"""An installed network compared with a design: measured as a candidate is, with every limit that it exceeds."""

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.designer.measure import measure_network
from topoloom.designer.offers import survived
from topoloom.designer.outcomes import Candidate, Dropped, Outcome, exceeded_limits, single_numbers
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import DesignLimits, Least
from topoloom.model.results import json_value
from topoloom.network import Network
from topoloom.placement.layout.layout import Layout

#: In place of a family.
INSTALLED = "installed"
#: No requirement is for fewer hosts.
_FEWEST_HOSTS = 2


def measured_installed(
    network: Network, requirement: Requirement, parts: Parts, jobs: int, work: Work
) -> tuple[Outcome, Network | None]:
    """Measure an installed network by the terms of a requirement.

    Parameters
    ----------
    network : Network
        Its layout is used if it has one; else it is placed on the requirement's floor.
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.
    jobs : int
        Number of threads.
    work : Work
        Can stop the measuring.

    Returns
    -------
    (Candidate or Dropped, Network or None)
        `Candidate` if it is within all limits; else `Dropped` with all measures, the first limit that it exceeds, and all of
        them as the reason. The network with its layout and these terms; None where it cannot be placed or priced.
    """
    spec, topology = network.source, network.topology
    try:
        terms = msgspec.structs.asdict(requirement.terms(parts, topology))
        own = network.priced(**terms).with_requirements(json_value(requirement))
        if own.layout is None:
            own = own.placed(requirement.floor.floor(), hosts=requirement.housing, jobs=jobs, work=work)
    except InputError as error:
        return Dropped(spec, INSTALLED, "floor", str(error)), None
    if topology.hosts < _FEWEST_HOSTS:
        return Dropped(spec, INSTALLED, "hosts", f"it has {topology.hosts} hosts"), None
    # All is measured, also what exceeds a limit; fewer hosts than required are one more limit that it exceeds.
    changes = {"limits": DesignLimits(), "least": Least(), "hosts": min(requirement.hosts, topology.hosts)}
    lenient = msgspec.structs.replace(requirement, **changes, phase=())
    outcome = measure_network(spec, INSTALLED, topology, lenient, parts, work, layout=own.part(Layout))
    if isinstance(outcome, Dropped):
        return outcome, None
    outcome = msgspec.structs.replace(outcome, name=f"installed: {topology.name}", map="installed")
    exceeded = _exceeded(outcome, network, requirement)
    if not exceeded:
        return outcome, own
    reason = "; ".join(" ".join(filter(None, each)) for each in exceeded)
    return Dropped(spec, INSTALLED, exceeded[0][0], reason, single_numbers(outcome)), own


def _exceeded(candidate: Candidate, network: Network, requirement: Requirement) -> list[tuple[str, str]]:
    """All limits that an installed network exceeds: the key of each, and the two numbers in words."""
    least, measures = requirement.least, single_numbers(candidate)
    exceeded = []
    if candidate.hosts < requirement.hosts:
        exceeded.append(("hosts", f"{candidate.hosts:,}, at least {requirement.hosts:,}"))
    limits = exceeded_limits(measures, requirement.limits)
    exceeded += [(key, f"{measures[key]:.6g}, at most {getattr(requirement.limits, key):.6g}") for key in limits]
    survives = survived(network.topology, candidate.planes) if least.survives else frozenset()
    exceeded += [("survives", f"no lost {kind}") for kind in least.survives if kind not in survives]
    grown = candidate.hosts + candidate.room_hosts
    if least.grow_to_hosts is not None and grown < least.grow_to_hosts:
        exceeded.append(("grow_to_hosts", f"{grown:,}, at least {least.grow_to_hosts:,}"))
    wide, cut = least.bisection_gbps_per_host, candidate.bisection_gbps_per_host or 0.0
    if wide is not None and cut < wide * (1 - 1e-9):
        exceeded.append(("bisection_gbps_per_host", f"{cut:.6g}, at least {wide:.6g}"))
    return exceeded
