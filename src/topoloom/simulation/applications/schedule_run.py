"""ScheduleRun: the result of a schedule, whichever simulator ran it; and the settings that each simulator has of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from topoloom.core.settings import Settings, setting
from topoloom.core.work import Work
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.state import FlowNetwork


class FlowSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How exact flows are.

    Raises
    ------
    InputError
        A value of the wrong type or out of its range.
    """

    group: ClassVar[str] = "flows"

    window: Annotated[
        float, setting("share of a message's time for which rates may be out of date; 0: exact", least=0, most=1)
    ] = 0.0


class FlitSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `AppSettings` do not say of flits; cycles, delays and buffers follow from these and from them.

    Raises
    ------
    InputError
        A value of the wrong type or out of its range.
    """

    group: ClassVar[str] = "flits"

    flit_bits: Annotated[
        int, setting("size of a flit, which a link carries in a cycle", unit="bits", least=8, most=1 << 20)
    ] = 256
    packet_flits: Annotated[int, setting("what messages are cut into", unit="flits", least=1, most=1 << 12)] = 64
    table_router_vcs: Annotated[
        int, setting("virtual channels of a virtual channel of the tables; 32 of a port at most", least=1, most=32)
    ] = 4


@dataclass(frozen=True, eq=False)
class ScheduleCase:
    """A schedule on a network, as the simulators take it; the fields are what `run_schedule` is given."""

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
    """What came of a schedule, whoever simulated it.

    Attributes
    ----------
    seconds : float
        Until the last operation is over.
    finished : float64[ranks]
        When the last operation of each rank is over; NaN where SimGrid does not say.
    worked : float64[ranks]
        Seconds that at least one cpu of each rank computed.
    spent : float64[ranks, labels]
        Seconds in the operations of each label, where flows ran programs; else no column.
    link_bytes : float64[links, 2]
        What each link carried, from its lower switch to its higher and back.
    messages : int
    cpu_s : float
        That the simulation took.
    """

    seconds: float
    finished: np.ndarray
    worked: np.ndarray
    spent: np.ndarray
    link_bytes: np.ndarray
    messages: int
    cpu_s: float


def by_link(routing: Routing, carried: np.ndarray) -> np.ndarray:
    """What channels carried, float64[channels], by link and direction, float64[links, 2]."""
    topology = routing.topology
    link = topology.csr[2].astype(np.int64)
    against = (topology.links[link, 0] != routing.channels.origin).astype(np.int64)
    found = np.zeros((len(topology.links), 2))
    found[link, against] = carried
    return found
