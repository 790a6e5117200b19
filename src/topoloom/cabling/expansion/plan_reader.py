"""Reading a plan from its folder, as written by `save_expansion` or ``topoloom expand -o``."""

import math
import os
from collections import Counter
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from topoloom.cabling.cabling import Cabling, cable
from topoloom.cabling.expansion.cable_order.order_of_work import CableTask
from topoloom.cabling.expansion.cable_order.order_search import ADD, MOVE, UNPLUG
from topoloom.cabling.expansion.cable_order.wiring import WiredCable, cable_alone, cables_of
from topoloom.cabling.expansion.cable_rates import CableRates, own_cable_rates
from topoloom.cabling.expansion.expansion import Cost, Expansion, ExpansionStep
from topoloom.cabling.expansion.plan_files import GOAL, NUMBERS, RECORD, STEPS
from topoloom.cabling.expansion.plan_rows import Row, metres_in, number_in, rows_of
from topoloom.cabling.expansion.stages import TrunkWork
from topoloom.cabling.files import layout_of_cables
from topoloom.cabling.plugs import Plugs
from topoloom.core.csv_files import unguarded
from topoloom.core.errors import InputError, at, check_path, naming
from topoloom.core.files import read_text
from topoloom.core.folders import settle
from topoloom.core.json_files import parse_json
from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import PARTS as CATALOGUES
from topoloom.cost.parts_files import load_parts, parts_from_json
from topoloom.cost.switch_kinds import LinkCages, cages_of_ends
from topoloom.formats import load
from topoloom.formats.cable_reader import CableList
from topoloom.formats.cabled import cabled_in
from topoloom.formats.cables import load_cables
from topoloom.graph.path_lengths import path_lengths
from topoloom.model.network_folders import AFTER, BEFORE, CABLES, PARTS, PLAN, read_note
from topoloom.model.results import Provenance, provenance_of, schema_id
from topoloom.model.topology import Topology

_MOST_CHARACTERS = 1 << 28
_TASK_COLUMNS = (
    *("step", "work", "cable", "kind", "source", "a_switch", "a_port", "b_switch", "b_port"),
    *("from_switch", "from_port", "stock_m", "product", "usd_low", "usd_high", "cut_off", "interrupted"),
)
#: Lists give lengths to the millimetre.
_SAME_M = 0.0011

End = tuple[int, int]
#: The records of plans whose steps state no work on shuffle boxes.
_EARLIER = "topoloom/expansion/2"


class _Distances(msgspec.Struct):
    diameter: float | None
    aspl: float | None
    trunk_work: TrunkWork | None = None


class _StoredRecord(msgspec.Struct):
    """The fields of a record that the folder's lists do not hold."""

    schema: str
    provenance: Provenance
    method: str
    radix: int
    cost_usd: dict[str, float | None]
    start: _Distances
    steps: list[_Distances]


def load_expansion(folder: str | os.PathLike[str], parts: Parts | str | Path | None = None) -> Expansion:
    """The plan in a folder that `save_expansion` or ``topoloom expand -o`` wrote, with the same record.

    Parameters
    ----------
    folder : path
    parts : Parts, str or path, optional
        The catalogue of cables and switches, for a folder of topoloom 0.1, which does not hold it; by default the first known
        one that has all its cables.

    Returns
    -------
    Expansion
        From a folder of topoloom 0.1 without the method, the seed, and prices of switches and installation, and with `radix` as
        the ports that the fullest switch needs.

    Raises
    ------
    InputError
        A file is missing or wrong, a task cannot be executed, or no catalogue has the cables:
        ``file:line: reason``.
    """
    check_path(folder, "load_expansion", "name the folder of a plan")
    path = Path(folder)
    settle(path)
    note = read_note(path)
    noted = None if note is None else note.provenance
    lists = {name: load_cables(path / name / CABLES) for name in (BEFORE, AFTER)}
    tasks = rows_of(path / PLAN, _TASK_COLUMNS)
    record = _record_in(path)
    catalogue = _parts_of(path, parts, lists, tasks)
    settings = {} if record is None else record.provenance.settings
    rate = settings.get("rate_gbps")
    chosen = rate if isinstance(rate, (int, float)) else None
    before, after = (_cabled(cables, path / name / CABLES, catalogue, chosen) for name, cables in lists.items())
    steps = rows_of(path / STEPS, ("step", "title", "switches"))
    if record is not None and len(record.steps) != len(steps):
        raise at(str(path / RECORD), None, f"has {len(record.steps)} steps; {STEPS} has {len(steps)}")
    replay = _Replay(before, after, path / PLAN)
    read = [replay.step(line, row, tasks, path / STEPS) for line, row in steps]
    if replay.done < len(tasks):
        line, row = tasks[replay.done]
        raise at(str(path / PLAN), line, f"step {row['step']} is not in {STEPS}, or out of order")
    start = ExpansionStep("as it stands", (), before.layout.topology, (), (), 0.0, 0.0, True, 0, 0)
    distances = [None] * (len(read) + 1) if record is None else [record.start, *record.steps]
    start, *read = [_measured(step, distance) for step, distance in zip((start, *read), distances, strict=True)]
    goal, number = _goal_of(path, after.layout.topology, record is None)
    if record is None:
        return Expansion(
            method="",
            before=before,
            after=after,
            steps=tuple(read),
            cables=tuple(replay.cables),
            goal=goal,
            number=number,
            radix=max([replay.highest, *(step.topology.radix for step in (start, *read))]),
            cost=replay.cost(read),
            start=start,
            provenance=noted or provenance_of(before.layout.topology),
        )
    usd = {name: math.nan if value is None else value for name, value in record.cost_usd.items()}
    return Expansion(
        method=record.method,
        before=before,
        after=after,
        steps=tuple(read),
        cables=tuple(replay.cables),
        goal=goal,
        number=number,
        radix=record.radix,
        # A plan of 0.2.0 does not state the cost of transceivers, adapters and racks.
        cost=Cost(
            **{f"{kind}_usd": usd.get(kind, 0.0 if kind == "moving" else math.nan) for kind in Cost(0, 0, 0).by_kind}
        ),
        start=start,
        provenance=record.provenance,
    )


def _cabled(cables: CableList, path: Path, parts: Parts, rate_gbps: float | None) -> Cabling:
    """The network of a cable list, with the list's ports and numbers."""
    layout = layout_of_cables(cables, path)
    rate_gbps = None if layout.topology.mixed else parts.link_rate(rate_gbps)
    with naming(str(path)):
        fabric = cabled_in(path.parent, layout.topology)
        return cable(layout, parts, rate_gbps, bool(cables.endpoint_number.any()), Plugs.listed(cables), fabric)


def _record_in(folder: Path) -> _StoredRecord | None:
    """The plan's record; None in a folder of topoloom 0.1.

    Raises
    ------
    InputError
        The record is damaged, or of a newer version.
    """
    path = folder / RECORD
    if not path.is_file():
        return None
    record = parse_json(read_text(path, _MOST_CHARACTERS), str(path), _StoredRecord, "record of a plan")
    if record.schema not in (schema_id(Expansion), _EARLIER):
        raise at(str(path), None, f"is {record.schema[:60]}; expected {schema_id(Expansion)}")
    return record


def _parts_of(
    folder: Path, given: Parts | str | Path | None, lists: dict[str, CableList], tasks: list[tuple[int, Row]]
) -> Parts:
    """The catalogue with which a plan was made."""
    if given is not None:
        return given if isinstance(given, Parts) else load_parts(given)
    path = folder / PARTS
    if path.is_file():
        return parts_from_json(read_text(path, _MOST_CHARACTERS), str(path))
    wanted = {title for cables in lists.values() for title in cables.product if title}
    wanted |= {unguarded(row["product"]) for _, row in tasks}
    for name in ("slimfly-2014", *CATALOGUES):
        parts = load_parts(name)
        if wanted <= {product.title for product in parts.cable}:
            return parts
    raise InputError(
        f"{folder}: no known catalogue has all its cables; give load_expansion the catalogue with which the plan was"
        " made (parts=)"
    )


def _goal_of(folder: Path, after: Topology, old: bool) -> tuple[Topology | None, np.ndarray | None]:
    """The network that results from a plan, and the number of each switch in it."""
    if old:
        # The resulting network has a spec if it has the numbers of that spec.
        return (None, None) if after.spec is None else (after, np.arange(after.switches))
    goal = load(folder / GOAL) if (folder / GOAL).is_file() else None
    path = folder / NUMBERS
    if not path.is_file():
        return goal, None
    number = np.full(after.switches, -1)
    for line, row in rows_of(path, ("switch", "number")):
        switch = number_in(row["switch"], str(path), line)
        if switch >= after.switches:
            raise at(str(path), line, f"no switch {switch}; the network has {after.switches} switches")
        number[switch] = number_in(row["number"], str(path), line)
    if not np.array_equal(np.sort(number), np.arange(after.switches)):
        raise at(str(path), None, "every switch needs a different number, from 0 to the number of switches minus 1")
    return goal, number


def _measured(step: ExpansionStep, recorded: _Distances | None) -> ExpansionStep:
    """A step with its distances: those of the record, or measured again."""
    if recorded is None:
        paths = path_lengths(step.topology)
        diameter, aspl = paths.diameter, paths.aspl
    else:
        diameter, aspl = (math.inf if value is None else value for value in (recorded.diameter, recorded.aspl))
        step = replace(step, trunk_work=recorded.trunk_work)
    return replace(step, diameter=diameter, aspl=aspl, connected=math.isfinite(diameter))


class _Replay:
    """Executes a plan, task by task, and notes the state after each step."""

    def __init__(self, before: Cabling, after: Cabling, plan: Path) -> None:
        self.cables = cables_of(before)
        self.done = 0
        self.highest = int(max((port for entry in self.cables for _, port in entry.ends), default=0))
        self._place = {entry.number: place for place, entry in enumerate(self.cables)}
        self._after, self._plan = after, plan
        self._topology = after.layout.topology
        self._titles = {product.title: index for index, product in enumerate(after.bought.parts.cable)}
        self._switches = before.layout.topology.switches
        self._racks = set(after.layout.slot[: self._switches].tolist()) | self._racks_of_hosts(
            before.layout.topology.hosts
        )
        self._hosts = _ports_of_hosts(before.layout.topology)
        self._listed = after.with_hosts
        links = before.layout.topology.links.tolist()
        self._links: Counter[tuple[int, int]] = Counter((u, v) for u, v in links)

    def step(self, line: int, row: Row, tasks: list[tuple[int, Row]], source: Path) -> ExpansionStep:
        """The next step: its tasks, and the network after it; `diameter` and `aspl` are set later."""
        switches = number_in(row["switches"], str(source), line)
        if not self._switches <= switches <= self._topology.switches:
            raise at(str(source), line, f"{switches} switches after the step, but {self._switches} before it")
        work = []
        while self.done < len(tasks) and tasks[self.done][1]["step"] == row["step"]:
            work.append(self._task(*tasks[self.done], switches))
            self.done += 1
        slots, slot = self._after.layout.slots, self._after.layout.slot
        fresh = range(self._switches, switches)
        self._switches = switches
        try:
            network = self._network(switches)
        except InputError as error:
            raise at(str(source), line, f"the network after the step is not valid: {error}") from None
        racks = sorted(({int(slot[switch]) for switch in fresh} | self._racks_of_hosts(network.hosts)) - self._racks)
        self._racks.update(racks)
        return ExpansionStep(
            unguarded(row["title"]),
            tuple(work),
            network,
            tuple(fresh),
            tuple(slots.names[place] for place in racks),
            0.0,
            0.0,
            True,
            max((task.cut_off for task in work), default=0),
            sum(task.interrupted > 0 for task in work),
        )

    def _racks_of_hosts(self, hosts: int) -> set[int]:
        """The slots of the racks of the first hosts; none where hosts stand with their switches."""
        host_slot = self._after.layout.host_slot
        return set() if host_slot is None else set(host_slot[:hosts].tolist())

    def cost(self, steps: list[ExpansionStep]) -> Cost:
        """The cost from the lists: cables that are bought; those of switches and installation are not known."""
        new = [self.cables[task.cable].usd for step in steps for task in step.tasks if task.new]
        laid = any(task.work != UNPLUG for step in steps for task in step.tasks)
        fresh = any(step.new_switches for step in steps)
        cables = float(np.array(new).reshape(-1, 2).mean(axis=1).sum())
        return Cost(math.nan if fresh else 0.0, cables, math.nan if laid else 0.0)

    def _task(self, line: int, row: Row, switches: int) -> CableTask:
        source, work, host = str(self._plan), row["work"], row["kind"] == "host"
        if work not in (UNPLUG, MOVE, ADD):
            raise at(source, line, f"work is {work[:20]!r}; it must be unplug, move or add")
        number = number_in(row["cable"], source, line, "number of a cable")
        a = self._end(row, "a", line, switches)
        b = self._end(row, "b", line, switches, host)
        taken_from = self._end(row, "from", line, switches) if work == MOVE else None
        length_m = 0.0 if work == UNPLUG else self._length_m(a, b, host)
        new = work == ADD and row["source"] == "new"
        if new:
            if number in self._place:
                raise at(source, line, f"cable {number} is not new: it is installed already")
            self._place[number] = len(self.cables)
            self.cables.append(self._bought(number, row, line, (a, b), length_m, host))
        elif number not in self._place:
            raise at(source, line, f"no cable has the number {number}")
        place = self._place[number]
        about = self.cables[place]
        gone = b if work == UNPLUG else taken_from
        if not new and (about.plugged is (work == ADD) or (gone and {a, gone} != set(about.ends))):
            raise at(source, line, f"cable {number} is not where the task states")
        if not host:
            if work != ADD:
                self._links[_pair(about.ends)] -= 1
            if work != UNPLUG:
                self._links[_pair((a, b))] += 1
        elif work == ADD:
            self._hosts.add((a[0], b[0]))
        about.ends, about.plugged = (a, b), work != UNPLUG
        counts = (number_in(row[name] or "0", source, line, "count") for name in ("cut_off", "interrupted"))
        return CableTask(work, place, (a, b), taken_from, length_m, new, *counts)

    def _end(self, row: Row, side: str, line: int, switches: int, host: bool = False) -> End:
        source, text = str(self._plan), row[f"{side}_switch"]
        port = number_in(row[f"{side}_port"], source, line, "port")
        if host:
            return number_in(text.removeprefix("host "), source, line, "host"), port
        switch = number_in(text, source, line)
        if switch >= switches:
            raise at(source, line, f"no switch {switch} exists yet; after the step there are {switches}")
        self.highest = max(self.highest, port)
        return switch, port

    def _length_m(self, a: End, b: End, host: bool) -> float:
        layout = self._after.layout
        if host and layout.host_slot is None:
            return float(layout.floor.inside_m)
        first, second = self._slots(a, b, host)
        return float(layout.floor.cable_m(layout.slots.apart_m(first, second), np.asarray(first != second)))

    def _slots(self, a: End, b: End, host: bool) -> tuple[Any, Any]:
        """The slots at both ends of a cable."""
        layout = self._after.layout
        first = layout.slot[a[0]].astype(np.int64)
        if not host:
            return first, layout.slot[b[0]].astype(np.int64)
        return first, first if layout.host_slot is None else layout.host_slot[b[0]].astype(np.int64)

    def _bought(
        self, number: int, row: Row, line: int, ends: tuple[End, End], length_m: float, host: bool
    ) -> WiredCable:
        """The new cable of a task: from the catalogue, or from the plan if that has another."""
        source, title = str(self._plan), unguarded(row["product"])
        if title not in self._titles:
            raise at(source, line, f"the catalogue {self._after.bought.parts.name} has no cable {title[:60]!r}")
        product = self._titles[title]
        stock_m = metres_in(row["stock_m"], source, line)
        parts, rate_gbps = self._after.bought.parts, self._rates.of(host)
        first, second = self._slots(*ends, host)
        between = bool(first != second)
        try:
            offered = cable_alone(parts, length_m, between, rate_gbps, host, self._cages)
        except InputError:
            offered = None
        if (
            offered is not None
            and int(offered.product[0]) == product
            and abs(float(offered.stock_m[0]) - stock_m) < _SAME_M
        ):
            usd = float(offered.usd_low[0]), float(offered.usd_high[0])
            return WiredCable(
                number, product, float(offered.stock_m[0]), usd, float(offered.power_w[0]), ends, host, False
            )
        low, high = (metres_in(row[name], source, line) for name in ("usd_low", "usd_high"))
        return WiredCable(number, product, stock_m, (low, high), parts.cable[product].both_ends_w, ends, host, False)

    @cached_property
    def _cages(self) -> tuple[LinkCages, LinkCages] | None:
        """What the cages of the switches take at the end of the plan."""
        return cages_of_ends(self._after.layout.topology, self._after.bought.parts, self._rates.links)

    @cached_property
    def _rates(self) -> CableRates:
        """The rates of new cables."""
        own = own_cable_rates(self._topology) if self._topology.mixed else None
        rate = self._after.terms.rate_on(self._topology)
        return CableRates(rate, rate) if own is None else own

    def _network(self, switches: int) -> Topology:
        """The current network."""
        after = self._topology
        present = after.endpoints < switches
        if self._listed:
            ends = zip(after.endpoints.tolist(), after.host.tolist(), strict=True)
            present = np.fromiter((end in self._hosts for end in ends), bool, after.host.size)
        links = np.array(sorted(self._links.elements()), np.int64).reshape(-1, 2)
        topology = Topology(
            links=links,
            switches=switches,
            endpoints=after.endpoints[present],
            host=after.host[present],
            name=after.name,
        )
        own = own_cable_rates(after)
        return topology if own is None else own.given_to(topology)


def _ports_of_hosts(topology: Topology) -> set[tuple[int, int]]:
    """Switch and host of every endpoint."""
    return set(zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True))


def _pair(ends: tuple[End, End]) -> tuple[int, int]:
    (u, _), (v, _) = ends
    return min(u, v), max(u, v)
