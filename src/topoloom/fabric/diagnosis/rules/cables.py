"""Rules on cables: missing, misplaced, too slow, too long, or listed by one end only."""

from collections.abc import Iterator

import numpy as np

from topoloom.fabric.comparison import EXTRA, MISSING, ONE_SIDED, SLOW, SWAPPED, WRONG, Cable
from topoloom.fabric.diagnosis.evidence import Evidence, Side
from topoloom.fabric.diagnosis.finding import Finding
from topoloom.fabric.diagnosis.flawed import flawed
from topoloom.fabric.diagnosis.root import Root
from topoloom.fabric.diagnosis.roots import ITSELF, OTHER_PORT
from topoloom.fabric.diagnosis.rule import ERROR, NOTE, WARNING, rule
from topoloom.fabric.flaws import BLIND, CONFLICTING, HOSTS_JOINED, NO_NAME, SEVERAL_HEARD, STALE, TWO_DEVICES
from topoloom.fabric.port_names import is_management_port
from topoloom.fabric.running import slow_and_one_sided

_LENGTH_ERROR_M = 1e-6


def cable_finding(evidence: Evidence, root: Root, label: str) -> Finding:
    """The finding for a cause that is cables, as an installer looks for it.

    Parameters
    ----------
    evidence : Evidence
    root : Root
    label : str
        The beginning of the text.
    """
    numbers = evidence.numbers(root.planned)
    parts = []
    which = f"cable{'s' * (len(numbers) > 1)} {' and '.join(numbers)}: " if numbers else ""
    if root.planned and (moves := evidence.words.moves(root.planned, root.found)):
        parts.append(f"{which}{moves}")
    elif root.planned:
        parts.append(f"{which}planned {', '.join(evidence.words.cable(cable, False) for cable in root.planned)}")
    if root.found and not (root.planned and moves):
        parts.append(f"found {', '.join(evidence.words.cable(cable, True) for cable in root.found)}")
    unclear = evidence.unclear.intersection(root.planned) if not root.found else frozenset()
    return Finding(
        f"{label}: {'; '.join(parts)}",
        tuple(evidence.names[node] for node in root.nodes),
        evidence.ends(root.planned),
        evidence.ends(root.found),
        cables=numbers,
        racks=evidence.racks(root.nodes),
        accounts=frozenset((*root.planned, *root.found)),
        follows=evidence.in_further_lanes.intersection(root.found) | unclear,
    )


def _of_kind(evidence: Evidence, kind: str, label: str) -> Iterator[Finding]:
    return (cable_finding(evidence, root, label) for root in evidence.roots if root.kind == kind)


@rule(
    "TL101",
    "cable-missing",
    ERROR,
    "A planned cable is missing, and both of its ports are empty.",
    explanation="""Paths over it are lost, or their load moves to other cables. Either nobody has installed it, or it does not
    come up: a plug that is not fully inserted, a broken fibre, a port that is switched off.""",
    fix="Install it, or check the link lights of both ports; replace the cable if one of them stays dark.",
)
def _missing(evidence: Evidence) -> Iterator[Finding]:
    return _of_kind(evidence, MISSING, "missing")


@rule(
    "TL102",
    "cable-extra",
    ERROR,
    "A cable exists that is not planned, in ports that the plan leaves free.",
    explanation="""Tables computed for the plan do not use it; a subnet manager that routes the discovered fabric does, and
    then paths, loads and virtual channels differ from those that were verified.""",
    fix="Unplug it, or plan it.",
)
def _extra(evidence: Evidence) -> Iterator[Finding]:
    return _of_kind(evidence, EXTRA, "extra")


@rule(
    "TL103",
    "cable-misplaced",
    ERROR,
    "A cable has one end in the right place and the other one elsewhere.",
    explanation="""It is one fault, though the plan misses a cable and the fabric has an extra one. Ports matter: a cable in
    another port of the right switch is `cable-in-other-port`.""",
    fix="Move the wrong end to the planned port.",
)
def _misplaced(evidence: Evidence) -> Iterator[Finding]:
    return _of_kind(evidence, WRONG, "wrong")


@rule(
    "TL104",
    "cables-swapped",
    ERROR,
    "Two cables have swapped ends; or more cables, in a ring.",
    explanation="One fault of two cables. Every port concerned has a cable, so no light is dark and only the plan shows it.",
    fix="Swap the listed ends.",
)
def _swapped(evidence: Evidence) -> Iterator[Finding]:
    return _of_kind(evidence, SWAPPED, "swapped")


@rule(
    "TL105",
    "cable-in-other-port",
    WARNING,
    "Cables join the planned switches and hosts, but in other ports than planned.",
    explanation="""The topology is as planned. Labels and cable sheets are wrong, and tables that name ports (above all
    forwarding tables) send packets elsewhere. `--ports any` compares without ports.""",
    fix="Move the plugs to the planned ports, or plan with the actual ports.",
)
def _other_port(evidence: Evidence) -> Iterator[Finding]:
    return _of_kind(evidence, OTHER_PORT, "other port")


@rule(
    "TL106",
    "cable-one-sided",
    ERROR,
    "Only one end lists a cable.",
    explanation="""Both ends of a cable that is up know each other. If one does not, the cable has just gone down, the switch
    did not answer during the discovery, or the file was cut off or merged from two runs.""",
    fix="Discover again; if it persists, reseat the cable, and check the silent port.",
)
def _one_sided(evidence: Evidence) -> Iterator[Finding]:
    yield from _as_they_run(evidence, ONE_SIDED)
    yield from flawed(evidence, BLIND)


@rule(
    "TL107",
    "cable-slow",
    ERROR,
    "A cable runs slower, or on fewer lanes, than planned, or (InfiniBand) than most cables of its kind.",
    explanation="""It is in its place and up, so nothing looks wrong, but it carries only a part of its traffic, and delays
    everything that waits for it: bad contacts reduce lanes (4x to 1x), bad signals reduce speed (NDR to HDR). The planned
    rate is the plan's, or `--cable-rate`. Ethernet cables without a planned rate are compared with nothing: servers of
    several rates are usual, and ends that differ are `ends-set-differently`.""",
    fix="Clean and reseat both plugs, then reset the port; replace the cable or the transceiver if it comes up slow again.",
)
def _slow(evidence: Evidence) -> Iterator[Finding]:
    return _as_they_run(evidence, SLOW)


@rule(
    "TL108",
    "cable-overlong",
    ERROR,
    "A cable is planned longer than its product allows, than the length bought, or than a limit.",
    explanation="""Copper and each kind of optics have a maximum length at each rate; a cable that was bought too short does
    not reach its port. Lengths and products are those of the cable list, maximum lengths those of the
    parts catalogue that `--parts` names; the limit is `--longest-m`.""",
    fix="Choose a product that reaches, buy the next length, or move one of the two switches (topoloom layout).",
)
def _overlong(evidence: Evidence) -> Iterator[Finding]:
    facts, limits = evidence.facts, evidence.limits
    if facts.length_m is None:
        return
    length = np.asarray(facts.length_m, float)
    links = evidence.plan.link_cables
    stock = np.full(length.size, np.nan) if facts.stock_m is None else np.asarray(facts.stock_m, float)
    passive = (
        set() if facts.passive is None else {(switch, port) for switch, port in facts.passive.plant.start.tolist()}
    )
    for link in np.flatnonzero(length > 0).tolist():
        if passive.intersection(links[link]):
            continue  # its cords and trunks have lengths of their own
        product = facts.product[link] if link < len(facts.product) else ""
        reasons = []
        if length[link] > limits.reach_m.get(product, np.inf) + _LENGTH_ERROR_M:
            reasons.append(f"{product} reaches {limits.reach_m[product]:g} m")
        if length[link] > stock[link] + _LENGTH_ERROR_M:
            reasons.append(f"it is bought as {stock[link]:g} m")
        if limits.longest_m is not None and length[link] > limits.longest_m + _LENGTH_ERROR_M:
            reasons.append(f"the limit is {limits.longest_m:g} m")
        if reasons:
            text = f"{called_cable(evidence, evidence.plan, links[link])} is {length[link]:g} m long; {' and '.join(reasons)}"
            yield about_cable(evidence, evidence.plan, links[link], text)


@rule(
    "TL109",
    "cable-to-itself",
    ERROR,
    "Both ends of a cable are in the same switch.",
    explanation="A loopback left from a test, or an end in the wrong switch: it carries nothing and takes two ports.",
    fix="Unplug it, or move one end to the planned port.",
)
def _to_itself(evidence: Evidence) -> Iterator[Finding]:
    yield from _of_kind(evidence, ITSELF, "to itself")
    if evidence.actual is None:
        for switch, first, second in evidence.plan.fabric.loops.tolist():
            cable = ((switch, first), (switch, second))
            # A switch may be managed through its own port.
            if not any(is_management_port(evidence.words.port(*plug)) for plug in cable):
                text = f"to itself: {evidence.words.cable(cable, True)}"
                yield about_cable(evidence, evidence.plan, cable, text)


@rule(
    "TL112",
    "cable-errors",
    NOTE,
    "The ports of a cable counted errors.",
    explanation="""Symbol errors, receive errors and links that went down, from `--counters`. A few are normal since the last
    reset; many, or a rising number, announce a cable that will be slow or fail next.""",
    fix="Read the counters again after an hour; clean, reseat or replace cables with more errors by then.",
)
def _errors(evidence: Evidence) -> Iterator[Finding]:
    if evidence.comparison is None:
        return
    # A slow or one-sided cable lists its errors in its own text.
    reported = {fault.found for fault in evidence.comparison.faults if fault.kind in (SLOW, ONE_SIDED)}
    for error in evidence.comparison.errors:
        if (error.ends,) in reported:
            continue
        yield Finding(error.text, tuple(end.node for end in error.ends), found=(error.ends,))


@rule(
    "TL113",
    "neighbours-unclear",
    WARNING,
    "Entries of neighbour tables (LLDP) are not a cable.",
    explanation="""A port hears several devices, which a cable cannot join: a hub, a switch that passes LLDP on, or an entry
    that is no longer valid. Or an entry has no time to live left, two ends disagree, two devices have one name, a host hears
    a host, or a name is too long or cannot be printed. Such entries are not read as cables; faults of their ports
    follow from them.""",
    fix="Ask the devices again after the time to live (two minutes); give every device its own name.",
)
def _unclear(evidence: Evidence) -> Iterator[Finding]:
    for kind in (SEVERAL_HEARD, CONFLICTING, TWO_DEVICES, HOSTS_JOINED, NO_NAME, STALE):
        yield from flawed(evidence, kind)


def _as_they_run(evidence: Evidence, kind: str) -> Iterator[Finding]:
    """Cables in their place that are slow or one-sided: from the comparison, or, without one, of a discovered fabric itself."""
    comparison = evidence.comparison
    if comparison is not None:
        pairs = [
            (difference, fault.text)
            for difference, fault in zip(comparison.differences, comparison.faults, strict=True)
        ]
    else:
        side = evidence.plan
        rate = evidence.limits.rate
        # The rates of a plan, which may have racks, are the planned ones.
        if rate is None and (side.fabric.planned or any(evidence.facts.racks)):
            return
        cables = [*side.link_cables, *(side.end_cables if evidence.hosts else [])]
        alone = slow_and_one_sided(side.fabric, side.fabric, {}, {cable: i for i, cable in enumerate(cables)}, rate)
        pairs = [(difference, evidence.words.fault(difference, how)) for difference, how in alone.items()]
    for difference, text in pairs:
        if difference.kind == kind:
            nodes = list(dict.fromkeys(node for cable in difference.found for node, _ in cable))
            yield Finding(
                text,
                tuple(evidence.names[node] for node in nodes),
                evidence.ends(difference.planned),
                evidence.ends(difference.found),
                cables=evidence.numbers(difference.planned),
                racks=evidence.racks(nodes),
                # A misplaced cable is reported as misplaced first.
                follows=evidence.unplanned.intersection(difference.found),
            )


def called_cable(evidence: Evidence, side: Side, cable: Cable) -> str:
    """Both ends of a cable of one side, after its number if it is planned and has one.

    Parameters
    ----------
    evidence : Evidence
    side : Side
    cable : Cable

    Returns
    -------
    str
    """
    number = evidence.words.number(cable) if cable in evidence.planned else ""
    return f"{f'cable {number}: ' if number else ''}{evidence.words.cable(cable, side.which == 'actual')}"


def about_cable(evidence: Evidence, side: Side, cable: Cable, text: str) -> Finding:
    """The finding that is about one cable of one side.

    Parameters
    ----------
    evidence : Evidence
    side : Side
    cable : Cable
    text : str

    Returns
    -------
    Finding
    """
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
