"""Max-min fair rates by progressive filling, over the flows that a change reaches.

A flow that ends or begins changes the rates of those that it shares a full resource with, and theirs of others in turn: the
connected component. What no full resource joins is left as it is, which is exact (Bertsekas and Gallager, Data Networks,
6.5.2).
"""

from topoloom.compiling.decorators import inner, stage
from topoloom.flows.kernels.heap import put, sift_down, take_out
from topoloom.flows.state import (
    CAPACITY,
    DIRTY,
    DIRTY_SINCE,
    EVENTS,
    FILLINGS,
    FLOWING,
    FLOWS,
    FRESH,
    HEAD,
    HEAP,
    NOW,
    STAMP,
    USED,
    Fabric,
    State,
)

#: A resource is full when less than this share of it is free; rates that differ by less are the same.
_FULL, _SAME = 1e-9, 1e-12


@stage
def set_rate(s: State, m: int, rate: float, now: float) -> None:
    """Give a flow a rate from now on, and its end a place in time."""
    old = s.rate[m]
    s.left[m] = max(0.0, s.left[m] - old * (now - s.since[m]))
    s.since[m], s.rate[m] = now, rate
    for hop in range(s.hops[m]):
        s.share[s.path[m, hop], USED] += rate - old
    item = s.at.size + m
    s.counter[HEAP] = put(s.order, s.position, s.key, s.counter[HEAP], item, now + s.left[m] / rate)


@stage
def _touch(s: State, resource: int) -> None:
    """The flows of a resource have rates that are out of date."""
    if s.is_dirty[resource] == 0:
        if s.counter[DIRTY] == 0 and s.counter[FRESH] == 0:
            s.clock[DIRTY_SINCE] = s.clock[NOW]
        s.is_dirty[resource] = 1
        s.dirty[s.counter[DIRTY]] = resource
        s.counter[DIRTY] += 1


@stage
def enter(f: Fabric, s: State, m: int, now: float) -> None:
    """A flow comes onto its path. Where all of its rate is free, nobody else's changes."""
    most = s.path.shape[1]
    fastest = f.top
    for hop in range(s.hops[m]):
        resource, node = s.path[m, hop], m * most + hop
        first = s.crowd[resource, HEAD]
        s.next[node], s.back[node] = first, -1
        if first >= 0:
            s.back[first] = node
        s.crowd[resource, HEAD] = node
        s.crowd[resource, FLOWS] += 1
        fastest = min(fastest, s.share[resource, CAPACITY])
    fits, share = True, fastest
    for hop in range(s.hops[m]):
        resource = s.path[m, hop]
        free = s.share[resource, CAPACITY] * (1 + _FULL) - s.share[resource, USED]
        fits = fits and free >= fastest
        share = min(share, max(free, s.share[resource, CAPACITY] / s.crowd[resource, FLOWS]))
    s.since[m], s.rate[m] = now, 0.0
    # Until rates are worked out the next time, a flow takes what is free, or an even share.
    set_rate(s, m, share, now)
    if not fits and s.is_fresh[m] == 0:
        if s.counter[DIRTY] == 0 and s.counter[FRESH] == 0:
            s.clock[DIRTY_SINCE] = now
        s.is_fresh[m] = 1
        s.fresh[s.counter[FRESH]] = m
        s.counter[FRESH] += 1


@stage
def leave(f: Fabric, s: State, m: int) -> None:
    """A flow goes. Where it left room on a full resource, the others there may be faster."""
    most = s.path.shape[1]
    for hop in range(s.hops[m]):
        resource, node = s.path[m, hop], m * most + hop
        before, behind = s.back[node], s.next[node]
        if before >= 0:
            s.next[before] = behind
        else:
            s.crowd[resource, HEAD] = behind
        if behind >= 0:
            s.back[behind] = before
        s.crowd[resource, FLOWS] -= 1
        full = s.share[resource, USED] >= s.share[resource, CAPACITY] * (1 - _FULL)
        if s.crowd[resource, FLOWS] == 0:
            s.share[resource, USED] = 0.0
        else:
            s.share[resource, USED] -= s.rate[m]
            if full:
                _touch(s, resource)


@inner
def refill(f: Fabric, s: State) -> None:
    """Work out the rates of all flows that a change since the last time reaches."""
    now = s.clock[NOW]
    s.counter[STAMP] += 1
    s.counter[FILLINGS] += 1
    flows = _reached(f, s)
    # Whoever wants to stop is asked after so many events: a filling of thousands of flows takes as long as many.
    s.counter[EVENTS] += flows >> 6
    channels, rising = _opened(f, s, flows)
    top = f.top * (1 - _SAME)
    while rising:
        resource = s.rise_order[0]
        if s.open[resource] == 0:
            rising = take_out(s.rise_order, s.rise_position, s.rise_key, rising, resource)
            continue
        share = max(s.spare[resource], _SAME * s.share[resource, CAPACITY]) / s.open[resource]
        if share > s.rise_key[resource] * (1 + _SAME):
            # Flows that were filled elsewhere have left more for the others here.
            s.rise_key[resource] = share
            sift_down(s.rise_order, s.rise_position, s.rise_key, rising, 0)
            continue
        if share >= top:
            break
        _close(s, resource, share)
        rising = take_out(s.rise_order, s.rise_position, s.rise_key, rising, resource)
    for place in range(rising):
        s.rise_position[s.rise_order[place]] = -1
    stamp = s.counter[STAMP]
    for place in range(flows):
        m = s.found[place]
        rate = f.top if s.fair[m] < 0 else s.fair[m]
        if abs(rate - s.rate[m]) > _SAME * rate:
            set_rate(s, m, rate, now)
    # Sums of many changes drift by rounding: they are made anew here.
    for place in range(channels):
        s.share[s.channels[place], USED] = 0.0
    for place in range(flows):
        m = s.found[place]
        for hop in range(s.hops[m]):
            if s.mark[s.path[m, hop]] == stamp:
                s.share[s.path[m, hop], USED] += s.rate[m]


@inner
def _reached(f: Fabric, s: State) -> int:
    """Collect into `found` the flows that share resources with what is out of date, directly or over others."""
    stamp, most, flows = s.counter[STAMP], s.path.shape[1], 0
    for place in range(s.counter[FRESH]):
        m = s.fresh[place]
        s.is_fresh[m] = 0
        # It may have ended since, and its number be that of a message that has no rate yet.
        if s.flow_mark[m] != stamp and s.phase[m] == FLOWING:
            s.flow_mark[m] = stamp
            s.found[flows] = m
            flows += 1
    for place in range(s.counter[DIRTY]):
        resource = s.dirty[place]
        s.is_dirty[resource] = 0
        flows = _collect(s, resource, flows, most)
    s.counter[DIRTY] = s.counter[FRESH] = 0
    place = 0
    while place < flows:
        m = s.found[place]
        place += 1
        for hop in range(s.hops[m]):
            resource = s.path[m, hop]
            if s.mark[resource] != stamp and s.crowd[resource, FLOWS] * f.top > s.share[resource, CAPACITY] * (
                1 + _FULL
            ):
                flows = _collect(s, resource, flows, most)
    return flows


@stage
def _collect(s: State, resource: int, flows: int, most: int) -> int:
    """Put the flows of a resource into `found`; it is seen."""
    stamp = s.counter[STAMP]
    s.mark[resource] = stamp
    node = s.crowd[resource, HEAD]
    while node >= 0:
        m = node // most
        if s.flow_mark[m] != stamp:
            s.flow_mark[m] = stamp
            s.found[flows] = m
            flows += 1
        node = s.next[node]
    return flows


@inner
def _opened(f: Fabric, s: State, flows: int) -> tuple[int, int]:
    """Empty the resources of the flows found, and heap up those that can be full; returns how many there are of each."""
    stamp, channels, rising = s.counter[STAMP], 0, 0
    for place in range(flows):
        m = s.found[place]
        s.fair[m] = -1.0
        for hop in range(s.hops[m]):
            resource = s.path[m, hop]
            # A resource that holds other flows, too, can carry all of them at their fastest.
            if s.mark[resource] != stamp and s.crowd[resource, FLOWS] == 1:
                s.mark[resource] = stamp
    for place in range(flows):
        m = s.found[place]
        for hop in range(s.hops[m]):
            resource = s.path[m, hop]
            if s.mark[resource] == stamp and s.open[resource] != -stamp:
                s.open[resource] = -stamp
                s.channels[channels] = resource
                channels += 1
    for place in range(channels):
        resource = s.channels[place]
        s.open[resource], s.spare[resource] = s.crowd[resource, FLOWS], s.share[resource, CAPACITY]
        share = s.share[resource, CAPACITY] / s.crowd[resource, FLOWS]
        if share < f.top * (1 - _SAME):
            s.rise_key[resource] = share
            s.rise_order[rising] = resource
            s.rise_position[resource] = rising
            rising += 1
    for place in range((rising + 2) // 4 - 1, -1, -1):
        sift_down(s.rise_order, s.rise_position, s.rise_key, rising, place)
    return channels, rising


@stage
def _close(s: State, resource: int, share: float) -> None:
    """A resource is full: its open flows get this share, and take it on their whole path."""
    stamp, most = s.counter[STAMP], s.path.shape[1]
    node = s.crowd[resource, HEAD]
    while node >= 0:
        m = node // most
        if s.fair[m] < 0:
            s.fair[m] = share
            for hop in range(s.hops[m]):
                other = s.path[m, hop]
                if s.mark[other] == stamp:
                    s.spare[other] -= share
                    s.open[other] -= 1
        node = s.next[node]
