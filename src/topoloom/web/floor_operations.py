"""Operations of pages with floors: a room with moved racks (stand), what is where (elevations), growth by steps (grow)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np

from topoloom.cabling.expansion.panels.expansion import PanelExpansion
from topoloom.core.errors import InputError, hint
from topoloom.core.settings import setting
from topoloom.machine.opening import open_machine
from topoloom.machine.recognizing import names_machine
from topoloom.network import Network
from topoloom.network.opening import open_network
from topoloom.operations.catalogue._placing import PLACING, PanelledPlacing, networks_on_floors
from topoloom.operations.catalogue.expand import ExpandOperation
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, flat, operation
from topoloom.operations.shared import Source
from topoloom.placement.floors.floor_text import floor_toml
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.layout import Layout
from topoloom.studies.task import content_digest
from topoloom.web.growth import growth_data, machine_growth_data, network_stages
from topoloom.web.room import MachineRoom, NetworkRoom, ShownRoom

#: Rooms that the process keeps, for further requests about the same network.
_MOST_KEPT = 4


class _InRoom(PanelledPlacing, frozen=True, kw_only=True):
    """The arguments of a room: those of placement, and manual changes."""

    moved: Annotated[
        list[list[str]],
        setting(
            "racks to move, one after another: names of slots from and to; a rack in the second slot changes places"
        ),
    ] = msgspec.field(default_factory=list)
    blocked: Annotated[list[str], setting("slots to keep free of racks")] = msgspec.field(default_factory=list)

    def room(self, context: RunContext) -> tuple[ShownRoom, ShownRoom]:
        """The room without moves, which the process keeps, and with them.

        Parameters
        ----------
        context : RunContext
        """
        named = [value for value in self.given().values() if isinstance(value, str)]
        key = msgspec.json.encode([*(getattr(self, name) for name in _DECIDE), *map(_content, named)])
        if key not in _kept:
            while len(_kept) >= _MOST_KEPT:
                del _kept[next(iter(_kept))]
            opened = self._opened(context)
            with suppress(InputError):  # the racks of a machine's network, or those of small slots, do not move
                opened.moved([[opened.slots.names[0], opened.slots.names[-1]]])  # reads what every move needs
            _kept[key] = opened
            context.work.check()
        return _kept[key], _kept[key].moved(self.moved)

    def _opened(self, context: RunContext) -> ShownRoom:
        if names_machine(self.topology):
            terms = ("parts", "prices", "rate_gbps", "blocked")
            self.refuse_changed((*PLACING, *terms), "a machine has its own parts, rates and racks, in its folder")
            return MachineRoom(open_machine(self.topology))
        opened = open_network(self.topology)
        network = networks_on_floors(self, [opened], context)[0]
        if self.blocked:
            network = _blocked(network, self.blocked, self, context)
        return NetworkRoom(network, own_layout=opened.layout is not None)


#: The arguments that decide where racks stand before they are moved.
_DECIDE = tuple(name for name in _InRoom.__struct_fields__ if name != "moved")
_kept: dict[bytes, ShownRoom] = {}


def _content(name: str) -> str:
    """The digest of the file that a text names, if any: a room whose files have changed is opened again."""
    path = Path(name)
    try:
        return content_digest(path) if path.exists() else ""
    except (OSError, ValueError):
        return ""


@operation
class StandOperation(_InRoom, frozen=True, kw_only=True):
    """A network or a machine on its floor, as `topoloom layout` and `topoloom cost` show it, with manual changes."""

    group = "stand"

    picture: Annotated[bool, setting("with the data of the floor's picture, not only the sums and the limits")] = True

    def run(self, context: RunContext) -> Any:
        return _stand(self, context)


def _stand(arguments: StandOperation, context: RunContext) -> dict[str, Any]:
    before, room = arguments.room(context)
    sums = room.sums
    unmoved = sums if room is before else before.sums
    machine = isinstance(room, MachineRoom)
    layout = room.layouts[0]
    record: dict[str, Any] = {
        "schema": "topoloom/stand/2",
        "title": room.title,
        "of": "machine" if machine else "network",
        "own_layout": room.own_layout,
        "shared": not machine and layout.housing is not None and layout.housing.shared,
        **sums,
        "unmoved": {
            key: unmoved[key] for key in ("total_m", "longest_m", "host_total_m", "host_longest_m", "cost_usd")
        },
    }
    if not arguments.picture:
        return record
    try:
        floor = room.picture()
    except InputError:
        # No product reaches some cable: `fault` has the sentence.
        if not sums["fault"]:
            raise
        floor = None
    slots = room.slots
    return record | {
        "floor": floor,
        "slots": {"name": list(slots.names), "x": slots.place_m[:, 0].tolist(), "y": slots.place_m[:, 1].tolist()},
        "toml": floor_toml(layout.floor, slots),
    }


@operation
class ElevationsOperation(_InRoom, frozen=True, kw_only=True):
    """Every device of a network or a machine with its rack and units, and every cable with its two ends."""

    group = "elevations"

    def run(self, context: RunContext) -> Any:
        return self.room(context)[1].elevations()


def _blocked(network: Network, names: Sequence[str], arguments: _InRoom, context: RunContext) -> Network:
    """The network placed again on the remaining slots."""
    layout = network.part(Layout)
    slots = _wide_enough(layout, len(names))
    number = {name: at for at, name in enumerate(slots.names)}
    for name in names:
        if name not in number:
            raise InputError(f"blocked: the floor has no slot '{name}' ({hint(name, number)})")
    taken = {number[name] for name in names}
    left = np.array([slot for slot in range(len(slots)) if slot not in taken])
    if len(left) < layout.racks:
        raise InputError(
            f"blocked: {layout.racks} racks need more than the {len(left)} remaining slots; give the floor more rows"
        )
    places = slots.place_m
    floor = replace(
        layout.floor,
        fixed=slots.only(left),
        blocked=(
            *layout.floor.blocked,
            *((name, float(places[number[name], 0]), float(places[number[name], 1])) for name in names),
        ),
    )
    return network.placed(
        floor,
        hosts=layout.housing,
        cluster=arguments.cluster,
        map=arguments.map,
        seed=arguments.seed,
        jobs=context.jobs,
        work=context.work,
    )


def _wide_enough(layout: Layout, blocked: int) -> Slots:
    """The slots of the layout; a floor of automatic size gets additional slots for the blocked ones."""
    floor, slots = layout.floor, layout.slots
    rows, columns, wanted = slots.rows, slots.columns, layout.racks + blocked
    if floor.fixed is not None or (floor.rows and floor.columns):
        return slots
    if floor.columns:
        rows = max(rows, -(-wanted // columns))
    else:
        columns = max(columns, -(-wanted // rows))
    return replace(floor, rows=rows, columns=columns).slots_for(wanted)


@operation
class GrowOperation(ExpandOperation, frozen=True, kw_only=True):
    """The plan of `topoloom expand`, with the floor, the cables, the throughput and the cost of every step; or of a machine."""

    group = "grow"

    def run(self, context: RunContext) -> Any:
        if self.of_machine:
            return machine_growth_data(self.grown_machine(), open_machine(self.topology))
        plan = self.planned(context)
        if isinstance(plan, PanelExpansion):
            raise InputError(
                f"{plan.before.layout.topology.name}: the growth of a network with panels is not played step by step; topoloom"
                " expand -o writes its plan"
            )
        return growth_data(plan, context.jobs)

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        return flat(result)


@operation
class StagesOperation(Operation, frozen=True, kw_only=True):
    """One drawing of a network that grows, and what each stage adds or takes away: of the phases of a design, for example."""

    group: ClassVar[str] = "stages"

    networks: Annotated[list[Source], setting("the network in each of its stages, the first first")]

    def validate(self) -> None:
        if not self.networks:
            raise InputError("stages: give at least one network")

    def run(self, context: RunContext) -> Any:
        return {"schema": "topoloom/stages/1"} | network_stages([open_network(source) for source in self.networks])
