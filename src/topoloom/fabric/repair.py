"""A live fabric repaired: from two discoveries and the installed tables to new tables, and the order in which to change
them.
"""

import time
from collections import Counter
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.fabric._live_tables import by_target, carried
from topoloom.fabric._updates import installed_entries, kept_where_unused, levels_by_step, step_told, updates_of
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables
from topoloom.fabric.repair_result import Repair
from topoloom.fabric.tables_from import routing_from
from topoloom.graph.connectivity import component_count
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.routing.live.repair import repair
from topoloom.routing.live.steps import SET, Mixtures, TableStep, order_of_updates
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing


def repair_fabric(
    old: NetworkSource,
    tables: Tables,
    new: NetworkSource,
    *,
    levels: np.ndarray | None = None,
    virtual_channels: int | None = None,
    jobs: int | None = None,
    work: Work | None = None,
) -> Repair:
    """Repair the installed tables on a fabric, with as few entries as can be, and order their updates.

    Entries whose cable is where it was stay. Every step of the updates is proved: its entries may come into force in any order,
    and no packets, wherever they are, can block each other for ever. Between steps wait until packets that were sent before
    have left the network.

    Parameters
    ----------
    old : NetworkSource
        As it was discovered when the tables were made.
    tables : Tables
        In force, as `read_lft` reads them for `old`.
    new : NetworkSource
        As it is discovered now; switches and host ports are known by their GUIDs.
    levels : uint8[endpoints, endpoints], optional
        levels[to, from]: the service level of each pair of host ports of `old` (`read_levels`); 0 when omitted.
    virtual_channels : int, optional
        At most so many virtual channels; 15 when omitted.
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional

    Returns
    -------
    Repair

    Raises
    ------
    InputError
        Tables that are not those of `old`; what is there now falls apart or has no host.
    Stopped
        `work` was stopped.
    """
    old, new = taken(old, Fabric, "repair_fabric"), taken(new, Fabric, "repair_fabric")
    work, started = Work() if work is None else work, time.monotonic()
    if not new.topology.endpoints.size:
        raise InputError(f"{new.made}: no hosts, so tables have nowhere to lead")
    parts = component_count(new.topology)
    if parts > 1:
        raise InputError(
            f"{new.made}: {parts} parts that no cable joins; repair the cables first, or discover each part alone"
        )
    force = routing_from(tables, old, levels)
    live = carried(force, old, new)
    topology = live.nodes.topology
    held = Mixtures(topology, live.met, live.met, live.virtual_channels, live.virtual_channels, work)
    safe = held.deadlock_free(held.turns(held.all, live.met, live.met, held.both))
    made = repair(
        topology, live.meant, live.virtual_channels, virtual_channels=virtual_channels, safe=safe, jobs=jobs, work=work
    )
    routing = Routing(
        topology, force.engine, made.ports, made.virtual_channels if made.virtual_channels.any() else None
    )
    verification = verify_routing(routing, jobs, work=work)
    routing = replace(routing, verification=verification)
    mixtures = Mixtures(topology, live.met, routing.ports, live.virtual_channels, made.virtual_channels, work)
    proved = safe and bool(verification.deadlock_free)
    if proved:
        order, by_step = order_of_updates(mixtures)
    else:
        differ = np.argwhere(live.met != routing.ports)
        order, by_step = ((TableStep(SET, differ),) if len(differ) else ()), False
    before, meant = installed_entries(tables, old, new, live)
    after = kept_where_unused(live.nodes, by_target(live.nodes, routing.ports), before, meant)
    stages, updates = updates_of(live.nodes, before, after, order)
    given = live.virtual_channels != np.uint8(255)
    changes = _changes(old, new)
    return Repair(
        old=old.made,
        new=new.made,
        **changes,
        entries=int(after.size),
        entries_broken=int(((before >= 0) & ~meant).sum() + ((before < 0) & (after >= 0)).sum()),
        entries_changed=int((before != after).sum()),
        virtual_channels_changed=int(((made.virtual_channels != live.virtual_channels) & given).sum()),
        rebuilt=made.rebuilt,
        deadlock_free=proved,
        installed_deadlock_free=safe,
        levels_by_step=by_step,
        steps=tuple(step_told(number, order, rows) for number, rows in enumerate(updates, 1)),
        updates=tuple(update for rows in updates for update in rows),
        verification=verification,
        fabric=new,
        routing=routing,
        tables=(before, *stages),
        levels=levels_by_step(order, by_step, live, made.virtual_channels),
        provenance=provenance_of(
            new.topology,
            settings={
                "old": old.made,
                "old_digest": old.topology.digest,
                "tables": tables.source,
                "virtual_channels": virtual_channels,
            },
            timings={"seconds": time.monotonic() - started},
        ),
    )


def _changes(old: Fabric, new: Fabric) -> dict[str, int]:
    """How many cables, switches and hosts are lost, new, and at another plug."""

    def switches(fabric: Fabric) -> set[int]:
        return set(fabric.switch_guids.tolist())

    def cables(fabric: Fabric) -> Counter[tuple[tuple[int, int], ...]]:
        guids = fabric.switch_guids[fabric.topology.links].tolist()
        ports = fabric.link_ports.tolist()
        return Counter(tuple(sorted(zip(ends, at, strict=True))) for ends, at in zip(guids, ports, strict=True))

    def plugs(fabric: Fabric) -> dict[int, tuple[int, int]]:
        homes = fabric.switch_guids[fabric.topology.endpoints].tolist()
        return dict(
            zip(fabric.port_guids.tolist(), zip(homes, fabric.endpoint_ports.tolist(), strict=True), strict=True)
        )

    was, now = plugs(old), plugs(new)
    return {
        "cables_lost": (cables(old) - cables(new)).total(),
        "cables_new": (cables(new) - cables(old)).total(),
        "switches_lost": len(switches(old) - switches(new)),
        "switches_new": len(switches(new) - switches(old)),
        "hosts_lost": len(was.keys() - now.keys()),
        "hosts_new": len(now.keys() - was.keys()),
        "hosts_moved": sum(was[guid] != now[guid] for guid in was.keys() & now.keys()),
    }
