"""Claims of Truong 2016 about growing DSN-F: the split of supernodes, degrees on the way, cables that stay."""

from dataclasses import replace

import numpy as np

from topoloom.expansion.expand import expand
from topoloom.expansion.expansion import Expansion
from topoloom.expansion.methods.dsn_f import dsn_f
from topoloom.expansion.registry import Request
from topoloom.expansion.stages import Growth, difference
from topoloom.floors.floor import preset
from topoloom.layout.place import place
from topoloom.reproduction.registry import claim
from topoloom.reproduction.verdicts import Outcome, judge, stated
from topoloom.spec import build
from topoloom.topology import Topology

_DOUBLED = "topoloom expand dsn-f:n=1024 --to 2048 --floor koibuchi-2013 --cabinet 16 --cluster groups --map anneal"


_LEVELS = range(2, 9)


def _grown(start: int, to: int) -> Growth:
    from topoloom.expansion.growing_floor import GrowingFloor

    topology = build(f"dsn-f:n={start}")
    return dsn_f(Request(topology, to, GrowingFloor(place(topology, map="rows"), 0)))


def _doubled() -> Expansion:
    floor = replace(preset("koibuchi-2013"), switches_per_cabinet=16)
    return expand(place(build("dsn-f:n=1024"), floor, "groups", "anneal"), 2048, parts="slimfly-2014")


@claim(
    "truong-2016/section-3.3/split",
    "splitting every supernode of DSN-F with p gives DSN-F with p + 1",
    "edge for edge, any p",
    "topoloom expand dsn-f:n=1024 --to 2048",
)
def _split() -> Outcome:
    off, moved = [], {}
    for p in _LEVELS:
        before, last, number = _splits(p)
        renamed = Topology(links=number[last.links], switches=last.switches)
        if not np.array_equal(renamed.links, build(f"dsn-f:n={last.switches}").links):
            off.append(p)
        removed, added, _ = difference(before, last)
        moved[p] = f"{len(removed):,} - {len(added):,} +"
    told = ", ".join(f"p = {p}: {text}" for p, text in moved.items())
    return stated(
        {"the same network, link for link, for every p": not off},
        f"another network for {len(off)} of {len(_LEVELS)} p; links removed and added: {told}",
        "p = 2 .. 8; new switches are spread evenly, and the new shortcuts of S_B go 2^(p-l) old supernodes far, not 2^(p+1-l)"
        " as printed, by which it is another network (errata of Truong 2016, 6 and 8)",
        readings=2,
    )


def _splits(p: int) -> tuple[Topology, Topology, np.ndarray]:
    """DSN-F before its supernodes are split, and after, with the numbers that switches have in DSN-F with p + 1."""
    full = (p + 1) << (p + 1)
    growth = _grown(full - 1, full)
    split = next(i for i, stage in enumerate(growth.stages) if "becomes" in stage.title)
    if growth.number is None:
        raise AssertionError("a network that is grown to a size has a goal")
    return growth.stages[split - 1].topology, growth.stages[-1].topology, growth.number


@claim(
    "truong-2016/section-3.3/layer-links",
    "the split removes all layer links: of each supernode p between layers 0 and 1, and two between layers 1 and 2",
    "p + 2",
    "topoloom expand dsn-f:n=1024 --to 2048",
)
def _layer_links() -> Outcome:
    published, found = {}, {}
    for p in range(3, 9):
        before, last, _ = _splits(p)
        removed, _, _ = difference(before, last)
        group, layer = (np.asarray(before.labels[key])[removed] for key in ("group", "layer"))
        between = (group[:, 0] == group[:, 1]) & (layer[:, 0] != layer[:, 1])
        published[f"p = {p}"] = float(p + 2)
        found[f"p = {p}"] = float(between.sum()) / (1 << p)
    return judge(published, found, assumption="a supernode, in the mean of all")


@claim(
    "truong-2016/section-3.3/degree",
    "growing keeps the switch degree",
    "at most 5 links a switch",
    "topoloom expand dsn-f:n=1024 --to 2048 --radix 5",
)
def _degree() -> Outcome:
    growth = _grown(1024, 2048)
    most = max(int(stage.topology.degrees.max()) for stage in growth.stages)
    how = f"the most at each of {len(growth.stages)} steps from 1,024 to 2,048 switches"
    return judge({"links": 5}, {"links": most}, assumption=how, reason=how)


@claim(
    "truong-2016/abstract/untouched",
    "expansion up to twice the size keeps the majority of inter-cabinet cables untouched",
    "more than half",
    _DOUBLED,
)
def _untouched() -> Outcome:
    plan = _doubled()
    before = plan.before
    between = before.layout.cabinet[before.ends[:, 0]] != before.layout.cabinet[before.ends[:, 1]]
    touched = {plan.cables[task.cable].number for step in plan.steps for task in step.tasks}
    stay = ~np.isin(before.number, list(touched))
    share = float((between & stay).sum() / between.sum())
    ours = f"{100 * share:.1f} % of {int(between.sum()):,} cables between cabinets, {100 * stay.mean():.1f} % of all"
    why = (
        "1,024 to 2,048 switches: layers are filled evenly up to 16 a supernode, then all supernodes are split; 16 switches a"
        f" cabinet, by supernodes; {plan.count('unplug')} cables are unplugged and {plan.count('move')} moved at one end"
    )
    return stated({"more than half stay": share > 0.5}, ours, why)
