"""Rules on cables: what is not there, elsewhere, too slow, too long, or told of by one end only."""

from collections.abc import Iterator

import numpy as np

from topoloom.fabric.comparison import EXTRA, MISSING, ONE_SIDED, SLOW, SWAPPED, WRONG, Cable
from topoloom.fabric.diagnosis.evidence import Evidence, Side
from topoloom.fabric.diagnosis.finding import Finding
from topoloom.fabric.diagnosis.flawed import flawed
from topoloom.fabric.diagnosis.root import Root
from topoloom.fabric.diagnosis.roots import ITSELF, OTHER_PORT
from topoloom.fabric.diagnosis.rule import ERROR, NOTE, WARNING, rule
from topoloom.fabric.flaws import BLIND
from topoloom.fabric.running import slow_and_one_sided

_LENGTH_ERROR_M = 1e-6


def cable_finding(evidence: Evidence, root: Root, label: str) -> Finding:
    """A cause that is cables, as an installer looks for it.

    Parameters
    ----------
    evidence : Evidence
    root : Root
    label : str
        What the text begins with.
    """
    numbers = evidence.numbers(root.planned)
    parts = []
    if root.planned:
        which = f"cable{'s' * (len(numbers) > 1)} {' and '.join(numbers)}: " if numbers else ""
        parts.append(f"{which}planned {', '.join(evidence.words.cable(one, False) for one in root.planned)}")
    if root.found:
        parts.append(f"found {', '.join(evidence.words.cable(one, True) for one in root.found)}")
    return Finding(
        f"{label}: {'; '.join(parts)}",
        tuple(evidence.names[node] for node in root.nodes),
        evidence.ends(root.planned),
        evidence.ends(root.found),
        cables=numbers,
        racks=evidence.racks(root.nodes),
        accounts=frozenset((*root.planned, *root.found)),
    )


def _of_kind(evidence: Evidence, kind: str, label: str) -> Iterator[Finding]:
    return (cable_finding(evidence, root, label) for root in evidence.roots if root.kind == kind)


@rule(
    "TL101",
    "cable-missing",
    ERROR,
    "A planned cable is not there, and neither of its ports has another one.",
    explanation="""Paths over it are lost, or their load goes elsewhere. Either nobody pulled it, or it does not come
    up: a plug that is not in all the way, a broken fibre, a port that is switched off.""",
    fix="Pull it, or look at the link lights of both ports; exchange the cable if one of them stays dark.",
)
def _missing(evidence: Evidence) -> Iterator[Finding]:
    return _of_kind(evidence, MISSING, "missing")


@rule(
    "TL102",
    "cable-extra",
    ERROR,
    "A cable is there that is not planned, in ports that the plan leaves free.",
    explanation="""Tables that were made for the plan do not use it; a subnet manager that routes what it finds does,
    and then paths, loads and lanes are not those that were proved.""",
    fix="Pull it out, or plan it.",
)
def _extra(evidence: Evidence) -> Iterator[Finding]:
    return _of_kind(evidence, EXTRA, "extra")


@rule(
    "TL103",
    "cable-misplaced",
    ERROR,
    "A cable has one end where it should be and the other one elsewhere.",
    explanation="""One fault, though the plan misses a cable and the fabric has one more. Ports are counted: on the
    right switch in another port is `cable-in-other-port`.""",
    fix="Move the wrong end to the planned port.",
)
def _misplaced(evidence: Evidence) -> Iterator[Finding]:
    return _of_kind(evidence, WRONG, "wrong")


@rule(
    "TL104",
    "cables-swapped",
    ERROR,
    "Two cables have exchanged ends; or more of them, in a ring.",
    explanation="One fault of two cables. Every port in it has a cable, so no light is dark and nothing but the plan tells.",
    fix="Exchange the ends that are named.",
)
def _swapped(evidence: Evidence) -> Iterator[Finding]:
    return _of_kind(evidence, SWAPPED, "swapped")


@rule(
    "TL105",
    "cable-in-other-port",
    WARNING,
    "Cables join the planned switches and hosts, but in other ports than planned.",
    explanation="""The topology is as planned. Labels and sheets say otherwise, and tables that name ports (forwarding
    tables above all) send elsewhere. `--ports any` compares without ports.""",
    fix="Move the plugs to the planned ports, or plan with the ports as they are.",
)
def _other_port(evidence: Evidence) -> Iterator[Finding]:
    return _of_kind(evidence, OTHER_PORT, "other port")


@rule(
    "TL106",
    "cable-one-sided",
    ERROR,
    "Only one end of a cable tells of it.",
    explanation="""The two ends of a cable that is up know each other. One that does not has just gone down, its
    switch did not answer during the discovery, or the file was cut or put together from two runs.""",
    fix="Discover again; if it stays, reseat the cable, and look at the port that is silent.",
)
def _one_sided(evidence: Evidence) -> Iterator[Finding]:
    yield from _as_they_run(evidence, ONE_SIDED)
    yield from flawed(evidence, BLIND)


@rule(
    "TL107",
    "cable-slow",
    ERROR,
    "A cable runs slower, or on fewer lanes, than planned, or than most cables of its kind.",
    explanation="""It is in its place and up, so nothing looks wrong, but it carries a part of its traffic, and holds
    up all that waits for it: bad contacts take lanes (4x to 1x), bad signals take speed (NDR to HDR). The planned
    rate is the plan's, or `--cable-rate`.""",
    fix="Clean and reseat both plugs, then reset the port; exchange the cable or the transceiver if it comes up slow again.",
)
def _slow(evidence: Evidence) -> Iterator[Finding]:
    return _as_they_run(evidence, SLOW)


@rule(
    "TL108",
    "cable-overlong",
    ERROR,
    "A cable is planned longer than its product allows, than it was bought, or than a limit.",
    explanation="""Copper and each kind of optics reach so far at a rate and no further; a cable that is bought in too
    short a length does not get to its port. Lengths and products are those of the cable list, reaches those of the
    parts catalogue that `--parts` names, the limit is `--longest-m`.""",
    fix="Choose a product that reaches, buy the next length, or move one of the two switches (topoloom layout).",
)
def _overlong(evidence: Evidence) -> Iterator[Finding]:
    facts, limits = evidence.facts, evidence.limits
    if facts.length_m is None:
        return
    length = np.asarray(facts.length_m, float)
    links = evidence.plan.link_cables
    stock = np.full(length.size, np.nan) if facts.stock_m is None else np.asarray(facts.stock_m, float)
    for link in np.flatnonzero(length > 0).tolist():
        product = facts.product[link] if link < len(facts.product) else ""
        reasons = []
        if length[link] > limits.reach_m.get(product, np.inf) + _LENGTH_ERROR_M:
            reasons.append(f"{product} reaches {limits.reach_m[product]:g} m")
        if length[link] > stock[link] + _LENGTH_ERROR_M:
            reasons.append(f"it is bought as {stock[link]:g} m")
        if limits.longest_m is not None and length[link] > limits.longest_m + _LENGTH_ERROR_M:
            reasons.append(f"the limit is {limits.longest_m:g} m")
        if reasons:
            text = (
                f"{_called(evidence, evidence.plan, links[link])} is {length[link]:g} m long; {' and '.join(reasons)}"
            )
            yield _about(evidence, evidence.plan, links[link], text)


@rule(
    "TL109",
    "cable-to-itself",
    ERROR,
    "Both ends of a cable are in the same switch.",
    explanation="A loopback that somebody tested with, or an end in the wrong switch: it carries nothing and takes two ports.",
    fix="Pull it out, or move one end to the planned port.",
)
def _to_itself(evidence: Evidence) -> Iterator[Finding]:
    yield from _of_kind(evidence, ITSELF, "to itself")
    if evidence.actual is None:
        for switch, one, other in evidence.plan.fabric.loops.tolist():
            cable = ((switch, one), (switch, other))
            yield _about(evidence, evidence.plan, cable, f"to itself: {evidence.words.cable(cable, True)}")


@rule(
    "TL112",
    "cable-errors",
    NOTE,
    "The ports of a cable counted errors.",
    explanation="""Symbol errors, receive errors and links that went down, as `--counters` has them. Some are normal since the
    last reset; many, or ever more, tell of a cable that will be slow or gone next.""",
    fix="Read the counters again after an hour; clean, reseat or exchange what has more by then.",
)
def _errors(evidence: Evidence) -> Iterator[Finding]:
    if evidence.comparison is None:
        return
    # A cable that is slow or told of once says so itself.
    told = {fault.found for fault in evidence.comparison.faults if fault.kind in (SLOW, ONE_SIDED)}
    for one in evidence.comparison.errors:
        if (one.ends,) in told:
            continue
        yield Finding(one.text, tuple(end.node for end in one.ends), found=(one.ends,))


def _as_they_run(evidence: Evidence, kind: str) -> Iterator[Finding]:
    """Cables that are in their place, but slow or told of once: from the comparison, or of a discovered fabric by itself."""
    found = evidence.comparison
    if found is not None:
        pairs = [(one, fault.text) for one, fault in zip(found.differences, found.faults, strict=True)]
    else:
        side = evidence.plan
        rate = evidence.limits.rate
        if side.fabric.planned and rate is None:
            return  # its rates are what is meant
        cables = [*side.link_cables, *(side.end_cables if evidence.hosts else [])]
        alone = slow_and_one_sided(side.fabric, side.fabric, {}, {one: i for i, one in enumerate(cables)}, rate)
        pairs = [(one, evidence.words.fault(one, how)) for one, how in alone.items()]
    for one, text in pairs:
        if one.kind == kind:
            nodes = list(dict.fromkeys(node for cable in one.found for node, _ in cable))
            yield Finding(
                text,
                tuple(evidence.names[node] for node in nodes),
                evidence.ends(one.planned),
                evidence.ends(one.found),
                cables=evidence.numbers(one.planned),
                racks=evidence.racks(nodes),
                # Where it should not be at all that is told first.
                follows=evidence.unplanned.intersection(one.found),
            )


def _called(evidence: Evidence, side: Side, cable: Cable) -> str:
    number = evidence.words.number(cable) if cable in evidence.planned else ""
    return f"{f'cable {number}: ' if number else ''}{evidence.words.cable(cable, side.which == 'actual')}"


def _about(evidence: Evidence, side: Side, cable: Cable, text: str) -> Finding:
    nodes = list(dict.fromkeys(node for node, _ in cable))
    ends = evidence.ends([cable])
    return Finding(
        text,
        tuple(evidence.names[node] for node in nodes),
        ends if cable in evidence.planned else (),
        ends if side.which == "actual" else (),
        cables=evidence.numbers([cable]) if cable in evidence.planned else (),
        racks=evidence.racks(nodes),
    )
