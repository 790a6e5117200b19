"""How cables run: which of those that are there are slower than they should be, and which one end only told of.

What a cable should run at is, in this order: what the user says (``--rate``); what the plan says of that cable, or, where it is
in other ports, the least that it says of cables between the same two; else what most of the fabric's own cables between ends of
the same two kinds run at, of equally many the faster. A switch's kind is the model in its name, else its device id, else how
many ports it has; an adapter's is its device id.
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
    """The cables that are slower than they should be or told of by one end only; of slow ones how they run, in words.

    Parameters
    ----------
    plan, actual : Fabric
    planned, found : mapping of Cable to int
        Their cables, by the numbers of nodes that both share: the number of the link, and of the endpoint after all links;
        below 0: a cable from a switch to itself, of which no rate is known.
    rate : (int, float), optional
        Lanes (0: any) and Gb/s that every cable should have.

    Returns
    -------
    dict of Difference to str
        ``runs at 1xHDR, planned 4xHDR``; empty text for cables that one end only told of.
    """
    runs, says = _rates(actual), _rates(plan)
    one_sided = np.concatenate([actual.link_one_sided, actual.endpoint_one_sided])
    between: dict[tuple[int, int], Rate] = {}
    for cable, index in planned.items():
        if index >= 0 and says[index][1] > 0:
            nodes = cable[0][0], cable[1][0]
            between[nodes] = min(between.get(nodes, says[index]), says[index], key=lambda one: one[1])
    kinds = _kinds(actual) if actual.rated else []
    usual = _usual(runs, kinds, (index for index in found.values() if index >= 0))
    told: dict[Difference, str] = {}
    for cable, index in found.items():
        if index < 0:
            continue
        as_planned = (cable,) if cable in planned else ()
        if one_sided[index]:
            told[Difference(ONE_SIDED, as_planned, (cable,))] = ""
        at = planned.get(cable, -1)
        why = "planned"
        should = rate
        if should is None:
            should = says[at] if at >= 0 and says[at][1] > 0 else between.get((cable[0][0], cable[1][0]))
        if should is None and kinds:
            should, why = usual.get(kinds[index], (0, 0.0)), f"most between {' and '.join(kinds[index])} run at"
        if should is not None and _below(runs[index], should):
            text = f"runs at {rate_name(*runs[index])}, {why} {rate_name(*should)}"
            told[Difference(SLOW, as_planned, (cable,))] = text
    return told


def _below(runs: Rate, should: Rate) -> bool:
    """Whether a cable is slower; where the speed is not known, whether it is narrower."""
    if runs[1] > 0:
        return runs[1] < should[1] * (1 - SAME_SHARE)
    return 0 < runs[0] < should[0]


def _rates(fabric: Fabric) -> list[Rate]:
    width = np.concatenate([fabric.link_width, fabric.endpoint_width]).tolist()
    gbps = np.concatenate([fabric.link_rate_gbps, fabric.endpoint_rate_gbps]).tolist()
    return list(zip(width, gbps, strict=True))


def _usual(runs: list[Rate], kinds: list[_Kind], cables: Iterable[int]) -> dict[_Kind, Rate]:
    """What most cables between each two kinds of ends run at."""
    counts: defaultdict[_Kind, Counter[Rate]] = defaultdict(Counter)
    for index in cables if kinds else ():
        if runs[index][1] > 0:
            counts[kinds[index]][runs[index]] += 1
    return {kind: max(seen, key=lambda one: (seen[one], one[1])) for kind, seen in counts.items()}


def _kinds(fabric: Fabric) -> list[_Kind]:
    """The kinds of both ends of every link and every endpoint, in words."""
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
    kinds = [(min(one), max(one)) for one in ends]
    kinds += [(switches[s], hosts[h]) for s, h in zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True)]
    return kinds
