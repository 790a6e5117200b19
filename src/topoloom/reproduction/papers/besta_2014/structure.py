"""Claims of Besta 2014: Slim Fly (Besta, Hoefler)."""

from contextlib import suppress

from topoloom.errors import InputError
from topoloom.graph.load import full_bandwidth_hosts
from topoloom.reproduction._helpers import measured
from topoloom.reproduction.registry import claim
from topoloom.reproduction.verdicts import Outcome, Step, judge, stated
from topoloom.spec import FAMILIES, Facts, build


def slim_flies(most: int) -> dict[int, Facts]:
    """The facts of every Slim Fly with q up to `most`."""
    found = {}
    for q in range(3, most + 1):
        with suppress(InputError):
            found[q] = FAMILIES.find("slimfly").known({"q": q})
    return found


@claim(
    "besta-2014/ii-b/mms",
    "MMS graphs: 2 q^2 switches, degree (3q - delta)/2, diameter 2, every prime power q = 4w + delta",
    "holds",
    "topoloom info slimfly:q=19",
)
def _mms() -> Outcome:
    wrong = 0
    flies = slim_flies(37)
    for q in flies:
        topology, delta = build(f"slimfly:q={q}"), {0: 0, 1: 1, 3: -1}[q % 4]
        regular = set(topology.degrees.tolist()) == {(3 * q - delta) // 2}
        wrong += not (topology.switches == 2 * q * q and regular and measured(f"slimfly:q={q}").diameter == 2)
    return stated(
        {"every one of the 18 fields up to 37 gives such a graph": not wrong and len(flies) == 18},
        f"fields {len(flies)}, of which {wrong} fail",
        wrong=True,
    )


@claim(
    "besta-2014/ii-b/concentration",
    "balanced concentration p = k' N_r / (2 N_r - k' - 2), about ceil(k'/2): q = 19 has p = 15",
    "15",
    "topoloom info slimfly:q=19",
)
def _concentration() -> Outcome:
    exact = full_bandwidth_hosts(build("slimfly:q=19"))
    return judge(
        {"p": 15},
        {"p": build("slimfly:q=19,hosts=full").endpoints_at.max()},
        assumption=f"15 is ceil(k'/2); the formula itself gives {exact:.3f}",
    )


@claim(
    "besta-2014/ii-b/ports",
    "about 67 % of each router's ports connect to the network, 33 % to endpoints",
    "67, 33 %",
    "topoloom info slimfly:q=19,hosts=15",
)
def _ports() -> Outcome:
    flies = slim_flies(256)
    shares = {
        q: 100 * (flies[q].degree or 0) / ((flies[q].degree or 0) + (flies[q].full_hosts or 0)) for q in (19, 256)
    }
    return judge(
        {"network %": "67", "endpoints %": "33"},
        {"network %": shares[19], "endpoints %": 100 - shares[19]},
        step=Step(1.0, "a per cent, for 'about'"),
        digits=4,
        assumption="q = 19, of 29 + 15 ports; p = ceil(k'/2), of which two thirds are the limit: with q = 256"
        f" {shares[256]:.1f} and {100 - shares[256]:.1f}",
    )
