"""How many bytes head-of-line blocking could delay, which flows leave out, from some of the times between events.

A flow waits at its bottleneck, and what its sender sends faster fills the buffers of the channels before it, as far as the
sender. Another flow that shares such a channel, and does not pass that bottleneck, is behind it: among routers its packets wait
with the others as soon as the buffers are full (Karol, Hluchyj and Morgan, IEEE Trans. Commun. 35(12), 1987).
"""

from topoloom.core.compiling.decorators import inner, stage
from topoloom.simulation.flows.state import (
    BEHIND,
    CAPACITY,
    FLOWING,
    FLOWS,
    LOOK,
    LOOKED,
    NOW,
    SPANS,
    USED,
    WITHIN,
    FlowNetwork,
    State,
)

#: The share of the times so far after which the next look comes, as a power of two.
_RARER = 6
#: The part of its capacity from which on a resource is full.
_FULL = 1.0 - 1e-9


@stage
def pass_time(f: FlowNetwork, s: State, until: float) -> None:
    """Let the time until the next event pass; look at all such times in the beginning, then at some of them."""
    if until > s.clock[NOW] and f.split == 0:
        s.counter[SPANS] += 1
        if s.counter[SPANS] >= s.counter[LOOK]:
            _look(s, until - s.clock[NOW])
    s.clock[NOW] = max(s.clock[NOW], until)


@inner
def _look(s: State, seconds: float) -> None:
    """Add the bytes of this time, and those that are behind others, for all times since the last look."""
    spans = s.counter[SPANS]
    times = seconds * (spans - s.counter[LOOKED])
    s.counter[LOOKED], s.counter[LOOK] = spans, spans + 1 + (spans >> _RARER)
    for m in range(s.phase.size):
        place = _bottleneck(s, m)
        for hop in range(place):
            resource, neck = s.path[m, hop], s.path[m, place]
            if s.ahead[resource, 0] < 0:
                s.ahead[resource, 0] = neck
            elif s.ahead[resource, 0] != neck:
                # Of more than two bottlenecks, the last one is as good as any.
                s.ahead[resource, 1] = neck
    for m in range(s.phase.size):
        if s.phase[m] == FLOWING and s.hops[m] > 0:
            s.clock[WITHIN] += s.rate[m] * times
            if _is_behind(s, m):
                s.clock[BEHIND] += s.rate[m] * times
    for m in range(s.phase.size):
        for hop in range(_bottleneck(s, m)):
            s.ahead[s.path[m, hop], 0] = s.ahead[s.path[m, hop], 1] = -1


@stage
def _bottleneck(s: State, m: int) -> int:
    """Return the place of a flow's bottleneck on its path; 0 for a flow without one, and for a message that is no flow.

    A flow that is alone at its bottleneck does not wait there if a full resource before it lets no more of it pass: it has an
    equal part of that one, which is its bottleneck, too.
    """
    if s.phase[m] == FLOWING and s.neck[m] >= 0:
        alone = s.crowd[s.neck[m], FLOWS] == 1
        for hop in range(s.hops[m]):
            resource = s.path[m, hop]
            full = s.share[resource, CAPACITY] * _FULL
            if resource == s.neck[m]:
                return hop
            if alone and s.share[resource, USED] >= full and s.rate[m] * s.crowd[resource, FLOWS] >= full:
                return hop
    return 0


@stage
def _is_behind(s: State, m: int) -> bool:
    """Return whether a flow shares a channel with another one that waits for a resource which this flow does not pass."""
    for hop in range(s.hops[m]):
        for which in range(2):
            neck = s.ahead[s.path[m, hop], which]
            if neck < 0:
                continue
            passes = False
            for other in range(s.hops[m]):
                passes = passes or s.path[m, other] == neck
            if not passes:
                return True
    return False
