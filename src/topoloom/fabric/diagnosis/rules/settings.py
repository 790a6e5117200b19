"""Rules on the settings of ports: the largest packet, error correction, rate, and breakouts, where files state them."""

from collections.abc import Callable, Iterator

from topoloom.fabric.comparison import SLOW, Cable
from topoloom.fabric.diagnosis.breakouts import BREAKOUT
from topoloom.fabric.diagnosis.evidence import Evidence, Side
from topoloom.fabric.diagnosis.finding import Finding, enumerated
from topoloom.fabric.diagnosis.root import SPLIT_FURTHER
from topoloom.fabric.diagnosis.rule import ERROR, WARNING, rule
from topoloom.fabric.diagnosis.rules.cables import about_cable, called_cable
from topoloom.fabric.port_settings import HEADER_BYTES, PortSettings
from topoloom.fabric.rates import SAME_SHARE


@rule(
    "TL115",
    "ends-set-differently",
    ERROR,
    "The two ends of a cable have different MTUs, error correction (FEC) or rates.",
    explanation="""With different rates or kinds of error correction the link does not come up, or only after a change. With
    different MTUs between switches it is up, small packets pass, and packets above the smaller MTU are dropped: routing works
    and transfers stop. A host may have a smaller MTU than its switch, which is usual; not a larger one. Frames (LLDP's maximum
    frame size) count as equal if they differ by no more than a header, which makers count differently.""",
    fix="Set both ports alike, as planned, with the settings of the switch or of the adapter.",
)
def _ends_differ(evidence: Evidence) -> Iterator[Finding]:
    # A cable that is slow for this reason is reported as slow.
    differences = () if evidence.comparison is None else evidence.comparison.differences
    slow = {cable for difference in differences if difference.kind == SLOW for cable in difference.found}
    for side in evidence.sides:
        if not side.fabric.port_settings:
            continue
        for cable in _cables(evidence, side):
            ends = [side.settings(*plug) for plug in cable]
            hosts = [evidence.is_host(node) for node, _ in cable]
            differ = [*_sizes_differ(ends, hosts)]
            first, other = ends
            if first.fec and other.fec and first.fec != other.fec:
                differ.append(f"FEC {first.fec} and {other.fec}")
            rates_differ = first.rate_gbps and other.rate_gbps and not _same_rate(first.rate_gbps, other.rate_gbps)
            if rates_differ and cable not in slow:
                differ.append(f"{first.rate_gbps:g} and {other.rate_gbps:g} Gb/s")
            if differ:
                text = f"{called_cable(evidence, side, cable)}: {'; '.join(differ)}"
                yield about_cable(evidence, side, cable, text)


@rule(
    "TL116",
    "port-not-as-planned",
    WARNING,
    "A port has another MTU or error correction (FEC) than planned, or a cable runs faster than planned.",
    explanation="""The plan states the setting, for example in config_db.json or NetBox, and the switch has another one. Both
    ends may agree, so that the cable works; the next switch that is set up by the plan will not agree with them. A cable that
    runs slower than planned is `cable-slow`.""",
    fix="Set the port as planned, or correct the plan.",
)
def _not_as_planned(evidence: Evidence) -> Iterator[Finding]:
    actual = evidence.actual
    if actual is None:
        return
    in_place = {*_cables(evidence, actual)}
    rates = _rates(evidence.plan), _rates(actual)
    for cable in _cables(evidence, evidence.plan):
        differ = []
        for plug in cable:
            planned, present = evidence.plan.settings(*plug), actual.settings(*plug)
            where = f"{evidence.node(plug[0])} port {evidence.words.port(*plug)}"
            for name, wanted, value in (("MTU", planned.mtu, present.mtu), ("FEC", planned.fec, present.fec)):
                if wanted and value and wanted != value:
                    differ.append(f"{where} has {name} {value}, planned {wanted}")
            if size := _frame_differs(planned, present):
                differ.append(f"{where} has {size}")
        runs, wanted_gbps = rates[1].get(cable, 0.0), rates[0].get(cable, 0.0)
        if actual.fabric.by_neighbours and wanted_gbps and runs > wanted_gbps * (1 + SAME_SHARE):
            differ.append(f"runs at {runs:g} Gb/s, planned {wanted_gbps:g} Gb/s")
        if differ:
            side = actual if cable in in_place else evidence.plan
            yield about_cable(evidence, side, cable, f"{called_cable(evidence, side, cable)}: {'; '.join(differ)}")


@rule(
    "TL117",
    "breakout-differs",
    ERROR,
    "A port is whole where lanes are planned, or split otherwise than planned.",
    explanation="""The cable is in the right cage, and the switch has other ports there: `swp1` where `swp1s0` is planned, two
    lanes where four are planned, a cable in `swp1s2` where two planned lanes fill the port, `Ethernet0` with 8 lanes where
    `Ethernet4` is planned. Nothing has to be moved. All cables of the cage are one fault. Ports without a cable count where
    the device lists them (config_db.json, NVUE).""",
    fix="Configure the breakout of the port as planned, or correct the names of its ports in the plan.",
)
def _breakout(evidence: Evidence) -> Iterator[Finding]:
    for root in evidence.roots:
        if root.kind != BREAKOUT:
            continue
        node = root.nodes[0]
        planned = _ports_at(evidence.words.port, node, root.planned)
        instead = _ports_at(evidence.words.port, node, root.found)
        is_planned = "are planned" if ", " in planned else "is planned"
        how = f"has port {instead} where {planned}" if instead else f"is split into fewer ports: {planned}"
        yield Finding(
            f"breakout: {evidence.node(node)} {how} {is_planned}",
            tuple(evidence.names[each] for each in root.nodes),
            evidence.ends(root.planned),
            evidence.ends(root.found),
            cables=evidence.numbers(root.planned),
            racks=evidence.racks(root.nodes),
            accounts=frozenset((*root.planned, *root.found)),
        )
    for root in evidence.roots:
        if root.kind == SPLIT_FURTHER:
            node = root.nodes[0]
            planned = _ports_at(evidence.words.port, node, root.planned)
            others = _ports_at(evidence.words.port, node, root.found)
            yield Finding(
                f"breakout: {evidence.node(node)} is split into more ports: {planned} are planned, and cables are in {others}",
                (evidence.names[node],),
                found=evidence.ends(root.found),
                racks=evidence.racks(root.nodes),
                accounts=frozenset(root.found),
            )
    actual = evidence.actual
    if actual is None or not (evidence.plan.fabric.port_settings and actual.fabric.port_settings):
        return
    for cable in _cables(evidence, evidence.plan):
        for plug in cable:
            planned_lanes, lanes = evidence.plan.settings(*plug).lanes, actual.settings(*plug).lanes
            if planned_lanes and lanes and planned_lanes != lanes:
                text = f"{evidence.node(plug[0])} port {evidence.words.port(*plug)}"
                yield about_cable(
                    evidence, actual, cable, f"breakout: {text} has {lanes} lanes, planned {planned_lanes} lanes"
                )


def _frame_differs(planned: PortSettings, present: PortSettings) -> str:
    """How the size of frames differs from the plan; a plan that states the MTU needs frames of at least that size."""
    if planned.frame and present.frame and abs(planned.frame - present.frame) > HEADER_BYTES:
        return f"frame size {present.frame}, planned {planned.frame}"
    if planned.mtu and present.frame and not present.mtu and present.frame < planned.mtu:
        return f"frame size {present.frame}, planned MTU {planned.mtu}"
    if planned.frame and present.mtu and not planned.mtu and present.mtu < planned.frame - HEADER_BYTES:
        return f"MTU {present.mtu}, planned frame size {planned.frame}"
    return ""


def _ports_at(text: Callable[[int, int], str], node: int, cables: tuple[Cable, ...]) -> str:
    ports = dict.fromkeys(text(node, port) for cable in cables for at, port in cable if at == node)
    return enumerated([*ports])


def _sizes_differ(ends: list[PortSettings], hosts: list[bool]) -> Iterator[str]:
    first, other = ends
    for name, sizes, slack in (
        ("MTU", (first.mtu, other.mtu), 0),
        ("frame size", (first.frame, other.frame), HEADER_BYTES),
    ):
        if not all(sizes) or abs(sizes[0] - sizes[1]) <= slack:
            continue
        if hosts[0] == hosts[1] or sizes[hosts.index(True)] > sizes[hosts.index(False)]:
            yield f"{name} {sizes[0]} and {sizes[1]}"


def _same_rate(first_gbps: float, other_gbps: float) -> bool:
    return abs(first_gbps - other_gbps) <= SAME_SHARE * max(first_gbps, other_gbps)


def _cables(evidence: Evidence, side: Side) -> list[Cable]:
    return [*side.link_cables, *(side.end_cables if evidence.hosts else [])]


def _rates(side: Side) -> dict[Cable, float]:
    fabric = side.fabric
    rates = [*fabric.link_rate_gbps.tolist(), *fabric.endpoint_rate_gbps.tolist()]
    return dict(zip([*side.link_cables, *side.end_cables], rates, strict=True))
