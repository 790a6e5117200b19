"""Which topologies could serve a requirement: every family's parameter sets, before anything is built."""

from dataclasses import dataclass
from math import isnan
from typing import Any

from topoloom.core.errors import InputError
from topoloom.cost.parts import Parts
from topoloom.designer.requirement import Requirement
from topoloom.designer.usual import usual_specs
from topoloom.designer.wiring import PlaneWiring, fitted_wiring, wirings
from topoloom.graph.moore import moore_aspl, moore_diameter
from topoloom.topologies.spec import FAMILIES, Facts, Family

#: Measuring takes a time that grows with the square of the switches, and more: days for more than these.
MOST_SWITCHES = 50_000


@dataclass(frozen=True)
class Proposal:
    """A candidate before it is built: its spec, the least its switches cost per host, and the limit that theory sees passed.

    `least_usd` is 0 where theory knows nothing; `passed` is None where no limit is passed for certain. `beside`: it is measured
    to be compared with only, for its family does not take part. `ports` is how many a switch uses at least, 0 where only some
    switches carry hosts.
    """

    spec: str
    least_usd: float = 0.0
    passed: str | None = None
    beside: bool = False
    ports: int = 0


def enumerate_candidates(requirement: Requirement, parts: Parts) -> list[Proposal]:
    """Every family's candidates for a need and the specs that it names, the cheapest possible first; `parts`: the need's."""
    found: dict[str, Proposal] = {}
    for record in _chosen(requirement):
        if record.sizes is None:
            continue
        for wiring in wirings(requirement):
            for sized in record.sizes(requirement.hosts * wiring.ports, requirement.radix):
                values = fitted_wiring(record, dict(sized), requirement.hosts, wiring)
                if values is not None:
                    proposal = proposal_of(record, values, requirement, parts, wiring)
                    found.setdefault(proposal.spec, proposal)
    for spec in requirement.families.specs:
        found.setdefault(spec, Proposal(spec))
    for spec in usual_specs(requirement) if requirement.usual else ():
        # Measured whatever it costs: it is what a recommendation is compared with.
        if spec not in found:
            found[spec] = Proposal(
                spec, beside=spec.partition(":")[0] not in {record.name for record in _chosen(requirement)}
            )
        elif found[spec].passed != "size":
            found[spec] = Proposal(spec)
    return sorted(found.values(), key=lambda proposal: (proposal.least_usd, proposal.spec))


def _chosen(requirement: Requirement) -> list[Family]:
    only = [FAMILIES.find(name).name for name in requirement.families.only]
    omitted = {FAMILIES.find(name).name for name in requirement.families.leave_out}
    return [record for name, record in FAMILIES.items() if (not only or name in only) and name not in omitted]


def proposal_of(
    record: Family,
    values: dict[str, Any],
    requirement: Requirement,
    parts: Parts,
    wiring: PlaneWiring,
    change: str = "",
) -> Proposal:
    """The spec with every parameter written out, so that one topology has one spec, and what theory says of it.

    Parameters
    ----------
    record : Family
    values : dict
        Its parameters, and ``hosts`` on each switch where it takes them.
    requirement : Need
    parts : Parts
        The need's catalogue.
    wiring : PlaneWiring
        How hosts hang on it.
    change : str
        A transform of its links, ``+optimized:moves=1000``, that keeps degrees.
    """
    hosts = values.pop("hosts", None) if record.takes_hosts else None
    spec = record.spec_of(values, hosts) + change + wiring.suffix
    try:
        facts = record.known(record.filled(values))
    except InputError:
        return Proposal(spec, passed="construction")
    if facts.carriers is not None or (hosts is None and not facts.hosts):
        # Where only some switches carry hosts theory says little, and there are few such candidates.
        return Proposal(spec, passed=_passed(facts, requirement, None, wiring))
    per_switch = int(hosts) if hosts is not None else facts.hosts // facts.switches
    # Where the highest degree is a matter of luck, it is at least the mean.
    degree = facts.degree if facts.degree is not None else -(-2 * (facts.links or 0) // facts.switches)
    ports = degree + per_switch
    usd = facts.switches * parts.switch_usd(min(ports, parts.most_ports(requirement.rate_gbps) or ports))
    least = usd / (per_switch * facts.switches) * requirement.ports_per_host
    return Proposal(spec, 0.0 if isnan(least) else least, _passed(facts, requirement, per_switch, wiring), ports=ports)


def _passed(facts: Facts, requirement: Requirement, per_switch: int | None, wiring: PlaneWiring) -> str | None:
    """The limit that the candidate is past for certain: by the family's facts, or by the bounds of Moore and Cerf.

    `per_switch`: hosts on each switch, where all switches carry the same number; None otherwise.
    """
    limits, n, degree = requirement.limits, facts.switches, facts.degree
    if n * wiring.planes > MOST_SWITCHES:
        return "size"
    # A tree's diameter is between its leaves too, so the fact holds for hosts as well.
    diameter, share = facts.diameter, 0.0
    if per_switch and degree is not None and n > 1:
        least = moore_diameter(n, degree)
        diameter = max(diameter or 0, int(least)) if least < n else diameter
        # Mean channel load of uniform traffic on shortest paths, with the least ASPL that the degree allows.
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
    # No channel's load is above the busiest's, so neither is the mean (which counts a host's traffic to its own switch).
    if limits.maximum_channel_load is not None and share * (1 - 1 / n) > limits.maximum_channel_load * (1 + 1e-9):
        return "maximum_channel_load"
    return "switches" if limits.switches is not None and n * wiring.planes > limits.switches else None
