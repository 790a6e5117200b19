"""Claims of Truong 2016 about growing DSN-F: the split of supernodes, degrees on the way, cables that stay."""

from dataclasses import dataclass, replace

import numpy as np

from topoloom.cabling.expansion.expand import expand
from topoloom.cabling.expansion.expansion import Expansion
from topoloom.cabling.expansion.methods.dsn_f import dsn_f
from topoloom.cabling.expansion.registry import ExpansionRequest
from topoloom.cabling.expansion.stages import Growth, difference
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import preset
from topoloom.placement.layout.place import place
from topoloom.topologies.families.dsn import dsn_f_layers
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, compare, check_statements

_DOUBLED = (
    "topoloom expand dsn-f:n=1024 --to 2048 --floor koibuchi-2013 --switches-per-rack 16 --cluster groups --map anneal"
)


def _grown(start: int, to: int) -> Growth:
    from topoloom.cabling.expansion.growing_floor import GrowingFloor

    topology = build(f"dsn-f:n={start}")
    return dsn_f(ExpansionRequest(topology, to, GrowingFloor(place(topology, map="rows"), 0)))


def _doubled() -> Expansion:
    floor = replace(preset("koibuchi-2013"), switches_per_rack=16)
    return expand(place(build("dsn-f:n=1024"), floor, "groups", "anneal"), 2048, parts="slimfly-2014")


@claim(
    "truong-2016/section-3.3/split",
    "splitting every supernode of DSN-F with p gives DSN-F with p + 1",
    "edge for edge, any p",
    "topoloom expand dsn-f:n=1024 --to 2048",
)
def _split() -> Outcome:
    found = _splits()
    off = [one.p for one in found if not one.same]
    told = ", ".join(f"p = {one.p}: {one.removed:,} - {one.added:,} +" for one in found)
    return check_statements(
        {"the same network, link for link, for every p": not off},
        f"another network for {len(off)} of {len(found)} p; links removed and added: {told}",
        "p = 2 .. 8; new switches are spread evenly, and the new shortcuts of S_B go 2^(p-l) old supernodes far, not 2^(p+1-l)"
        " as printed, by which it is another network (errata of Truong 2016, 6 and 8)",
        readings=2,
    )


@dataclass(frozen=True)
class _Split:
    """A DSN-F whose supernodes are split.

    `same`: what comes of it is DSN-F with p + 1; `removed`, `added`: links; `first`, `second`: layer links before it between
    layers 0 and 1, and between 1 and 2; `unplugged`: those of them that are removed.
    """

    p: int
    same: bool
    removed: int
    added: int
    first: int
    second: int
    unplugged: int


def _splits() -> list[_Split]:
    return long_run(
        "topoloom expand dsn-f:n=N --to M for M = (p + 1) 2^(p + 1), N = M - 1 and p = 2 to 8",
        list[_Split],
        lambda: [_one_split(p) for p in range(2, 9)],
    )


def _one_split(p: int) -> _Split:
    full = (p + 1) << (p + 1)
    growth = _grown(full - 1, full)
    at = next(i for i, stage in enumerate(growth.stages) if "becomes" in stage.title)
    before, last = growth.stages[at - 1].topology, growth.stages[-1].topology
    renamed = Topology(links=growth.number[last.links], switches=full)  # type: ignore[index]  # it has a goal
    removed, added, _ = difference(before, last)

    def between_layers(links: np.ndarray) -> np.ndarray:
        """The lower layer of each link that joins two layers of a supernode."""
        group, layer = (np.asarray(before.labels[key])[links] for key in ("group", "layer"))
        return np.asarray(layer.min(axis=1)[(group[:, 0] == group[:, 1]) & (layer[:, 0] != layer[:, 1])])

    lower = between_layers(before.links)
    return _Split(
        p,
        bool(np.array_equal(renamed.links, build(f"dsn-f:n={full}").links)),
        len(removed),
        len(added),
        int((lower == 0).sum()),
        int((lower == 1).sum()),
        int(between_layers(removed).size),
    )


@claim(
    "truong-2016/section-3.3/layer-links",
    "the split removes all layer links of a supernode: p between layers 0 and 1, and two between layers 1 and 2",
    "p, 2; all",
    "topoloom expand dsn-f:n=1024 --to 2048",
)
def _layer_links() -> Outcome:
    found = _splits()
    return check_statements(
        {
            "there are p between layers 0 and 1": all(one.first == one.p << one.p for one in found),
            "two between layers 1 and 2": all(one.second == 2 << one.p for one in found),
            "and all are removed": all(one.unplugged == (one.p + 2) << one.p for one in found),
        },
        "links of a supernode between layers 0 and 1, 1 and 2, and removed: "
        + ", ".join(
            f"p = {one.p}: {' '.join(f'{links / (1 << one.p):g}' for links in (one.first, one.second, one.unplugged))}"
            for one in found
        ),
        "the cable between the switches of level 1 in layers 1 and 2 stays: by the paper's own list it is the new Succ link of"
        " level p + 1 of S_A to level 1 of S_B, and if S_A gets the other switch of layer 2, it is in the ring of S_B; with p ="
        " 2 the other one between layers 1 and 2 stays too, in the ring of S_B",
        wrong=True,
    )


@claim(
    "truong-2016/section-3.3/ring-links",
    "the split: adding the switch of level p + 1 to a ring removes one link and adds two in each new supernode",
    "1, 2",
    "topoloom expand dsn-f:n=1024 --to 2048",
)
def _ring_links() -> Outcome:
    found = {p: _rings(p) for p in range(2, 9)}
    # A number of links where it is the same in all new supernodes, else -1.
    ours = {
        f"p = {p}, {what}": int(links[0]) if not np.ptp(links) else -1
        for p, both in found.items()
        for what, links in zip(("removed", "added"), both, strict=True)
        if p > 2
    }
    removed, added = found[2]
    why = (
        "two readings, as the paper does not say from which p on: with p = 2 a ring of two switches is one link, of which"
        f" {removed.min()} are removed, and {added.min()} to {added.max()} added; S_A gets the switch of level 1 of layer 2 and"
        " S_B that of level 2, as printed, and the link between these two, which the paper does not name, is removed as well"
    )
    return compare({name: 1 if "removed" in name else 2 for name in ours}, ours, readings=2, assumption=why, reason=why)


def _rings(p: int) -> tuple[np.ndarray, np.ndarray]:
    """By supernode of p + 1 levels: links of its ring that are removed when it is split off, and that are added."""
    full = (p + 1) << (p + 1)
    before, after = dsn_f_layers(full, p, "balanced"), build(f"dsn-f:n={full}")
    level, layer, group = (before.labels[key] for key in ("level", "layer", "group"))
    # Errata of Truong 2016, 7: layer 0 and level 1 of layer 2 become S_A, the others S_B.
    new = 2 * group + np.where(layer < 2, layer, level - 1)
    number = new * (p + 1) + np.where(layer < 2, level, p + 1) - 1
    stood = np.sort(number[before.links], axis=1)
    stood_in_ring = (new[before.links[:, 0]] == new[before.links[:, 1]]) & (layer[before.links] < 2).all(axis=1)
    pairs = [links[:, 0] * full + links[:, 1] for links in (stood, after.links)]
    gone = stood_in_ring & ~np.isin(pairs[0], pairs[1])
    owner = after.links // (p + 1)
    come = (owner[:, 0] == owner[:, 1]) & ~np.isin(pairs[1], pairs[0])
    return (np.bincount(stood[gone, 0] // (p + 1), minlength=2 << p), np.bincount(owner[come, 0], minlength=2 << p))


@claim(
    "truong-2016/section-3.3/degree",
    "growing keeps the switch degree: adding a switch changes neither the maximum nor the average",
    "unchanged",
    "topoloom expand dsn-f:n=1024 --to 2048 --radix 5; topoloom info dsn-f:n=896; topoloom info dsn-f:n=897",
)
def _degree() -> Outcome:
    growth = _grown(1024, 2048)
    steps = [stage.topology.degrees for stage in growth.stages]
    sizes = {n: build(f"dsn-f:n={n}").degrees for n in range(3 << 3, 7 << 7)}
    most = max(int(degrees.max()) for degrees in (*steps, *sizes.values()))
    full = {p << p: [int(build(f"dsn-f:n={n}").degrees.max()) for n in (p << p, (p << p) + 1)] for p in range(3, 10)}
    added = [stage.topology.degrees for stage in growth.stages if "becomes" not in stage.title]
    means = {
        f"{len(sizes)} sizes, filled supernode by supernode": [float(degrees.mean()) for degrees in sizes.values()],
        f"{len(added)} steps from 1,024 switches, filled evenly": [float(degrees.mean()) for degrees in added],
    }
    return check_statements(
        {
            "never more than 5 links": most == 5,
            "the maximum is the same after a switch more": all(before == after for before, after in full.values()),
            **{
                f"the average is 4 at each of {what}": min(values) == max(values) == 4 for what, values in means.items()
            },
        },
        f"at most {most} links; with the first switch of a second layer the maximum goes from"
        f" {', '.join(f'{before} to {after} ({n:,})' for n, (before, after) in full.items())}; the average is"
        f" {', '.join(f'{min(values):.3f} to {max(values):.3f} at {what}' for what, values in means.items())}",
        "24 to 895 switches one by one, and the steps by which 1,024 grow to 2,048, for the average those before supernodes are"
        " split; the first switch of a supernode's layer has one link, and the ring of a layer is closed from three switches on"
        " (errata of Truong 2016, 10)",
        wrong=True,
    )


@claim(
    "truong-2016/abstract/untouched",
    "expansion up to twice the size keeps the majority of inter-rack cables untouched",
    "more than half",
    _DOUBLED,
)
def _untouched() -> Outcome:
    found = long_run(f"{_DOUBLED} --parts slimfly-2014", _Touched, _touched)
    why = (
        "1,024 to 2,048 switches: layers are filled evenly up to 16 a supernode, then all supernodes are split; 16 switches a"
        f" rack, by supernodes; {found.unplugged} cables are unplugged and {found.moved} moved at one end"
    )
    ours = f"{found.between_stay:.1f} % of {found.between:,} cables between racks, {found.stay:.1f} % of all"
    return check_statements({"more than half stay": found.between_stay > 50}, ours, why)


@dataclass(frozen=True)
class _Touched:
    """Cables between racks, and in %, how many of these and of all stay as they are; how many are unplugged, and moved."""

    between: int
    between_stay: float
    stay: float
    unplugged: int
    moved: int


def _touched() -> _Touched:
    plan = _doubled()
    before = plan.before
    between = before.layout.rack[before.ends[:, 0]] != before.layout.rack[before.ends[:, 1]]
    touched = {plan.cables[task.cable].number for step in plan.steps for task in step.tasks}
    stay = ~np.isin(before.number, list(touched))
    return _Touched(
        int(between.sum()),
        100 * float((between & stay).sum() / between.sum()),
        100 * float(stay.mean()),
        plan.count("unplug"),
        plan.count("move"),
    )


_LAYER = (
    "topoloom expand dsn-f:n=896 --to 1792 --floor koibuchi-2013 --switches-per-rack 7 --cluster groups --map anneal"
)


@dataclass(frozen=True)
class _Racks:
    """A layer more, a rack for each supernode's: new racks, and the most old and new ones that one is cabled to.

    `new_m`: the mean length of the cables to old racks; `old_m`: that of the cables between racks that stood.
    """

    racks: int
    to_old: int
    to_new: int
    new_m: float
    old_m: float


@claim(
    "truong-2016/abstract/short-cables",
    "a new rack is installed by connecting short cables to a single existing rack",
    "a single one, short",
    _LAYER,
)
def _short_cables() -> Outcome:
    found = long_run(_LAYER, _Racks, _new_racks)
    return check_statements(
        {
            "each new rack is cabled to one existing rack": found.to_old == 1,
            "and to no other new one": found.to_new == 0,
            "by cables shorter than those that stood between racks, in the mean": found.new_m < found.old_m,
        },
        f"{found.racks} new racks, each cabled to {found.to_old} existing and {found.to_new} new ones at most; mean cable"
        f" to an existing rack {found.new_m:.2f} m, between racks before {found.old_m:.2f} m",
        "896 to 1,792 switches, a rack of 7 for each supernode's switches of a layer, as the switches per rack have to be"
        " chosen; new racks stand around those that there were. In racks of 16, as in section 5.1, a supernode's new"
        " switches come into its own rack, by cables of 2 m",
    )


def _new_racks() -> _Racks:
    floor = replace(preset("koibuchi-2013"), switches_per_rack=7)
    plan = expand(place(build("dsn-f:n=896"), floor, "groups", "anneal"), 1792)
    stood = np.unique(plan.after.layout.rack[: plan.before.layout.topology.switches])
    rack = plan.after.layout.rack[plan.after.ends]
    is_old, lengths = np.isin(rack, stood), plan.after.layout.length_m
    between = rack[:, 0] != rack[:, 1]
    to_old: dict[int, set[int]] = {}
    to_new: dict[int, set[int]] = {}
    for ends, old in zip(rack[between].tolist(), is_old[between].tolist(), strict=True):
        for mine, other in ((0, 1), (1, 0)):
            if not old[mine]:
                (to_old if old[other] else to_new).setdefault(ends[mine], set()).add(ends[other])
    return _Racks(
        plan.after.layout.racks - stood.size,
        max(map(len, to_old.values())),
        max(map(len, to_new.values()), default=0),
        round(float(lengths[between & (is_old.sum(axis=1) == 1)].mean()), 4),
        round(float(lengths[between & is_old.all(axis=1)].mean()), 4),
    )
