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
from topoloom.reproduction.registry import Outcome, Verdict, claim, judge
from topoloom.spec import build
from topoloom.topology import Topology

_DOUBLED = "topoloom expand dsn-f:n=1024 --to 2048 --floor koibuchi-2013 --cabinet 16 --cluster groups --map anneal"


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
    off, moved = 0, {}
    for p in range(2, 9):
        full = (p + 1) << (p + 1)
        growth = _grown(full - 1, full)
        last = growth.stages[-1].topology
        renamed = Topology(links=growth.number[last.links], switches=full)  # type: ignore[index]  # it has a goal
        off += not np.array_equal(renamed.links, build(f"dsn-f:n={full}").links)
        split = next(i for i, stage in enumerate(growth.stages) if "becomes" in stage.title)
        removed, added, _ = difference(growth.stages[split - 1].topology, last)
        moved[p] = f"{len(removed):,} - {len(added):,} +"
    told = ", ".join(f"p = {p}: {text}" for p, text in moved.items())
    return judge(
        {"p with another network": 0},
        {"p with another network": off},
        assumption="p = 2 .. 8; the new shortcuts of S_B go 2^(p-l) old supernodes far, not 2^(p+1-l) as printed (errata"
        f" Truong 2016, 8); links removed and added: {told}",
    )


@claim(
    "truong-2016/section-3.3/degree",
    "growing keeps the switch degree",
    "at most 5 links a switch",
    "topoloom expand dsn-f:n=1024 --to 2048 --radix 5",
)
def _degree() -> Outcome:
    growth = _grown(1024, 2048)
    most = max(int(stage.topology.degrees.max()) for stage in growth.stages)
    reason = f"at each of {len(growth.stages)} steps from 1,024 to 2,048 switches"
    return judge({"links": 5}, {"links": most}, reason=reason)


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
    return Outcome(ours, Verdict.ASSUMED if share > 0.5 else Verdict.NOT_REPRODUCIBLE, why)
