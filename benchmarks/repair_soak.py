"""A week of losses and returns: tables repaired again and again, and every state of every step checked by other code.

    python benchmarks/repair_soak.py [--events 100] [--seed 1] [--mode few-changes] [--fabrics tree,torus,slimfly]

Cables, switches and hosts are lost and return by chance, up to eight lost parts at a time, also parts that cut switches off.
After each event topoloom.repair_fabric repairs the tables that it left the last time. Then each step is checked, destination by
destination, by code that shares nothing with topoloom: with any mixture of the entries before and after a step,

* no packet that arrives before the step and in the end is lost, and none runs in a loop;
* the turns of all packets, by virtual channel, close no cycle (where the repair says that it is verified).

In the end every pair of connected hosts must be joined. A repair that is not verified, and an address that is cut off during a
repair, count as failures too. `tree` has tables of a real OpenSM (minhop, ftree or updn in turn) with
LMC 1 if opensm and ibsim are installed, otherwise topoloom's; `torus` those of engine dfsssp-switches with service
levels, `slimfly` those of engine levels. Exit code 0: no check failed.
"""

import argparse
import random
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.infiniband import lft_text, net_text, qos_text
from topoloom.fabric.lft import Tables, read_lft
from topoloom.fabric.repair import repair_fabric
from topoloom.fabric.repair_result import Repair
from topoloom.fabric.service_levels import read_levels
from topoloom.formats.ibnetdiscover import load_fabric
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.topologies.spec import build

_MOST_LOST = 8


@dataclass
class Soaked:
    """What a soak counts.

    Attributes
    ----------
    events, steps, entries : int
        Losses and returns, steps, and changed entries.
    unverified, dropped : int
        Repairs that were not verified, and addresses that were cut off during a repair.
    longer : int
        The most pairs of hosts on a longer path than the shortest one, after a repair.
    unreached : int
        Pairs of connected hosts without a path after a repair.
    lost_between, cycles : int
        Destinations to which a mixture loses packets, and steps whose turns close a cycle.
    """

    events: int = 0
    steps: int = 0
    entries: int = 0
    unverified: int = 0
    dropped: int = 0
    longer: int = 0
    unreached: int = 0
    lost_between: int = 0
    cycles: int = 0


def soak(fabric: Fabric, tables: Tables, levels: np.ndarray | None, events: int, seed: int, mode: str) -> Soaked:
    """Lose and return parts of a fabric, repair its tables each time, and check every step.

    Parameters
    ----------
    fabric : Fabric
    tables : Tables
    levels : uint8[k, k] or None
    events, seed : int
    mode : "few-changes" or "best"; "mixed": now this, now that.
    """
    draws, result = random.Random(seed), Soaked()
    lost: list[tuple[str, int]] = []
    now = fabric
    for _ in range(events):
        _event(fabric, lost, draws)
        new = remaining(fabric, lost)
        chosen = draws.choice(("few-changes", "best")) if mode == "mixed" else mode
        repair = repair_fabric(now, tables, new, mode=chosen, levels=levels, alternative=False)
        check(repair, _present(levels, now, new), result)
        # Levels are in force where there is a policy.
        given = levels is not None or repair.service_levels.any()
        now, tables, levels = new, repair.tables_after(), repair.service_levels if given else None
    return result


def _event(fabric: Fabric, lost: list[tuple[str, int]], draws: random.Random) -> None:
    """A loss or a return; one host at least stays."""
    if lost and (len(lost) >= _MOST_LOST or draws.random() < 0.5):
        lost.pop(draws.randrange(len(lost)))
        return
    topology = fabric.topology
    sizes = {"cable": len(topology.links), "switch": topology.switches, "host": topology.hosts}
    kind = draws.choices(("cable", "switch", "host"), (6, 2, 2))[0]
    part = kind, draws.randrange(sizes[kind])
    if part not in lost:
        lost.append(part)
        if not remaining(fabric, lost).topology.endpoints.size:
            lost.pop()


def remaining(fabric: Fabric, lost: list[tuple[str, int]]) -> Fabric:
    """The fabric without lost cables, switches (with the hosts at them) and hosts."""
    topology = fabric.topology
    gone: dict[str, list[int]] = defaultdict(list)
    for kind, number in lost:
        gone[kind].append(number)
    switches = np.setdiff1d(np.arange(topology.switches), gone["switch"])
    links = np.flatnonzero(np.isin(topology.links, switches).all(axis=1))
    links = np.setdiff1d(links, gone["cable"])
    number = np.full(topology.switches, -1)
    number[switches] = np.arange(switches.size)

    def part(ends: np.ndarray) -> Topology:
        hosts = np.unique(topology.host[ends], return_inverse=True)[1].reshape(-1)
        return Topology(number[topology.links[links]], switches.size, number[topology.endpoints[ends]], hosts)

    at = np.flatnonzero(np.isin(topology.endpoints, switches))
    left = fabric.after_losses(part(at), switches, links)
    stay = ~np.isin(topology.host[at], gone["host"])
    hosts = np.unique(left.topology.host[stay])
    names = {name for name in left.__dataclass_fields__ if isinstance(getattr(left, name), np.ndarray)}
    of_ends = {name for name in names if name.startswith(("endpoint_", "port_"))} | {"host_ports"}
    of_hosts = {name for name in names if name.startswith("host_")} - {"host_ports"}
    return replace(
        left,
        topology=part(at[stay]),
        made="now.net",
        host_names=tuple(left.host_names[host] for host in hosts.tolist()),
        **{name: np.asarray(getattr(left, name))[hosts] for name in of_hosts},
        **{name: np.asarray(getattr(left, name))[stay] for name in of_ends},
    )


def _present(levels: np.ndarray | None, old: Fabric, new: Fabric) -> np.ndarray:
    """The service levels before the repair between the present host ports; -1: none."""
    place = {guid: e for e, guid in enumerate(old.port_guids.tolist())}
    at = np.array([place.get(guid, -1) for guid in new.port_guids.tolist()])
    given = np.zeros((len(old.port_guids),) * 2, np.int64) if levels is None else levels.astype(np.int64)
    return np.where((at[:, None] >= 0) & (at >= 0), given[np.ix_(at, at)], -1)


def check(repair: Repair, levels: np.ndarray, result: Soaked) -> None:
    """Check the steps of a repair, and add to the counts."""
    fabric = repair.fabric
    ends, plugs = fabric.topology.endpoints.tolist(), fabric.endpoint_ports.tolist()
    far: dict[tuple[int, int], int] = {}
    for (u, v), (p, q) in zip(fabric.topology.links.tolist(), fabric.link_ports.tolist(), strict=True):
        far[u, p], far[v, q] = v, u
    result.events += 1
    result.entries += repair.entries_changed
    result.unverified += not repair.deadlock_free
    result.dropped += repair.dropped_addresses
    result.longer = max(result.longer, *(row.longer_pairs for row in repair.figures if row.chosen))
    stages = repair.stages
    targets, count = stages.addresses.target.tolist(), len(repair.steps)
    addresses = [a for a, target in enumerate(targets) if target < len(ends)]
    starts = sorted(set(ends))
    final = stages.final.tolist()
    part = _parts(fabric)
    for a in addresses:
        home = ends[targets[a]]
        for s in starts:
            if part[s] == part[home] and not _arrives(far, final, s, a, home, plugs[targets[a]]):
                result.unreached += 1
    # Pairs that are new, or that no step opens again, may use their new level from the start.
    after = repair.service_levels.astype(np.int64)
    by_step = [np.where(levels < 0, after, levels), *(own.astype(np.int64) for own in stages.levels)]
    opened = repair.levels_by_step or any(step.kind == "reopen" for step in repair.steps)
    for number in range(1, count + 1):
        result.steps += 1
        one, other = stages.after(number - 1).tolist(), stages.after(number).tolist()
        used = by_step[number - 1 : number + 1] if opened else [by_step[0], after]
        turns: dict[int, dict[tuple[int, int], set[tuple[int, int]]]] = defaultdict(lambda: defaultdict(set))
        for a in addresses:
            home, plug = ends[targets[a]], plugs[targets[a]]
            if repair.steps[number - 1].kind != "drop" and not _keeps(far, one, other, final, starts, a, home, plug):
                result.lost_between += 1
            for level, senders in _senders(used, targets[a], ends).items():
                _add_turns(turns[level], far, one, other, senders, a)
        if repair.deadlock_free:
            result.cycles += any(_has_cycle(own) for own in turns.values())


def _senders(levels: list[np.ndarray], target: int, ends: list[int]) -> dict[int, set[int]]:
    """The switches that send to a host port, by service level."""
    senders: dict[int, set[int]] = defaultdict(set)
    for own in levels:
        for source, level in enumerate(own[target].tolist()):
            if level >= 0 and ends[source] != ends[target]:
                senders[level].add(ends[source])
    return senders


def _arrives(far: dict[tuple[int, int], int], ports: list[list[int]], at: int, a: int, home: int, plug: int) -> bool:
    for _ in range(len(ports)):
        port = ports[at][a]
        if at == home:
            return port == plug
        if (at, port) not in far:
            return False
        at = far[at, port]
    return at == home and ports[at][a] == plug


def _keeps(
    far: dict[tuple[int, int], int],
    one: list[list[int]],
    other: list[list[int]],
    final: list[list[int]],
    starts: list[int],
    a: int,
    home: int,
    plug: int,
) -> bool:
    """Whether packets from switches that arrive before the step and in the end arrive in every mixture."""
    good: dict[int, int] = {}  # 1: on the path; 2: arrives
    arriving = [s for s in starts if _arrives(far, one, s, a, home, plug) and _arrives(far, final, s, a, home, plug)]

    def arrives(at: int) -> bool:
        if at in good:
            return good[at] == 2
        good[at] = 1
        for ports in (one, other):
            port = ports[at][a]
            if at == home:
                if port != plug:
                    return False
            elif (at, port) not in far or not arrives(far[at, port]):
                return False
        good[at] = 2
        return True

    return all(arrives(s) for s in arriving)


def _add_turns(
    turns: dict[tuple[int, int], set[tuple[int, int]]],
    far: dict[tuple[int, int], int],
    one: list[list[int]],
    other: list[list[int]],
    senders: set[int],
    a: int,
) -> None:
    """Add the turns that packets to an address can make in a mixture, from one channel (switch, port) to the next."""
    waiting, seen = list(senders), set(senders)
    while waiting:
        at = waiting.pop()
        for port in {one[at][a], other[at][a]}:
            if (at, port) not in far:
                continue
            next_switch = far[at, port]
            turns[at, port] |= {
                (next_switch, further)
                for further in (one[next_switch][a], other[next_switch][a])
                if (next_switch, further) in far
            }
            if next_switch not in seen:
                seen.add(next_switch)
                waiting.append(next_switch)


def _has_cycle(turns: dict[tuple[int, int], set[tuple[int, int]]]) -> bool:
    """Whether channels wait for each other in a cycle (Kahn, 1962)."""
    waits: dict[tuple[int, int], int] = defaultdict(int)
    for nexts in turns.values():
        for channel in nexts:
            waits[channel] += 1
    free = [channel for channel in turns if not waits[channel]]
    done = 0
    while free:
        done += 1
        for channel in turns.get(free.pop(), ()):
            waits[channel] -= 1
            if not waits[channel]:
                free.append(channel)
    return done < len(set(turns) | set(waits))


def _parts(fabric: Fabric) -> list[int]:
    """A number of the connected part of each switch."""
    part = list(range(fabric.topology.switches))

    def root(s: int) -> int:
        while part[s] != s:
            s = part[s]
        return s

    for u, v in fabric.topology.links.tolist():
        part[root(u)] = root(v)
    return [root(s) for s in range(len(part))]


def installed(name: str, number: int) -> tuple[Fabric, Tables, np.ndarray | None]:
    """A fabric of the soak with its tables and service levels."""
    if name == "tree" and shutil.which("ibsim") and shutil.which("opensm", path="/usr/sbin:/usr/bin"):
        with tempfile.TemporaryDirectory() as folder:
            return _by_opensm(Path(folder), ("minhop", "ftree", "updn")[number % 3])
    spec, engine = {
        "tree": ("fat-tree:k=4", "fat-tree-hosts"),
        "torus": ("torus:dims=4x4,hosts=1", "dfsssp-switches"),
        "slimfly": ("slimfly:q=4,hosts=1", "levels"),
    }[name]
    fabric = planned_fabric(build(spec))
    routing = route(fabric.topology, engine)
    tables = read_lft(lft_text(routing, fabric), "installed.lft", fabric)
    if routing.virtual_channels is None or not routing.virtual_channels.any():
        return fabric, tables, None
    return fabric, tables, read_levels(qos_text(routing, fabric), "installed.qos", fabric, tables)


def _by_opensm(folder: Path, engine: str) -> tuple[Fabric, Tables, None]:
    """A fat tree with tables of a real OpenSM, two paths per pair (LMC 1)."""
    from simulated_subnet import subnet

    topology = build("fat-tree:k=4")
    (folder / "fabric.net").write_text(net_text(topology))
    with subnet(folder, topology.switches + topology.hosts, ["-R", engine, "-l", "1"]) as running:
        (folder / "found.net").write_text(running.printed("ibnetdiscover"))
        text = (folder / "opensm-lfts.dump").read_text()
    fabric = load_fabric(folder / "found.net")
    return fabric, read_lft(text, f"{engine}.lft", fabric), None


def main() -> None:
    """Print a line per fabric."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mode", choices=("few-changes", "best", "mixed"), default="few-changes")
    parser.add_argument("--fabrics", default="tree,torus,slimfly")
    options = parser.parse_args()
    failed = 0
    for name in options.fabrics.split(","):
        for number in range(options.rounds):
            fabric, tables, levels = installed(name, number)
            counts: Any = soak(fabric, tables, levels, options.events, options.seed + number, options.mode)
            print(f"{name:8} {tables.source:14} " + "  ".join(_shown(counts)), flush=True)
            failed += counts.unreached + counts.lost_between + counts.cycles + counts.unverified + counts.dropped
    sys.exit(1 if failed else 0)


def _shown(counts: Soaked) -> Iterator[str]:
    for name, value in vars(counts).items():
        yield f"{name.replace('_', ' ')} {value}"


if __name__ == "__main__":
    main()
