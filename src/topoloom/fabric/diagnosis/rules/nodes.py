"""Rules on switches and hosts: missing, not planned, and present but not cabled."""

from collections.abc import Iterator
from dataclasses import replace

from topoloom.fabric.diagnosis.evidence import Evidence
from topoloom.fabric.diagnosis.finding import Finding, enumerated
from topoloom.fabric.diagnosis.flawed import flawed
from topoloom.fabric.diagnosis.root import Root
from topoloom.fabric.diagnosis.roots import (
    FEWER_INTERFACES,
    HOST_MISSING,
    HOST_UNPLANNED,
    SWITCH_MISSING,
    SWITCH_UNCABLED,
    SWITCH_UNPLANNED,
)
from topoloom.fabric.diagnosis.rule import ERROR, WARNING, rule
from topoloom.fabric.flaws import NO_CABLE


@rule(
    "TL201",
    "switch-missing",
    ERROR,
    "A planned switch is missing, with all of its cables and the hosts that have no other connection.",
    explanation="""It is off, not installed, or no cable leads to it. Its cables are not reported one by one: they return
    with the switch.""",
    fix="Switch it on, and check its management port; discover again.",
)
def _switch_missing(evidence: Evidence) -> Iterator[Finding]:
    for root in _of(evidence, SWITCH_MISSING):
        yield _with_cables(evidence, root, f"switch {evidence.words.node(root.nodes[0])} is not there")


@rule(
    "TL202",
    "switch-unplanned",
    ERROR,
    "A switch is present that is not in the plan, with all of its cables.",
    explanation="""It is another owner's switch, a spare that was cabled, or a planned one that cannot be identified: its name
    and GUID differ, and fewer than half of its cables are where they should be.""",
    fix="Remove it, plan it, or state which planned switch it is (in the CSV of GUIDs).",
)
def _switch_unplanned(evidence: Evidence) -> Iterator[Finding]:
    for root in _of(evidence, SWITCH_UNPLANNED):
        yield _brought(evidence, root, f"switch {evidence.names[root.nodes[0]]} is not in the plan")


@rule(
    "TL203",
    "host-missing",
    ERROR,
    "A planned host is missing, or none of its cables is present: from the network the two cannot be distinguished.",
    explanation="""It is off, its adapter does not answer, or its cable is not plugged in. A host whose switch is missing is
    attributed to that switch and is not reported.""",
    fix="Check the host first, then its cable.",
)
def _host_missing(evidence: Evidence) -> Iterator[Finding]:
    if all_hosts_missing(evidence) or evidence.by_neighbours:
        return
    # Hosts that the file lists without a cable have another rule.
    seen = {name.split()[0].lower() for name in _bare(evidence)}
    for root in _of(evidence, HOST_MISSING):
        name = evidence.names[root.nodes[0]]
        if name.split()[0].lower() not in seen:
            yield _with_cables(evidence, root, f"host {name} is not there")


@rule(
    "TL204",
    "host-unplanned",
    ERROR,
    "A host is present that is not in the plan.",
    explanation="""The text states where it is plugged in: a free port, or a port where a planned cable should be.
    Aggregation nodes inside switches (SHARP) are not hosts.""",
    fix="Plan it, or unplug it; if it is a planned host with another name, name it, or compare without hosts.",
)
def _host_unplanned(evidence: Evidence) -> Iterator[Finding]:
    if evidence.actual is not None and not evidence.plan.fabric.topology.hosts:
        unplanned = sum(1 for _ in _of(evidence, HOST_UNPLANNED))
        if unplanned:
            yield Finding(
                f"the plan has no hosts, {evidence.actual.fabric.made} has {unplanned:,}; name a plan with hosts, or compare"
                " without (--skip-hosts); without hosts the planned ports of switches may differ, too (--ports any)"
            )
        return
    for root in _of(evidence, HOST_UNPLANNED):
        yield _brought(evidence, root, f"host {evidence.names[root.nodes[0]]} is not in the plan")


@rule(
    "TL205",
    "host-uncabled",
    ERROR,
    "The file lists a host without a cable.",
    explanation="The discovery reports it, so it is on, but none of its ports is up.",
    fix="Plug in its cable, or replace it.",
)
def _host_uncabled(evidence: Evidence) -> Iterator[Finding]:
    if not evidence.hosts:
        return
    # A host on a switch that is off is reported with the switch.
    along = [
        node for root in evidence.roots if root.kind in (SWITCH_MISSING, SWITCH_UNCABLED) for node in root.nodes[1:]
    ]
    explained = {evidence.names[node].split()[0].lower() for node in along}
    planned = {evidence.names[root.nodes[0]].split()[0].lower(): root for root in _of(evidence, HOST_MISSING)}
    for finding in flawed(evidence, NO_CABLE):
        name = finding.nodes[0].split()[0].lower()
        root = planned.get(name)
        if root is None and name not in explained:
            yield finding
        elif root is not None:
            text = f"{finding.text}; planned {', '.join(evidence.words.cable(cable, False) for cable in root.planned)}"
            whole = _with_cables(evidence, root, text, with_count=False)
            yield Finding(**{**vars(whole), "line": finding.line})


@rule(
    "TL206",
    "host-fewer-interfaces",
    ERROR,
    "A host's adapter has fewer ports than the plan plugs cables into.",
    explanation="""An adapter was omitted, did not come up, or is of another kind; the cables of the ports that it
    lacks are not reported one by one.""",
    fix="Check whether the host sees all of its adapters (lspci, ibstat); plan with as many ports as it has.",
)
def _fewer_interfaces(evidence: Evidence) -> Iterator[Finding]:
    for root in _of(evidence, FEWER_INTERFACES):
        node = root.nodes[0]
        ports = sorted(port for cable in root.planned for end, port in cable if end == node)
        texts = [evidence.words.port(node, port) for port in ports]
        text = f"host {evidence.node(node)} lacks port{'s' * (len(ports) > 1)} {', '.join(texts)}"
        yield _with_cables(evidence, root, text)


@rule(
    "TL207",
    "switch-uncabled",
    ERROR,
    "A planned switch is present, but none of its planned cables is.",
    explanation="It is not cabled yet, or all of its ports are off. Its cables are not reported one by one.",
    fix="Cable it; or switch its ports on.",
)
def _switch_uncabled(evidence: Evidence) -> Iterator[Finding]:
    for root in _of(evidence, SWITCH_UNCABLED):
        yield _with_cables(evidence, root, f"switch {evidence.node(root.nodes[0])} has none of its cables")


@rule(
    "TL208",
    "hosts-none",
    WARNING,
    "None of the planned hosts is present, though switches are.",
    explanation="""The discovery was made before the hosts were switched on, or of another network. Hosts are then not
    reported one by one.""",
    fix="Compare without hosts until the hosts are on.",
)
def _no_hosts(evidence: Evidence) -> Iterator[Finding]:
    hosts = list(_of(evidence, HOST_MISSING))
    if all_hosts_missing(evidence):
        accounts = frozenset(cable for root in hosts for cable in root.planned)
        many = evidence.plan.fabric.topology.hosts
        yield Finding(f"none of the {many:,} planned hosts is there", accounts=accounts)


@rule(
    "TL209",
    "host-unseen",
    WARNING,
    "No cable to a planned host was read, in a discovery by neighbour tables (LLDP).",
    explanation="""Its cable is not plugged in, it is off, it has no LLDP agent, its switch hears several devices on its port
    (`TL113`), or the table of its switch was not read, which the text then says: neighbour tables cannot tell more. If no host
    is heard, one finding (`hosts-none`) says so.""",
    fix="Read the table of its switch; install an LLDP agent on the host; look at the link lights of its ports.",
)
def _host_unseen(evidence: Evidence) -> Iterator[Finding]:
    if all_hosts_missing(evidence) or not evidence.by_neighbours:
        return
    for root in _of(evidence, HOST_MISSING):
        planned = ", ".join(evidence.words.cable(cable, False) for cable in root.planned)
        text = f"host {evidence.names[root.nodes[0]]} is unseen: no cable to it was read; planned {planned}"
        switches = dict.fromkeys(node for cable in root.planned for node, _ in cable if not evidence.is_host(node))
        if unread := [evidence.node(switch) for switch in switches if evidence.is_unread(switch)]:
            text += f"; {enumerated(unread)} {'were' if len(unread) > 1 else 'was'} not read"
        finding = _with_cables(evidence, root, text, with_count=False)
        yield replace(finding, follows=finding.accounts if finding.accounts <= evidence.unclear else frozenset())


def all_hosts_missing(evidence: Evidence) -> bool:
    """Whether several hosts are planned and none is present, but switches are."""
    comparison = evidence.comparison
    many = evidence.plan.fabric.topology.hosts
    if comparison is None or not evidence.hosts or many < 2 or len(comparison.missing_hosts) < many:
        return False
    return len(comparison.missing_switches) < evidence.planned_switches


def _of(evidence: Evidence, kind: str) -> Iterator[Root]:
    return (root for root in evidence.roots if root.kind == kind)


def _bare(evidence: Evidence) -> list[str]:
    return [name for finding in flawed(evidence, NO_CABLE) for name in finding.nodes]


def _with_cables(evidence: Evidence, root: Root, text: str, with_count: bool = True) -> Finding:
    """A finding on a node and its cables: their number, the cable numbers, and the hosts that are lost with it."""
    cables, numbers = root.planned, evidence.numbers(root.planned)
    if with_count and len(cables) == 1:
        text += f": planned {f'cable {numbers[0]} ' if numbers else ''}{evidence.words.cable(cables[0], False)}"
    elif with_count and cables:
        text += f", nor are its {len(cables)} cables" if text.endswith("is not there") else f", {len(cables)} cables"
        text += f" ({enumerated([*numbers])})" if numbers else ""
    lost = [evidence.names[node] for node in root.nodes[1:]]
    if lost:
        text += f"; host{'s' * (len(lost) > 1)} {enumerated(lost)} with it"
    return Finding(
        text,
        tuple(evidence.names[node] for node in root.nodes),
        evidence.ends(cables),
        cables=numbers,
        racks=evidence.racks(root.nodes[:1]),
        accounts=frozenset(cables),
    )


def _brought(evidence: Evidence, root: Root, text: str) -> Finding:
    """A finding on an unplanned node: where it is plugged in, and which planned cables should be there."""
    if root.found:
        text += f": {enumerated([evidence.words.cable(cable, True) for cable in root.found], 4)}"
    if root.planned:
        numbers = evidence.numbers(root.planned)
        which = f"cable{'s' * (len(numbers) > 1)} {enumerated([*numbers])} " if numbers else ""
        text += f"; planned there {which}{enumerated([evidence.words.cable(link, False) for link in root.planned], 4)}"
    at = [node for cable in root.found for node, _ in cable if node != root.nodes[0]]
    return Finding(
        text,
        tuple(evidence.names[node] for node in root.nodes),
        evidence.ends(root.planned),
        evidence.ends(root.found),
        cables=evidence.numbers(root.planned),
        racks=evidence.racks(at),
        accounts=frozenset((*root.planned, *root.found)),
        follows=evidence.in_further_lanes.intersection(root.found),
    )
