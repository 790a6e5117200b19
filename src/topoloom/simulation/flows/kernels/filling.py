"""New max-min fair rates for the flows that a change reaches, and for no others.

Rates are max-min fair where each flow, unless it is as fast as any can be, has a bottleneck: a full resource on its path where
nobody is faster (Bertsekas and Gallager, Data Networks, 6.5.2). So the flows that a change touches are filled up again beside
all others, whose rates stand; where one of these lost its bottleneck, or is faster than those that come to theirs at the same
resource, it is filled up with them the next time, until all have one. Full resources may join hundreds of flows, of which a
change reaches ten.
"""

from topoloom.core.compiling.decorators import inner, stage
from topoloom.simulation.flows.kernels.fair import FULL, SAME, set_rate
from topoloom.simulation.flows.kernels.heap import sift_down, take_out
from topoloom.simulation.flows.state import (
    CAPACITY,
    DIRTY,
    EVENTS,
    FILLINGS,
    FLOWING,
    FLOWS,
    FRESH,
    HEAD,
    NOW,
    STAMP,
    USED,
    FlowNetwork,
    State,
)

#: Fillings after which all flows are taken at once that full resources join to those found, so that long chains end.
_PATIENCE = 12
#: Rates that differ by less have one bottleneck.
_NEAR = 1e-11


@inner
def refill(f: FlowNetwork, s: State) -> None:
    """Work out the rates of all flows that a change since the last time reaches."""
    s.counter[FILLINGS] += 1
    s.counter[STAMP] += 1
    flows, tries = _touched(s), 0
    while flows:
        channels = _opened(f, s, flows)
        _fill(f, s, channels)
        # Whoever wants to stop is asked after so many events: a filling of thousands of flows takes as long as many.
        s.counter[EVENTS] += flows >> 6
        more, tries = _without_bottleneck(f, s, flows, channels), tries + 1
        if more == flows:
            _take(s, flows, channels)
            return
        flows = more if tries < _PATIENCE else _joined(f, s, more)


@stage
def _shift(s: State) -> int:
    """By how many bits the number of a flow stands before its place on a path."""
    shift, most = 0, s.path.shape[1]
    while most >> shift > 1:
        shift += 1
    return shift


@stage
def _find(s: State, m: int, flows: int) -> int:
    """Put a flow into `found`, if it is not there; returns how many are."""
    if s.flow_mark[m] == s.counter[STAMP]:
        return flows
    s.flow_mark[m] = s.counter[STAMP]
    s.found[flows] = m
    return flows + 1


@inner
def _touched(s: State) -> int:
    """Find the flows that have come, and those whose bottleneck somebody left."""
    shift, flows = _shift(s), 0
    for place in range(s.counter[FRESH]):
        m = s.fresh[place]
        s.is_fresh[m] = 0
        # It may have ended since, and its number be that of a message that has no rate yet.
        if s.phase[m] == FLOWING:
            flows = _find(s, m, flows)
    for place in range(s.counter[DIRTY]):
        resource = s.dirty[place]
        s.is_dirty[resource] = 0
        node = s.crowd[resource, HEAD]
        while node >= 0:
            m = node >> shift
            if s.neck[m] == resource:
                flows = _find(s, m, flows)
            node = s.next[node]
    s.counter[DIRTY] = s.counter[FRESH] = 0
    return flows


@stage
def _scarce(f: FlowNetwork, s: State, resource: int) -> bool:
    """Whether a resource can be anybody's bottleneck: it cannot carry all its flows at their fastest."""
    return s.crowd[resource, FLOWS] * f.top * (1 - SAME) > s.share[resource, CAPACITY]


@inner
def _opened(f: FlowNetwork, s: State, flows: int) -> int:
    """Take the flows found off the scarce resources, and heap these up; returns how many resources there are."""
    channels = 0
    for place in range(flows):
        m = s.found[place]
        s.neck[m], s.fair[m] = -1, f.top
        for hop in range(s.hops[m]):
            resource = s.path[m, hop]
            if s.rise_position[resource] >= 0:
                s.open[resource] += 1
                s.spare[resource] += s.rate[m]
            elif _scarce(f, s, resource):
                s.rise_order[channels], s.rise_position[resource] = resource, channels
                s.channels[channels] = resource
                s.open[resource] = 1
                s.spare[resource] = s.share[resource, CAPACITY] - s.share[resource, USED] + s.rate[m]
                s.level[resource] = -1.0
                channels += 1
    for place in range(channels):
        resource = s.channels[place]
        s.rise_key[resource] = _share(s, resource)
    for place in range((channels + 2) // 4 - 1, -1, -1):
        sift_down(s.rise_order, s.rise_position, s.rise_key, channels, place)
    return channels


@stage
def _share(s: State, resource: int) -> float:
    """An even share of what is left, for each open flow; never nothing, so that all flows end."""
    return max(s.spare[resource], SAME * s.share[resource, CAPACITY]) / s.open[resource]


@inner
def _fill(f: FlowNetwork, s: State, channels: int) -> None:
    """Progressive filling of the flows found: the resource that is full first gives its flows their rate, and so on."""
    top, rising = f.top * (1 - SAME), channels
    while rising:
        resource = s.rise_order[0]
        if s.open[resource] > 0:
            share = _share(s, resource)
            if share > s.rise_key[resource] * (1 + SAME):
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


@stage
def _close(s: State, resource: int, share: float) -> None:
    """A resource is full: its open flows get this share, and take it on their whole path."""
    stamp, shift = s.counter[STAMP], _shift(s)
    s.level[resource] = share
    node = s.crowd[resource, HEAD]
    while node >= 0:
        m = node >> shift
        if s.flow_mark[m] == stamp and s.neck[m] < 0:
            s.fair[m], s.neck[m] = share, resource
            for hop in range(s.hops[m]):
                other = s.path[m, hop]
                s.spare[other] -= share
                s.open[other] -= 1
        node = s.next[node]


@inner
def _without_bottleneck(f: FlowNetwork, s: State, flows: int, channels: int) -> int:
    """Find who stands without a bottleneck: its own is one no more, or it is faster than those that are filled up at theirs."""
    found = flows
    for place in range(channels):
        resource = s.channels[place]
        capacity = s.share[resource, CAPACITY]
        # Of a resource that was not full nobody's rate hung, and nobody's does.
        if s.level[resource] >= 0 or s.share[resource, USED] >= capacity * (1 - FULL):
            found = _looked_at(f, s, resource, found)
    stamp = s.counter[STAMP]
    for place in range(flows, found):
        s.flow_mark[s.found[place]] = stamp
    return found


@inner
def _looked_at(f: FlowNetwork, s: State, resource: int, found: int) -> int:
    """Find who stands without a bottleneck at a resource that is full, or was."""
    stamp, shift = s.counter[STAMP], _shift(s)
    node = s.crowd[resource, HEAD]
    used, fastest, slowest = 0.0, 0.0, f.top
    while node >= 0:
        m = node >> shift
        if s.flow_mark[m] == stamp:
            rate = s.fair[m]
        else:
            rate = s.rate[m]
            if s.neck[m] == resource:
                slowest = min(slowest, rate)
        used += rate
        fastest = max(fastest, rate)
        node = s.next[node]
    s.spare[resource] = s.share[resource, CAPACITY] - used
    slow, fast = fastest * (1 - _NEAR), f.top * 2
    if 0 <= s.level[resource] < slow:
        fast = min(_even(s, resource), slow)
    if s.spare[resource] > s.share[resource, CAPACITY] * FULL:
        slow = f.top * 2
    if slowest >= slow and fast > f.top:
        return found
    node = s.crowd[resource, HEAD]
    while node >= 0:
        m = node >> shift
        if abs(s.flow_mark[m]) != stamp and (s.rate[m] > fast or (s.neck[m] == resource and s.rate[m] < slow)):
            # Its rate stands until all are looked at.
            s.flow_mark[m] = -stamp
            s.found[found] = m
            found += 1
        node = s.next[node]
    return found


@inner
def _even(s: State, resource: int) -> float:
    """The rate of those that were filled up at a resource, if faster flows there were slowed to the same."""
    stamp, shift, flows = s.counter[STAMP], _shift(s), s.crowd[resource, FLOWS]
    even = 0.0
    share = s.share[resource, CAPACITY] / flows
    while share > even * (1 + SAME):
        even, left, still, node = share, s.share[resource, CAPACITY], flows, s.crowd[resource, HEAD]
        while node >= 0:
            m = node >> shift
            filled = s.flow_mark[m] == stamp
            rate = s.fair[m] if filled else s.rate[m]
            if rate < even and not (filled and s.neck[m] == resource):
                left -= rate
                still -= 1
            node = s.next[node]
        share = left / still
    return even


@inner
def _take(s: State, flows: int, channels: int) -> None:
    """The flows found go on at their new rates."""
    now = s.clock[NOW]
    for place in range(flows):
        m = s.found[place]
        rate = s.fair[m]
        if abs(rate - s.rate[m]) > SAME * rate:
            set_rate(s, m, rate, now)
    # Sums of many changes drift by rounding: they are made again here.
    for place in range(channels):
        resource = s.channels[place]
        s.share[resource, USED] = s.share[resource, CAPACITY] - s.spare[resource]


@inner
def _joined(f: FlowNetwork, s: State, flows: int) -> int:
    """Find all flows that full resources join to those found, directly or over others."""
    stamp, shift, place = s.counter[STAMP], _shift(s), 0
    while place < flows:
        m = s.found[place]
        place += 1
        for hop in range(s.hops[m]):
            resource = s.path[m, hop]
            if s.mark[resource] != stamp and _scarce(f, s, resource):
                s.mark[resource] = stamp
                node = s.crowd[resource, HEAD]
                while node >= 0:
                    flows = _find(s, node >> shift, flows)
                    node = s.next[node]
    return flows
