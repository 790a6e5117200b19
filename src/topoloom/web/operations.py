"""Operations of the explorer: the data of a network's picture (draw), a path of its tables (trace), a requirement's check.

The entry point `topoloom.operations` announces them, like those of other packages, because this package is above studies.
"""

from collections import Counter, deque
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.core.work import Work
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_files import requirement_of
from topoloom.graph.standing import standing
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.network.opening import open_network
from topoloom.operations.catalogue.report import ReportOperation
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, flat, operation
from topoloom.operations.shared import Engine, Floor, Source
from topoloom.placement.layout.layout import Layout
from topoloom.routing.reroute import reroute
from topoloom.routing.routing import Routing
from topoloom.web import download as _download  # noqa: F401 - announces its operation

#: Most links of a picture.
MOST_LINKS = 2_000_000
#: Tables that the process caches, for further requests about the same network.
_MOST_CACHED = 4


@operation
class PictureOperation(Operation, frozen=True, kw_only=True):
    """The data of a network's picture: points, links, labels, lengths, loads."""

    group: ClassVar[str] = "picture"

    topology: Source
    at: Annotated[Literal["labels", "floor"], setting("positions of switches: by their labels, or on the floor")] = (
        "labels"
    )
    floor: Floor | None = None
    engine: Annotated[str, setting("add the loads of links by this engine's tables")] | None = None

    def run(self, context: RunContext) -> Any:
        return _draw(self, context.jobs, context.work)


def _draw(arguments: PictureOperation, jobs: int | None, work: Work) -> dict[str, Any]:
    network = open_network(arguments.topology)
    topology = network.topology
    if len(topology.links) > MOST_LINKS:
        raise InputError(
            f"{network.source}: {len(topology.links):,} links are too many for a picture (at most {MOST_LINKS:,})"
        )
    if arguments.at == "floor":
        if network.layout is None:
            network = network.placed(arguments.floor, map="rows")
        how, points = "floor", _of_floor(network.part(Layout))
    else:
        how, points = standing(topology)
    picture: dict[str, Any] = {
        "schema": "topoloom/picture/1",
        "name": topology.name,
        "switches": topology.switches,
        "hosts": int(topology.hosts),
        "how": how,
        "points": np.round(points, 5).ravel().tolist(),
        "links": topology.links.ravel().tolist(),
        "labels": {name: np.asarray(values).tolist() for name, values in topology.labels.items()},
        "host_of": topology.endpoints_at.tolist(),
    }
    if arguments.engine is not None:
        tables = _cached_tables(network, arguments.engine, jobs, work)
        picture["engine"] = tables.engine
        if tables.verification is not None:
            load = np.zeros(len(topology.links), np.int64)
            np.maximum.at(load, topology.csr[2], tables.verification.channel_load)
            picture["loads"] = load.tolist()
    return picture


def _of_floor(layout: Layout) -> np.ndarray:
    """The position of each switch: at its rack, with switches of one rack above each other, in metres."""
    points = layout.slots.place_m[layout.slot].astype(np.float64)
    order = np.argsort(layout.slot, kind="stable")
    sizes = np.bincount(layout.slot)
    first = np.cumsum(sizes) - sizes
    within = np.empty(layout.slot.size)
    within[order] = np.arange(layout.slot.size) - first[layout.slot[order]]
    return np.stack([points[:, 0], points[:, 1] + 0.8 * within / np.maximum(sizes[layout.slot], 1)], axis=1)


@operation
class TraceOperation(Operation, frozen=True, kw_only=True):
    """A path of the tables, before and after a loss."""

    group: ClassVar[str] = "trace"

    topology: Source
    from_switch: Annotated[int, setting("the first switch of the path", least=0)]
    to_switch: Annotated[int, setting("the last switch of the path", least=0)]
    engine: Engine | None = None
    lost_links: Annotated[list[list[int]], setting("lost links, as pairs of switches")] = msgspec.field(
        default_factory=list
    )
    lost_switches: Annotated[list[int], setting("lost switches")] = msgspec.field(default_factory=list)

    def run(self, context: RunContext) -> Any:
        return _trace(self, context.jobs, context.work)


def _trace(arguments: TraceOperation, jobs: int | None, work: Work) -> dict[str, Any]:
    network = open_network(arguments.topology)
    tables = _cached_tables(network, arguments.engine, jobs, work)
    path_data: dict[str, Any] = {
        "schema": "topoloom/trace/1",
        "engine": tables.engine,
        "path": tables.path(arguments.from_switch, arguments.to_switch),
        "vc": None
        if tables.virtual_channels is None
        else int(tables.virtual_channels[arguments.to_switch, arguments.from_switch]),
    }
    if not (arguments.lost_links or arguments.lost_switches):
        return path_data
    pairs = []
    for pair in arguments.lost_links:
        if len(pair) != 2:
            raise InputError(f"trace: lost_links: give a link as two switches, not {pair}")
        pairs.append((pair[0], pair[1]))
    if not _connected(network.topology, arguments.from_switch, arguments.to_switch, pairs, arguments.lost_switches):
        return path_data | {"path_after": None}
    repaired = reroute(tables, links=pairs, switches=arguments.lost_switches, jobs=jobs, work=work)
    verification = repaired.routing.verification
    return path_data | {
        "path_after": repaired.routing.path(arguments.from_switch, arguments.to_switch),
        "entries": repaired.entries,
        "entries_changed": repaired.entries_changed,
        "virtual_channels_changed": repaired.virtual_channels_changed,
        "rebuilt": repaired.rebuilt,
        "deadlock_free": None if verification is None else verification.deadlock_free,
    }


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
    requirement: Requirement = requirement_of(arguments.text, "requirement")
    return {
        "schema": "topoloom/need/1",
        "requirement": msgspec.to_builtins(requirement),
        "currency": requirement.currency,
    }


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
