"""A floor as a TOML file that `topoloom.placement.floors.floor_files.read_floor` reads back exactly."""

import json
from dataclasses import replace

import numpy as np

from topoloom.core.toml_files import toml_string
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import NO_LIMIT, Slots


def floor_toml(floor: Floor, slots: Slots) -> str:
    """The floor and its slots, exactly as a layout used them, as a floor file (docs/reference/floor-file.md).

    A generated floor is written with its rows and columns, any other floor with every slot. `read_floor` returns the same
    rules, slots, order, limits and distances, to the last bit.
    """
    out = [
        _line("name", floor.name),
        _line("source", floor.source),
        *(
            _line(key, getattr(floor, key))
            for key in (
                "width_m",
                "depth_m",
                "inside_m",
                "overhead_end_m",
                "sequence_rack",
                "sequence_hosts",
                "distance",
            )
        ),
    ]
    if slots.given_m is not None and not floor.trays_m:
        out += _matrix(slots.given_m)
    limits = {"switches": floor.switches_per_rack, "hosts": floor.hosts_per_rack, "power_w": floor.power_w_per_rack}
    if any(most is not None for most in limits.values()):
        out += ["\n[limits]\n", *(_line(key, most) for key, most in limits.items())]
    if floor.fixed is None and _generated(floor, slots):
        out += ["\n[grid]\n", _line("rows", slots.rows), _line("columns", slots.columns)]
        if floor.aisle_every:
            out += [_line("aisle_every", floor.aisle_every), _line("aisle_m", floor.aisle_m)]
    else:
        out += _slots(slots, limits)
        out += [_table("slot", name=name, x_m=x, y_m=y, blocked=True) for name, x, y in floor.blocked]
    for x, y, width, depth in floor.pillars_m:
        out.append(_table("pillar", x_m=x, y_m=y, width_m=width, depth_m=depth))
    capacity = floor.tray_cables or (None,) * len(floor.trays_m)
    for (from_x, from_y, to_x, to_y), most in zip(floor.trays_m, capacity, strict=True):
        out.append(_table("tray", from_m=[from_x, from_y], to_m=[to_x, to_y], cables=most))
    return "".join(out)


def _generated(floor: Floor, slots: Slots) -> bool:
    """Whether rows and columns are enough to generate these slots."""
    if not slots.rows or not slots.columns:
        return False
    return replace(floor, rows=slots.rows, columns=slots.columns).slots_for(1) == slots


def _slots(slots: Slots, limits: dict[str, float | None]) -> list[str]:
    """One table per slot; its limits only where they differ from the common ones."""
    common = [NO_LIMIT if most is None else float(most) for most in limits.values()]
    return [
        _table(
            "slot",
            name=name,
            x_m=x,
            y_m=y,
            **{
                key: int(limit) if limit.is_integer() else limit
                for key, limit, common_limit in zip(limits, most, common, strict=True)
                if limit != common_limit
            },
        )
        for name, (x, y), most in zip(slots.names, slots.place_m.tolist(), slots.limits.tolist(), strict=True)
    ]


def _matrix(apart_m: np.ndarray) -> list[str]:
    """The distances below the diagonal, one row per slot."""
    rows = (json.dumps(row[:number]) for number, row in enumerate(apart_m.tolist()))
    return ["matrix = [\n", *(f"  {row},\n" for row in rows), "]\n"]


def _table(table: str, **row: object) -> str:
    return f"\n[[{table}]]\n" + "".join(_line(key, value) for key, value in row.items())


def _line(key: str, value: object) -> str:
    """``key = value``, or an empty text without a value."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"{key} = {toml_string(value)}\n"
    # Python's repr of a float is valid in TOML and exact; true and false are written as in JSON.
    return f"{key} = {float.__repr__(value) if isinstance(value, float) else json.dumps(value)}\n"
