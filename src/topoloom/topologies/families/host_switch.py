"""Networks for a number of hosts and switches of a radix, with the fewest hops between hosts (order/radix problem)."""

import math

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Facts, Integer, Seed, family

#: Numbers of switches that are tried, as shares beyond and below the predicted one; and the share of the moves for this.
_STEPS, _STEP, _TRIALS = 2, 0.04, 0.3


def _facts(hosts: int, radix: int, switches: int | None = None, moves: int = 0, seed: int = 1) -> Facts:
    from topoloom.graph.host_switch_bounds import predicted_switches

    if switches and switches * radix < hosts + 2 * (switches - 1):
        most = switches * (radix - 2) + 2
        raise InputError(
            f"host-switch: switches={switches} of {radix} ports connect at most {most:,} hosts; hosts={hosts} need more"
            " switches or ports"
        )
    return Facts(switches or predicted_switches(hosts, radix), hosts=hosts)


@family(
    "host-switch",
    title="host-switch graph",
    hosts=Integer(2, 16384, "hosts of the network"),
    radix=Integer(3, 1024, "ports of a switch"),
    switches=Integer(
        1,
        16384,
        "switches; the best of five numbers near that of the continuous Moore bound when omitted",
        default=None,
    ),
    moves=Integer(0, 10**9, "moves of the search for fewer hops between hosts", default=20_000),
    seed=Seed(),
    facts=_facts,
    source="Yasudo et al., Order/radix problem, ICPP 2017; topoloom's annealing",
    aliases=("order-radix",),
)
def host_switch(hosts: int, radix: int, switches: int | None, moves: int, seed: int, attempt: int = 0) -> Topology:
    """Any number of switches with hosts spread over them, so that hosts are few hops apart: h-diameter first, then h-ASPL.

    Returns
    -------
    Topology
        Switches may have different numbers of hosts, or none.

    Raises
    ------
    InputError
        So many switches do not have enough ports.
    """
    from topoloom.graph.host_switch_bounds import h_aspl_bound, h_diameter_bound, predicted_switches
    from topoloom.topologies.families._host_search import HostSearch

    pairs = hosts * (hosts - 1)
    least = (0, h_diameter_bound(hosts, radix) - 2, math.ceil(pairs * (h_aspl_bound(hosts, radix) - 2) - 1e-6))
    stream = 100 * attempt
    if switches is None:
        predicted = predicted_switches(hosts, radix)
        step = max(1, round(_STEP * predicted))
        candidates = [predicted + step * k for k in range(-_STEPS, _STEPS + 1)]
        candidates = [m for m in candidates if m >= 1 and m * radix >= hosts + 2 * (m - 1)]
        trials = []
        for number, candidate in enumerate(candidates):
            search = HostSearch(hosts, radix, candidate, Draws(seed, stream + 1 + number))
            search.run(int(_TRIALS * moves) // len(candidates), least)
            trials.append((search.cost, candidate, search))
        _, switches, first = min(trials, key=lambda trial: trial[:2])
        moves -= int(_TRIALS * moves)
    else:
        first = HostSearch(hosts, radix, switches, Draws(seed, stream))
    search = HostSearch(hosts, radix, switches, Draws(seed, stream + 50))
    search.run(moves, least)
    links, counts = min((first, search), key=lambda found: found.cost).best()
    return Topology(
        links=links.reshape(-1, 2), switches=switches, endpoints=np.repeat(np.arange(switches, dtype=np.int32), counts)
    )
