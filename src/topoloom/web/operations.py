"""Operations of the explorer: the data of a network's picture (draw), a path of its tables (trace), a requirement's check.

The entry point `topoloom.operations` announces them, like those of other packages, because this package is above studies.
"""

from collections import Counter, deque
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.core.work import Work
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_files import requirement_of
from topoloom.machine.reading import machine_of
from topoloom.machine.recognizing import is_machine
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.network.losses import losses
from topoloom.network.opening import open_network
from topoloom.operations.catalogue.design import DesignOperation
from topoloom.operations.catalogue.report import ReportOperation
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, flat, operation
from topoloom.operations.shared import Engine, Source
from topoloom.placement.hosts.racks import RackCapacity
from topoloom.routing.reroute import reroute
from topoloom.routing.routing import HOP, SWITCH, Routing
from topoloom.web import discovery_operations, download  # noqa: F401 - register their operations

#: The name of the operation that designs and writes the folder of the design.
WRITE_DESIGN = "write design"
#: Tables that the process caches, for further requests about the same network.
_MOST_CACHED = 4


@operation
class TraceOperation(Operation, frozen=True, kw_only=True):
    """A path of the tables, before and after a loss."""

    group: ClassVar[str] = "trace"

    topology: Source
    from_switch: Annotated[int, setting("the first switch of the path", least=0)]
    to_switch: Annotated[int, setting("the last switch of the path", least=0)]
    engine: Engine | None = None
    lost: Annotated[str, setting("what is lost, as in outage: link:12-40, switch:7, group:3")] = ""

    def run(self, context: RunContext) -> Any:
        return _trace(self, context.jobs, context.work)


def _trace(arguments: TraceOperation, jobs: int | None, work: Work) -> dict[str, Any]:
    network = open_network(arguments.topology)
    tables = _cached_tables(network, arguments.engine, jobs, work)
    path = tables.path(arguments.from_switch, arguments.to_switch)
    path_data: dict[str, Any] = {
        "schema": "topoloom/trace/2",
        "engine": tables.engine,
        "path": path,
        "channels": _hop_channels(tables, path),
    }
    if not arguments.lost:
        return path_data
    lost = losses(network, arguments.lost)
    links = [*lost.links, *map(tuple, network.topology.links[lost.cables].tolist())]
    if not _connected(network.topology, arguments.from_switch, arguments.to_switch, links, lost.switches):
        return path_data | {"path_after": None}
    repaired = reroute(tables, links=lost.links, switches=lost.switches, cables=lost.cables, jobs=jobs, work=work)
    verification = repaired.routing.verification
    return path_data | {
        "path_after": repaired.routing.path(arguments.from_switch, arguments.to_switch),
        "entries": repaired.entries,
        "entries_changed": repaired.entries_changed,
        "virtual_channels_changed": repaired.virtual_channels_changed,
        "rebuilt": repaired.rebuilt,
        "deadlock_free": None if verification is None else verification.deadlock_free,
    }


def _hop_channels(tables: Routing, path: list[int]) -> list[int] | None:
    """The virtual channel of each hop of a path; None where all packets use the same one."""
    if tables.virtual_channel_rule == HOP:
        return list(range(len(path) - 1))
    if tables.virtual_channels is None:
        return None
    at = path[:-1] if tables.virtual_channel_rule == SWITCH else path[:1] * (len(path) - 1)
    return [int(tables.virtual_channels[path[-1], switch]) for switch in at]


def _connected(
    topology: Topology, source: int, destination: int, links: Sequence[tuple[int, int]], switches: Sequence[int]
) -> bool:
    """Whether two switches are connected after a loss."""
    left = Counter((min(a, b), max(a, b)) for a, b in topology.links.tolist())
    left.subtract((min(a, b), max(a, b)) for a, b in links)
    lost = set(switches)
    if lost & {source, destination}:
        return False
    neighbours: dict[int, list[int]] = {}
    for (a, b), count in left.items():
        if count > 0 and not lost & {a, b}:
            neighbours.setdefault(a, []).append(b)
            neighbours.setdefault(b, []).append(a)
    seen, waiting = {source}, deque([source])
    while waiting:
        new = [other for other in neighbours.get(waiting.popleft(), ()) if other not in seen]
        seen.update(new)
        waiting.extend(new)
    return destination in seen


_cached: dict[tuple[str, str | None], Routing] = {}


def _cached_tables(network: Network, engine: str | None, jobs: int | None, work: Work) -> Routing:
    """The tables of a network, cached for further requests."""
    key = network.topology.digest, engine if engine is not None else f"{network.source}, its own"
    if key not in _cached:
        while len(_cached) >= _MOST_CACHED:
            del _cached[next(iter(_cached))]
        _cached[key] = network.with_tables(engine, jobs=jobs, work=work).part(Routing)
        work.check()
    return _cached[key]


@operation
class RequirementOperation(Operation, frozen=True, kw_only=True):
    """A requirement in TOML, read and checked."""

    group: ClassVar[str] = "requirement"

    text: Annotated[str, setting("the requirement, in TOML")]

    def run(self, context: RunContext) -> Any:
        return _requirement(self, context.jobs, context.work)


def _requirement(arguments: RequirementOperation, _jobs: int | None, _work: Work) -> dict[str, Any]:
    record: dict[str, Any] = {"schema": "topoloom/need/1", "machine": is_machine(arguments.text)}
    if record["machine"]:
        return record | {"requirement": msgspec.to_builtins(machine_of(arguments.text, "requirement"))}
    requirement = requirement_of(arguments.text, "requirement")
    try:  # as a design completes it: a rate that the switch does not have is an error here, too
        requirement = requirement.filled()
    except InputError as error:
        raise InputError(f"requirement: {error}") from None
    racks = _racks_of_hosts(requirement)
    return record | {"requirement": msgspec.to_builtins(requirement), "currency": requirement.currency, "racks": racks}


def _racks_of_hosts(requirement: Requirement) -> dict[str, Any] | None:
    """The racks that the hosts alone need, as a placement fills them; None where they have no racks of their own."""
    if requirement.housing is None:
        return None
    capacity = RackCapacity.of(requirement.housing, 0.0, np.full(3, np.inf))
    try:
        most = capacity.most(hosts=True)
    except InputError as error:
        raise InputError(f"requirement: [rack]: {error}") from None
    return {"rack": capacity.described, "hosts_per_rack": most, "racks": -(-requirement.hosts // most)}


@operation
class MachineReportOperation(ReportOperation, frozen=True, kw_only=True):
    """The report of a machine, as `topoloom report` prints it."""

    group: ClassVar[str] = "machine-report"
    studied: ClassVar[bool] = True

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        return flat(
            {"bill": {"cost_usd": result.bill.cost_usd, "power_w": result.bill.power_w}, "exceeded": result.exceeded}
        )


@operation
class WriteDesignOperation(DesignOperation, frozen=True, kw_only=True):
    """A design whose folder is written, as `topoloom design -o` does."""

    group: ClassVar[str] = WRITE_DESIGN
    functions: ClassVar[tuple[str, ...]] = ()

    folder: Annotated[str, setting("the folder for the report and files")]

    def repeatable(self) -> "WriteDesignOperation":
        return self

    def run(self, context: RunContext) -> Any:
        # Imported here: pages of reports take a second, and pictures do without them.
        from topoloom.report.design_files import write_design
        from topoloom.report.machine_page import save_machine_design

        if self.of_machine:
            machine = self.machine_design(context)
            save_machine_design(machine, self.folder)
            return machine
        design = self.designed(self.prepared(), context)
        write_design(design, self.folder)
        return design
