"""Flat quasi-random networks that passive boxes shuffle."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.topologies.families._shuffle_boxes import ShuffleBoxes, box_groups, boxes_for, shuffle_boxes, splices
from topoloom.topologies.families._sizing import free_degrees, host_counts, serving
from topoloom.topologies.spec import TRANSFORMS, Choice, Facts, Integer, Seed, family, family_of, read_settings
from topoloom.topologies.spec.grammar import split

#: Boxes below which `_sizes` offers no network: trunks of few boxes join the same switches again and again.
_LEAST_BOXES = 16
#: What is at a trunk port that leads to a box without a switch.
_IDLE = ("dark", "reversed", "halves")


def _facts(
    n: int,
    degree: int,
    r: int = 32,
    c: int = 4,
    passes: int = 100,
    planned: int | None = None,
    idle: str | None = None,
    seed: int = 1,
) -> Facts:
    if degree % c:
        raise InputError(f"shuffled: a cord has c={c} lanes; degree={degree} is no multiple of {c}")
    if degree == c and r > 1:
        raise InputError(
            f"shuffled: with one cord, a switch at r-port k only meets those at r-port k of other boxes; raise degree={degree}"
            f" to {2 * c} or more"
        )
    if planned is not None and planned < n:
        raise InputError(
            f"shuffled: boxes are placed for planned={planned} switches, and n={n} are more; raise planned"
        )
    if idle is not None and planned is None:
        raise InputError(f"shuffled: idle={idle} is about boxes of planned switches; give planned, or omit it")
    # Lanes that are lost, to a switch itself or to a free port, are known when the network is built.
    return Facts(n, degree)


def _sizes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Degrees as for random graphs, in whole cords."""
    for per_switch in host_counts(radix - 4):
        n = -(-hosts // per_switch)
        cords = {-(-degree // 4) for degree in free_degrees(n, per_switch, min(radix - per_switch, 64) // 4 * 4)}
        for degree in sorted(
            4 * cord for cord in cords if cord > 1 and boxes_for(n, cord, 32) >= _LEAST_BOXES and 4 * cord < n
        ):
            yield from serving(hosts, radix, [({"n": n, "degree": degree}, n, degree)])


@family(
    "shuffled",
    title="shuffled random network",
    n=Integer(2, 1 << 16, "switches"),
    degree=Integer(1, 1024, "lanes of a switch, each to another one; a multiple of c"),
    r=Integer(1, 1024, "ports of a box for cords; this many switches share their boxes", default=32),
    c=Integer(1, 64, "ports of a box for trunks, and lanes of a cord", default=4),
    passes=Integer(
        0,
        10_000,
        "at most this many passes exchange cords until no lane is lost or doubled; 0: trunks are paired freely, too",
        default=100,
    ),
    planned=Integer(
        2,
        1 << 16,
        "switches that boxes and trunks are placed for; only the first n are plugged in yet; n when omitted",
        default=None,
    ),
    idle=Choice(
        _IDLE,
        "trunk ports that lead to a box without a switch: dark (the trunk is laid), or with a loop plug until the trunk comes,"
        " which joins the first pair with the last (reversed), or with the first of the second half (halves)",
        default=None,
    ),
    seed=Seed(),
    facts=_facts,
    source="Flat quasi-random networks of passive shuffle boxes: arXiv:2604.15261, 2026, sections 2 and 6",
    sizes=_sizes,
    labels={"group": "the switches that share their boxes", "member": "the switch within its group"},
)
def shuffled(
    n: int, degree: int, r: int, c: int, passes: int, planned: int | None, idle: str | None, seed: int, attempt: int = 0
) -> Topology:
    """A random network by passive boxes that shuffle lanes: fixed inside the boxes, random cords and trunks between them.

    A lane from a switch to itself is lost, and so is one that meets a free port of a box. `boxes_of` has cords and trunks.

    With `planned` boxes and trunks are those of that many switches, and only the first n are plugged in: a lane that would end
    at one of the others is dark until it comes, so that a switch has about degree * n / planned links. With loop plugs (`idle`)
    a trunk to a box without a switch comes when its switches come; until then its lanes join switches of one box.

    Returns
    -------
    Topology
        Labels ``group`` and ``member``. Two lanes between the same two switches are two links.

    Raises
    ------
    InputError
        The first n of `planned` switches are not connected.

    Examples
    --------
    >>> shuffled(64, 16, 8, 4, 100, None, None, 1)
    Topology(topology: 64 switches, 512 links)
    >>> shuffled(48, 16, 8, 4, 100, 64, None, 1)
    Topology(topology: 48 switches, 272 links)
    """
    from topoloom.graph.connectivity import components

    network = Topology(
        links=_boxes(n, degree, r, c, passes, planned, idle, seed, attempt).links,
        switches=n,
        labels=group_labels(n, r, planned),
    )
    if planned is not None and components(network).any():
        # Another draw would be other trunks than those of more switches.
        raise InputError(
            f"shuffled: the first n={n} of planned={planned} switches are not connected; plug in more at once"
        )
    return network


def group_labels(n: int, r: int, planned: int | None) -> dict[str, np.ndarray]:
    """The labels ``group`` and ``member`` of the first n of the planned switches.

    Parameters
    ----------
    n, r : int
        Switches, and r-ports of a box.
    planned : int or None
        None: n.

    Returns
    -------
    dict of str to int64[n]
    """
    group = box_groups(planned or n, r)[:n]
    return {"group": group, "member": np.arange(n) - group * r}


def boxes_of(topology: Topology) -> ShuffleBoxes:
    """The boxes, cords and trunks of a network of the family `shuffled`, from its spec; also after growth (``+spliced``).

    Parameters
    ----------
    topology : Topology
        Its hosts may be changed, its links not.

    Returns
    -------
    ShuffleBoxes
        `link_of` numbers the links as `topology` does.

    Raises
    ------
    InputError
        The spec is of another family, or its links are not those of the network.

    Examples
    --------
    >>> from topoloom import build
    >>> boxes = boxes_of(build("shuffled:n=64,degree=16,r=8"))
    >>> boxes.switch_at.shape, len(boxes.trunks), boxes.self_lanes, boxes.dark_lanes
    ((32, 8), 64, 0, 0)
    """
    from topoloom.graph.connectivity import components

    base, *changes = split(topology.spec, "+") if topology.spec else [""]
    parsed = family_of(base) if base.startswith("shuffled:") else None
    if parsed is None:
        raise InputError(f"{topology.name}: no boxes are known; only the family 'shuffled' has them")
    for attempt in range(100):
        drawn = _boxes(**parsed[1], attempt=attempt)
        boxes = drawn
        # Transforms of hosts and rates keep the links, which are compared below.
        for change in changes:
            boxes = _grown(boxes, change)
        if np.array_equal(_network(boxes).links, topology.links):
            return boxes
        if not components(_network(drawn)).any():
            break  # Only a disconnected draw is drawn again.
    raise InputError(
        f"{topology.name}: its links are not those of its spec {topology.spec}; build it from the spec again"
    )


def planned_boxes(topology: Topology) -> Callable[[int], ShuffleBoxes] | None:
    """The boxes with any number of planned switches plugged in; None where no more are planned than the network has.

    Parameters
    ----------
    topology : Topology

    Returns
    -------
    callable (int) -> ShuffleBoxes, or None
    """
    base, *changes = split(topology.spec, "+") if topology.spec else [""]
    parsed = family_of(base) if base.startswith("shuffled:") else None
    if (
        parsed is None
        or (parsed[1]["planned"] or 0) <= topology.switches
        or any(c.startswith("spliced") for c in changes)
    ):
        return None
    values = parsed[1]
    whole = _boxes(**{**values, "n": values["planned"]}, attempt=0)
    return lambda n: whole.with_switches(n, _joined(values["idle"], values["r"]))


def planned_switches(topology: Topology) -> int:
    """The switches that boxes are placed for: those of the network, where no more are planned.

    Parameters
    ----------
    topology : Topology
    """
    parsed = family_of(split(topology.spec, "+")[0]) if topology.spec else None
    planned = parsed[1].get("planned") if parsed else None
    return max(topology.switches, planned or 0)


def _joined(idle: str | None, r: int) -> tuple[int, ...]:
    """The r-port that a loop plug joins with each r-port; an odd one out with itself. Empty without loop plugs."""
    if idle in (None, "dark"):
        return ()
    if idle == "reversed":
        return tuple(range(r - 1, -1, -1))
    half = r // 2
    return (*range(half, 2 * half), *range(half), *range(2 * half, r))


def with_more_plugged(spec: str, n: int) -> str:
    """The spec of a shuffled network with `n` of its planned switches.

    Parameters
    ----------
    spec : str
    n : int
    """
    base, *changes = split(spec, "+")
    record, values, hosts = family_of(base)  # type: ignore[misc]  # its caller knows the family
    return "+".join([record.spec_of({**values, "n": n}, hosts), *changes])


def _network(boxes: ShuffleBoxes) -> Topology:
    """The switches and links of boxes."""
    return Topology(links=boxes.links, switches=int(boxes.switch_at.max()) + 1)


def _grown(boxes: ShuffleBoxes, change: str) -> ShuffleBoxes:
    """The boxes after a transform of a spec: those of growth change, all others keep them."""
    name, _, text = change.partition(":")
    if name != "spliced":
        return boxes
    values, _ = read_settings(name, TRANSFORMS.find(name).parameters, text)
    *_, grown = splices(boxes, values["switches"], values["batch"], values["seed"])
    return grown


def _boxes(
    n: int, degree: int, r: int, c: int, passes: int, planned: int | None, idle: str | None, seed: int, attempt: int
) -> ShuffleBoxes:
    """The boxes of one draw."""
    draws = Draws(seed, attempt)
    boxes = shuffle_boxes(planned or n, degree // c, r, c, draws, paired=not passes)
    if passes:
        boxes.exchange(draws, passes)
    return boxes if planned is None else boxes.with_switches(n, _joined(idle, r))
