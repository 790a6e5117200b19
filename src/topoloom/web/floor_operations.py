"""Operations of pages with floors: a network with moved racks and blocked slots (stand), and growth by steps (grow)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import msgspec
import numpy as np

from topoloom.cabling.cabling import cable
from topoloom.core.errors import InputError, hint
from topoloom.core.settings import setting
from topoloom.cost.bill import price
from topoloom.cost.facility import rack_power
from topoloom.network import Network
from topoloom.operations.catalogue._placing import HousedPlacing
from topoloom.operations.catalogue.expand import ExpandOperation
from topoloom.operations.context import RunContext
from topoloom.operations.operation import flat, operation
from topoloom.placement.floors.floor_text import floor_toml
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.layout import Layout
from topoloom.report.expansion_floor import step_floorplan
from topoloom.report.floor_data import floor_data

#: The columns of a cable that an installer needs in a step.
_PULLED = ("work", "cable", "a", "a_port", "a_rack", "b", "b_port", "b_rack", "from", "from_port", "stock_m", "product")


@operation
class StandOperation(HousedPlacing, frozen=True, kw_only=True):
    """A network on its floor, as `topoloom layout` and `topoloom cost` show it, with manual changes."""

    group = "stand"

    moved: Annotated[
        dict[str, str],
        setting("racks to move, as names of slots from and to; a rack in the second slot changes places with it"),
    ] = msgspec.field(default_factory=dict)
    blocked: Annotated[list[str], setting("slots to keep free of racks")] = msgspec.field(default_factory=list)

    def run(self, context: RunContext) -> Any:
        return _stand(self, context)


def _stand(arguments: StandOperation, context: RunContext) -> dict[str, Any]:
    network = arguments.laid_out(context)
    layout = network.part(Layout)
    if arguments.blocked:
        network = _blocked(network, arguments.blocked, arguments, context)
        layout = network.part(Layout)
    changed = _moved(layout, arguments.moved)
    bill, before = (price(network.standing(each)) for each in (changed, layout))
    slots = changed.slots
    return {
        "schema": "topoloom/stand/1",
        "floor": floor_data(cable(network.standing(changed)), rack_power(changed, network.terms)),
        "slots": {"name": list(slots.names), "x": slots.place_m[:, 0].tolist(), "y": slots.place_m[:, 1].tolist()},
        "racks": changed.racks,
        "total_m": changed.total_m,
        "longest_m": changed.longest_m,
        "cost_usd": bill.cost_usd,
        "currency": bill.currency,
        "total_m_unmoved": layout.total_m,
        "cost_usd_unmoved": before.cost_usd,
        "toml": floor_toml(changed.floor, slots),
    }


def _numbers(layout: Layout) -> dict[str, int]:
    return {name: number for number, name in enumerate(layout.slots.names)}


def _blocked(network: Network, names: Sequence[str], arguments: StandOperation, context: RunContext) -> Network:
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


def _moved(layout: Layout, moves: Mapping[str, str]) -> Layout:
    """The layout with racks moved to other slots."""
    number = _numbers(layout)
    slot, hosts = layout.slot.copy(), None if layout.host_slot is None else layout.host_slot.copy()
    for name, to in moves.items():
        for wanted in (name, to):
            if wanted not in number:
                raise InputError(f"moved: the floor has no slot '{wanted}' ({hint(wanted, number)})")
        origin, target = number[name], number[to]
        for places in (slot, hosts):
            if places is not None:
                stood, stands = places == origin, places == target
                places[stood], places[stands] = target, origin
    # The stated lengths are those of the cables where the racks stand.
    return replace(layout, slot=slot, host_slot=hosts, length_bound_m=0.0, stated=None) if moves else layout


@operation
class GrowOperation(ExpandOperation, frozen=True, kw_only=True):
    """The plan of `topoloom expand`, with a picture of the floor and the cables of every step."""

    group = "grow"

    def run(self, context: RunContext) -> Any:
        return _grow(self, context)

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        return flat(result)


def _grow(arguments: GrowOperation, context: RunContext) -> dict[str, Any]:
    plan = arguments.planned(context)
    cables: dict[int, list[dict[str, Any]]] = {}
    for row in plan.rows():
        cables.setdefault(row["step"], []).append({name: row[name] for name in _PULLED})
    return {
        "schema": "topoloom/growth/1",
        "method": plan.method,
        "switches": plan.topology.switches,
        "hosts": int(plan.topology.hosts),
        "removed": plan.removed,
        "added": plan.added,
        "kept": plan.kept,
        "bought": plan.bought,
        "longest_new_m": plan.longest_new_m,
        "total_usd": plan.cost.total_usd,
        "currency": plan.after.bought.parts.currency,
        "steps": [
            {
                "title": step.title,
                "new_switches": len(step.new_switches),
                "new_racks": len(step.new_racks),
                "diameter": step.diameter,
                "aspl": step.aspl,
                "connected": step.connected,
                "picture": step_floorplan(plan, number),
                "cables": cables.get(number + 1, []),
            }
            for number, step in enumerate(plan.steps)
        ],
    }
