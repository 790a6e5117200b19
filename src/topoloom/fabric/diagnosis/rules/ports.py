"""Rules on ports: two cables in one port, and ports that a switch or an adapter does not have."""

from collections import defaultdict
from collections.abc import Iterator

from topoloom.fabric.comparison import Cable, Plug
from topoloom.fabric.diagnosis.evidence import Evidence, Side
from topoloom.fabric.diagnosis.finding import Finding, enumerated
from topoloom.fabric.diagnosis.flawed import flawed
from topoloom.fabric.diagnosis.rule import ERROR, rule
from topoloom.fabric.flaws import PORT_BEYOND, PORT_TWICE
from topoloom.fabric.port_names import split_twice


@rule(
    "TL110",
    "port-taken-twice",
    ERROR,
    "Two cables are in one port.",
    explanation="""No port holds two. In a plan, two rows of the cable list name the same port; in a discovery, two ends
    claim to be cabled to the same port, as happens if cables are moved during the discovery, or if two switches
    have the same GUID.""",
    fix="Correct the list, or discover again when nobody is working on the cables.",
)
def _taken_twice(evidence: Evidence) -> Iterator[Finding]:
    yield from flawed(evidence, PORT_TWICE)
    for side in evidence.sides:
        at: dict[Plug, list[Cable]] = defaultdict(list)
        for cable in _all(evidence, side):
            for plug in cable:
                at[plug].append(cable)
        for (node, port), cables in sorted(item for item in at.items() if len(item[1]) > 1):
            both = " and ".join(evidence.words.cable(cable, side.which == "actual") for cable in cables)
            yield Finding(
                f"two cables in {evidence.node(node)} port {evidence.words.port(node, port)}: {both}",
                (evidence.names[node],),
                plugs=(evidence.words.plugged(node, port),),
                racks=evidence.racks([node]),
            )


@rule(
    "TL111",
    "port-beyond-switch",
    ERROR,
    "A cable is in a port that its switch, or its host's adapter, does not have.",
    explanation="""The number of ports is that in the fabric, or `--radix`. A plan with such a port cannot be built with
    these switches.""",
    fix="Plan with switches of more ports, or with fewer cables per switch; correct the port in the list.",
)
def _beyond(evidence: Evidence) -> Iterator[Finding]:
    yield from flawed(evidence, PORT_BEYOND)
    radix = evidence.limits.radix
    for side in evidence.sides:
        fabric = side.fabric
        size = dict(zip(side.switch.tolist(), fabric.switch_ports.tolist(), strict=True))
        if radix is not None:
            size = {node: min(many, radix) for node, many in size.items()}
        size |= dict(zip(side.host.tolist(), fabric.host_sizes.tolist(), strict=True))
        beyond: dict[int, list[int]] = defaultdict(list)
        for cable in _all(evidence, side):
            for node, port in cable:
                if not 1 <= port <= size[node]:
                    beyond[node].append(port)
        for node, ports in sorted(beyond.items()):
            texts = [evidence.words.port(node, port) for port in sorted(ports)]
            shown = ", ".join(texts[:8]) + (" ..." if len(texts) > 8 else "")
            what = "the adapter" if evidence.is_host(node) else "the switch"
            yield Finding(
                f"{evidence.node(node)} has a cable in port{'s' * (len(ports) > 1)} {shown}; {what} has {size[node]}",
                (evidence.names[node],),
                plugs=tuple(evidence.words.plugged(node, port) for port in sorted(ports)),
                racks=evidence.racks([node]),
            )


@rule(
    "TL114",
    "port-whole-and-split",
    ERROR,
    "A port is there as a whole, and also as the lanes that it is split into.",
    explanation="""A port with a breakout cable has only its lanes (`swp1s0`, `Ethernet1/1/1`, `et-0/0/0:0`); a port without has
    only itself. In a plan one of the names is wrong; in a fabric one of the entries is old.""",
    fix="Correct the name in the plan; configure the breakout of the port as planned.",
)
def _whole_and_split(evidence: Evidence) -> Iterator[Finding]:
    for side in evidence.sides:
        at: dict[int, set[str]] = defaultdict(set)
        for cable in _all(evidence, side):
            for node, port in cable:
                if name := evidence.words.port_names.get(node, {}).get(port):
                    at[node].add(name)
        for node, names in sorted(at.items()):
            for whole, lanes in split_twice(names):
                yield Finding(
                    f"{evidence.node(node)} has cables in port {whole} and in its lanes {enumerated(lanes)}",
                    (evidence.names[node],),
                    racks=evidence.racks([node]),
                )


def _all(evidence: Evidence, side: Side) -> list[Cable]:
    loops = [((s, p), (s, q)) for s, p, q in side.fabric.loops.tolist()]
    loops = [((int(side.switch[s]), p), (int(side.switch[t]), q)) for (s, p), (t, q) in loops]
    return [*side.link_cables, *loops, *(side.end_cables if evidence.hosts else [])]
