"""Rules on cables: what is not there, elsewhere, too slow, too long, or told of by one end only."""

from collections.abc import Iterator

import numpy as np

from topoloom.fabrics.comparison import EXTRA, MISSING, SWAPPED, WRONG, Cable
from topoloom.fabrics.diagnosis.evidence import Evidence, Side
from topoloom.fabrics.diagnosis.finding import Finding
from topoloom.fabrics.diagnosis.flawed import flawed
from topoloom.fabrics.diagnosis.roots import ITSELF, OTHER_PORT, Root
from topoloom.fabrics.diagnosis.rule import ERROR, NOTE, WARNING, rule
from topoloom.fabrics.flaws import ONE_SIDED
from topoloom.fabrics.rates import SAME_SHARE, rate_name

#: Of cables alike so many run faster before one that does not is worth a note.
_MOST = 0.9
_LENGTH_ERROR_M = 1e-6


def cable_finding(evidence: Evidence, root: Root, label: str) -> Finding:
    """A cause that is cables, as an installer looks for it.

    Parameters
    ----------
    evidence : Evidence
    root : Root
    label : str
        What the text begins with.

    Returns
    -------
    Finding
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
        cabinets=evidence.cabinets(root.nodes),
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
    for side in evidence.sides:
        for cable, known in _cables_of(evidence, side, "one_sided"):
            if known:
                yield _about(evidence, side, cable, f"one end only tells of {evidence.words.cable(cable, True)}")
    yield from flawed(evidence, ONE_SIDED)


@rule(
    "TL107",
    "cable-slow",
    ERROR,
    "A cable runs slower, or on fewer lanes, than planned.",
    explanation="""It is in its place and up, so nothing looks wrong, but it carries a part of its traffic, and holds
    up all that waits for it: bad contacts take lanes (4x to 1x), bad signals take speed (NDR to HDR). The planned
    rate is the plan's, or `--rate`.""",
    fix="Clean and reseat both plugs, then reset the port; exchange the cable or the transceiver if it comes up slow again.",
)
def _slow(evidence: Evidence) -> Iterator[Finding]:
    side = evidence.actual or evidence.plan
    for cable, width, rate in _rated(evidence, side):
        wanted_width, wanted = _wanted(evidence, cable)
        less = 0 < rate < wanted * (1 - SAME_SHARE)
        if less or 0 < width < wanted_width:
            runs = rate_name(width, rate)
            yield _about(
                evidence,
                side,
                cable,
                f"slow: {_called(evidence, side, cable)} runs at {runs}, planned {rate_name(wanted_width, wanted)}",
            )


@rule(
    "TL108",
    "cable-overlong",
    ERROR,
    "A cable is planned longer than its product allows, than it was bought, or than a limit.",
    explanation="""Copper and each kind of optics reach so far at a rate and no further; a cable that is bought in too
    short a length does not get to its port. Lengths and products are those of the cable list, reaches those of the
    parts catalogue that `--parts` names, the limit is `--longest`.""",
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
    "cable-slower-than-others",
    NOTE,
    "A cable runs slower than nearly all others of its kind, where no rate is planned.",
    explanation="""Nine of ten cables between switches (or to hosts) run faster. Mixed networks are built on purpose,
    so this is a note; with `--rate`, or a plan with rates, `cable-slow` says what is wrong.""",
    fix="As for cable-slow, if all cables are meant to be alike.",
)
def _slower(evidence: Evidence) -> Iterator[Finding]:
    side = evidence.actual or evidence.plan
    rows = list(_rated(evidence, side))
    for to_hosts in (False, True):
        kind = [row for row in rows if (row[0][1][0] >= evidence.planned_switches) == to_hosts and row[2] > 0]
        if not kind:
            continue
        rates = np.array([rate for _, _, rate in kind])
        usual = float(np.quantile(rates, 1 - _MOST, method="lower"))
        for cable, width, rate in kind:
            if rate < usual * (1 - SAME_SHARE) and not _wanted(evidence, cable)[1]:
                runs, others = rate_name(width, rate), rate_name(0, usual)
                text = f"slower: {_called(evidence, side, cable)} runs at {runs}, {_MOST:.0%} of its kind at {others} or more"
                yield _about(evidence, side, cable, text)


def _cables_of(evidence: Evidence, side: Side, what: str) -> Iterator[tuple[Cable, float]]:
    """Every cable of a fabric with what is known of it (width, rate_gbps, one_sided)."""
    fabric = side.fabric
    yield from zip(side.link_cables, getattr(fabric, f"link_{what}").tolist(), strict=True)
    if evidence.hosts:
        yield from zip(side.end_cables, getattr(fabric, f"endpoint_{what}").tolist(), strict=True)


def _rated(evidence: Evidence, side: Side) -> Iterator[tuple[Cable, int, float]]:
    """The cables whose width or rate is known: cable, lanes, Gb/s."""
    rates = _cables_of(evidence, side, "rate_gbps")
    for (cable, width), (_, rate) in zip(_cables_of(evidence, side, "width"), rates, strict=True):
        if width > 0 or rate > 0:
            yield cable, int(width), rate


def _wanted(evidence: Evidence, cable: Cable) -> tuple[int, float]:
    """Lanes and Gb/s that are planned of a cable: its own, those between its ends, or those asked of all; 0: not said."""
    limits = evidence.limits
    asked = (limits.width, limits.rate_gbps or 0.0)
    if evidence.actual is None:
        return asked
    exact, between = _planned_rates(evidence)
    found = exact.get(cable, between.get((cable[0][0], cable[1][0])))
    if found is None:
        return asked
    return found[0] or asked[0], found[1] or asked[1]


Rate = tuple[int, float]


def _planned_rates(evidence: Evidence) -> tuple[dict[Cable, Rate], dict[tuple[int, int], Rate]]:
    """What the plan says: by cable, and by the two nodes."""
    kept: tuple[dict[Cable, Rate], dict[tuple[int, int], Rate]] | None = evidence.kept.get("planned rates")
    if kept is None:
        exact = {cable: (width, rate) for cable, width, rate in _rated(evidence, evidence.plan)}
        kept = exact, {(a[0], b[0]): rate for (a, b), rate in exact.items()}
        evidence.kept["planned rates"] = kept
    return kept


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
        cabinets=evidence.cabinets(nodes),
    )
