"""Repairing a live fabric: from two discoveries and the installed tables to new tables, and the order of the changes."""

import time
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.fabric._live_tables import changes_between, grouped, installed_on, senders_of, tables_on
from topoloom.fabric._repair_plans import Live, Plan, addresses_alone, longer_pairs
from topoloom.fabric._updates import levels_by_step, reopened_pairs, stages_of, summaries
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables
from topoloom.fabric.repair_result import BEST, FEW_CHANGES, TO, Repair, RepairFigures, Stages, UpdateStep
from topoloom.fabric.tables_compared import TableFigures, table_figures
from topoloom.graph.connectivity import components
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.routing.compared import refuse_worse
from topoloom.routing.live.steps import DROP, SET, Mixtures, TableStep, order_of_updates

#: The steps of the mode that was not chosen are computed for at most this many entries.
_MOST_ENTRIES = 1 << 20
_NO_LEVEL = np.uint8(255)


def repair_fabric(
    old: NetworkSource,
    tables: Tables,
    new: NetworkSource,
    *,
    mode: str = FEW_CHANGES,
    to: Tables | None = None,
    levels: np.ndarray | None = None,
    to_levels: np.ndarray | None = None,
    virtual_channels: int | None = None,
    worse: bool = False,
    alternative: bool = True,
    jobs: int | None = None,
    work: Work | None = None,
) -> Repair:
    """Repair the installed tables of a fabric, or replace them by better or given ones, and order the updates.

    Every step of the updates is verified: its entries may take effect in any order, no packets, wherever they are, can block
    each other for ever, and no packet that arrives before and after the step is lost in between. Between steps, wait until
    packets sent before have left the network.

    Parameters
    ----------
    old : NetworkSource
        The fabric as discovered when the tables were made.
    tables : Tables
        The installed tables, as `read_lft` reads them for `old`. Entries may be missing or lead nowhere.
    new : NetworkSource
        The fabric as discovered now; switches and host ports are matched by their GUIDs.
    mode : "few-changes" or "best"
        "few-changes": working entries stay, and broken paths become shortest ones with as few changed entries as possible.
        "best": the tables of the engine that fits the present fabric, or the repaired ones where these load no channel as much.
    to : Tables, optional
        The wished tables, as `read_lft` reads them for `new`; then `mode` does not count.
    levels, to_levels : uint8[endpoints, endpoints], optional
        levels[to, from]: the service level of each pair of host ports of `old`, and of `new` with the wished tables
        (`read_levels`); 0 when omitted.
    virtual_channels : int, optional
        At most this many virtual channels; 15 when omitted.
    worse : bool
        Whether wished tables may be worse than the installed ones on the present fabric: lose more pairs, or as many and load
        a channel more.
    alternative : bool
        Whether the figures of the other mode are computed too.
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional

    Returns
    -------
    Repair

    Raises
    ------
    InputError
        The tables are not those of `old`; the new fabric has no host; no such mode; wished tables are worse than the installed
        ones.
    Stopped
        `work` was stopped.
    """
    old, new = taken(old, Fabric, "repair_fabric"), taken(new, Fabric, "repair_fabric")
    work, started = Work() if work is None else work, time.monotonic()
    if mode not in (FEW_CHANGES, BEST):
        raise InputError(f"mode '{mode}'; the modes are {FEW_CHANGES} and {BEST}")
    if not new.topology.endpoints.size:
        raise InputError(f"{new.made}: no hosts, so there is nothing to route to")
    for given, fabric, name in ((tables, old, "tables"), (to, new, "to")):
        shape = fabric.topology.switches, fabric.topology.endpoints.size + fabric.topology.switches
        if given is not None and given.ports.shape != shape:
            raise InputError(f"{name}: tables of shape {given.ports.shape}; those of {fabric.made} have {shape}")
    levels, to_levels = (_one_path(given, name) for given, name in ((levels, "levels"), (to_levels, "to_levels")))
    live = Live(old, installed_on(tables, old, new), _present_levels(levels, old, new), levels is not None, work)
    chosen = mode if to is None else TO
    plans: dict[str, _Ordered] = {}
    for name in (chosen, *((FEW_CHANGES, BEST) if alternative else ())):
        if name in plans:
            continue
        if name == TO and to is not None:
            plans[name] = _ordered(live, Plan(tables_on(to, live.addresses), _wished_levels(to_levels, new)), True)
            continue
        few = plans.get(FEW_CHANGES) or _few_changes(live, virtual_channels, jobs, chosen in (name, BEST))
        plans[name] = few if name == FEW_CHANGES else _best(live, few, virtual_channels, jobs, name == chosen)
    result = plans[chosen]
    stages, installed = result.stages, live.installed
    if to is not None and not worse:
        now, wished = (
            table_figures(live.addresses.by_path(ports), new) for ports in (installed.ports, result.plan.ports)
        )
        refuse_worse(to.source, "these tables", now, wished)
    return Repair(
        old=old.made,
        new=new.made,
        mode=chosen,
        **changes_between(old, new),
        entries=int(stages.final.size),
        entries_broken=int(
            ((installed.ports >= 0) & ~installed.works).sum() + ((installed.ports < 0) & (stages.final >= 0)).sum()
        ),
        entries_changed=int((stages.installed != stages.final).sum()),
        virtual_channels_changed=_changed_levels(live.levels, result.plan.levels),
        rebuilt=result.plan.rebuilt,
        deadlock_free=result.verified,
        installed_deadlock_free=live.safe,
        levels_by_step=result.by_step,
        addresses_held_back=result.held_back,
        steps=result.steps,
        figures=(
            *_figures_before(live, tables, levels),
            *(_figures(live, name, name == chosen, ordered) for name, ordered in plans.items()),
        ),
        cut_off=_cut_off(new),
        apart_pairs=_apart_pairs(new),
        fabric=new,
        stages=stages,
        provenance=provenance_of(
            new.topology,
            settings={
                "old": old.made,
                "old_digest": old.topology.digest,
                "tables": tables.source,
                "mode": chosen,
                "virtual_channels": virtual_channels,
                **({} if to is None else {"to": to.source}),
            },
            timings={"seconds": time.monotonic() - started},
        ),
    )


@dataclass(frozen=True, eq=False)
class _Ordered:
    """A plan with the steps to it.

    Attributes
    ----------
    plan : Plan
    stages : Stages
    steps : tuple of UpdateStep
    ordered : bool
        Whether the steps were computed.
    by_step : bool
        As `TableSteps.by_step`.
    verified : bool
        Whether the new tables, and all mixtures if the steps were computed, are deadlock-free.
    deadlock_free : bool
        Whether the new tables alone are.
    held_back : int
        As `Repair.addresses_held_back`.
    """

    plan: Plan
    stages: Stages
    steps: tuple[UpdateStep, ...]
    ordered: bool
    by_step: bool
    verified: bool
    deadlock_free: bool
    held_back: int = 0

    @property
    def drops(self) -> bool:
        """Whether a step cuts addresses off for a while."""
        return any(step.kind == DROP for step in self.steps)


def _ordered(live: Live, plan: Plan, with_steps: bool) -> _Ordered:
    """The steps from the installed tables to those of a plan."""
    addresses, installed = live.addresses, live.installed.ports
    links = addresses.links(plan.ports)
    senders = senders_of(live.new, live.levels, plan.levels)
    vcs = [senders.rows(levels, addresses) for levels in (live.levels, plan.levels)]
    rows, row, first = grouped(addresses, senders, (live.met, links), tuple(vcs))
    every = np.arange(addresses.home.size)
    delivered = np.stack([ports[addresses.home, every] == addresses.plug for ports in (installed, plan.ports)], axis=1)
    mixtures = Mixtures(rows, live.met[first], links[first], vcs[0][first], vcs[1][first], live.work, delivered[first])
    after = mixtures.turns(rows.data, mixtures.after, mixtures.after, mixtures.new)
    deadlock_free = mixtures.deadlock_free(after)
    verified, by_step = live.safe and deadlock_free, False
    order: tuple[TableStep, ...] = ()
    if with_steps and verified:
        updates = order_of_updates(mixtures)
        order, by_step = updates.steps, updates.by_step
        # A policy gives all addresses of a port their level at once.
        verified = updates.verified and not (by_step and addresses.offset.any())
    elif (mixtures.before != mixtures.after).any():
        order = (TableStep(SET, np.argwhere(mixtures.before != mixtures.after)),)
    order = reopened_pairs(order, row, live.levels, plan.levels)
    after_steps = levels_by_step(order, by_step, row, live.levels, plan.levels)
    stages, order = stages_of(addresses, installed, plan.ports, row, order, after_steps)
    return _Ordered(plan, stages, summaries(stages, order), with_steps, by_step, verified, deadlock_free)


def _few_changes(live: Live, virtual_channels: int | None, jobs: int | None, chosen: bool) -> _Ordered:
    """Tables with few changes that steps without a dropped address lead to, if there are such; shortest paths before others."""
    first: _Ordered | None = None
    for options in ({}, {"shorten": False}, {"shorten": False, "longer": True}):
        plan = live.few_changes(virtual_channels, jobs, **options)
        ordered = _ordered(live, plan, chosen or plan.ports.size <= _MOST_ENTRIES)
        if not ordered.drops:
            return ordered
        first = first or ordered
    return ordered if first is None else first


def _best(live: Live, few: _Ordered, virtual_channels: int | None, jobs: int | None, chosen: bool) -> _Ordered:
    """The tables made for the present fabric, as far as steps without a dropped address lead to them, if they are better than
    those with few changes: fewer lost pairs, or deadlock-free, or a smaller maximum channel load, or else addresses of a port
    (LMC) on more cables.
    """
    made = live.best(virtual_channels, jobs)
    least = _rank(live, few)
    for plan in (made, None):
        if plan is None:
            plan = live.towards(few.plan, made)
        best = _ordered(live, plan, False)
        if _rank(live, best) >= least:
            return few
        if chosen or plan.ports.size <= _MOST_ENTRIES:
            best = _ordered(live, plan, True)
        if not best.drops and (best.verified or not live.safe or not best.ordered):
            held_back = int((plan.ports != made.ports).any(axis=0).sum())
            return replace(best, held_back=held_back)
    return few


def _rank(live: Live, ordered: _Ordered) -> tuple[int, bool, float, int]:
    """Smaller for better tables: pairs without a path, deadlocks, loads, and addresses of a port that share a first cable."""
    paths = live.addresses.by_path(ordered.plan.ports)
    figures = table_figures(paths, live.new)
    sending, k = live.new.topology.endpoints_at > 0, live.new.topology.endpoints.size
    shared = int((np.diff(np.sort([path[sending, :k] for path in paths], axis=0), axis=0) == 0).sum())
    return figures.unreachable_pairs, not ordered.deadlock_free, figures.max_channel_load, shared


def _one_path(levels: np.ndarray | None, name: str) -> np.ndarray | None:
    """The service levels of pairs, if all paths of a pair (LMC) have the same."""
    if levels is None or levels.ndim == 2:
        return levels
    if (levels != levels[0]).any():
        raise InputError(
            f"{name}: the paths of a pair have different service levels, which a QoS policy cannot express; route the fabric"
            " again with one path per pair"
        )
    return np.asarray(levels[0])


def _present_levels(levels: np.ndarray | None, old: Fabric, new: Fabric) -> np.ndarray:
    """The installed service levels between the present host ports, uint8[k, k]; 255 where one of them is new."""
    number = {guid: e for e, guid in enumerate(old.port_guids.tolist())}
    at = np.array([number.get(guid, -1) for guid in new.port_guids.tolist()], np.int64)
    remain = at >= 0
    present: np.ndarray = np.full((at.size, at.size), _NO_LEVEL, np.uint8)
    present[np.ix_(remain, remain)] = 0 if levels is None else levels[np.ix_(at[remain], at[remain])]
    ends = new.topology.endpoints
    present[ends[:, None] == ends] = 0
    return present


def _wished_levels(levels: np.ndarray | None, new: Fabric) -> np.ndarray:
    ends = new.topology.endpoints
    return np.where(ends[:, None] == ends, 0, 0 if levels is None else levels).astype(np.uint8)


def _changed_levels(before: np.ndarray, after: np.ndarray) -> int:
    """The pairs of host ports that had a service level and get another one."""
    return int(((before != after) & (before != _NO_LEVEL)).sum())


def _figures_before(live: Live, tables: Tables, levels: np.ndarray | None) -> tuple[RepairFigures, RepairFigures]:
    """The figures of the installed tables on the old fabric and on the present one."""
    old, channels = live.old, 1 if levels is None else int(levels.max(initial=0)) + 1
    here = addresses_alone(old)
    paths = [tables.path(number) for number in range(tables.paths)]
    was = table_figures(paths, old)
    before = _row_of("before", False, was, longer_pairs(paths, here), channels)
    paths = live.addresses.by_path(live.installed.ports)
    now = table_figures(paths, live.new)
    longer = longer_pairs(paths, live.addresses)
    return before, _row_of("installed", False, now, longer, channels, deadlock_free=live.safe)


def _figures(live: Live, name: str, chosen: bool, ordered: _Ordered) -> RepairFigures:
    """The figures of new tables."""
    paths = live.addresses.by_path(ordered.plan.ports)
    return _row_of(
        name,
        chosen,
        table_figures(paths, live.new),
        longer_pairs(paths, live.addresses),
        int(ordered.plan.levels.max(initial=0)) + 1,
        int((ordered.stages.installed != ordered.plan.ports).sum()),
        len(ordered.steps) if ordered.ordered else None,
        ordered.verified if ordered.ordered else None,
    )


def _row_of(
    name: str,
    chosen: bool,
    figures: TableFigures,
    longer_pairs: int,
    virtual_channels: int,
    entries_changed: int | None = None,
    steps: int | None = None,
    deadlock_free: bool | None = None,
) -> RepairFigures:
    """The figures of tables in a repair, from those of `table_figures`."""
    return RepairFigures(
        name,
        chosen,
        float(figures.max_channel_load),
        figures.max_hops,
        longer_pairs,
        figures.unreachable_pairs,
        float(figures.uniform_throughput),
        virtual_channels,
        entries_changed,
        steps,
        deadlock_free,
        figures.lost_pairs,
    )


def _cut_off(new: Fabric) -> tuple[str, ...]:
    """The switches outside the largest connected part, and their hosts."""
    part = components(new.topology)
    largest = int(np.bincount(part, weights=1 + new.topology.endpoints_at).argmax())
    hosts = np.unique(new.topology.host[part[new.topology.endpoints] != largest])
    names = [new.switch_names[s] for s in np.flatnonzero(part != largest).tolist()]
    return (*names, *(new.host_names[host] for host in hosts.tolist()))


def _apart_pairs(new: Fabric) -> int:
    """The pairs of host ports that no cables join."""
    part = components(new.topology)[new.topology.endpoints]
    return int(part.size**2 - (np.bincount(part) ** 2).sum())
