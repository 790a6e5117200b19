"""From a network and its terms to a layout: the one place where rooms, racks, and what they must feed come together."""

from functools import partial
from pathlib import Path
from typing import Any

from topoloom.core.errors import InputError
from topoloom.cost.servers import housing_of
from topoloom.cost.terms import Terms
from topoloom.model.link_rates import refuse_mixed
from topoloom.model.topology import Topology
from topoloom.placement.floors.chosen import chosen_floor
from topoloom.placement.floors.floor import Floor
from topoloom.placement.hosts.housing import Housing
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.place import DEFAULT_MAP, place

#: Where nobody says where.
DEFAULT_ROOM = "slimfly-2014"


def placed_layout(
    topology: Topology,
    terms: Terms,
    room: Floor | str | Path | None = None,
    *,
    hosts: Housing | str | Path | None = None,
    rows: int | None = None,
    columns: int | None = None,
    switches_per_rack: int | None = None,
    cluster: str | None = None,
    map: str | None = None,
    objective: Any = None,
    **search: Any,
) -> Layout:
    """Put a network into a machine room as it is bought: racks feed what its switches draw.

    Parameters
    ----------
    topology : Topology
    terms : Terms
        The catalogue and the rate, which say what a switch draws, and what its cables cost.
    room : Floor, str or path, optional
        A floor, the name of a preset, or the path of a .toml or .csv file.
    hosts : Housing, str or path, optional
        Hosts in racks of their own: a server of the catalogue, or a file with the tables [host] and [rack].
    rows, columns, switches_per_rack : int, optional
        Changes of the room: its sides in places, and the most switches in a rack.
    cluster, map : str, optional
        As `topoloom.place` has them.
    objective : str or callable, optional
        As `topoloom.place` has it; also ``cost`` and ``power``, of the cables of the catalogue.
    **search
        What `topoloom.place` takes besides.

    Raises
    ------
    InputError
        A room, a host or a word that is not known; a catalogue without watts or prices where they are asked for; switches
        that do not fit.
    """
    parts, rate = terms.catalogue, terms.link_rate_gbps
    if isinstance(room, Floor):
        if rows is not None or columns is not None or switches_per_rack is not None:
            raise InputError(
                "rows, columns and switches_per_rack change a named room; give a Floor that already has them"
            )
        floor = room
    else:
        floor = chosen_floor(DEFAULT_ROOM if room is None else str(room), rows, columns, switches_per_rack)
    housing = None if hosts is None else housing_of(hosts, parts)
    # Only where a floor or a rack limits them: a catalogue need not have a switch of this size else.
    fed = floor.limits_power or housing is not None
    watts = parts.switch_feed_w(topology.radix, rate) if fed else 0.0
    if floor.limits_power and not watts:
        raise InputError(
            f"floor '{floor.name}' limits the power of a rack, but the catalogue '{parts.name}' has no watts of a switch"
            f" with {topology.radix} ports; take parts that have, lay a quote with power_w over them, or remove the limit"
        )
    by_parts = {"cost": parts.link_usd, "power": parts.link_w}
    if fed or objective in ("cost", "power"):
        refuse_mixed(topology, "place by watts or prices")
    if isinstance(objective, str) and objective in by_parts:
        objective = partial(by_parts[objective], rate_gbps=rate)
    return place(
        topology,
        floor,
        "auto" if cluster is None else cluster,
        DEFAULT_MAP if map is None else map,
        "length" if objective is None else objective,
        switch_w=watts,
        housing=housing,
        **search,
    )
