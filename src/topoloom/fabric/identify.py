"""Which planned switch and host each switch and host of an actual fabric is: by name, GUID, a map, or shape."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from topoloom.core.csv_files import csv_rows, unguarded
from topoloom.core.errors import InputError, at
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.plug_matching import match_plugs
from topoloom.fabric.structure_matching import match_shapes
from topoloom.model.sources import NetworkSource, taken

NAME, GUID, HOSTS, SHAPE, MAP = "name", "guid", "hosts", "shape", "map"
#: What `by` takes.
METHODS = ("auto", NAME, GUID, HOSTS, SHAPE)
#: MF0;NAME:MODEL/U1, and, of what has several switches in a box, MF0;NAME:MODEL/L16/U2: NAME and NAME/L16/U2.
_MANAGED = re.compile(r"mf0;([^;:]+):[^:/]*(?:/u1|((?:/[^:/]+)*))")
_ZEROS = re.compile(r"(?<=/[a-z])0+(?=[0-9])")
#: Below this share of agreeing links a match by shape is none.
_LEAST = 0.5


@dataclass(frozen=True, eq=False)
class Match:
    """Who is who.

    Attributes
    ----------
    switch : int64[switches of the actual fabric]
        The planned switch that each is; -1: none.
    host : int64[hosts of the actual fabric]
        The planned host; -1: none.
    by : str
        How: "name", "guid", "hosts" (switches by the names of their hosts), "shape" or "map".
    inferred : int
        Switches that were found by their neighbours, because nothing else told.
    share : float
        Of the links of the larger network, those between the same switches in both.
    seed : int or None
        Of the guesses by shape.
    seconds : float
        That finding out took.
    """

    switch: np.ndarray
    host: np.ndarray
    by: str
    inferred: int
    share: float
    seed: int | None = None
    seconds: float = 0.0


def identify(
    plan: NetworkSource,
    actual: NetworkSource,
    by: str = "auto",
    *,
    aliases: Sequence[Iterable[str]] | None = None,
    given: dict[int, int] | None = None,
    seed: int = 1,
) -> Match:
    """Find out node matching.

    Parameters
    ----------
    plan, actual : NetworkSource
    by : str
        "name", "guid", "hosts", "shape"; "auto": the first of these that knows at least half of the switches.
    aliases : sequence of iterables of str, optional
        Further names of each planned switch, such as its label.
    given : dict of int to int, optional
        The planned switch of actual switches, from a map; `by` is not asked then.
    seed : int
        Of the guesses by shape.

    Returns
    -------
    Match
        The planned switch and host of each actual one (-1: not in the plan), and how they were found.

    Raises
    ------
    InputError
        Nothing is identified by that method; fewer than half of the links agree.
    """
    plan, actual = taken(plan, Fabric, "identify"), taken(actual, Fabric, "identify")
    if by not in METHODS:
        raise InputError(f"by '{by}': it is one of {', '.join(METHODS)}")
    started = time.monotonic()
    hosts = _by_host_names(plan, actual)
    nobody = np.full(actual.topology.switches, -1, np.int64)
    if given is not None:
        by, switch = MAP, nobody.copy()
        switch[list(given)] = list(given.values())
    else:
        methods: dict[str, Callable[[], np.ndarray]] = {
            NAME: lambda: _by_names(plan, actual, aliases),
            GUID: lambda: _matched(plan.switch_guids.tolist(), actual.switch_guids.tolist()),
            HOSTS: lambda: _by_hosts(plan, actual, hosts),
            SHAPE: lambda: nobody,
        }
        if by == "auto":
            # A plan's own GUIDs are no real ones.
            order = [NAME, HOSTS, SHAPE] if plan.planned else [NAME, GUID, HOSTS, SHAPE]
            enough = min(plan.topology.switches, actual.topology.switches) / 2
            by = next(one for one in order if one == SHAPE or (methods[one]() >= 0).sum() >= enough)
        switch = methods[by]()
        if by != SHAPE and not (switch >= 0).any():
            raise InputError(f"{actual.made}: no switch is known by its {by}; match by shape, or give a map")
    inferred = 0
    if (switch < 0).any() and np.unique(switch[switch >= 0]).size < plan.topology.switches:
        if by == SHAPE:
            found = _by_shape(plan, actual, hosts, seed)
        else:
            found = match_plugs(plan, actual, switch, hosts)
            if (found < 0).any() and np.unique(found[found >= 0]).size < plan.topology.switches:
                shaped = match_shapes(plan.topology, actual.topology, found, seed=seed).planned
                found = _believed(plan, actual, found, shaped)
        inferred = int(((switch < 0) & (found >= 0)).sum())
        switch = found
    share = _share(plan, actual, switch)
    if by == SHAPE and share < _LEAST:
        raise InputError(
            f"{actual.made}: no match by shape in which half of the links agree ({100 * share:.0f} % at best);"
            " give names, GUIDs or a map"
        )
    host = _hosts_by_place(plan, actual, switch, hosts)
    return Match(switch, host, by, inferred, share, seed, time.monotonic() - started)


def _by_shape(plan: Fabric, actual: Fabric, hosts: np.ndarray, seed: int) -> np.ndarray:
    """The planned switch of each actual one, by the links alone: int64[switches of the actual fabric].

    A symmetrical network fits in several positions. Of those in which all links agree, the one is taken in which hosts with
    known names hang on their own switches: else all their cables would be reported, though none is wrong.
    """
    known = _by_hosts(plan, actual, hosts)
    held = None
    if (known >= 0).any():
        held = match_shapes(plan.topology, actual.topology, known, seed=seed).planned
        if _share(plan, actual, held) == 1:
            return held
    free = match_shapes(plan.topology, actual.topology, seed=seed).planned
    return free if held is None or _share(plan, actual, free) > _share(plan, actual, held) else held


def read_map(text: str, source: str, plan: Fabric, actual: Fabric, aliases: Sequence[Iterable[str]]) -> dict[int, int]:
    """The planned switch of each actual one that a map names: a CSV of ``switch,guid``, the planned switch first.

    The planned switch is a number, a name or a label, the actual one its GUID (0x...) or its name.

    Parameters
    ----------
    text : str
        The content of the file.
    source : str
        Its name, for messages.
    plan, actual : Fabric
        The planned and the actual network.
    aliases : sequence of iterable of str
        For each planned switch, what else it is called, in lower case.

    Returns
    -------
    dict of int to int
        The planned switch by the actual one.

    Raises
    ------
    InputError
        A row that is none; a switch that neither has; a switch named twice.
    """
    planned = _known_names(plan, aliases)
    planned |= {str(s): s for s in range(plan.topology.switches)}
    there = {f"0x{guid:x}": s for s, guid in enumerate(actual.switch_guids.tolist())}
    there |= {name.lower(): s for s, name in enumerate(actual.switch_names)}
    found: dict[int, int] = {}
    for number, row in csv_rows(text.removeprefix("\ufeff"), source):
        cells = [unguarded(cell).strip().lower() for cell in row]
        if cells[0].startswith("#") or (number == 1 and cells[:2] == ["switch", "guid"]):
            continue
        if len(cells) < 2:
            raise at(source, number, "a row of a map is switch,guid")
        one, other = cells[:2]
        if other.startswith("0x"):
            other = f"0x{other[2:].lstrip('0') or '0'}"
        if one not in planned:
            raise at(source, number, f"the plan has no switch {one[:60]!a}")
        if other not in there:
            raise at(source, number, f"{actual.made} has no switch {other[:60]!a}")
        if there[other] in found or planned[one] in found.values():
            raise at(source, number, f"{one[:60]!a} or {other[:60]!a} is in the map twice")
        found[there[other]] = planned[one]
    if not found:
        raise at(source, None, "names no switch; a map has rows like S12,0x0002c90000000001")
    return found


def _matched(planned: Sequence[object], there: Sequence[object]) -> np.ndarray:
    """The place in `planned` of each of `there`, where both have it exactly once; -1 elsewhere."""
    once, again = Counter(planned), Counter(there)
    place = {value: i for i, value in enumerate(planned) if once[value] == 1}
    return np.array([place.get(value, -1) if again[value] == 1 else -1 for value in there], np.int64)


def _known_names(plan: Fabric, aliases: Sequence[Iterable[str]] | None) -> dict[str, int]:
    """The planned switch of each name, in small letters, that only one has."""
    names = [(name.lower(), s) for s, name in enumerate(plan.switch_names)]
    names += [(plain_name(name), s) for s, name in enumerate(plan.switch_names)]
    names += [(name.lower(), s) for s, others in enumerate(aliases or []) for name in others]
    owners: dict[str, set[int]] = {}
    for name, s in names:
        owners.setdefault(name, set()).add(s)
    return {name: min(who) for name, who in owners.items() if len(who) == 1}


def plain_name(name: str) -> str:
    """What a managed switch is called, in small letters, from what it calls itself.

    >>> plain_name("MF0;leaf1:MQM8700/U1"), plain_name("MF0;Core:MCS8500/L06/U2"), plain_name("S12")
    ('leaf1', 'core/l6/u2', 's12')
    """
    found = _MANAGED.fullmatch(name.lower())
    # A box numbers its parts with a zero in front or without: L05 is L5.
    return f"{found[1]}{_ZEROS.sub('', found[2] or '')}" if found else name.lower()


def _by_names(plan: Fabric, actual: Fabric, aliases: Sequence[Iterable[str]] | None) -> np.ndarray:
    known = _known_names(plan, aliases)
    names = [plain_name(name) for name in actual.switch_names]
    once = Counter(names)
    found = np.array([known.get(name, -1) if once[name] == 1 else -1 for name in names], np.int64)
    return _once(found)


def _by_host_names(plan: Fabric, actual: Fabric) -> np.ndarray:
    """The planned host of each actual one, by name, else by its first word, else by GUID."""
    whole = _matched([*map(str.lower, plan.host_names)], [*map(str.lower, actual.host_names)])
    first = _matched([*map(_first_word, plan.host_names)], [*map(_first_word, actual.host_names)])
    # A plan's own GUIDs are no real ones.
    nobody = np.full(len(actual.host_names), -1, np.int64)
    guid = nobody if plan.planned else _matched(plan.host_guids.tolist(), actual.host_guids.tolist())
    # The method that identifies most: names and GUIDs are not mixed.
    return max((whole, first, guid), key=lambda found: int((found >= 0).sum()))


def _first_word(name: str) -> str:
    return name.lower().split()[0]


def _by_hosts(plan: Fabric, actual: Fabric, hosts: np.ndarray) -> np.ndarray:
    """Every switch is the planned one that most of its hosts should hang on."""
    homes: dict[int, list[int]] = {}
    for switch, host in zip(plan.topology.endpoints.tolist(), plan.topology.host.tolist(), strict=True):
        homes.setdefault(host, []).append(switch)
    votes: list[Counter[int]] = [Counter() for _ in range(actual.topology.switches)]
    for switch, host in zip(actual.topology.endpoints.tolist(), actual.topology.host.tolist(), strict=True):
        votes[switch].update(homes.get(int(hosts[host]), []))
    found = np.full(len(votes), -1, np.int64)
    for switch, said in enumerate(votes):
        first = said.most_common(2)
        if first and (len(first) == 1 or first[0][1] > first[1][1]):
            found[switch] = first[0][0]
    return _once(found)


def _once(found: np.ndarray) -> np.ndarray:
    """Without those that two claim to be."""
    values, counts = np.unique(found, return_counts=True)
    found[np.isin(found, values[counts > 1])] = -1
    return found


def _believed(plan: Fabric, actual: Fabric, known: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Of what the shape says beyond what is known, that which at least half of a switch's links agree with."""
    believed = found.copy()
    for x in np.flatnonzero((known < 0) & (found >= 0)).tolist():
        offsets, to, _ = actual.topology.csr
        mine = Counter(found[to[offsets[x] : offsets[x + 1]]].tolist())
        offsets, to, _ = plan.topology.csr
        u = int(found[x])
        theirs = Counter(to[offsets[u] : offsets[u + 1]].tolist())
        if 2 * (mine & theirs).total() < max(mine.total(), theirs.total()):
            believed[x] = -1
    return believed


def _share(plan: Fabric, actual: Fabric, switch: np.ndarray) -> float:
    ends = np.sort(switch[actual.topology.links], axis=1)
    mine = Counter(map(tuple, ends[(ends >= 0).all(axis=1)].tolist()))
    agree = (mine & Counter(map(tuple, plan.topology.links.tolist()))).total()
    most = max(len(plan.topology.links), len(actual.topology.links))
    return agree / most if most else 1.0


def _hosts_by_place(plan: Fabric, actual: Fabric, switch: np.ndarray, hosts: np.ndarray) -> np.ndarray:
    """The hosts as far as names tell; others are those that should be in the same port, or else on the same switch."""
    found = hosts.copy()
    taken = set(found[found >= 0].tolist())
    in_port: dict[tuple[int, int, int], int] = {}
    on_switch: dict[int, list[int]] = {}
    planned, there = plan.topology, actual.topology
    for e in range(planned.endpoints.size):
        host = int(planned.host[e])
        if host not in taken:
            in_port[int(planned.endpoints[e]), int(plan.endpoint_ports[e]), int(plan.host_ports[e])] = host
            on_switch.setdefault(int(planned.endpoints[e]), []).append(host)
    for strict in (True, False):
        for e in range(there.endpoints.size):
            home, x = int(switch[there.endpoints[e]]), int(there.host[e])
            if found[x] >= 0 or home < 0:
                continue
            if strict:
                host = in_port.get((home, int(actual.endpoint_ports[e]), int(actual.host_ports[e])), -1)
            else:
                host = next((h for h in on_switch.get(home, []) if h not in taken), -1)
            if host >= 0 and host not in taken:
                found[x] = host
                taken.add(host)
    return found
