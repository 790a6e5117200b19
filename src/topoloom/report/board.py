"""The first page of a design's report: the recommendation, its alternatives and its risks, for those who decide."""

from collections.abc import Iterator, Sequence
from math import isnan

from markupsafe import Markup

from topoloom.cabling.expansion.phases.phase import Phases
from topoloom.core.amounts import amount, in_currency, with_currency
from topoloom.core.pages.templating import rendered
from topoloom.cost.bill import Bill
from topoloom.cost.facility import RackPower
from topoloom.cost.parts import Parts
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.assessment.reasons import lost_hosts
from topoloom.designer.design import Design
from topoloom.designer.measured_limits import failed_limit
from topoloom.designer.outcomes import Candidate
from topoloom.designer.shortlist import objective_in_words
from topoloom.report.page import cards
from topoloom.report.phases_table import phases_summary
from topoloom.topologies.spec.titles import network_title

#: Alternatives on the page.
_ALTERNATIVES = 3
#: Costs that differ by less are the same; a share of a host's rate that counts as all of it.
_SAME, _FULL = 5e-4, 0.995
_COLUMNS = ("cost [USD]", "compared", "power [kW]", "switches", "racks", "uniform throughput", "longest cable [m]")


def board_page(design: Design, parts: Parts, bill: Bill | None, power: RackPower | None = None) -> Markup | str:
    """The first page: recommendation, cost, power, racks, alternatives and risks; empty without a winner.

    Parameters
    ----------
    design : Design
    parts : Parts
        The requirement's catalogue.
    bill : Bill or None
        The winner's.
    power : RackPower, optional
        The maximum power of the winner's racks; the page has no power of all IT without it.

    Returns
    -------
    Markup or ""
    """
    best = design.winner
    if best is None:
        return ""
    assessed = {assessment.spec: assessment for assessment in design.shortlist}
    return rendered(
        "board.html",
        name=best.name,
        spec=best.spec,
        why=_reason(best, design),
        numbers=_numbers(best, assessed.get(best.spec), parts.currency, _it_power(design, power)),
        phases=phases_summary(design.phases_of(best.spec)),
        about_phases=_about_phases(design.phases_of(best.spec)),
        no_phases=design.no_phases.get(best.spec, ""),
        columns=[in_currency(column, parts.currency) for column in _COLUMNS],
        others=[
            {
                "name": candidate.name,
                "spec": candidate.spec,
                "cells": _cells(candidate, best, assessed.get(candidate.spec)),
            }
            for candidate in (best, *_alternatives(design))
        ],
        risks=list(_risks(design, best, assessed.get(best.spec), bill, parts)),
        basis=_basis(design, parts),
    )


def _about_phases(phases: Phases | None) -> list[str]:
    """Sentences on what comes when, and on the tables of each phase."""
    return [] if phases is None else [*phases.timing(), *phases.verified()]


def _alternatives(design: Design) -> list[Candidate]:
    """Fully assessed networks of other kinds, then other families' best, then the next of the ranking; within all limits."""
    ranked = {candidate.spec: candidate for candidate in design.ranked}
    assessed = [ranked[network.spec] for network in design.shortlist if network.spec in ranked]
    pool = [*assessed, *(candidate for _, candidate in design.leading()), *design.ranked]
    chosen: dict[str, Candidate] = {}
    # One of each kind first; a second of a kind only where there are fewer kinds.
    for distinct in (True, False):
        for candidate in pool:
            kinds = {network_title(spec) for spec in (design.ranked[0].spec, *chosen)}
            is_new = candidate.spec != design.best and candidate.spec not in chosen
            if is_new and len(chosen) < _ALTERNATIVES and not (distinct and network_title(candidate.spec) in kinds):
                chosen[candidate.spec] = candidate
    return sorted(chosen.values(), key=design.ranked.index)


def _reason(best: Candidate, design: Design) -> str:
    """Why it is first, in one or two sentences."""
    considered = len(design.ranked) + len(design.dropped)
    objective, _ = objective_in_words(design.requirement.minimize)
    return (
        f"Of {considered:,} candidates for {design.requirement.hosts:,} hosts, {len(design.ranked):,} are within every limit;"
        f" this one ranks first by {objective}."
    )


def _it_power(design: Design, power: RackPower | None) -> tuple[tuple[str, str], ...]:
    """The maximum power of hosts and network with the facility's share, as a number and its label; empty if not known."""
    if power is None or design.requirement.host is None or not design.requirement.host.power_w:
        return ()
    it_kw, pue = float(power.max_w.sum()) / 1000, design.requirement.facility.pue
    least = "at least " * (power.unknown > 0)
    whole = "" if pue is None else f"; {least}{it_kw * pue:,.0f} kW of the facility at a PUE of {pue:g}"
    return ((f"{it_kw:,.0f} kW", f"{least}maximum power of all IT, hosts and network{whole}"),)


def _numbers(
    best: Candidate, assessment: Assessment | None, currency: str, it_power: tuple[tuple[str, str], ...]
) -> Markup:
    throughput = None if assessment is None else assessment.value("uniform_throughput")
    room = f", room for {best.room_hosts:,} more" if best.room_hosts else ""
    numbers = [
        (f"{best.cost_usd:,.0f}", f"{currency}; {with_currency(best.cost_per_host_usd, currency)} per host"),
        (f"{amount(best.power_w / 1000)} kW", f"network power, {amount(best.power_per_host_w, 3)} W per host"),
        *it_power,
        (f"{best.racks:,}", "racks"),
        (f"{best.hosts:,}", f"hosts{room}"),
        (f"{best.switches:,}", f"switches, up to {best.radix} ports used"),
        (f"{best.links:,}", f"cables between switches, up to {best.longest_cable_m:.0f} m"),
    ]
    if throughput is not None:
        numbers.append((f"{throughput:.0%}", "of the rate of a host, when all send to all at once"))
    return cards(numbers)


def _cells(candidate: Candidate, best: Candidate, assessment: Assessment | None) -> list[str]:
    throughput = None if assessment is None else assessment.value("uniform_throughput")
    difference = candidate.cost_usd / best.cost_usd - 1
    same = "-" if candidate is best else "the same"
    compared = same if abs(difference) < _SAME else f"{difference:+.1%}".replace("-", "\u2212")
    return [
        f"{candidate.cost_usd:,.0f}",
        compared,
        amount(candidate.power_w / 1000),
        f"{candidate.switches:,}",
        f"{candidate.racks:,}",
        "not measured" if throughput is None else f"{throughput:.0%}",
        f"{candidate.longest_cable_m:.0f}",
    ]


def _risks(
    design: Design, best: Candidate, assessment: Assessment | None, bill: Bill | None, parts: Parts
) -> Iterator[str]:
    """What may go wrong: with the network, with the figures, with the prices."""
    throughput = None if assessment is None else assessment.value("uniform_throughput")
    if throughput is not None and throughput < _FULL:
        yield f"When all hosts send to all others at once, each gets {throughput:.0%} of the rate of its port."
    elif throughput is None and best.oversubscription > 1:
        yield f"Oversubscription is {best.oversubscription:.2f}: hosts that all send at once share the links between switches."
    for phase in () if (grown := design.phases_of(best.spec)) is None else grown.phases:
        tables = phase.tables
        failed = (
            None
            if tables is None
            else failed_limit(design.requirement, tables.uniform_throughput, tables.max_hops, tables.engine)
        )
        if failed is not None:
            yield f"Phase {phase.number} of {phase.hosts:,} hosts is not within the limits: {failed[1]}."
    if assessment is None:
        yield "The network was not assessed in full: no tables, throughput or failures were measured."
    else:
        yield from _measured_risks(assessment)
    yield from _price_risks(bill, parts, design.requirement.rate_gbps)
    if design.unmeasured:
        yield f"{design.unmeasured:,} candidates were not measured; a better one may be among them."


def _measured_risks(assessment: Assessment) -> Iterator[str]:
    saturation, leaf, left = (assessment.value(key) for key in ("saturation", "cut_off_by_leaf", "left_after_5"))
    if saturation is not None and saturation < 1:
        yield f"Queues grow from {saturation:.0%} of uniform load on."
    if leaf is not None:
        yield f"The loss of one leaf switch cuts off {lost_hosts(leaf)}."
    if left is not None:
        yield f"The loss of 5 % of the links leaves {left:.0%} of the bandwidth."
    if assessment.missing:
        steps = ", ".join(dict.fromkeys(gap.words for gap in assessment.missing))
        yield f"Not measured: {steps}."


def _price_risks(bill: Bill | None, parts: Parts, rate_gbps: float) -> Iterator[str]:
    if bill is not None:
        if bill.unpriced:
            yield f"No price is known of: {_plural(bill.unpriced)}. The cost does not include them."
        if bill.unmetered:
            yield f"No power is known of: {_plural(bill.unmetered)}. The power does not include them."
        low, high = bill.cost_low_usd, bill.cost_high_usd
        if not isnan(low) and low != high:
            yield f"Prices are ranges: the cost is between {low:,.0f} and {with_currency(high, bill.currency)}."
    if parts.rate_gbps is not None and not parts.rate_gbps[0] <= rate_gbps <= parts.rate_gbps[1]:
        yield f"The prices of {parts.name} are extrapolated to {rate_gbps:g} Gb/s; use them to compare, not as a budget."


def _plural(kinds: Sequence[str]) -> str:
    """Kinds of parts in the plural: "racks, switches"."""
    return ", ".join(f"{_KINDS.get(kind, kind)}{'es' if kind.endswith('ch') else 's'}" for kind in kinds)


#: Names of kinds of parts, where they differ from those in bills.
_KINDS = {"nic": "interface"}


def _basis(design: Design, parts: Parts) -> str:
    """What the numbers rest on."""
    requirement = design.requirement
    quotes = f", quotes of {requirement.prices}" if requirement.prices else ""
    dated = f" of {parts.date:%Y-%m-%d}" if parts.date is not None else ""
    return (
        f"Prices and power: catalogue {parts.name}{dated}{quotes}. The next pages have the requirement, all candidates and the"
        " bill."
    )
