"""ScheduleRun: the result of a schedule in any simulator; and the settings of the simulators flows and flits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from topoloom.core.settings import Settings, setting
from topoloom.core.work import Work
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.state import FlowNetwork


class FlowSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of the simulator flows.

    Raises
    ------
    InputError
        A value of the wrong type or out of its range.
    """

    group: ClassVar[str] = "flows"

    window: Annotated[
        float, setting("largest delay of rate updates, as a share of a message's time; 0: exact", least=0, most=1)
    ] = 0.0
    split: Annotated[
        Literal["hash", "even"],
        setting(
            "next-hop groups: hash: two ranks' messages take one member; even: every message splits over all members"
        ),
    ] = "hash"
    hash_seed: Annotated[int, setting("seed of these hashes", least=0, most=2**31 - 1)] = 1


class FlitSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of the simulator flits; with `AppSettings` they determine cycles, delays and buffers.

    Raises
    ------
    InputError
        A value of the wrong type or out of its range.
    """

    group: ClassVar[str] = "flits"

    flit_bits: Annotated[
        int, setting("size of a flit, which a link carries in one cycle", unit="bits", least=8, most=1 << 20)
    ] = 256
    packet_flits: Annotated[
        int, setting("size of the packets into which messages are divided", unit="flits", least=1, most=1 << 12)
    ] = 64
    table_router_vcs: Annotated[
        int, setting("router channels per virtual channel of the tables; at most 32 per port", least=1, most=32)
    ] = 4


@dataclass(frozen=True, eq=False)
class ScheduleCase:
    """A schedule on a network, as simulators need it; for the fields see `run_schedule`."""

    schedule: Schedule
    routings: Sequence[Routing]
    homes: np.ndarray
    settings: AppSettings
    layout: Layout | None
    detached_bytes: float
    network: FlowNetwork | None
    work: Work


@dataclass(frozen=True, eq=False)
class ScheduleRun:
    """The result of a simulated schedule, for all simulators.

    Attributes
    ----------
    seconds : float
        The time at which the last operation ends.
    finished : float64[ranks]
        The time at which the last operation of each rank ends; NaN for SimGrid, which does not report it.
    worked : float64[ranks]
        Seconds in which at least one CPU of each rank computed.
    spent : float64[ranks, labels]
        Seconds in the operations of each label, where programs ran as flows; else without columns.
    link_bytes : float64[links, 2]
        Bytes on each link, from its lower to its higher switch and back.
    messages : int
    cpu_s : float
        Seconds of CPU time of the simulation.
    head_of_line_share : float or None
        As `topoloom.simulation.flows.simulate.FlowTimes`; None for other simulators.
    """

    seconds: float
    finished: np.ndarray
    worked: np.ndarray
    spent: np.ndarray
    link_bytes: np.ndarray
    messages: int
    cpu_s: float
    head_of_line_share: float | None = None


def head_of_line_text(share: float) -> str:
    """Return what a person reads about `ScheduleRun.head_of_line_share`."""
    if share == 0:
        return "no bytes share a channel with flows that wait farther on"
    percent = f"{100 * share:.1f} %" if share >= 0.0005 else "less than 0.1 %"
    return f"{percent} of the bytes share a channel with flows that wait farther on, and take longer where buffers are small"


def by_link(routing: Routing, carried: np.ndarray) -> np.ndarray:
    """Return the load of channels, float64[channels], by link and direction, float64[links, 2]."""
    topology = routing.topology
    link = topology.csr[2].astype(np.int64)
    against = (topology.links[link, 0] != routing.channels.origin).astype(np.int64)
    bytes_of_link = np.zeros((len(topology.links), 2))
    bytes_of_link[link, against] = carried
    return bytes_of_link
