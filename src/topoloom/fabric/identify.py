"""Node matching: the planned switch and host for each one of an actual fabric, by name, GUID, a map, or shape."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from topoloom.core.csv_files import csv_rows, unguarded
from topoloom.core.errors import InputError, at
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.managed_names import managed
from topoloom.fabric.plug_matching import match_plugs
from topoloom.fabric.structure_matching import match_shapes
from topoloom.model.sources import NetworkSource, taken

NAME, GUID, HOSTS, SHAPE, MAP = "name", "guid", "hosts", "shape", "map"
#: The values of `by`.
METHODS = ("auto", NAME, GUID, HOSTS, SHAPE)
_ZEROS = re.compile(r"(?<=/[a-z])0+(?=[0-9])")
#: A match by shape with a smaller share of agreeing links is rejected.
_LEAST = 0.5


@dataclass(frozen=True, eq=False)
class Match:
    """A node matching.

    Attributes
    ----------
    switch : int64[switches of the actual fabric]
        The planned switch of each actual switch; -1: none.
    host : int64[hosts of the actual fabric]
        The planned host of each actual host; -1: none.
    by : str
        The method: "name", "guid", "hosts" (switches by the names of their hosts), "shape" or "map".
    inferred : int
        Number of switches that were matched by their neighbours, because nothing else identified them.
    share : float
        Share of the links of the larger network that join the same switches in both.
    seed : int or None
        Seed of the guesses by shape.
    seconds : float
        Time taken.
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
    """Match the nodes of an actual fabric to those of its plan.

    Parameters
    ----------
    plan, actual : NetworkSource
    by : str
        "name", "guid", "hosts", "shape"; "auto": the first of these that identifies at least half of the switches.
    aliases : sequence of iterables of str, optional
        Further names of each planned switch, such as its label.
    given : dict of int to int, optional
        The planned switch of actual switches, from a map; `by` is then ignored.
    seed : int
        Seed of the guesses by shape.

    Returns
    -------
    Match
        The planned switch and host of each actual one (-1: not in the plan), and the method.

    Raises
    ------
    InputError
        Nothing is identified by that method, or fewer than half of the links agree.
    """
    plan, actual = taken(plan, Fabric, "identify"), taken(actual, Fabric, "identify")
    if by not in METHODS:
        raise InputError(f"by '{by}': must be one of {', '.join(METHODS)}")
    started = time.monotonic()
    hosts = _by_host_names(plan, actual)
    no_switch = np.full(actual.topology.switches, -1, np.int64)
    if given is not None:
        by, switch = MAP, no_switch.copy()
        switch[list(given)] = list(given.values())
    else:
        methods: dict[str, Callable[[], np.ndarray]] = {
            NAME: lambda: _by_names(plan, actual, aliases),
            GUID: lambda: _matched(plan.switch_guids.tolist(), actual.switch_guids.tolist()),
            HOSTS: lambda: _by_hosts(plan, actual, hosts),
            SHAPE: lambda: no_switch,
        }
        if by == "auto":
            order = [NAME, GUID, HOSTS, SHAPE] if _have_guids(plan, actual) else [NAME, HOSTS, SHAPE]
            enough = min(plan.topology.switches, actual.topology.switches) / 2
            by = next(method for method in order if method == SHAPE or (methods[method]() >= 0).sum() >= enough)
        switch = methods[by]()
        if by != SHAPE and not (switch >= 0).any():
            raise InputError(f"{actual.made}: no switch can be identified by its {by}; match by shape, or give a map")
    inferred = 0
    if (switch < 0).any() and np.unique(switch[switch >= 0]).size < plan.topology.switches:
        if by == SHAPE:
            matched = _by_shape(plan, actual, hosts, seed)
        else:
            matched = match_plugs(plan, actual, switch, hosts)
            if (matched < 0).any() and np.unique(matched[matched >= 0]).size < plan.topology.switches:
                shaped = match_shapes(plan.topology, actual.topology, matched, seed=seed).planned
                matched = _believed(plan, actual, matched, shaped)
        inferred = int(((switch < 0) & (matched >= 0)).sum())
        switch = matched
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

    A symmetrical network fits in several positions. Of the positions in which all links agree, the one is taken in which hosts
    with known names are on their own switches: otherwise all their cables would be reported, though none is wrong.
    """
    by_hosts = _by_hosts(plan, actual, hosts)
    anchored = None
    if (by_hosts >= 0).any():
        anchored = match_shapes(plan.topology, actual.topology, by_hosts, seed=seed).planned
        if _share(plan, actual, anchored) == 1:
            return anchored
    free = match_shapes(plan.topology, actual.topology, seed=seed).planned
    return free if anchored is None or _share(plan, actual, free) > _share(plan, actual, anchored) else anchored


def read_map(text: str, source: str, plan: Fabric, actual: Fabric, aliases: Sequence[Iterable[str]]) -> dict[int, int]:
    """The planned switch of each actual switch that a map names; the map is a CSV of ``switch,guid``, planned switch first.

    The planned switch is a number, a name or a label; the actual one is given by its GUID (0x...) or its name.

    Parameters
    ----------
    text : str
        The content of the file.
    source : str
        The name of the file, for messages.
    plan, actual : Fabric
        The planned and the actual network.
    aliases : sequence of iterable of str
        Further names of each planned switch, in lower case.

    Returns
    -------
    dict of int to int
        The planned switch, by the number of the actual one.

    Raises
    ------
    InputError
        A row is not valid, a switch is unknown, or a switch is named twice.
    """
    planned = _known_names(plan, aliases)
    planned |= {str(s): s for s in range(plan.topology.switches)}
    actual_of = {f"0x{guid:x}": s for s, guid in enumerate(actual.switch_guids.tolist())}
    actual_of |= {name.lower(): s for s, name in enumerate(actual.switch_names)}
    planned_of: dict[int, int] = {}
    for number, row in csv_rows(text.removeprefix("\ufeff"), source):
        cells = [unguarded(cell).strip().lower() for cell in row]
        if cells[0].startswith("#") or (number == 1 and cells[:2] == ["switch", "guid"]):
            continue
        if len(cells) < 2:
            raise at(source, number, "a row of a map has two cells: switch,guid")
        planned_name, actual_name = cells[:2]
        if actual_name.startswith("0x"):
            actual_name = f"0x{actual_name[2:].lstrip('0') or '0'}"
        if planned_name not in planned:
            raise at(source, number, f"the plan has no switch {planned_name[:60]!a}")
        if actual_name not in actual_of:
            raise at(source, number, f"{actual.made} has no switch {actual_name[:60]!a}")
        if actual_of[actual_name] in planned_of or planned[planned_name] in planned_of.values():
            raise at(source, number, f"{planned_name[:60]!a} or {actual_name[:60]!a} is in the map twice")
        planned_of[actual_of[actual_name]] = planned[planned_name]
    if not planned_of:
        raise at(source, None, "names no switch; write rows like S12,0x0002c90000000001")
    return planned_of


def _matched(planned: Sequence[object], actual: Sequence[object]) -> np.ndarray:
    """The index in `planned` of each value of `actual`, if both have it exactly once; otherwise -1."""
    once, again = Counter(planned), Counter(actual)
    place = {value: i for i, value in enumerate(planned) if once[value] == 1}
    return np.array([place.get(value, -1) if again[value] == 1 else -1 for value in actual], np.int64)


def _known_names(plan: Fabric, aliases: Sequence[Iterable[str]] | None) -> dict[str, int]:
    """The planned switch of each name (in lower case) that only one switch has."""
    names = [(name.lower(), s) for s, name in enumerate(plan.switch_names)]
    names += [(plain_name(name), s) for s, name in enumerate(plan.switch_names)]
    names += [(name.lower(), s) for s, others in enumerate(aliases or []) for name in others]
    owners: dict[str, set[int]] = {}
    for name, s in names:
        owners.setdefault(name, set()).add(s)
    return {name: min(switches) for name, switches in owners.items() if len(switches) == 1}


def plain_name(name: str) -> str:
    """The name of a managed switch, in lower case, from the description that it reports.

    >>> plain_name("MF0;leaf1:MQM8700/U1"), plain_name("MF0;Core:MCS8500/L06/U2"), plain_name("S12")
    ('leaf1', 'core/l6/u2', 's12')
    """
    system, _, part = managed(name.lower())
    # A box numbers its parts with or without a leading zero: L05 is L5.
    return system if part in ("", "/u1") else f"{system}{_ZEROS.sub('', part)}"


def _by_names(plan: Fabric, actual: Fabric, aliases: Sequence[Iterable[str]] | None) -> np.ndarray:
    planned_of = _known_names(plan, aliases)
    names = [plain_name(name) for name in actual.switch_names]
    once = Counter(names)
    matched = np.array([planned_of.get(name, -1) if once[name] == 1 else -1 for name in names], np.int64)
    return _once(matched)


def _have_guids(plan: Fabric, actual: Fabric) -> bool:
    """Whether both have the GUIDs of devices; those that topoloom gives only count them, and would match by order."""
    return not plan.planned and plan.guids_given and actual.guids_given


def _by_host_names(plan: Fabric, actual: Fabric) -> np.ndarray:
    """The planned host of each actual one: by name, by the name's first word or by GUID, whichever matches most."""
    whole = _matched([*map(str.lower, plan.host_names)], [*map(str.lower, actual.host_names)])
    first = _matched([*map(_first_word, plan.host_names)], [*map(_first_word, actual.host_names)])
    no_host = np.full(len(actual.host_names), -1, np.int64)
    guid = _matched(plan.host_guids.tolist(), actual.host_guids.tolist()) if _have_guids(plan, actual) else no_host
    # Methods are not mixed.
    return max((whole, first, guid), key=lambda matched: int((matched >= 0).sum()))


def _first_word(name: str) -> str:
    return name.lower().split()[0]


def _by_hosts(plan: Fabric, actual: Fabric, hosts: np.ndarray) -> np.ndarray:
    """The planned switch of each actual one: the switch on which most of its hosts should be."""
    homes: dict[int, list[int]] = {}
    for switch, host in zip(plan.topology.endpoints.tolist(), plan.topology.host.tolist(), strict=True):
        homes.setdefault(host, []).append(switch)
    votes: list[Counter[int]] = [Counter() for _ in range(actual.topology.switches)]
    for switch, host in zip(actual.topology.endpoints.tolist(), actual.topology.host.tolist(), strict=True):
        votes[switch].update(homes.get(int(hosts[host]), []))
    matched = np.full(len(votes), -1, np.int64)
    for switch, switch_votes in enumerate(votes):
        leaders = switch_votes.most_common(2)
        if leaders and (len(leaders) == 1 or leaders[0][1] > leaders[1][1]):
            matched[switch] = leaders[0][0]
    return _once(matched)


def _once(matched: np.ndarray) -> np.ndarray:
    """Remove planned switches that are claimed twice."""
    values, counts = np.unique(matched, return_counts=True)
    matched[np.isin(matched, values[counts > 1])] = -1
    return matched


def _believed(plan: Fabric, actual: Fabric, certain: np.ndarray, shaped: np.ndarray) -> np.ndarray:
    """The match by shape, but with only those of its new pairs that at least half of the switch's links support."""
    believed = shaped.copy()
    for x in np.flatnonzero((certain < 0) & (shaped >= 0)).tolist():
        offsets, to, _ = actual.topology.csr
        neighbours = to[offsets[x] : offsets[x + 1]]
        actual_neighbours = Counter(shaped[neighbours].tolist())
        offsets, to, _ = plan.topology.csr
        u = int(shaped[x])
        planned_neighbours = Counter(to[offsets[u] : offsets[u + 1]].tolist())
        if 2 * (actual_neighbours & planned_neighbours).total() < max(
            actual_neighbours.total(), planned_neighbours.total()
        ):
            believed[x] = -1
    return believed


def _share(plan: Fabric, actual: Fabric, switch: np.ndarray) -> float:
    ends = np.sort(switch[actual.topology.links], axis=1)
    actual_links = Counter(map(tuple, ends[(ends >= 0).all(axis=1)].tolist()))
    agree = (actual_links & Counter(map(tuple, plan.topology.links.tolist()))).total()
    most = max(len(plan.topology.links), len(actual.topology.links))
    return agree / most if most else 1.0


def _hosts_by_place(plan: Fabric, actual: Fabric, switch: np.ndarray, hosts: np.ndarray) -> np.ndarray:
    """The planned hosts: by name where possible, otherwise the host planned in the same port, or on the same switch."""
    matched = hosts.copy()
    taken = set(matched[matched >= 0].tolist())
    in_port: dict[tuple[int, int, int], int] = {}
    on_switch: dict[int, list[int]] = {}
    planned, actual_topology = plan.topology, actual.topology
    for e in range(planned.endpoints.size):
        host = int(planned.host[e])
        if host not in taken:
            in_port[int(planned.endpoints[e]), int(plan.endpoint_ports[e]), int(plan.host_ports[e])] = host
            on_switch.setdefault(int(planned.endpoints[e]), []).append(host)
    for strict in (True, False):
        for e in range(actual_topology.endpoints.size):
            home, x = int(switch[actual_topology.endpoints[e]]), int(actual_topology.host[e])
            if matched[x] >= 0 or home < 0:
                continue
            if strict:
                host = in_port.get((home, int(actual.endpoint_ports[e]), int(actual.host_ports[e])), -1)
            else:
                host = next((h for h in on_switch.get(home, []) if h not in taken), -1)
            if host >= 0 and host not in taken:
                matched[x] = host
                taken.add(host)
    return matched
