"""Recompute max-min fair rates for the flows that a change affects, and for no others.

Rates are max-min fair when each flow either has the top rate or has a bottleneck: a full resource on its path on which no flow
is faster (Bertsekas and Gallager, Data Networks, 6.5.2). Algorithm: the flows that a change touches are filled again, while the
rates of all others stay. Where another flow lost its bottleneck, or is faster than flows with their bottleneck at the same
resource, it is added and filled with them in the next round, until all flows have a bottleneck. Full resources may connect
hundreds of flows, of which a change affects ten.

Arrays (see `State`): affected int32[m], the flows to fill, of which the first `flows` count; channels int32[r], the resources
that can limit them; open int32[r], weigh and spare float64[r], the flows without a rate, their weights and the capacity left;
fair float64[m], the new rates in bytes per second; rise_order, rise_position, rise_key: a heap of resources by even share.
"""

from topoloom.core.compiling.decorators import inner, stage
from topoloom.simulation.flows.kernels.fair import FULL, SAME, set_rate, weight_of
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

#: Rounds after which all flows connected by full resources are added at once, so that long chains end.
_PATIENCE = 12
#: Rates that differ by a smaller share have the same bottleneck.
_NEAR = 1e-11
#: No sum of open weights is less, whatever rounding leaves of it.
_LIGHTEST = 1e-300


@inner
def refill(f: FlowNetwork, s: State) -> None:
    """Recompute the rates of all flows that changes since the last time affect."""
    s.counter[FILLINGS] += 1
    s.counter[STAMP] += 1
    flows, tries = _touched(s), 0
    while flows:
        channels = _opened(f, s, flows)
        _fill(f, s, channels)
        # A filling of thousands of flows takes as long as many events: count it, so that stops are checked in time.
        s.counter[EVENTS] += flows >> 6
        more, tries = _without_bottleneck(f, s, flows, channels), tries + 1
        if more == flows:
            _take(f, s, flows, channels)
            return
        flows = more if tries < _PATIENCE else _joined(f, s, more)


@stage
def _shift(s: State) -> int:
    """Return by how many bits a node number is shifted: a node is flow << shift | position on the path."""
    shift, most = 0, s.path.shape[1]
    while most >> shift > 1:
        shift += 1
    return shift


@stage
def _find(s: State, m: int, flows: int) -> int:
    """Add a flow to `affected`, unless it is there; return how many flows are there."""
    if s.flow_mark[m] == s.counter[STAMP]:
        return flows
    s.flow_mark[m] = s.counter[STAMP]
    s.affected[flows] = m
    return flows + 1


@inner
def _touched(s: State) -> int:
    """Find the flows that have entered, and the flows whose bottleneck another flow left; return how many."""
    shift, flows = _shift(s), 0
    for place in range(s.counter[FRESH]):
        m = s.fresh[place]
        s.is_fresh[m] = 0
        # It may have ended since, and its number may belong to a message without a rate.
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
    """Return whether a resource can be a bottleneck: it cannot carry all its flows at the top rate."""
    return s.crowd[resource, FLOWS] * f.top * (1 - SAME) > s.share[resource, CAPACITY]


@inner
def _opened(f: FlowNetwork, s: State, flows: int) -> int:
    """Take the affected flows off the scarce resources, and build the heap of these resources; return their number."""
    channels = 0
    for place in range(flows):
        m = s.affected[place]
        s.neck[m], s.fair[m] = -1, f.top
        for hop in range(s.hops[m]):
            resource, weight = s.path[m, hop], weight_of(f, s, m, hop)
            if s.rise_position[resource] >= 0:
                s.open[resource] += 1
                s.weigh[resource] += weight
                s.spare[resource] += s.rate[m] * weight
            elif _scarce(f, s, resource):
                s.rise_order[channels], s.rise_position[resource] = resource, channels
                s.channels[channels] = resource
                s.open[resource], s.weigh[resource] = 1, weight
                s.spare[resource] = s.share[resource, CAPACITY] - s.share[resource, USED] + s.rate[m] * weight
                s.level[resource] = -1.0
                channels += 1
    for place in range(channels):
        resource = s.channels[place]
        s.rise_key[place] = _share(s, resource)
    for place in range((channels + 2) // 4 - 1, -1, -1):
        sift_down(s.rise_order, s.rise_position, s.rise_key, channels, place)
    return channels


@stage
def _share(s: State, resource: int) -> float:
    """Return the rate at which the open flows use the spare capacity; never 0, so that all flows end."""
    return max(s.spare[resource], SAME * s.share[resource, CAPACITY]) / max(s.weigh[resource], _LIGHTEST)


@inner
def _fill(f: FlowNetwork, s: State, channels: int) -> None:
    """Fill the affected flows progressively: the resource that is full first gives its open flows their rate, and so on."""
    top, rising = f.top * (1 - SAME), channels
    while rising:
        resource = s.rise_order[0]
        if s.open[resource] > 0:
            share = _share(s, resource)
            if share > s.rise_key[0] * (1 + SAME):
                # Flows that were filled elsewhere leave more for the others here.
                s.rise_key[0] = share
                sift_down(s.rise_order, s.rise_position, s.rise_key, rising, 0)
                continue
            if share >= top:
                break
            _close(f, s, resource, share)
        rising = take_out(s.rise_order, s.rise_position, s.rise_key, rising, resource)
    for place in range(rising):
        s.rise_position[s.rise_order[place]] = -1


@stage
def _close(f: FlowNetwork, s: State, resource: int, share: float) -> None:
    """Close a full resource: its open flows get this share, on their whole path."""
    stamp, shift = s.counter[STAMP], _shift(s)
    s.level[resource] = share
    node = s.crowd[resource, HEAD]
    while node >= 0:
        m = node >> shift
        if s.flow_mark[m] == stamp and s.neck[m] < 0:
            s.fair[m], s.neck[m] = share, resource
            for hop in range(s.hops[m]):
                other, weight = s.path[m, hop], weight_of(f, s, m, hop)
                s.spare[other] -= share * weight
                s.weigh[other] -= weight
                s.open[other] -= 1
        node = s.next[node]


@inner
def _without_bottleneck(f: FlowNetwork, s: State, flows: int, channels: int) -> int:
    """Add flows without a bottleneck: theirs is no longer full, or they are faster than flows filled at it; return how many."""
    count = flows
    for place in range(channels):
        resource = s.channels[place]
        capacity = s.share[resource, CAPACITY]
        # A resource that is and was not full determines no rate.
        if s.level[resource] >= 0 or s.share[resource, USED] >= capacity * (1 - FULL):
            count = _looked_at(f, s, resource, count)
    stamp = s.counter[STAMP]
    for place in range(flows, count):
        s.flow_mark[s.affected[place]] = stamp
    return count


@inner
def _looked_at(f: FlowNetwork, s: State, resource: int, count: int) -> int:
    """Add flows without a bottleneck at a resource that is or was full; return how many flows are affected."""
    stamp, shift = s.counter[STAMP], _shift(s)
    node = s.crowd[resource, HEAD]
    # Sum the rates, with new ones for affected flows, and find the extremes.
    used, fastest, slowest = 0.0, 0.0, f.top
    while node >= 0:
        m = node >> shift
        if s.flow_mark[m] == stamp:
            rate = s.fair[m]
        else:
            rate = s.rate[m]
            if s.neck[m] == resource:
                slowest = min(slowest, rate)
        used += rate * s.weight[node * f.split]
        fastest = max(fastest, rate)
        node = s.next[node]
    s.spare[resource] = s.share[resource, CAPACITY] - used
    # Flows slower than `slow` with their bottleneck here, and flows faster than `fast`, must be filled, too.
    slow, fast = fastest * (1 - _NEAR), f.top * 2
    if 0 <= s.level[resource] < slow:
        fast = min(_even(f, s, resource), slow)
    if s.spare[resource] > s.share[resource, CAPACITY] * FULL:
        slow = f.top * 2
    if slowest >= slow and fast > f.top:
        return count
    node = s.crowd[resource, HEAD]
    while node >= 0:
        m = node >> shift
        if abs(s.flow_mark[m]) != stamp and (s.rate[m] > fast or (s.neck[m] == resource and s.rate[m] < slow)):
            # Its rate stays until all resources are checked.
            s.flow_mark[m] = -stamp
            s.affected[count] = m
            count += 1
        node = s.next[node]
    return count


@inner
def _even(f: FlowNetwork, s: State, resource: int) -> float:
    """Return the even share at a resource: what slower flows, limited elsewhere, leave of its capacity, by the others' weight.

    A higher share makes more flows slower than it, so this is repeated until the share no longer rises.
    """
    stamp, shift, flows = s.counter[STAMP], _shift(s), 1.0 * s.crowd[resource, FLOWS]
    even = 0.0
    if f.split:
        flows, node = 0.0, s.crowd[resource, HEAD]
        while node >= 0:
            flows += s.weight[node]
            node = s.next[node]
    share = s.share[resource, CAPACITY] / flows
    while share > even * (1 + SAME):
        even, left, still, node = share, s.share[resource, CAPACITY], flows, s.crowd[resource, HEAD]
        while node >= 0:
            m = node >> shift
            filled = s.flow_mark[m] == stamp
            rate = s.fair[m] if filled else s.rate[m]
            if rate < even and not (filled and s.neck[m] == resource):
                left -= rate * s.weight[node * f.split]
                still -= s.weight[node * f.split]
            node = s.next[node]
        # Rounding may leave something of the weights where all flows are slower.
        share = left / still if still > SAME * flows else even
    return even


@inner
def _take(f: FlowNetwork, s: State, flows: int, channels: int) -> None:
    """Set the affected flows to their new rates."""
    now = s.clock[NOW]
    for place in range(flows):
        m = s.affected[place]
        rate = s.fair[m]
        if abs(rate - s.rate[m]) > SAME * rate:
            set_rate(f, s, m, rate, now)
    # Sums of many changes drift by rounding: recompute them.
    for place in range(channels):
        resource = s.channels[place]
        s.share[resource, USED] = s.share[resource, CAPACITY] - s.spare[resource]


@inner
def _joined(f: FlowNetwork, s: State, flows: int) -> int:
    """Add all flows that full resources connect to the affected flows, directly or through others; return how many."""
    stamp, shift, place = s.counter[STAMP], _shift(s), 0
    while place < flows:
        m = s.affected[place]
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
