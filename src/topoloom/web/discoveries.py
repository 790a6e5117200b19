"""What dropped files are to a plan, and the arguments of verify and watch for them: the work of the operation discoveries."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from topoloom.core.errors import InputError
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.plane_matching import compare_planes, is_one_plane
from topoloom.graph.planes import plane_count
from topoloom.machine.discoveries import PlannedDevices
from topoloom.machine.opening import open_machine
from topoloom.machine.recognizing import names_machine
from topoloom.machine.verifying import has_management
from topoloom.operations.catalogue.verify import VerifyOperation
from topoloom.operations.context import RunContext
from topoloom.web.dropped_files import COUNTERS, DISCOVERY, OTHER, DroppedFile, counters_in, dropped_files
from topoloom.web.rounds import Round, rounds_of

#: Most warnings about one file, and most files, in the record.
_MOST_WARNINGS, _MOST_FILES = 20, 2000


def discoveries(plan: str, files: Sequence[str], context: RunContext, *, in_order: bool) -> dict[str, Any]:
    """What files are to a plan: discoveries, each with its day, network and planes, error counters, or neither.

    Parameters
    ----------
    plan : str
    files : sequence of str
        Files, and folders of files.
    context : RunContext
    in_order : bool
        Whether the files are in the order of time; otherwise it follows from their dates and names.

    Returns
    -------
    dict
        ``plan``; ``files``, each with what it is; ``rounds``, each with its files, the arguments of verify, and those of watch
        for the rounds up to it, or None, with the reason in ``watch_why``.

    Raises
    ------
    InputError
        The plan cannot be opened, a file does not exist, or there are too many.
    """
    planned: _Network | _Machine = _Machine(plan) if names_machine(plan) else _Network(plan)
    dropped = [file for name in files for file in dropped_files(Path(name))]
    if len(dropped) > _MOST_FILES:
        raise InputError(f"`files`: {len(dropped):,} discoveries at once; at most {_MOST_FILES:,}, choose fewer")
    rows = []
    for file in dropped:
        context.work.check()
        rows.append(planned.row(file))
    rounds = rounds_of([row | {"number": number} for number, row in enumerate(rows)], in_order=in_order)
    return {
        "schema": "topoloom/discoveries/1",
        "plan": planned.facts(),
        "files": rows,
        "rounds": [
            {
                "name": each.name,
                "files": each.numbers,
                "counters": each.counters,
                "verify": planned.verifying(each, rows),
                "watch": planned.watching(rounds[: number + 1], rows),
            }
            for number, each in enumerate(rounds)
        ],
        "watch_why": planned.not_watched(rounds, rows),
    }


class _Network:
    """A plan of one network."""

    def __init__(self, plan: str) -> None:
        self.plan = plan
        self.how = VerifyOperation(plan=plan)
        self.network = self.how.opened_plan(plan, lenient=True)
        self.fabric, self.own_facts = self.how.planned(self.network)
        self.joined, self.facts_of_planes = self.how.planned(self.network, planes=True)
        self.planes = plane_count(self.joined.topology)

    def facts(self) -> dict[str, Any]:
        racks = self.own_facts.racks
        return {
            "kind": "network",
            "name": self.network.topology.name,
            "networks": [],
            "planes": self.planes,
            "cables": int(len(self.network.topology.links) + self.network.topology.endpoints.size),
            "racks": len({rack for rack in racks if rack}),
            "placed": self.network.layout is not None,
        }

    def row(self, file: DroppedFile) -> dict[str, Any]:
        return _row(file, self._shown)

    def _shown(self, path: str) -> dict[str, Any]:
        fabric = self.how.opened(self.network.fabric, path, lenient=True)
        return _counts(fabric) | {"networks": [""], "planes": self._planes(fabric)}

    def _planes(self, fabric: Fabric) -> list[int]:
        return _planes_of(self.joined, self.facts_of_planes, fabric)

    def verifying(self, each: Round, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        paths = [rows[number]["path"] for number in self._by_plane(each, rows)]
        asked: dict[str, Any] = {"plan": self.plan, ("plane" if self._of_planes(each, rows) else "actual"): paths}
        counters = [rows[number]["path"] for number in each.counters]
        return asked | ({"counters": counters} if counters else {})

    def watching(self, rounds: Sequence[Round], rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
        """The arguments of watch; None if the rounds cannot be compared with each other."""
        if self.not_watched(rounds, rows):
            return None
        paths = [[rows[number]["path"] for number in self._by_plane(each, rows)] for each in rounds]
        if not self._of_planes(rounds[0], rows):
            return {"plan": self.plan, "discoveries": [path for each in paths for path in each]}
        return {"plan": self.plan, "plane": [",".join(days) for days in zip(*paths, strict=True)]}

    def not_watched(self, rounds: Sequence[Round], rows: Sequence[dict[str, Any]]) -> str:
        """Why the rounds cannot be compared with each other; empty if they can."""
        if not rounds:
            return "there is no discovery"
        planes = {len(each.numbers) if self._of_planes(each, rows) else 0 for each in rounds}
        if len(planes) > 1:
            return "the discoveries show different planes; each day needs discoveries of the same planes"
        names = [rows[number]["name"] for each in rounds for number in each.numbers if "," in rows[number]["path"]]
        return f"{names[0]}: rename it, because commas separate the files of planes" if names and planes != {0} else ""

    def _of_planes(self, each: Round, rows: Sequence[dict[str, Any]]) -> bool:
        return len(each.numbers) > 1 or any(rows[number]["planes"] for number in each.numbers)

    @staticmethod
    def _by_plane(each: Round, rows: Sequence[dict[str, Any]]) -> list[int]:
        return sorted(each.numbers, key=lambda number: (rows[number]["planes"], number))


class _Machine:
    """A plan of a machine's networks."""

    def __init__(self, plan: str) -> None:
        self.plan = plan
        self.how = VerifyOperation(plan=plan)
        self.machine = open_machine(plan)
        self.devices = PlannedDevices(self.machine)
        self.management = has_management(self.machine)

    def facts(self) -> dict[str, Any]:
        networks = self.machine.networks
        planned = [self.how.planned(network) for network in networks.values()]
        return {
            "kind": "machine",
            "name": self.machine.requirement.title,
            "networks": [*networks],
            "planes": 1,
            "cables": int(sum(len(each.topology.links) + each.topology.endpoints.size for each in networks.values())),
            "racks": len({rack for _, facts in planned for rack in facts.racks if rack}),
            "placed": any(network.layout is not None for network in networks.values()),
        }

    def row(self, file: DroppedFile) -> dict[str, Any]:
        row = _row(file, self._shown)
        if row["kind"] == COUNTERS:
            row |= {
                "kind": OTHER,
                "why": "has error counters, which are compared with one network; choose its own folder",
            }
        return row

    def _shown(self, path: str) -> dict[str, Any]:
        fabric = self.how.opened(None, path, lenient=True, management=self.management)
        parts = self.devices.by_network([(None, fabric)])
        planes: list[int] = []
        for name in parts if len(parts) == 1 else ():
            plan, facts = self.how.planned(self.machine.networks[name])
            planes = _planes_of(plan, facts, parts[name][0])
        return _counts(fabric) | {"networks": [*parts], "planes": planes}

    def verifying(self, each: Round, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {"plan": self.plan, "actual": [rows[number]["path"] for number in each.numbers]}

    @staticmethod
    def watching(_rounds: Sequence[Round], _rows: Sequence[dict[str, Any]]) -> None:
        """None: a machine is verified day by day."""

    @staticmethod
    def not_watched(rounds: Sequence[Round], _rows: Sequence[dict[str, Any]]) -> str:
        return (
            "work lists are those of one network: choose its own folder as the plan"
            if rounds
            else "there is no discovery"
        )


def _row(file: DroppedFile, shown: Any) -> dict[str, Any]:
    """What a file is; an error becomes its sentence, and the other files go on."""
    row: dict[str, Any] = {
        "name": file.name,
        "path": str(file.path),
        "kind": file.kind,
        "why": file.why,
        "date": file.date,
        "warnings": [],
        "networks": [],
        "planes": [],
        "counters": False,
    }
    if file.kind != DISCOVERY:
        return row
    with _warnings() as messages:
        try:
            row |= shown(str(file.path))
            row["counters"] = file.path.is_file() and counters_in(file.path)
        except InputError as error:
            row |= {"kind": OTHER, "why": _shorter(str(error), file)}
            if file.path.is_file() and counters_in(file.path):
                row |= {"kind": COUNTERS, "why": "error counters"}
    row["warnings"] = [_shorter(text, file) for text in messages[:_MOST_WARNINGS]]
    return row


def _shorter(text: str, file: DroppedFile) -> str:
    """A message with the file's name in place of its path, and without it at the start."""
    return text.replace(str(file.path), file.name).removeprefix(f"{file.name}: ")


def _counts(fabric: Fabric) -> dict[str, Any]:
    topology = fabric.topology
    return {
        "switches": int(topology.switches),
        "hosts": int(topology.hosts),
        "cables": int(len(topology.links) + topology.endpoints.size),
    }


def _planes_of(plan: Fabric, facts: Any, fabric: Fabric) -> list[int]:
    """The planes of a plan that a discovery shows, from 0; empty: the whole network."""
    if not is_one_plane(plan, fabric):
        return []
    return list(compare_planes(plan, facts, [fabric]).planes)


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """What readers of files warn about meanwhile."""
    messages: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    log = logging.getLogger("topoloom")
    log.addHandler(handler)
    try:
        yield messages
    finally:
        log.removeHandler(handler)
