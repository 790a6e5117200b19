"""Repairing a live fabric: from two discoveries and the installed tables to new tables, and the order of the changes."""

import time
from collections import Counter
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.fabric._live_tables import by_target, carried
from topoloom.fabric._updates import installed_entries, kept_where_unused, levels_by_step, step_summary, updates_of
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
    """Repair the installed tables of a fabric with as few changed entries as possible, and order the updates.

    Entries whose cable is unchanged stay. Every step of the updates is verified: its entries may take effect in any order, and
    no packets, wherever they are, can block each other for ever. Between steps, wait until packets sent before have left the
    network.

    Parameters
    ----------
    old : NetworkSource
        The fabric as discovered when the tables were made.
    tables : Tables
        The installed tables, as `read_lft` reads them for `old`.
    new : NetworkSource
        The fabric as discovered now; switches and host ports are matched by their GUIDs.
    levels : uint8[endpoints, endpoints], optional
        levels[to, from]: the service level of each pair of host ports of `old` (`read_levels`); 0 when omitted.
    virtual_channels : int, optional
        At most this many virtual channels; 15 when omitted.
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional

    Returns
    -------
    Repair

    Raises
    ------
    InputError
        The tables are not those of `old`; the new fabric is not connected or has no host.
    Stopped
        `work` was stopped.
    """
    old, new = taken(old, Fabric, "repair_fabric"), taken(new, Fabric, "repair_fabric")
    work, started = Work() if work is None else work, time.monotonic()
    if not new.topology.endpoints.size:
        raise InputError(f"{new.made}: no hosts, so there is nothing to route to")
    parts = component_count(new.topology)
    if parts > 1:
        raise InputError(
            f"{new.made}: {parts} parts without a cable between them; repair the cables first, or discover each part separately"
        )
    installed_routing = routing_from(tables, old, levels, wide=True)
    live = carried(installed_routing, old, new)
    topology = live.nodes.topology
    live_mixtures = Mixtures(topology, live.met, live.met, live.virtual_channels, live.virtual_channels, work)
    turns = live_mixtures.turns(live_mixtures.all, live.met, live.met, live_mixtures.both)
    safe = live_mixtures.deadlock_free(turns)
    repaired = repair(
        topology, live.meant, live.virtual_channels, virtual_channels=virtual_channels, safe=safe, jobs=jobs, work=work
    )
    routing = Routing(
        topology,
        installed_routing.engine,
        repaired.ports,
        repaired.virtual_channels if repaired.virtual_channels.any() else None,
    )
    verification = verify_routing(routing, jobs, work=work)
    routing = replace(routing, verification=verification)
    mixtures = Mixtures(topology, live.met, routing.ports, live.virtual_channels, repaired.virtual_channels, work)
    verified = safe and bool(verification.deadlock_free)
    if verified:
        order, by_step = order_of_updates(mixtures)
    else:
        differ = np.argwhere(live.met != routing.ports)
        order, by_step = ((TableStep(SET, differ),) if len(differ) else ()), False
    before, meant = installed_entries(tables, old, new, live)
    after = kept_where_unused(live.nodes, by_target(live.nodes, routing.ports), before, meant)
    stages, updates = updates_of(live.nodes, before, after, order)
    had_channel = live.virtual_channels != np.uint8(255)
    changes = _changes(old, new)
    return Repair(
        old=old.made,
        new=new.made,
        **changes,
        entries=int(after.size),
        entries_broken=int(((before >= 0) & ~meant).sum() + ((before < 0) & (after >= 0)).sum()),
        entries_changed=int((before != after).sum()),
        virtual_channels_changed=int(((repaired.virtual_channels != live.virtual_channels) & had_channel).sum()),
        rebuilt=repaired.rebuilt,
        deadlock_free=verified,
        installed_deadlock_free=safe,
        levels_by_step=by_step,
        steps=tuple(step_summary(number, order, rows) for number, rows in enumerate(updates, 1)),
        updates=tuple(update for rows in updates for update in rows),
        verification=verification,
        fabric=new,
        routing=routing,
        tables=(before, *stages),
        levels=levels_by_step(order, by_step, live, repaired.virtual_channels),
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
    """The number of cables, switches and hosts that are lost, new, or moved to another plug."""

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
