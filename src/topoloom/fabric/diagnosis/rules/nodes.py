"""Rules on switches and hosts: what is not there, what is not planned, and what is there but not cabled."""

from collections.abc import Iterator

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
    "A planned switch is not there; all of its cables, and hosts that hang on nothing else, are gone with it.",
    explanation="""It is off, not installed, or no cable leads to it. Its cables are not reported one by one: when it
    is back they are, too.""",
    fix="Switch it on, and look at its management port; discover again.",
)
def _switch_missing(evidence: Evidence) -> Iterator[Finding]:
    for root in _of(evidence, SWITCH_MISSING):
        yield _with_cables(evidence, root, f"switch {evidence.words.node(root.nodes[0])} is not there")


@rule(
    "TL202",
    "switch-unplanned",
    ERROR,
    "A switch is there that is not in the plan, with all of its cables.",
    explanation="""Somebody else's switch, a spare that was cabled, or a planned one that nothing tells: another name,
    another GUID, and fewer than half of its cables where they should be.""",
    fix="Take it out, plan it, or say which planned switch it is (in the CSV of GUIDs).",
)
def _switch_unplanned(evidence: Evidence) -> Iterator[Finding]:
    for root in _of(evidence, SWITCH_UNPLANNED):
        yield _brought(evidence, root, f"switch {evidence.names[root.nodes[0]]} is not in the plan")


@rule(
    "TL203",
    "host-missing",
    ERROR,
    "A planned host is not there, or none of its cables is: from the network's side that is the same.",
    explanation="""It is off, its adapter does not answer, or its cable is not in. A host on a switch that is not
    there belongs to that switch and is not reported.""",
    fix="Look at the host first, then at its cable.",
)
def _host_missing(evidence: Evidence) -> Iterator[Finding]:
    if all_hosts_missing(evidence):
        return
    # Those that the file lists without a cable have a rule of their own.
    seen = {name.split()[0].lower() for name in _bare(evidence)}
    for root in _of(evidence, HOST_MISSING):
        name = evidence.names[root.nodes[0]]
        if name.split()[0].lower() not in seen:
            yield _with_cables(evidence, root, f"host {name} is not there")


@rule(
    "TL204",
    "host-unplanned",
    ERROR,
    "A host is there that is not in the plan.",
    explanation="""What it is plugged into is said with it: a free port, or one where a planned cable should be.
    Aggregation nodes inside switches (SHARP) are no hosts.""",
    fix="Plan it, or pull it out; if it is a planned one under another name, name it, or compare without hosts.",
)
def _host_unplanned(evidence: Evidence) -> Iterator[Finding]:
    for root in _of(evidence, HOST_UNPLANNED):
        yield _brought(evidence, root, f"host {evidence.names[root.nodes[0]]} is not in the plan")


@rule(
    "TL205",
    "host-uncabled",
    ERROR,
    "The file lists a host without a cable.",
    explanation="Somebody knows of it, so it is on, but none of its ports is up.",
    fix="Plug in its cable, or exchange it.",
)
def _host_uncabled(evidence: Evidence) -> Iterator[Finding]:
    if not evidence.hosts:
        return
    # Of what hangs on a switch that is off the switch tells.
    along = [
        node for root in evidence.roots if root.kind in (SWITCH_MISSING, SWITCH_UNCABLED) for node in root.nodes[1:]
    ]
    explained = {evidence.names[node].split()[0].lower() for node in along}
    planned = {evidence.names[root.nodes[0]].split()[0].lower(): root for root in _of(evidence, HOST_MISSING)}
    for found in flawed(evidence, NO_CABLE):
        name = found.nodes[0].split()[0].lower()
        root = planned.get(name)
        if root is None and name not in explained:
            yield found
        elif root is not None:
            text = f"{found.text}; planned {', '.join(evidence.words.cable(one, False) for one in root.planned)}"
            whole = _with_cables(evidence, root, text, with_count=False)
            yield Finding(**{**vars(whole), "line": found.line})


@rule(
    "TL206",
    "host-fewer-interfaces",
    ERROR,
    "A host's adapter has fewer ports than the plan plugs cables into.",
    explanation="""An adapter was omitted, did not come up, or is of another kind; the cables of the ports that it
    lacks are not reported one by one.""",
    fix="Look whether the host sees all of its adapters (lspci, ibstat); plan with as many as it has.",
)
def _fewer_interfaces(evidence: Evidence) -> Iterator[Finding]:
    for root in _of(evidence, FEWER_INTERFACES):
        node = root.nodes[0]
        ports = sorted(port for cable in root.planned for end, port in cable if end == node)
        text = f"host {evidence.node(node)} lacks port{'s' * (len(ports) > 1)} {', '.join(map(str, ports))}"
        yield _with_cables(evidence, root, text)


@rule(
    "TL207",
    "switch-uncabled",
    ERROR,
    "A planned switch is there, but none of its planned cables is.",
    explanation="Nobody has cabled it yet, or all of its ports are off. Its cables are not reported one by one.",
    fix="Cable it; or switch its ports on.",
)
def _switch_uncabled(evidence: Evidence) -> Iterator[Finding]:
    for root in _of(evidence, SWITCH_UNCABLED):
        yield _with_cables(evidence, root, f"switch {evidence.node(root.nodes[0])} has none of its cables")


@rule(
    "TL208",
    "hosts-none",
    WARNING,
    "Of the planned hosts none is there, though switches are.",
    explanation="""The discovery was made before the hosts were switched on, or of another network. Hosts are then not
    reported one by one.""",
    fix="Compare without hosts until the hosts are there.",
)
def _no_hosts(evidence: Evidence) -> Iterator[Finding]:
    hosts = list(_of(evidence, HOST_MISSING))
    if all_hosts_missing(evidence):
        accounts = frozenset(cable for root in hosts for cable in root.planned)
        many = evidence.plan.fabric.topology.hosts
        yield Finding(f"none of the {many:,} planned hosts is there", accounts=accounts)


def all_hosts_missing(evidence: Evidence) -> bool:
    """Whether no planned host is there, of several, but switches are."""
    found = evidence.comparison
    many = evidence.plan.fabric.topology.hosts
    if found is None or not evidence.hosts or many < 2 or len(found.missing_hosts) < many:
        return False
    return len(found.missing_switches) < evidence.planned_switches


def _of(evidence: Evidence, kind: str) -> Iterator[Root]:
    return (root for root in evidence.roots if root.kind == kind)


def _bare(evidence: Evidence) -> list[str]:
    return [name for found in flawed(evidence, NO_CABLE) for name in found.nodes]


def _with_cables(evidence: Evidence, root: Root, text: str, with_count: bool = True) -> Finding:
    """A node that takes its cables with it: how many, their numbers, and the hosts that are lost with it."""
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
    """A node that is not planned: where it is plugged in, and which planned cables should be there."""
    if root.found:
        text += f": {enumerated([evidence.words.cable(cable, True) for cable in root.found], 4)}"
    if root.planned:
        numbers = evidence.numbers(root.planned)
        which = f"cable{'s' * (len(numbers) > 1)} {enumerated([*numbers])} " if numbers else ""
        text += f"; planned there {which}{enumerated([evidence.words.cable(one, False) for one in root.planned], 4)}"
    at = [node for cable in root.found for node, _ in cable if node != root.nodes[0]]
    return Finding(
        text,
        tuple(evidence.names[node] for node in root.nodes),
        evidence.ends(root.planned),
        evidence.ends(root.found),
        cables=evidence.numbers(root.planned),
        racks=evidence.racks(at),
        accounts=frozenset((*root.planned, *root.found)),
    )
