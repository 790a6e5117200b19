"""Numbers of paths of each length between two switches, and numbers of link-disjoint paths."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@allocating
def path_counts(
    first: np.ndarray, to: np.ndarray, sources: np.ndarray, deepest: int, counts: np.ndarray, length: np.ndarray
) -> None:
    """Count simple paths of l, l + 1 and l + 2 hops from each source to every switch, where l is the distance; O(sources
    deepest m).

    Parameters
    ----------
    deepest : int
        At least the largest distance.
    counts : float64[sources, n, 3]
        Written; parallel links make different paths. Exact while there are fewer than 2^53 walks.
    length : int64[sources, n]
        l, written; -1 if there is no path.

    Notes
    -----
    A walk that visits a switch twice contains a closed walk of at least two hops, and is still a walk without it. So all walks
    of l and l + 1 hops are simple, and walks of l + 2 hops that are not simple are shortest paths with one step to a neighbour
    and back. For a shortest path of links e_1 ... e_l over switches v_0 ... v_l, their number is sum_i q(v_i) - sum_i m(e_i)^2.
    Here q(v) is the sum over neighbours of the squared number of links (the degree, without parallel links), and m(e) is the
    number of links parallel to e; the second sum corrects steps along the path itself, which are counted at both of their ends.
    """
    n = first.size - 1
    now, ahead = np.empty(n, np.float64), np.empty(n, np.float64)
    paths, aside = np.empty(n, np.float64), np.empty(n, np.float64)
    square = np.zeros(n, np.float64)
    for v in range(n):
        run = 0
        for c in range(first[v], first[v + 1]):
            run = run + 1 if c > first[v] and to[c] == to[c - 1] else 1
            square[v] += 2 * run - 1
    for row in range(sources.size):
        s = sources[row]
        distance, row_counts = length[row], counts[row]
        distance[:] = -1
        row_counts[:] = 0.0
        now[:] = 0.0
        now[s] = 1.0
        distance[s] = 0
        paths[:] = 0.0
        aside[:] = 0.0
        paths[s], aside[s] = 1.0, square[s]
        for hops in range(1, deepest + 3):
            ahead[:] = 0.0
            for v in range(n):
                if now[v] > 0.0:
                    for c in range(first[v], first[v + 1]):
                        ahead[to[c]] += now[v]
            for v in range(n):
                if ahead[v] > 0.0 and distance[v] < 0:
                    distance[v] = hops
                    # Add up shortest paths that end here, and their steps aside, from the switches one hop nearer.
                    run = 0
                    for c in range(first[v], first[v + 1]):
                        u = to[c]
                        run = run + 1 if c > first[v] and u == to[c - 1] else 1
                        if distance[u] == hops - 1:
                            paths[v] += paths[u]
                            aside[v] += aside[u]
                            # Each of m parallel links contributes m^2, m^3 in total, added in steps of run^3 - (run - 1)^3.
                            aside[v] -= paths[u] * (3 * run * (run - 1) + 1)
                    aside[v] += paths[v] * square[v]
                if distance[v] >= 0 and v != s and hops - distance[v] <= 2:
                    more = hops - distance[v]
                    row_counts[v, more] = ahead[v] - (aside[v] if more == 2 else 0.0)
            now, ahead = ahead, now


@inner
def _within_three(first, to, side, sources, sinks, limit, place, x, y, room_x, room_y, flow, seen, before, queue):  # type: ignore[no-untyped-def]
    """The exact largest number of link-disjoint paths of at most `limit` (1 to 3) hops from the sources to the sinks.

    Such a path is one link, or a link from a source to x, optionally a link from x to y, and a link from y to a sink. So the
    number is a maximum flow from the links out of the sources to the links into the sinks, over the links between; using a
    middle link in both directions gains nothing. `side` int8[n]: 1 at sources, 2 at sinks, otherwise 0. Stages: count the
    direct links and the links at x and y; match x = y; then augment over middle links, breadth first.
    """
    direct, count_x, count_y = 0, 0, 0
    for s in sources:
        for c in range(first[s], first[s + 1]):
            v = to[c]
            if side[v] == 2:
                direct += 1
            elif side[v] == 0:
                if place[v, 0] < 0:
                    place[v, 0] = count_x
                    x[count_x], room_x[count_x] = v, 0
                    count_x += 1
                room_x[place[v, 0]] += 1
    for t in sinks:
        for c in range(first[t], first[t + 1]):
            v = to[c]
            if side[v] == 0:
                if place[v, 1] < 0:
                    place[v, 1] = count_y
                    y[count_y], room_y[count_y] = v, 0
                    count_y += 1
                room_y[place[v, 1]] += 1
    total = direct
    if limit >= 2:
        for i in range(count_x):
            j = place[x[i], 1]
            if j >= 0:
                both = min(room_x[i], room_y[j])
                room_x[i] -= both
                room_y[j] -= both
                total += both
                if limit >= 3:
                    flow[i, :count_y] = 0
                    flow[i, j] = both
            elif limit >= 3:
                flow[i, :count_y] = 0
    if limit >= 3:
        # Augment from each x, breadth first: forward over links with free capacity, backward over flow.
        for start in range(count_x):
            while room_x[start] > 0:
                seen[: count_x + count_y] = False
                seen[start] = True
                queue[0] = start
                head, tail, end = 0, 1, -1
                while head < tail and end < 0:
                    at = queue[head]
                    head += 1
                    if at < count_x:
                        v = x[at]
                        j = place[v, 1]
                        if j >= 0 and not seen[count_x + j]:
                            seen[count_x + j] = True
                            before[count_x + j] = at
                            queue[tail] = count_x + j
                            tail += 1
                            if room_y[j] > 0:
                                end = j
                                break
                        run = 0
                        for c in range(first[v], first[v + 1]):
                            run = run + 1 if c > first[v] and to[c] == to[c - 1] else 1
                            j = place[to[c], 1]
                            if j >= 0 and not seen[count_x + j] and flow[at, j] < run:
                                seen[count_x + j] = True
                                before[count_x + j] = at
                                queue[tail] = count_x + j
                                tail += 1
                                if room_y[j] > 0:
                                    end = j
                                    break
                    else:
                        for i in range(count_x):
                            if not seen[i] and flow[i, at - count_x] > 0:
                                seen[i] = True
                                before[i] = at
                                queue[tail] = i
                                tail += 1
                if end < 0:
                    break
                room_y[end] -= 1
                room_x[start] -= 1
                total += 1
                at = count_x + end
                while at != start:
                    i = before[at]
                    flow[i, at - count_x] += 1
                    if i == start:
                        break
                    at = before[i]
                    flow[i, at - count_x] -= 1
    for i in range(count_x):
        place[x[i], 0] = -1
    for j in range(count_y):
        place[y[j], 1] = -1
    return total


@inner
def _shortest_disjoint(first, to, back, distance, s, t, used, seen, before, queue):  # type: ignore[no-untyped-def]
    """The exact largest number of link-disjoint shortest paths from s to t: a flow over links that lead nearer to t."""
    total = 0
    used[:] = False
    while True:
        seen[:] = False
        seen[s] = True
        queue[0] = s
        head, tail = 0, 1
        while head < tail and not seen[t]:
            u = queue[head]
            head += 1
            for c in range(first[u], first[u + 1]):
                v = to[c]
                if seen[v]:
                    continue
                onward = distance[v] == distance[u] - 1 and not used[c]
                undone = distance[v] == distance[u] + 1 and used[back[c]]
                if onward or undone:
                    seen[v] = True
                    before[v] = c
                    queue[tail] = v
                    tail += 1
        if not seen[t]:
            return total
        total += 1
        v = t
        while v != s:
            c = before[v]
            u = to[back[c]]
            if distance[v] == distance[u] - 1:
                used[c] = True
            else:
                used[back[c]] = False
            v = u


@inner
def _greedy(first, to, back, side, sources, limit, dead, hops, before, queue, within):  # type: ignore[no-untyped-def]
    """Write to within[k] the link-disjoint paths of at most k hops from the sources to the sinks, taken greedily, shortest
    first.
    """
    within[: limit + 1] = 0
    dead[:] = False
    while True:
        hops[:] = -1
        tail = 0
        for s in sources:
            hops[s] = 0
            queue[tail] = s
            tail += 1
        head, end = 0, -1
        while head < tail and end < 0:
            u = queue[head]
            head += 1
            if hops[u] == limit:
                break
            for c in range(first[u], first[u + 1]):
                v = to[c]
                if hops[v] < 0 and not dead[c]:
                    hops[v] = hops[u] + 1
                    before[v] = c
                    if side[v] == 2:
                        end = v
                        break
                    queue[tail] = v
                    tail += 1
        if end < 0:
            return
        for k in range(hops[end], limit + 1):
            within[k] += 1
        v = end
        while side[v] != 1:
            c = before[v]
            dead[c] = dead[back[c]] = True
            v = to[back[c]]


@allocating
def disjoint_counts(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    pairs: np.ndarray,
    slack: int,
    counts: np.ndarray,
    length: np.ndarray,
) -> None:
    """Count link-disjoint paths of at most l + k hops between the switches of each pair, for k = 0 .. slack.

    Exact for shortest paths and for paths of up to three hops; for longer ones a lower bound, from paths taken shortest first.

    Parameters
    ----------
    pairs : int64[p, 2]
        Sorted by the second switch for speed.
    counts : int64[p, slack + 1]
    length : int64[p]
        l, written.
    """
    n = first.size - 1
    widest = 0
    for v in range(n):
        widest = max(widest, first[v + 1] - first[v])
    side, place = np.zeros(n, np.int8), np.full((n, 2), -1, np.int64)
    x, y, room_x, room_y = (
        np.empty(widest, np.int64),
        np.empty(widest, np.int64),
        np.empty(widest, np.int64),
        np.empty(widest, np.int64),
    )
    flow = np.empty((widest, widest), np.int32)
    size = max(n, 2 * widest)
    seen, before, queue, hops = (
        np.empty(size, np.bool_),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(n, np.int64),
    )
    marks, distance = np.zeros(to.size, np.bool_), np.empty(n, np.int64)
    greedy = np.zeros(n + 3, np.int64)
    goal = np.int64(-1)
    for p in range(len(pairs)):
        s, t = pairs[p, 0], pairs[p, 1]
        if t != goal:
            goal = t
            distance[:] = -1
            distance[t] = 0
            queue[0] = t
            head, tail = 0, 1
            while head < tail:
                u = queue[head]
                head += 1
                for c in range(first[u], first[u + 1]):
                    if distance[to[c]] < 0:
                        distance[to[c]] = distance[u] + 1
                        queue[tail] = to[c]
                        tail += 1
        least = distance[s]
        length[p] = least
        side[s], side[t] = 1, 2
        sources, sinks = pairs[p, :1], pairs[p, 1:]
        if least + slack > 3:
            _greedy(first, to, back, side, sources, least + slack, marks, hops, before, queue, greedy)
        for k in range(slack + 1):
            if least + k <= 3:
                counts[p, k] = _within_three(
                    first, to, side, sources, sinks, least + k, place, x, y, room_x, room_y, flow, seen, before, queue
                )
            elif k == 0:
                counts[p, k] = _shortest_disjoint(first, to, back, distance, s, t, marks, seen, before, queue)
            else:
                counts[p, k] = max(counts[p, k - 1], greedy[least + k])
        side[s] = side[t] = 0


@allocating
def interferences(
    first: np.ndarray, to: np.ndarray, back: np.ndarray, fours: np.ndarray, lengths: np.ndarray, counts: np.ndarray
) -> None:
    """c({a, c}, {b}) + c({a, c}, {d}) - c({a, c}, {b, d}) for paths of at most each of the lengths; c is the number of
    link-disjoint paths.

    Parameters
    ----------
    fours : int64[f, 4]
        a, b, c, d, all different.
    lengths : int64[k]
        Ascending.
    counts : int64[f, k]
        Written.
    """
    n = first.size - 1
    widest = 0
    for v in range(n):
        widest = max(widest, first[v + 1] - first[v])
    widest *= 2
    side, place = np.zeros(n, np.int8), np.full((n, 2), -1, np.int64)
    x, y, room_x, room_y = (
        np.empty(widest, np.int64),
        np.empty(widest, np.int64),
        np.empty(widest, np.int64),
        np.empty(widest, np.int64),
    )
    flow = np.empty((widest, widest), np.int32)
    size = max(n, 2 * widest)
    seen, before, queue, hops = (
        np.empty(size, np.bool_),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(n, np.int64),
    )
    marks, greedy = np.zeros(to.size, np.bool_), np.zeros(n + 3, np.int64)
    senders, ends = np.empty(2, np.int64), np.empty(2, np.int64)
    for f in range(len(fours)):
        senders[0], senders[1], ends[0], ends[1] = fours[f, 0], fours[f, 2], fours[f, 1], fours[f, 3]
        counts[f] = 0
        for which in range(3):
            sinks = ends[:1] if which == 0 else ends[1:] if which == 1 else ends
            sign = -1 if which == 2 else 1
            side[senders[0]] = side[senders[1]] = 1
            for t in sinks:
                side[t] = 2
            done = False
            for k in range(lengths.size):
                if lengths[k] <= 3:
                    counts[f, k] += sign * _within_three(
                        first,
                        to,
                        side,
                        senders,
                        sinks,
                        lengths[k],
                        place,
                        x,
                        y,
                        room_x,
                        room_y,
                        flow,
                        seen,
                        before,
                        queue,
                    )
                else:
                    if not done:
                        _greedy(first, to, back, side, senders, lengths[-1], marks, hops, before, queue, greedy)
                        done = True
                    counts[f, k] += sign * greedy[lengths[k]]
            side[senders[0]] = side[senders[1]] = 0
            for t in sinks:
                side[t] = 0
