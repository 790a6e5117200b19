"""The candidates for a requirement: every family's parameter sets, before anything is built."""

from dataclasses import dataclass
from math import ceil, floor, isnan
from typing import Any

from topoloom.cost.parts import Parts
from topoloom.designer.reference_designs import reference_specs
from topoloom.designer.requirement import Requirement
from topoloom.designer.switch_ports import SwitchPorts, sizes_of
from topoloom.designer.wiring import PlaneWiring, fitted_wiring, wired_spec, wirings
from topoloom.graph.moore import moore_aspl, moore_diameter
from topoloom.topologies.spec import FAMILIES, Facts, Family

#: Most switches that are measured: the time grows with at least the square of their number, and takes days for more.
MOST_SWITCHES = 50_000
#: The families of the preset "supported": fat trees and Dragonfly+ have routing engines in NVIDIA's and open subnet managers,
#: and are what leaf-spine Ethernet is; HPE sells Slingshot as a Dragonfly.
SUPPORTED = ("fat-tree", "megafly")
_SUPPORTED_BY_HPE = ("dragonfly", "slingshot")


@dataclass(frozen=True)
class Proposal:
    """A candidate before it is built: its spec, a lower bound of its cost per host, and the limit that it surely exceeds.

    `least_usd` is the cost of its switches per host; 0 where theory gives no bound. `passed` is None where no limit is
    exceeded for certain. `compared_only`: it is measured for comparison only, because its family does not take part. `ports`
    is the least number of ports that a switch uses; 0 where only some switches carry hosts. `reason` is a sentence about
    `passed`, where it does not speak for itself.
    """

    spec: str
    least_usd: float = 0.0
    passed: str | None = None
    compared_only: bool = False
    ports: int = 0
    reason: str | None = None


def enumerate_candidates(requirement: Requirement, parts: Parts) -> list[Proposal]:
    """Every family's candidates for a requirement and the specs that it names, sorted by the lower bound of their cost."""
    proposals: dict[str, Proposal] = {}
    chosen, ports = chosen_families(requirement, parts), SwitchPorts.of(requirement, parts)
    for record in chosen:
        for wiring in wirings(requirement):
            for sized in sizes_of(record, requirement.grown_hosts * wiring.ports, ports):
                values = fitted_wiring(record, dict(sized), requirement.grown_hosts, wiring)
                if values is not None:
                    proposal = proposal_of(record, values, requirement, parts, wiring)
                    if proposal.passed != "radix":
                        proposals.setdefault(proposal.spec, proposal)
    for spec in requirement.families.specs:
        proposals.setdefault(spec, Proposal(spec))
    for spec in reference_specs(requirement, parts) if requirement.usual else ():
        # A reference design is measured whatever it costs: a recommendation is compared with it.
        if spec not in proposals:
            proposals[spec] = Proposal(
                spec, compared_only=spec.partition(":")[0] not in {record.name for record in chosen}
            )
        elif proposals[spec].passed != "size":
            proposals[spec] = Proposal(spec)
    return sorted(proposals.values(), key=lambda proposal: (proposal.least_usd, proposal.spec))


def chosen_families(requirement: Requirement, parts: Parts) -> list[Family]:
    """The families that take part: those that the requirement names, or those of its preset, without the ones it leaves out.

    Parameters
    ----------
    requirement : Requirement
    parts : Parts
        The requirement's catalogue: its vendors decide what is supported.
    """
    families = requirement.families
    only = {FAMILIES.find(name).name for name in families.only}
    if not only and families.preset == "supported":
        vendors = {product.vendor for product in parts.switch.product if product.vendor}
        only = {*SUPPORTED, *(_SUPPORTED_BY_HPE if not vendors or "HPE" in vendors else ())}
    omitted = {FAMILIES.find(name).name for name in families.leave_out}
    return [record for name, record in FAMILIES.items() if (not only or name in only) and name not in omitted]


def proposal_of(
    record: Family,
    values: dict[str, Any],
    requirement: Requirement,
    parts: Parts,
    wiring: PlaneWiring,
    change: str = "",
) -> Proposal:
    """The proposal of a family's parameter set: its spec, with every parameter written out, and its theoretical bounds.

    Each topology has exactly one such spec. It holds exactly the hosts of the requirement; where these grow, it is the part for
    them of a network that is sized for the growth.

    Parameters
    ----------
    record : Family
    values : dict
        Its parameters, and ``hosts`` per switch where the family takes them.
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.
    wiring : PlaneWiring
        How hosts are attached.
    change : str
        A transform of its links that keeps degrees, as ``+optimized:moves=1000``; empty for none.
    """
    wired = wired_spec(record, values, requirement.grown_hosts, wiring, change, requirement.hosts)
    facts, spec = wired.facts, wired.spec
    if facts is None:
        return Proposal(spec, passed="construction", reason=wired.reason)
    if facts.carriers is not None or not wired.per_switch:
        # Where only some switches carry hosts, theory gives few bounds; such candidates are few.
        return Proposal(spec, passed=_passed(facts, requirement, None, wiring))
    # Where the highest degree is random, it is at least the mean.
    degree = facts.degree if facts.degree is not None else -(-2 * (facts.links or 0) // facts.switches)
    sold = SwitchPorts.of(requirement, parts)
    if sold.mixed and not sold.fits(degree, ceil(wired.per_switch)):
        return Proposal(spec, passed="radix", ports=degree + ceil(wired.per_switch))
    usd = facts.switches * _least_usd(degree, floor(wired.per_switch), sold, parts)
    # Per host, a part has at least the switches of the whole network.
    least = usd * wiring.planes / requirement.grown_hosts
    return Proposal(
        spec,
        0.0 if isnan(least) else least,
        _passed(facts, requirement, wired.per_switch, wiring),
        ports=degree + ceil(wired.per_switch),
    )


def _least_usd(links: int, hosts: int, sold: SwitchPorts, parts: Parts) -> float:
    """The price of a switch with at least these ports."""
    ports, rate = links + hosts, sold.rate_gbps
    if not sold.mixed:
        return parts.switch_usd(min(ports, parts.most_ports(rate) or ports), rate)
    return parts.switch_usd({each: count for each, count in ((rate, links), (sold.host_gbps, hosts)) if count} or ports)


def _passed(facts: Facts, requirement: Requirement, per_switch: float | None, wiring: PlaneWiring) -> str | None:
    """The limit that the candidate exceeds for certain, by its family's facts or by the bounds of Moore and Cerf; or None.

    `per_switch`: mean host ports per switch, where all switches carry hosts; None otherwise.
    """
    limits, n, degree = requirement.limits, facts.switches, facts.degree
    if n * wiring.planes > MOST_SWITCHES:
        return "size"
    # The diameter of a tree is reached between leaves, so the fact holds for hosts as well.
    diameter, share = facts.diameter, 0.0
    if per_switch and degree is not None and n > 1:
        least = moore_diameter(n, degree)
        diameter = max(diameter or 0, int(least)) if least < n else diameter
        # Mean channel load of uniform traffic on shortest paths, with the lowest ASPL that the degree allows.
        share = per_switch * moore_aspl(n, degree) * (n - 1) / (n * degree)
    if diameter is not None:
        if limits.diameter is not None and diameter > limits.diameter:
            return "diameter"
        if (
            limits.worst_latency_ns is not None
            and (diameter + 1) * requirement.switch.delay_ns > limits.worst_latency_ns
        ):
            return "worst_latency_ns"
    if limits.oversubscription is not None and share > limits.oversubscription * (1 + 1e-9):
        return "oversubscription"
    # A tree has switches without hosts, so `share` is 0.
    if limits.blocking is not None and share > limits.blocking * (1 + 1e-9):
        return "blocking"
    # The mean load is at most the maximum channel load; it counts a host's traffic to its own switch, hence 1 - 1/n.
    if limits.maximum_channel_load is not None and share * (1 - 1 / n) > limits.maximum_channel_load * (1 + 1e-9):
        return "maximum_channel_load"
    # A network that is sized for growth has fewer switches now.
    exact = requirement.grown_hosts == requirement.hosts
    return "switches" if exact and limits.switches is not None and n * wiring.planes > limits.switches else None
