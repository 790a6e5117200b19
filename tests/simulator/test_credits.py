"""What is remembered of flits sent on: how many of their credits are still running at any later cycle, and when one comes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from tiers import examples
from topoloom.simulation.flits.kernels.credits import (
    credit_leaves,
    in_flight,
    in_flight_far,
    next_credit,
    note,
    note_far,
)


@njit
def remembered(cycles, times, credit, history, popped, counts):
    """Note flits sent on at ascending cycles; counts[i]: credits running at times[i], and the next one's, short and far."""
    short, k = np.zeros(2, np.int64), 0
    for i in range(times.size):
        while k < cycles.size and cycles[k] <= times[i] + 1:
            note(short, 1, cycles[k])
            note_far(popped, history, 1, cycles[k])
            k += 1
        counts[i, 0] = in_flight(short, 1, times[i], credit) if credit <= 15 else -1
        counts[i, 1] = in_flight_far(popped, history, 1, times[i], credit)
        counts[i, 2] = next_credit(None, short, 0, 1, times[i], credit) if credit <= 15 else -1
        counts[i, 3] = next_credit(1, popped, history, 1, times[i], credit)


@pytest.mark.exhaustive
@settings(max_examples=examples(200), deadline=None)
@given(st.integers(1, 400), st.lists(st.integers(0, 70) | st.integers(0, 1), min_size=1, max_size=120))
def test_credits_in_flight_are_those_of_recently_forwarded_flits(credit, gaps):
    """Those of all flits that left after `now - credit`, the next cycle's included, which a router may be ahead by.

    The next credit is that of the first of them, or of a flit that leaves a cycle ago, which may not have been seen yet.
    """
    cycles = np.cumsum(gaps)
    cycles = cycles[
        np.concatenate([np.ones(min(2, cycles.size), bool), cycles[2:] != cycles[:-2]])
    ]  # two a cycle at most
    history = 1 << (credit + 34 >> 5).bit_length()
    times = np.repeat(np.unique(cycles), 1)
    popped, counts = np.zeros(2 * (history + 1), np.int64), np.zeros((times.size, 4), np.int64)
    remembered(cycles, times, credit, history, popped, counts)
    away = [cycles[(cycles > now - credit) & (cycles <= now + 1)].tolist() for now in times.tolist()]
    expected = [len(left) for left in away]
    following = [(left[0] if left else now - 1) + credit for now, left in zip(times.tolist(), away, strict=True)]
    assert counts[:, 1].tolist() == expected
    assert counts[:, 3].tolist() == following
    if credit <= 15:
        assert counts[:, 0].tolist() == expected
        assert counts[:, 2].tolist() == following
    assert popped[: history + 1].tolist() == [0] * (history + 1), "the VC before it"


@njit
def waiting(steps, vcs, credit, history, sent, short, far, leaves):
    """Note flits that leave input port 1 in ascending steps, from VCs 2 and 3; leaves[i]: when the credit of flit i is sent."""
    for i in range(steps.size):
        leaves[i] = credit_leaves(sent, 1, steps[i] >> 1, steps[i] & 1)
        note(short, 2 + vcs[i], leaves[i])
        note_far(far, history, 2 + vcs[i], leaves[i])


@njit
def known(now, credit, history, short, far, counts):
    """Credits in flight of VCs 2 and 3, and when the next one is there: short, far."""
    for v in range(2):
        counts[0, v] = in_flight(short, 2 + v, now, credit)
        counts[1, v] = in_flight_far(far, history, 2 + v, now, credit)
        counts[2, v] = next_credit(None, short, 0, 2 + v, now, credit)
        counts[3, v] = next_credit(1, far, history, 2 + v, now, credit)


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(1, 4), st.lists(st.tuples(st.integers(0, 5), st.sampled_from([(0,), (1,), (0, 1)])), max_size=30))
def test_one_message_of_credits_leaves_per_cycle_in_order(credit, gaps):
    """As from a queue that gives out one message per cycle; those that wait are in flight, like those on the way."""
    queue, sent_at, flits, cycle = [], {}, [], 0
    steps = np.cumsum([1 + gap for gap, _ in gaps]).tolist()
    for step, (_, vcs) in zip(steps, gaps, strict=True):
        while cycle < step >> 1:
            if queue:
                sent_at[queue.pop(0)] = cycle
            cycle += 1
        if len(queue) <= 15 - credit - 2:  # as much as short credits cover
            queue.append(step)
            flits += [(step, v) for v in vcs]
    now = cycle
    for step in queue:
        sent_at[step] = cycle
        cycle += 1
    history = 2
    short, far, sent = np.zeros(4, np.int64), np.zeros(4 * (history + 1), np.int64), np.full(4, -1, np.int64)
    leaves, counts = np.zeros(len(flits), np.int64), np.zeros((4, 2), np.int64)
    times = np.array([step for step, _ in flits], np.int64)
    waiting(times, np.array([v for _, v in flits], np.int64), credit, history, sent, short, far, leaves)
    assert leaves.tolist() == [sent_at[step] for step, _ in flits]
    known(now, credit, history, short, far, counts)
    for v in range(2):
        away = [sent_at[step] + credit for step, w in flits if w == v and sent_at[step] + credit > now]
        assert counts[:2, v].tolist() == [len(away)] * 2
        assert counts[2:, v].tolist() == [min(away, default=now - 1 + credit)] * 2
    assert sent[:2].tolist() == [-1, -1], "the port before it"


@pytest.mark.parametrize("spec", ["slimfly:q=5,hosts=4", "torus:dims=4x4,hosts=2"])
def test_a_run_does_not_depend_on_how_credits_are_remembered(spec, monkeypatch):
    """Short credits, remembered as far ones: every flit, latency and channel load is the same."""
    from topoloom.routing.route import route
    from topoloom.simulation.flits import network_state
    from topoloom.simulation.flits.router_config import RouterConfig
    from topoloom.simulation.flits.run import RouterRun
    from topoloom.throughput.traffic import traffic_of
    from topoloom.topologies.spec import build

    routing, seen = route(build(spec)), []
    for limit in (network_state._SHORT_CREDIT, 0):
        monkeypatch.setattr(network_state, "_SHORT_CREDIT", limit)
        run = RouterRun(routing, RouterConfig(), traffic_of("uniform", routing), 0.7, 1)
        run.go(1000, 0, 1000)
        assert run.network.rules.history == (0 if limit else 2)
        seen.append((run.network.state.tolist(), run.histogram.tolist(), run.channel_flits().tolist()))
    assert seen[0] == seen[1]
