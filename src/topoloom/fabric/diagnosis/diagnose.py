"""`diagnose`: all faults of a plan, of a fabric compared with it, and of its tables, by the numbered rules."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from topoloom.core.errors import check_made
from topoloom.fabric.compare import compare_fabrics
from topoloom.fabric.comparison import Comparison
from topoloom.fabric.diagnosis.diagnostics import Diagnostic, Diagnostics
from topoloom.fabric.diagnosis.evidence import Evidence, HardwareLimits, PlanFacts
from topoloom.fabric.diagnosis.finding import Finding
from topoloom.fabric.diagnosis.passive.counts import passive_counts
from topoloom.fabric.diagnosis.roots import roots_of
from topoloom.fabric.diagnosis.rule import Rule, Severity, chosen
from topoloom.fabric.distinct_names import natural_key
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.identify import SHAPE, Match, identify
from topoloom.fabric.own_switches import with_own_switches
from topoloom.fabric.planned_kinds import as_planned
from topoloom.fabric.port_alignment import aligned_ports
from topoloom.fabric.port_counters import PortCounters
from topoloom.fabric.table_verifier import TableVerification
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, network_of, taken
from topoloom.routing.verification.verification import Verification

#: Worst first.
_ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


def diagnose(
    plan: NetworkSource,
    actual: NetworkSource | None = None,
    tables: TableVerification | Verification | None = None,
    *,
    match: Match | None = None,
    ports: bool | None = None,
    hosts: bool = True,
    facts: PlanFacts | None = None,
    limits: HardwareLimits | None = None,
    counters: PortCounters | None = None,
    only: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> Diagnostics:
    """Find the faults of a network, each root cause once, with the page that explains it and its fix.

    Parameters
    ----------
    plan : NetworkSource
        Checked by itself if `actual` is omitted.
    actual : NetworkSource, optional
        The actual fabric. If it was read with `lenient=True`, its flaws are reported, too.
    tables : TableVerification or Verification, optional
        The result of `verify_tables` or `verify_routing` for the tables of the fabric (of the plan, without a fabric).
    match : Match, optional
        The node matching of the two as they are given. When omitted, the devices that the plan knows are switches and hosts as
        it says (`topoloom.fabric.planned_kinds.as_planned`), and `identify` matches them with its default method.
    ports : bool, optional
        Whether a cable must be in the planned ports; by default yes, unless switches were matched by shape.
    hosts : bool
        Whether to include hosts and their cables.
    facts : PlanFacts, optional
        Racks and units, numbers and lengths of cables; those of the plan (`Network.facts`) when omitted.
    limits : HardwareLimits, optional
        Requirements in addition to the plan: ports, virtual channels, lengths, taper, rate.
    counters : PortCounters, optional
        Errors that ports counted (`topoloom.fabric.port_counters.read_counters`).
    only, ignore : sequence of str
        Codes (``TL203``), names (``host-missing``) or groups (``TL3xx``) of the rules to apply, and of those to skip.

    Returns
    -------
    Diagnostics

    Raises
    ------
    InputError
        As `identify`; a rule is unknown.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> plan = build("petersen")
    >>> [str(diagnostic) for diagnostic in diagnose(plan, plan.replace(links=plan.links[1:]), ports=False).diagnostics]
    ['TL101 error: missing: planned S0 port 1 - S1 port 1']
    """
    started = time.monotonic()
    network = network_of(plan, "diagnose")
    facts = facts or network.facts
    rules = chosen(only, ignore)
    planned, facts = with_own_switches(network.fabric, facts)
    actual_fabric = None if actual is None else taken(actual, Fabric, "diagnose")
    comparison: Comparison | None = None
    if actual_fabric is not None:
        if match is None:
            actual_fabric = as_planned(planned, actual_fabric)
            match = identify(planned, actual_fabric, aliases=[[label] if label else [] for label in facts.labels])
        exact = match.by != SHAPE if ports is None else ports
        aligned = aligned_ports(planned, actual_fabric, match)
        actual_fabric = aligned.actual
        comparison = compare_fabrics(
            *(planned, aligned, match),
            ports=exact,
            hosts=hosts,
            racks=facts.places,
            cable_numbers=facts.cable_numbers,
            rate=None if limits is None else limits.rate,
            counters=counters,
        )
    evidence = Evidence(planned, actual_fabric, match, comparison, tables, facts, limits, hosts)
    evidence.roots = roots_of(evidence)
    # Plan and discovery may have the same fault, such as one name twice: it counts once.
    findings = list(
        {(rule.code, finding.text): (rule, finding) for rule in rules for finding in _findings(rule, evidence)}.values()
    )
    if actual_fabric is None and not planned.planned:
        # The order of a discovery may change every day.
        findings.sort(key=lambda pair: (pair[0].code, natural_key(pair[1].text)))
    findings.sort(key=lambda pair: _ORDER[pair[0].severity])
    settings: dict[str, Any] = {"hosts": hosts, "limits": vars(evidence.limits)}
    if actual_fabric is not None:
        settings |= {"actual": actual_fabric.made, "actual_digest": actual_fabric.topology.digest}
    return Diagnostics(
        plan=planned.topology.name,
        actual=None if actual_fabric is None else actual_fabric.topology.name,
        tables=getattr(tables, "tables", None),
        rules=tuple(rule.code for rule in rules),
        diagnostics=_numbered(findings, dict(zip(evidence.names, facts.places, strict=False)) if facts.units else {}),
        comparison=None if comparison is None else comparison.record(),
        table_verification=None if tables is None else tables.record(),
        passive=passive_counts(evidence),
        provenance=provenance_of(
            planned.topology,
            seed=None if match is None else match.seed,
            settings=settings,
            timings={"seconds": time.monotonic() - started},
        ),
    )


def _numbered(findings: Sequence[tuple[Rule, Finding]], place_of: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """The findings as numbered diagnostics, each with the numbers of those that cause it, and the places of its nodes."""
    accounts = [(number, finding.accounts) for number, (_, finding) in enumerate(findings, 1) if finding.accounts]
    return tuple(
        Diagnostic(
            number,
            rule.code,
            rule.name,
            rule.severity,
            finding.text,
            finding.nodes,
            finding.planned,
            finding.found,
            finding.plugs,
            finding.cables,
            finding.racks,
            tuple(root for root, cables in accounts if root != number and finding.follows & cables),
            finding.line,
            rule.page,
            finding.todo or rule.fix,
            _places(finding, place_of),
            finding.parts,
        )
        for number, (rule, finding) in enumerate(findings, 1)
    )


def _places(finding: Finding, place_of: Mapping[str, str]) -> tuple[str, ...]:
    ends = (end.node for cable in (*finding.planned, *finding.found) for end in cable)
    names = dict.fromkeys((*finding.nodes, *(plug.node for plug in finding.plugs), *ends))
    return tuple(dict.fromkeys(place for name in names if (place := place_of.get(name))))


def _findings(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """The findings of a rule."""
    findings = rule.check(evidence)
    check_made(findings, Iterable, f"rule {rule.code}", "its findings, one by one")
    for finding in findings:
        check_made(finding, Finding, f"rule {rule.code}, as a finding,", "a Finding")
        yield finding
