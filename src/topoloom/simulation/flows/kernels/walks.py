"""Walks of messages along next-hop groups: one by hashes, or all of them with the shares of an even split.

A node is a state q and a switch v, q * n + v, as in `routing.verification.kernels.groups`.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, stage
from topoloom.routing.groups.kernels.spraypoint import mixed
from topoloom.routing.verification.kernels.groups import NEW, nodes_from
from topoloom.simulation.flows.state import FlowNetwork, State


@stage
def member_of(f: FlowNetwork, state: int, goal: int, at: int, from_rank: int, to_rank: int) -> int:
    """Return the member of a group that a connection takes: the same for all its messages, independent at each switch."""
    own = np.int64(f.group[state, goal, at])
    width = f.member[own + 1] - f.member[own]
    if width == 1:
        return f.member[own]
    word = mixed(f.hash_seed, from_rank, to_rank, state * f.group.shape[1] + at)
    return f.member[own] + np.int64(((word >> np.uint64(32)) * np.uint64(width)) >> np.uint64(32))


@inner
def split(f: FlowNetwork, s: State, m: int, at: int, goal: int) -> int:
    """Write the channels of all walks between two switches as the path of message m, with their shares, from position 1 on;
    return the next position. s.late[at] is then the delay of the longest walk.
    """
    n, most = f.first.size - 1, s.path.shape[1]
    count = nodes_from(
        f.first, f.to, f.group, f.member, f.member_port, f.member_state, goal, at, s.fate, s.node, s.trail, s.tried, 0
    )
    for place in range(count):
        node = s.node[place]
        v, own, late = node % n, np.int64(f.group[node // n, goal, node % n]), 0.0
        for k in range(f.member[own], f.member[own + 1]):
            c = f.first[v] + np.int64(f.member_port[k])
            after = 0.0 if f.to[c] == goal else s.late[np.int64(f.member_state[k]) * n + f.to[c]]
            late = max(late, f.delay[c] + after)
        s.late[node], s.part[node], s.fate[node] = late, 0.0, NEW
    s.part[at], position = 1.0, 1
    for place in range(count - 1, -1, -1):
        node = s.node[place]
        v, own = node % n, np.int64(f.group[node // n, goal, node % n])
        begin, end = f.member[own], f.member[own + 1]
        share = s.part[node] / (end - begin)
        for k in range(begin, end):
            c = f.first[v] + np.int64(f.member_port[k])
            # A group repeats a member to give it a greater share.
            if k > begin and f.member_port[k] == f.member_port[k - 1] and f.member_state[k] == f.member_state[k - 1]:
                s.weight[m * most + position - 1] += share
            else:
                s.path[m, position], s.weight[m * most + position] = f.resource[c], share
                position += 1
            s.carried[c] += s.left[m] * share
            if f.to[c] != goal:
                s.part[np.int64(f.member_state[k]) * n + f.to[c]] += share
    return position


@allocating
def most_channels(
    first: np.ndarray,
    to: np.ndarray,
    group: np.ndarray,
    member: np.ndarray,
    port: np.ndarray,
    next_state: np.ndarray,
    switches: np.ndarray,
    begin: int,
    end: int,
) -> int:
    """Return the most positions that `split` fills between any of the switches (int64[k]) and the begin-th to end-th one."""
    n, nodes = first.size - 1, group.shape[0] * (first.size - 1)
    fate, node, trail = np.zeros(nodes, np.uint8), np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    tried, width = np.empty(nodes, np.int64), np.zeros(member.size - 1, np.int64)
    for own in range(member.size - 1):
        for k in range(member[own], member[own + 1]):
            width[own] += k == member[own] or port[k] != port[k - 1] or next_state[k] != next_state[k - 1]
    most = np.int64(0)
    for goal in switches[begin:end]:
        for at in switches:
            if at == goal or group[0, goal, at] < 0:
                continue
            count = nodes_from(first, to, group, member, port, next_state, goal, at, fate, node, trail, tried, 0)
            channels = np.int64(0)
            for place in range(count):
                fate[node[place]] = NEW
                own = np.int64(group[node[place] // n, goal, node[place] % n])
                channels += width[own] if own >= 0 else 0
            most = max(most, channels)
    return most


@allocating
def longest_hops(
    first: np.ndarray,
    to: np.ndarray,
    group: np.ndarray,
    member: np.ndarray,
    port: np.ndarray,
    next_state: np.ndarray,
    switches: np.ndarray,
    begin: int,
    end: int,
) -> int:
    """Return the most hops of a walk between any of the switches (int64[k]) and the begin-th to end-th one."""
    n, nodes = first.size - 1, group.shape[0] * (first.size - 1)
    fate, node, trail = np.zeros(nodes, np.uint8), np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    tried, hops, most = np.empty(nodes, np.int64), np.zeros(nodes, np.int64), np.int64(0)
    for goal in switches[begin:end]:
        count = 0
        for at in switches:
            if at == goal or group[0, goal, at] < 0 or fate[at] != NEW:
                continue
            before = count
            count = nodes_from(first, to, group, member, port, next_state, goal, at, fate, node, trail, tried, count)
            for place in range(before, count):
                v, own = node[place] % n, np.int64(group[node[place] // n, goal, node[place] % n])
                longest = np.int64(0)
                for k in range(member[own], member[own + 1]):
                    w = np.int64(to[first[v] + np.int64(port[k])])
                    if w != goal:
                        longest = max(longest, hops[np.int64(next_state[k]) * n + w])
                hops[node[place]] = longest + 1
                most = max(most, longest + 1)
        for place in range(count):
            fate[node[place]] = NEW
    return most
