"""`diagnose`: everything that is wrong with a plan, with a fabric beside it, and with its tables, by the numbered rules."""

import time
from collections.abc import Sequence
from typing import Any

from topoloom.fabric.compare import compare_fabrics
from topoloom.fabric.comparison import Comparison
from topoloom.fabric.diagnosis.diagnostics import Diagnostic, Diagnostics
from topoloom.fabric.diagnosis.evidence import Evidence, HardwareLimits, PlanFacts
from topoloom.fabric.diagnosis.finding import Finding
from topoloom.fabric.diagnosis.roots import roots_of
from topoloom.fabric.diagnosis.rule import Rule, Severity, chosen
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.identify import SHAPE, Match, identify
from topoloom.fabric.port_counters import PortCounters
from topoloom.fabric.table_verifier import TableVerification
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, network_of, taken
from topoloom.routing.verification.verification import Verification

#: The worst first.
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
    """What is wrong with a network, each root cause once, with the page that explains it and what to do.

    Parameters
    ----------
    plan : NetworkSource
        Without `actual` it is looked at by itself.
    actual : NetworkSource, optional
        What is there. A fabric that was read with `lenient=True` tells its flaws, too.
    tables : Judgement or Verdict, optional
        What `judge` or `verify_routing` found in the tables of the fabric (of the plan, where there is none).
    match : Match, optional
        Who is who; `identify` with its own choice when omitted.
    ports : bool, optional
        Whether a cable must be in the planned ports; when omitted, unless switches are known by their shape.
    hosts : bool
        Whether hosts and their cables count.
    facts : PlanFacts, optional
        Racks, numbers and lengths of cables; those of the plan (`Network.facts`) when omitted.
    limits : HardwareLimits, optional
        What is asked beside the plan: ports, virtual channels, lengths, taper, rate.
    counters : PortCounters, optional
        Errors that ports counted (`topoloom.fabric.port_counters.read_counters`).
    only, ignore : sequence of str
        Codes (``TL203``), names (``host-missing``) or groups (``TL3xx``) of rules: which are asked, and which are not.

    Returns
    -------
    Diagnostics

    Raises
    ------
    InputError
        As `identify`; a rule that is none.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> plan = build("petersen")
    >>> [str(one) for one in diagnose(plan, plan.replace(links=plan.links[1:]), ports=False).diagnostics]
    ['TL101 error: missing: planned S0 port 1 - S1 port 1']
    """
    started = time.monotonic()
    network = network_of(plan, "diagnose")
    facts = facts or network.facts
    rules = chosen(only, ignore)
    planned = network.fabric
    there = None if actual is None else taken(actual, Fabric, "diagnose")
    comparison: Comparison | None = None
    if there is not None:
        if match is None:
            match = identify(planned, there, aliases=[[label] if label else [] for label in facts.labels])
        exact = match.by != SHAPE if ports is None else ports
        comparison = compare_fabrics(
            *(planned, there, match),
            ports=exact,
            hosts=hosts,
            racks=facts.racks,
            cable_numbers=facts.cable_numbers,
            rate=None if limits is None else limits.rate,
            counters=counters,
        )
    evidence = Evidence(planned, there, match, comparison, tables, facts, limits, hosts)
    evidence.roots = roots_of(evidence)
    found = [(one, finding) for one in rules for finding in one.check(evidence)]
    found.sort(key=lambda pair: _ORDER[pair[0].severity])
    settings: dict[str, Any] = {"hosts": hosts, "limits": vars(evidence.limits)}
    if there is not None:
        settings |= {"actual": there.made, "actual_digest": there.topology.digest}
    return Diagnostics(
        plan=planned.topology.name,
        actual=None if there is None else there.topology.name,
        tables=getattr(tables, "tables", None),
        rules=tuple(one.code for one in rules),
        diagnostics=_numbered(found),
        comparison=None if comparison is None else comparison.record(),
        table_verification=None if tables is None else tables.record(),
        provenance=provenance_of(
            planned.topology,
            seed=None if match is None else match.seed,
            settings=settings,
            timings={"seconds": time.monotonic() - started},
        ),
    )


def _numbered(found: Sequence[tuple[Rule, Finding]]) -> tuple[Diagnostic, ...]:
    """The findings with their numbers, and with the numbers of those that they follow from."""
    accounts = [(number, finding.accounts) for number, (_, finding) in enumerate(found, 1) if finding.accounts]
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
            tuple(root for root, cables in accounts if finding.follows & cables),
            finding.line,
            rule.page,
            rule.fix,
        )
        for number, (rule, finding) in enumerate(found, 1)
    )
