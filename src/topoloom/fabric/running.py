"""Cable operation: cables that run slower than they should, and cables that only one end lists.

The expected rate of a cable is, in this order: the user's (``--cable-rate``); the plan's rate for that cable or, if the cable
is in other ports, the lowest that the plan has between the same two nodes; otherwise, in InfiniBand, the rate at which most of
the fabric's own cables between the same two kinds of ends run (of equally frequent rates the higher). The kind of a switch is
the model in its name, else its device id, else its number of ports; the kind of an adapter is its device id. Where ports have
names (Ethernet), no file tells the device, and hosts of several rates are usual: most cables say nothing about the others.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from topoloom.fabric.comparison import ONE_SIDED, SLOW, Cable, Difference
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.rates import SAME_SHARE, rate_name

#: Width and rate: 0 where not known.
Rate = tuple[int, float]
_MODEL = re.compile(r"(?:MF0;[^;:]+:)([^/]+)(?:/.*)?", re.IGNORECASE)
_Kind = tuple[str, str]


def slow_and_one_sided(
    plan: Fabric, actual: Fabric, planned: Mapping[Cable, int], found: Mapping[Cable, int], rate: Rate | None = None
) -> dict[Difference, str]:
    """The cables that are slower than expected, with a text on how they run, and cables that only one end lists.

    Parameters
    ----------
    plan, actual : Fabric
    planned, found : mapping of Cable to int
        Their cables, with node numbers that both fabrics share: the index of the link, or, after all links, of the endpoint;
        below 0: a cable from a switch to itself, whose rate is not known.
    rate : (int, float), optional
        Lanes (0: any) and Gb/s that every cable should have.

    Returns
    -------
    dict of Difference to str
        ``runs at 1xHDR, planned 4xHDR``; empty text for cables that only one end lists.
    """
    runs, planned_rates = _rates(actual), _rates(plan)
    one_sided = np.concatenate([actual.link_one_sided, actual.endpoint_one_sided])
    between: dict[tuple[int, int], Rate] = {}
    for cable, index in planned.items():
        if index >= 0 and planned_rates[index][1] > 0:
            nodes = cable[0][0], cable[1][0]
            planned_rate = planned_rates[index]
            between[nodes] = min(between.get(nodes, planned_rate), planned_rate, key=lambda entry: entry[1])
    kinds = _kinds(actual) if actual.rated and not actual.named_ports else []
    usual = _usual(runs, kinds, (index for index in found.values() if index >= 0))
    differences: dict[Difference, str] = {}
    for cable, index in found.items():
        if index < 0:
            continue
        as_planned = (cable,) if cable in planned else ()
        if one_sided[index]:
            differences[Difference(ONE_SIDED, as_planned, (cable,))] = ""
        at = planned.get(cable, -1)
        why = "planned"
        expected = rate
        if expected is None:
            expected = (
                planned_rates[at] if at >= 0 and planned_rates[at][1] > 0 else between.get((cable[0][0], cable[1][0]))
            )
        if expected is None and kinds:
            expected, why = usual.get(kinds[index], (0, 0.0)), _most(kinds[index])
        if expected is not None and _below(runs[index], expected):
            # Names such as HDR are InfiniBand's.
            names = [rate_name(0 if actual.by_neighbours else width, gbps) for width, gbps in (runs[index], expected)]
            text = f"runs at {names[0]}, {why} {names[1]}"
            differences[Difference(SLOW, as_planned, (cable,))] = text
    return differences


def _most(ends: _Kind) -> str:
    """Which cables the rate of most is: ``most cables between 30-port switches run at``."""
    return f"most cables between {' and '.join(dict.fromkeys(ends))} run at"


def _below(runs: Rate, expected: Rate) -> bool:
    """Whether a cable is slower; if the speed is not known, whether it is narrower."""
    if runs[1] > 0:
        return runs[1] < expected[1] * (1 - SAME_SHARE)
    return 0 < runs[0] < expected[0]


def _rates(fabric: Fabric) -> list[Rate]:
    width = np.concatenate([fabric.link_width, fabric.endpoint_width]).tolist()
    gbps = np.concatenate([fabric.link_rate_gbps, fabric.endpoint_rate_gbps]).tolist()
    return list(zip(width, gbps, strict=True))


def _usual(runs: list[Rate], kinds: list[_Kind], cables: Iterable[int]) -> dict[_Kind, Rate]:
    """The rate at which most cables between each two kinds of ends run."""
    counts: defaultdict[_Kind, Counter[Rate]] = defaultdict(Counter)
    for index in cables if kinds else ():
        if runs[index][1] > 0:
            counts[kinds[index]][runs[index]] += 1
    return {kind: max(seen, key=lambda entry: (seen[entry], entry[1])) for kind, seen in counts.items()}


def _kinds(fabric: Fabric) -> list[_Kind]:
    """The kinds of both ends of every link and every endpoint, as text."""
    switches = [
        model[1]
        if (model := _MODEL.fullmatch(name))
        else f"switches 0x{device:x}"
        if device
        else f"{ports}-port switches"
        for name, device, ports in zip(
            fabric.switch_names, fabric.switch_device.tolist(), fabric.switch_ports.tolist(), strict=True
        )
    ]
    hosts = [f"adapters 0x{device:x}" if device else "hosts" for device in fabric.host_device.tolist()]
    topology = fabric.topology
    ends = [(switches[u], switches[v]) for u, v in topology.links.tolist()]
    kinds = [(min(pair), max(pair)) for pair in ends]
    kinds += [(switches[s], hosts[h]) for s, h in zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True)]
    return kinds
