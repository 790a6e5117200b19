"""Claims of Truong 2016 on growing DSN-F: the split of supernodes, degrees during growth, untouched cables."""

from dataclasses import dataclass, replace

import numpy as np

from topoloom.cabling.expansion.expand import expand
from topoloom.cabling.expansion.expansion import Expansion
from topoloom.cabling.expansion.methods.dsn_f import dsn_f
from topoloom.cabling.expansion.registry import ExpansionRequest
from topoloom.cabling.expansion.stages import Growth, difference
from topoloom.cost.placed import place
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import preset
from topoloom.topologies.families.dsn import dsn_f_layers
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare

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
    splits = _splits()
    different = [split.p for split in splits if not split.same]
    counts = ", ".join(f"p = {split.p}: {split.removed:,} - {split.added:,} +" for split in splits)
    return check_statements(
        {"the same network, link for link, for every p": not different},
        f"a different network for {len(different)} of {len(splits)} p; links removed and added: {counts}",
        "p = 2 .. 8; new switches are spread evenly, and the new shortcuts of S_B span 2^(p-l) old supernodes; with the"
        " published 2^(p+1-l) the network is different (errata of Truong 2016, 6 and 8)",
        readings=2,
    )


@claim(
    "truong-2016/fig-2",
    "the split keeps all shortcuts of S_A, in and out, from level 1 to level p - 1",
    "all",
    "topoloom expand dsn-f:n=1024 --to 2048",
)
def _figure_2() -> Outcome:
    kept = {p: _kept_shortcuts(p) for p in range(2, 9)}
    return check_statements(
        {f"p = {p}": stay == count for p, (stay, count) in kept.items()},
        f"shortcuts that stay: {', '.join(f'p = {p}: {stay} of {count}' for p, (stay, count) in kept.items())}",
        "S_A has the switches of layer 0, and switch 2p as its level p + 1, S_B the others, as drawn; switch 2p is in layer 2,"
        " not 3 (errata of Truong 2016, 7); new switches are spread evenly (6)",
        wrong=True,
    )


def _kept_shortcuts(p: int) -> tuple[int, int]:
    """The shortcuts between layers 0 that are also links after the split, and their number."""
    before, number = _renumbered(p)
    level, layer, group = (before.labels[key][before.links] for key in ("level", "layer", "group"))
    shortcut = (group[:, 0] != group[:, 1]) & (layer == 0).all(axis=1) & (np.abs(level[:, 0] - level[:, 1]) == 1)
    if p == 2:
        # Succ links also join levels 1 and 2 there; they lead to the next supernode, shortcuts of level 1 to the opposite one.
        shortcut &= np.abs(group[:, 0] - group[:, 1]) == 2
    full = (p + 1) << (p + 1)
    after = build(f"dsn-f:n={full}").links
    links = np.sort(number[before.links[shortcut]], axis=1)
    return int(np.isin(links @ (full, 1), np.sort(after, axis=1) @ (full, 1)).sum()), int(shortcut.sum())


def _renumbered(p: int) -> tuple[Topology, np.ndarray]:
    """DSN-F with p before the split, all supernodes full, and the number of each switch after the split: int[n]."""
    before = dsn_f_layers((p + 1) << (p + 1), p, "balanced")
    level, layer, group = (before.labels[key] for key in ("level", "layer", "group"))
    # Errata of Truong 2016, 7: layer 0 and level 1 of layer 2 become S_A, the rest S_B.
    new = 2 * group + np.where(layer < 2, layer, level - 1)
    return before, new * (p + 1) + np.where(layer < 2, level, p + 1) - 1


@dataclass(frozen=True)
class _Split:
    """The split of all supernodes of a DSN-F.

    `same`: whether the result is DSN-F with p + 1; `removed`, `added`: numbers of links; `first`, `second`: numbers of layer
    links before the split between layers 0 and 1, and between 1 and 2; `unplugged`: number of these that are removed.
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
    renamed = Topology(links=growth.number[last.links], switches=full)  # type: ignore[index]  # the request has a goal
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
    splits = _splits()
    # The list removes all layer links and then adds links of the new supernodes, one of them where a layer link was.
    put_back = {s.p: 2 if s.p == 2 else 1 for s in splits}
    return check_statements(
        {
            "there are p between layers 0 and 1": all(s.first == s.p << s.p for s in splits),
            "two between layers 1 and 2": all(s.second == 2 << s.p for s in splits),
            "all are removed but those that the list adds again": all(
                s.unplugged == (s.p + 2 - put_back[s.p]) << s.p for s in splits
            ),
        },
        "links per supernode between layers 0 and 1, 1 and 2, and removed: "
        + ", ".join(
            f"p = {s.p}: {' '.join(f'{links / (1 << s.p):g}' for links in (s.first, s.second, s.unplugged))}"
            for s in splits
        ),
        "two readings of 'removed': as a step of the list, which fits, or on balance; the link between the switches of level 1"
        " in layers 1 and 2 comes back, as the Succ link from level p + 1 of S_A to level 1 of S_B, or in the ring of S_B; with"
        " p = 2 the other link between layers 1 and 2 too, in the ring of S_B; so its cable need not be unplugged",
        readings=2,
        wrong=True,
    )


@claim(
    "truong-2016/section-3.3/ring-links",
    "the split: adding the switch of level p + 1 to a ring removes one link and adds two in each new supernode",
    "1, 2",
    "topoloom expand dsn-f:n=1024 --to 2048",
)
def _ring_links() -> Outcome:
    rings = {p: _rings(p) for p in range(2, 9)}
    # The number of links if it is the same in all new supernodes, else -1.
    ours = {
        f"p = {p}, {what}": int(links[0]) if not np.ptp(links) else -1
        for p, changes in rings.items()
        for what, links in zip(("removed", "added"), changes, strict=True)
        if p > 2
    }
    removed, added = rings[2]
    note = (
        "two readings, as the paper does not state the least p: with p = 2 a ring of two switches is one link; then"
        f" {removed.min()} are removed and {added.min()} to {added.max()} added; S_A gets the switch of level 1 of layer 2 and"
        " S_B that of level 2, as published, and the link between these two, which the paper does not mention, is also removed"
    )
    return compare(
        {name: 1 if "removed" in name else 2 for name in ours}, ours, readings=2, assumption=note, reason=note
    )


def _rings(p: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of ring links that the split removes and adds, per supernode of p + 1 levels: int[2^(p+1)] each."""
    full = (p + 1) << (p + 1)
    (before, number), after = _renumbered(p), build(f"dsn-f:n={full}")
    layer, new = before.labels["layer"], number // (p + 1)
    old_links = np.sort(number[before.links], axis=1)
    in_old_ring = (new[before.links[:, 0]] == new[before.links[:, 1]]) & (layer[before.links] < 2).all(axis=1)
    pairs = [links[:, 0] * full + links[:, 1] for links in (old_links, after.links)]
    removed = in_old_ring & ~np.isin(pairs[0], pairs[1])
    owner = after.links // (p + 1)
    added = (owner[:, 0] == owner[:, 1]) & ~np.isin(pairs[1], pairs[0])
    return (
        np.bincount(old_links[removed, 0] // (p + 1), minlength=2 << p),
        np.bincount(owner[added, 0], minlength=2 << p),
    )


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
            "one more switch does not change the maximum": all(before == after for before, after in full.values()),
            **{
                f"the average is 4 at each of {what}": min(values) == max(values) == 4 for what, values in means.items()
            },
        },
        f"at most {most} links; the first switch of a second layer changes the maximum at"
        f" {sum(before != after for before, after in full.values())} of {len(full)} sizes; the average is"
        f" {', '.join(f'{min(values):.3f} to {max(values):.3f} at {what}' for what, values in means.items())}",
        "the first switch of a supernode's layer has one link, and the ring of a layer is closed from three switches on (errata"
        " of Truong 2016, 10)",
        wrong=True,
        details="24 to 895 switches one by one, and the steps from 1,024 to 2,048 switches (for the average, only those before"
        " the split of supernodes); the greatest degree before and after the first switch of a second layer:"
        f" {', '.join(f'{n:,}: {before}, {after}' for n, (before, after) in full.items())}",
    )


@claim(
    "truong-2016/abstract/untouched",
    "expansion up to twice the size keeps the majority of inter-rack cables untouched",
    "more than half",
    _DOUBLED,
)
def _untouched() -> Outcome:
    touched = long_run(f"{_DOUBLED} --parts slimfly-2014", _Touched, _touched)
    note = (
        "1,024 to 2,048 switches: layers are filled evenly up to 16 switches per supernode, then all supernodes are split; 16"
        f" switches per rack, by supernodes; {touched.unplugged} cables are unplugged and {touched.moved} moved at one end"
    )
    ours = f"{touched.between_stay:.1f} % of {touched.between:,} cables between racks, {touched.stay:.1f} % of all"
    return check_statements({"more than half stay": touched.between_stay > 50}, ours, note)


@dataclass(frozen=True)
class _Touched:
    """Number of cables between racks; untouched share in % of these and of all cables; numbers unplugged and moved."""

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
#: The same on a floor that is laid out for 1,792 switches: the new racks are those of layer 1.
_PLANNED = "topoloom layout dsn-f:n=1792 --floor koibuchi-2013 --switches-per-rack 7 --cluster groups --map anneal"
_SEVEN = replace(preset("koibuchi-2013"), switches_per_rack=7)


@dataclass(frozen=True)
class _Racks:
    """One more layer, with one new rack per supernode.

    `racks`: new racks; `to_old`, `to_new`: the most old and new racks to which a new rack is cabled; `new_m`: mean length of
    the cables to old racks; `old_m`: mean length of the cables between old racks.
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
    f"{_LAYER}; {_PLANNED}",
)
def _short_cables() -> Outcome:
    readings = {
        "around the old ones": long_run(_LAYER, _Racks, _new_racks),
        "in places kept free": long_run(_PLANNED, _Racks, _planned_racks),
    }
    short = {where: racks.new_m < racks.old_m for where, racks in readings.items()}
    return check_statements(
        {
            "each new rack is cabled to one existing rack": all(racks.to_old == 1 for racks in readings.values()),
            "and to no other new one": all(racks.to_new == 0 for racks in readings.values()),
            "by cables that are on average shorter than those between old racks": any(short.values()),
        },
        "; ".join(
            f"{racks.racks} new racks {where}, each cabled to at most {racks.to_old} existing and {racks.to_new} new ones; mean"
            f" cable to an existing rack {racks.new_m:.2f} m, between old racks {racks.old_m:.2f} m"
            for where, racks in readings.items()
        ),
        "896 to 1,792 switches, one rack of 7 switches per supernode and layer, our choice of switches per rack; two readings:"
        " new racks are placed around the old ones, or where the floor was laid out for all of them, which fits. In racks of"
        " 16, as in section 5.1, a supernode's new switches are placed in its rack, with cables of 2 m",
        readings=len(readings),
    )


def _new_racks() -> _Racks:
    plan = expand(place(build("dsn-f:n=896"), _SEVEN, "groups", "anneal"), 1792)
    old_racks = np.unique(plan.after.layout.rack[: plan.before.layout.topology.switches])
    rack = plan.after.layout.rack[plan.after.ends]
    return _measured_racks(rack, np.isin(rack, old_racks), plan.after.layout.length_m)


def _planned_racks() -> _Racks:
    layout = place(build("dsn-f:n=1792"), _SEVEN, "groups", "anneal")
    links = layout.topology.links
    is_old = np.asarray(layout.topology.labels["layer"])[links] == 0
    return _measured_racks(layout.rack[links], is_old, layout.length_m)


def _measured_racks(rack: np.ndarray, is_old: np.ndarray, lengths_m: np.ndarray) -> _Racks:
    """Racks of the ends of each cable, whether they are old: int and bool[m, 2], and the lengths: float[m]."""
    between = rack[:, 0] != rack[:, 1]
    to_old: dict[int, set[int]] = {}
    to_new: dict[int, set[int]] = {}
    for ends, old in zip(rack[between].tolist(), is_old[between].tolist(), strict=True):
        for end, other in ((0, 1), (1, 0)):
            if not old[end]:
                (to_old if old[other] else to_new).setdefault(ends[end], set()).add(ends[other])
    return _Racks(
        int(np.unique(rack[~is_old]).size),
        max(map(len, to_old.values())),
        max(map(len, to_new.values()), default=0),
        round(float(lengths_m[between & (is_old.sum(axis=1) == 1)].mean()), 4),
        round(float(lengths_m[between & is_old.all(axis=1)].mean()), 4),
    )
