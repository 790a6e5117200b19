"""Traffic that ends: packets of a trace, and requests that wait for replies."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Trace:
    """A trace of packets, each with its cycle. Arrays cannot be written to.

    Attributes
    ----------
    name : str
    cycle : int64[k]
        The cycle at which each packet is created, ascending; packets of the same cycle keep the order of the file.
    source, destination : int32[k]
        The hosts that send and receive each packet.
    flits : int32[k]
        The length of each packet.
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
    """Requests that wait for replies: a host with `window` requests in progress makes no other. Arrays cannot be written to.

    A request goes to a target drawn from its host's list, which answers `service_cycles` after the request's arrival. With
    probability `miss` the target first asks one of its back-up hosts, drawn from the target's list: a request and a reply of
    the same lengths, with `miss_cycles` in between.

    Attributes
    ----------
    name : str
    first, to : int64[hosts + 1], int32[k]
        The targets of each host, as in `Traffic`; a host with an empty list makes no requests.
    back_first, back_to : int64[hosts + 1], int32[l]
        The back-up hosts of each target.
    window, requests : int
        For each host that makes requests: how many are in progress at a time, and how many it makes in all.
    request_flits, reply_flits : int
    service_cycles, miss_cycles, think_cycles : int
        The delay of a target, of its back-up host, and of a host between a reply and its next request.
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
