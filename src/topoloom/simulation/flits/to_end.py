"""Simulations of traffic that ends, a trace, a closed loop or a schedule, to their end."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.simulation.flits.buffers import BACKLOG, DONE, ENDED, INSIDE, THINGS
from topoloom.simulation.flits.run import RouterRun
from topoloom.simulation.flits.scheduled import Placed
from topoloom.simulation.flows.state import OVER
from topoloom.simulation.flows.waiting import stuck_text, unreceived
from topoloom.throughput.traffic import Loop, Trace

#: Cycles between two checks of what has arrived; the most cycles of an execution, which a flit's birth can hold.
LOOK, MOST_CYCLES = 500, 1 << 25

#: Traffic that ends.
Ending = Trace | Loop | Placed


def go_to_end(run: RouterRun, sent: Ending, name: str, work: Work) -> None:
    """Run a simulation to its end.

    Parameters
    ----------
    run : RouterRun
    sent : Trace, Loop or Placed
        The traffic of the simulation.
    name : str
        A name for messages.
    work : Work
        Reports progress in packets of a trace, round trips of a closed loop, or operations.

    Raises
    ------
    InputError
        More than 33 million cycles; a deadlock; a schedule that does not end.
    Stopped
        `work` was stopped.
    """
    record_name = "packets" if isinstance(sent, Trace) else "round trips" if isinstance(sent, Loop) else "operations"
    work.begin(_wanted(sent), record_name)
    while not ended(run, sent):
        if run.cycle > MOST_CYCLES - LOOK:
            raise InputError(f"{run.routing.topology.name}: {name} has not ended after {run.cycle:,} cycles, the limit")
        run.go(LOOK, 0, 1 << 60, lambda _: work.reach(_finished(run, sent)))
        if isinstance(sent, Placed):
            _check_going(run, sent)


def ended(run: RouterRun, sent: Ending) -> bool:
    """Return whether all traffic has ended."""
    return _finished(run, sent) >= _wanted(sent)


def _check_going(run: RouterRun, sent: Placed) -> None:
    """Refuse a schedule with operations left and nothing in progress."""
    state, play = run.network.state, run.play
    in_progress = state[INSIDE] or state[BACKLOG] or (play is not None and play.counter[THINGS])
    if play is not None and not in_progress and (unreceived(play.order) or not ended(run, sent)):
        raise InputError(stuck_text(sent.schedule, play.order))


def _wanted(sent: Ending) -> int:
    """Return the packets of a trace, round trips of a closed loop, or operations of a schedule."""
    if isinstance(sent, Placed):
        return sent.schedule.operations.count
    if isinstance(sent, Trace):
        return int(sent.cycle.size)
    return int((np.diff(sent.first) > 0).sum()) * sent.requests


def _finished(run: RouterRun, sent: Ending) -> int:
    """Return how many of these are finished."""
    if run.play is not None:
        return int(run.play.order.counter[OVER])
    return int(run.network.state[DONE if isinstance(sent, Trace) else ENDED])
