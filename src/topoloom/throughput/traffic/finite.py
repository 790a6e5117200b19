"""Traffic with an end: packets of a trace, and requests that wait for replies."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Trace:
    """Packets, each with its cycle. Arrays cannot be written to.

    Attributes
    ----------
    name : str
    cycle : int64[k]
        When each is made, ascending; those of one cycle stand as they did in the file.
    source, destination : int32[k]
        Hosts.
    flits : int32[k]
        Of each packet.
    """

    name: str
    cycle: np.ndarray
    source: np.ndarray
    destination: np.ndarray
    flits: np.ndarray

    def __post_init__(self) -> None:
        for array in (self.cycle, self.source, self.destination, self.flits):
            array.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Loop:
    """Requests that wait for replies: a host that has `window` requests running makes no other. Arrays cannot be written to.

    A request goes to a target drawn from its host's list, which answers `service_cycles` after the request's arrival. With
    probability `miss` the target first asks one of its own back-up hosts, drawn from the list of the target: a request and a
    reply of the same flits, and `miss_cycles` in between.

    Attributes
    ----------
    name : str
    first, to : int64[hosts + 1], int32[k]
        The targets of each host, as in `Traffic`; an empty list: no requests.
    back_first, back_to : int64[hosts + 1], int32[l]
        The back-up hosts of each target.
    window, requests : int
        Requests running at a time, and in all, of each host that makes some.
    request_flits, reply_flits : int
    service_cycles, miss_cycles, think_cycles : int
        Of a target, of its back-up, and of the host between a reply and its next request.
    miss : float
    """

    name: str
    first: np.ndarray
    to: np.ndarray
    back_first: np.ndarray
    back_to: np.ndarray
    window: int
    requests: int
    request_flits: int
    reply_flits: int
    service_cycles: int
    miss_cycles: int
    think_cycles: int
    miss: float

    def __post_init__(self) -> None:
        for array in (self.first, self.to, self.back_first, self.back_to):
            array.setflags(write=False)
