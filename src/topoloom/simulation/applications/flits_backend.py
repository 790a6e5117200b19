"""Schedules on routers, flit by flit, with the settings of SimGrid and flows."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.host_ports import ports_by_host
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.choices import Layers
from topoloom.routing.routing import SWITCH, Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.simulation.applications.machine import machine
from topoloom.simulation.applications.schedule_run import FlitSettings, ScheduleCase, ScheduleRun, by_link
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.collectives.path_layers import PathLayers, path_layers
from topoloom.simulation.flits.host_ports import ports_of_hosts
from topoloom.simulation.flits.network_state import MOST_VIRTUAL_CHANNELS
from topoloom.simulation.flits.network_tables import table_vcs
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.run import RouterRun
from topoloom.simulation.flits.scheduled import Placed, cycles_of
from topoloom.simulation.flits.to_end import go_to_end

#: Cycles of a router without extra delay, at speedup 2; the most virtual channels per port; the most flits of a port's buffer;
#: cycles until a credit can be used.
_ROUTER, _MOST_VCS, _MOST_BUFFER, _CREDIT = 2, 32, 1 << 16, 3


def run_flits(case: ScheduleCase, flits: FlitSettings) -> ScheduleRun:
    """Run a schedule on routers, flit by flit.

    Raises
    ------
    InputError
        Paths or buffers beyond the limits of routers, a deadlock, or a schedule that does not end.
    Stopped
        `case.work` was stopped.
    """
    schedule, routings, settings = case.schedule, case.routings, case.settings
    topology, began = routings[0].topology, time.process_time()
    own = None
    if schedule.paths is not None and case.network is not None:
        own = path_layers(schedule.paths.ways, case.network).of(schedule.paths.of)
        if schedule.paths.tables:
            own = replace(own, ports=(), virtual_channels=())
    ports = ports_of_hosts(topology)
    # Flows number ports as hosts where each host has one; here ports are endpoints.
    endpoint = np.argsort(topology.host) if ports is None else np.arange(topology.endpoints.size)
    place = endpoint if ports is None else np.argsort(np.argsort(ports_by_host(topology)[:, 0]))
    routing = _by_host(routings) if own is None or not own.ports else _by_message(topology, own)
    config, cables = router_for(routing, settings, flits, case.layout)
    placed = Placed(
        schedule,
        homes=place[np.asarray(case.homes, np.int64)],
        out=None if own is None else endpoint[own.out],
        into=None if own is None else endpoint[own.into],
        layer=None if own is None or not own.ports else np.maximum(own.layer, 0),
        in_turn=True,
        detached_bytes=case.detached_bytes,
        eager_bytes=settings.eager_bytes,
    )
    run = RouterRun(routing, config, placed, 0.0, 1, cables=cables, work=case.work)
    go_to_end(run, placed, schedule.name, case.work)
    if run.play is None:
        raise InputError(f"{schedule.name}: the simulation did not start")
    cycle_s = config.cycle_ns * 1e-9
    return ScheduleRun(
        seconds=cycles_of(run.play) * config.cycle_ns * 1e-9,
        finished=run.play.order.finished * cycle_s,
        worked=run.play.order.worked * cycle_s,
        spent=np.zeros((schedule.ranks, 0)),
        link_bytes=by_link(routing, run.channel_flits() * (config.flit_bits / 8)),
        messages=schedule.messages,
        cpu_s=time.process_time() - began,
    )


def router_for(
    routing: Routing, settings: AppSettings, flits: FlitSettings, layout: Layout | None
) -> tuple[RouterConfig, np.ndarray]:
    """Return routers and cables in which a single message takes as long as among flows, to some cycles, and links can be full.

    A cycle is the time of a flit on a link. A switch and the cable before it take their delays in whole cycles, but no fewer
    than the router has stages; each virtual channel has room for a packet and for all flits in flight until a credit returns.

    Parameters
    ----------
    routing : Routing
        The tables, with their verification.
    settings : AppSettings
    flits : FlitSettings
    layout : Layout or None

    Returns
    -------
    RouterConfig
    cables : int64[links]
        The delay of each cable in cycles.

    Raises
    ------
    InputError
        Settings that routers do not support.
    """
    rates = machine(routing.topology, settings, layout)
    cycle_ns = flits.flit_bits / settings.rate_gbps
    cycle_s = cycle_ns * 1e-9
    # Leave one cycle for the cable, which takes at least one.
    extra = max(0, round(rates.switch_s / cycle_s) - _ROUTER - 1)
    router = _ROUTER + extra
    cables = np.maximum(1, np.rint((rates.cable_s + rates.switch_s) / cycle_s).astype(np.int64) - router)
    host = max(1, round(((2 * rates.host_s + rates.switch_s) / cycle_s - router) / 2))
    virtual_channels = table_vcs(routing)
    if virtual_channels > MOST_VIRTUAL_CHANNELS:
        raise InputError(
            f"{routing.topology.name}: the schedule's own paths need {virtual_channels} virtual channels on routers, at most"
            f" {MOST_VIRTUAL_CHANNELS} are available; use tables' paths (paths tables), or `simulator` flows"
        )
    vcs = virtual_channels * max(1, min(flits.table_router_vcs, _MOST_VCS // virtual_channels))
    round_trip = 2 * max(int(cables.max(initial=1)), host) + router + _CREDIT + 2
    buffer = vcs * (round_trip + flits.packet_flits)
    if buffer > _MOST_BUFFER:
        raise InputError(
            f"{routing.topology.name}: {vcs} virtual channels of {round_trip + flits.packet_flits} flits (a round trip takes"
            f" {round_trip} cycles) exceed the {_MOST_BUFFER} flits of a port; increase flit_bits or reduce"
            " table_router_vcs, as"
            " in flits:flit_bits=1024"
        )
    config = RouterConfig(
        vcs=vcs,
        buffer_flits=buffer,
        speedup=2,
        host_cycles=host,
        credit_cycles=_CREDIT,
        pipeline_cycles=extra,
        packet_flits=flits.packet_flits,
        cycle_ns=cycle_ns,
        flit_bits=flits.flit_bits,
    )
    return config, cables


def _by_host(routings: Sequence[Routing]) -> Routing:
    """Return the tables for the first, the second, ... host of each switch as layers, with a verification."""
    first = routings[0]
    if len(routings) > 1:
        virtual_channels = None
        if any(routing.virtual_channels is not None for routing in routings):
            virtual_channels = tuple(
                np.zeros(routing.ports.shape, np.uint8)
                if routing.virtual_channels is None
                else routing.virtual_channels
                for routing in routings
            )
        choice = Layers(
            tuple(routing.ports for routing in routings[1:]),
            None if virtual_channels is None else virtual_channels[1:],
            by_host=True,
        )
        first = replace(
            first,
            virtual_channels=None if virtual_channels is None else virtual_channels[0],
            choice=choice,
            verification=None,
        )
    return first if first.verification is not None else replace(first, verification=verify_routing(first))


def _by_message(topology: Topology, own: PathLayers) -> Routing:
    """Return the schedule's paths as layers of tables, one chosen by each message, and their virtual channels."""
    choice = Layers(own.ports[1:], own.virtual_channels[1:], by_message=True)
    return Routing(topology, "paths of the schedule", own.ports[0], own.virtual_channels[0], SWITCH, choice=choice)
