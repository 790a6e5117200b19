"""Which of the cables between two switches a path takes."""

from dataclasses import replace

import numpy as np

from topoloom.routing.routing import Routing


def on_next_cables(routing: Routing, step: int) -> Routing:
    """The same paths from switch to switch, on cables so many further on among parallel ones.

    All channels between two switches trade places alike, so that what is free of deadlock stays so.
    """
    channels, ports = routing.channels, routing.ports
    if not channels.to.size:
        return routing
    begins = np.r_[True, (np.diff(channels.to) != 0) | (np.diff(channels.origin) != 0)]
    begin = np.flatnonzero(begins)[np.cumsum(begins) - 1]
    width = np.bincount(begin, minlength=begin.size)[begin]
    place = np.arange(begin.size)
    port = begin + (place - begin + step) % width - channels.first[channels.origin]
    known = ports != routing.none
    at = np.where(known, channels.first[:-1][None, :] + ports, 0)
    return replace(routing, ports=np.where(known, port[at], routing.none).astype(ports.dtype))
