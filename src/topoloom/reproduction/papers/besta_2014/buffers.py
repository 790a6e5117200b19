"""Claims of Besta 2014's Figure 8: buffers of several sizes, and Slim Fly with more hosts than its links carry at once."""

from itertools import pairwise

from msgspec import structs

from topoloom.figures.curves import Curves
from topoloom.reproduction._load_curves import (
    Contender,
    accepted,
    latency_figure,
    listed,
    not_below,
    routed,
    saturates,
    stated,
    swept,
)
from topoloom.reproduction.papers.besta_2014.loads import FULL, SMALL, Size
from topoloom.reproduction.registry import Outcome, claim, judge
from topoloom.simulator.load_curve import LoadCurve
from topoloom.simulator.presets import find_preset
from topoloom.traffic import uniform
from topoloom.traffic.loads import table_loads

BUFFERS = (8, 16, 32, 64, 128, 256)
_BUFFER_LOADS = (0.2, 0.4, 1.0)
#: The paper's numbers are multiples of 2.5 %.
_WIDTH = 0.025
#: Hosts a switch, and what the paper says that the network accepts.
_FULL_HOSTS = {15: 0.875, 16: 0.8, 18: 0.75}
#: The balanced small network, and with a quarter and a half more hosts.
_SMALL_HOSTS = (4, 5, 6)


def buffered(size: Size) -> dict[int, LoadCurve]:
    """UGAL-L in the worst case, by flits a port."""
    preset = find_preset("slimfly-2014")
    contender = size.contender("SF-UGAL-L")
    return {
        flits: swept(contender, "worst-case", _BUFFER_LOADS, structs.replace(preset, buffer_flits=flits))
        for flits in BUFFERS
    }


def _buffer_figure(size: Size) -> Curves:
    name = f"besta-2014-figure-8a{size.suffix.replace('/', '-')}"
    named = {f"{flits} flits": curve for flits, curve in buffered(size).items()}
    return latency_figure(name, "Worst case, UGAL-L, by flits a port", named)


def _more(size: Size) -> Outcome:
    got = {flits: accepted(curve) for flits, curve in buffered(size).items()}
    return stated(
        {f"{more} flits carry no less than {few}": not_below(got[more], got[few]) for few, more in pairwise(BUFFERS)}
        | {"256 flits carry more than 8": got[256] > got[8]},
        f"accepted at full load, by flits a port: {listed((str(f), v) for f, v in got.items())}",
        f"UGAL-L; the print does not name the protocol; {size.told}",
        _buffer_figure(size),
    )


def _less(size: Size) -> Outcome:
    found = {flits: curve.points[1] for flits, curve in buffered(size).items()}
    over = {flits: curve.points[-1] for flits, curve in buffered(size).items()}
    steady = [flits for flits, point in found.items() if not point.saturated]
    told = (
        f"cycles at a load of {_BUFFER_LOADS[1]:g}, by flits a port:"
        f" {listed(((str(f), p.latency_mean) for f, p in found.items() if not p.saturated), '{:.1f}'.format)}; saturated with"
        f" {', '.join(str(f) for f in BUFFERS if f not in steady) or 'none'}. From injection at full load:"
        f" {listed(((str(f), p.network_mean) for f, p in over.items()), '{:.0f}'.format)}"
    )
    fewest, most = min(steady, default=BUFFERS[-1]), BUFFERS[-1]
    return stated(
        {
            f"the smallest buffer, {BUFFERS[0]} flits, is not saturated": BUFFERS[0] in steady,
            "the smallest that is not saturated has less latency than the largest": found[fewest].latency_mean
            < found[most].latency_mean,
        },
        told,
        f"UGAL-L; the print does not name the protocol; below saturation buffers are nearly empty; {size.told}",
        _buffer_figure(size),
    )


def _oversubscribed(base: str, hosts: int) -> Contender:
    return Contender(f"p = {hosts}", f"{base.partition(',')[0]},hosts={hosts}", "hop-lanes")


def _busiest(contender: Contender) -> float:
    """The load at which the busiest channel is full when packets go by the tables, uniformly."""
    routing = routed(contender.spec, contender.engine)
    return 1 / float(table_loads(routing, uniform(routing.topology)).channels.max())


def _declines() -> Outcome:
    found = {h: saturates(_oversubscribed(SMALL.slimfly, h), "uniform", (1.0,), _WIDTH) for h in _SMALL_HOSTS}
    most = {h: _busiest(_oversubscribed(SMALL.slimfly, h)) for h in _SMALL_HOSTS}
    few, more, many = _SMALL_HOSTS
    return stated(
        {
            "fewer hosts a switch carry more each": found[few] > found[more] > found[many],
            "none carries more than its busiest channel": all(found[h] <= most[h] for h in _SMALL_HOSTS),
        },
        f"saturates at {listed((f'p = {h}', found[h]) for h in _SMALL_HOSTS)}; the busiest channel is full at"
        f" {listed((f'p = {h}', most[h]) for h in _SMALL_HOSTS)}",
        f"MIN, q = 5, which is balanced with p = 4; 87.5, 80 and 75 % are for q = 19 (--full); to {_WIDTH:g}",
    )


claim(
    "besta-2014/fig-8a/bandwidth",
    "worst case: larger buffers enable higher bandwidth, 8 to 256 flits a port",
    "higher",
    SMALL.contender("SF-UGAL-L").command("worst-case", " --set buffer_flits=256 --loads 0.2,0.4,1"),
)(lambda: _more(SMALL))
claim(
    "besta-2014/fig-8a/latency",
    "worst case: smaller buffers result in lower latency, 8 to 256 flits a port",
    "lower",
    SMALL.contender("SF-UGAL-L").command("worst-case", " --set buffer_flits=8 --loads 0.2,0.4,1"),
)(lambda: _less(SMALL))
claim(
    "besta-2014/fig-8a/bandwidth/full",
    "worst case: larger buffers enable higher bandwidth, 8 to 256 flits a port",
    "higher",
    FULL.contender("SF-UGAL-L").command("worst-case", " --set buffer_flits=256 --loads 0.2,0.4,1"),
    full=True,
)(lambda: _more(FULL))
claim(
    "besta-2014/fig-8a/latency/full",
    "worst case: smaller buffers result in lower latency, 8 to 256 flits a port",
    "lower",
    FULL.contender("SF-UGAL-L").command("worst-case", " --set buffer_flits=8 --loads 0.2,0.4,1"),
    full=True,
)(lambda: _less(FULL))
claim(
    "besta-2014/fig-8/oversubscribed",
    "random traffic: more hosts a switch than links carry at once, and what each gets",
    "less",
    _oversubscribed(SMALL.slimfly, 5).command("uniform", f" --loads 1 --saturation --width {_WIDTH:g}"),
)(_declines)


def _register(hosts: int, published: float) -> None:
    contender = _oversubscribed(FULL.slimfly, hosts)

    @claim(
        f"besta-2014/fig-8/p-{hosts}/full",
        f"random traffic, q = 19, p = {hosts}: the load that saturates the network",
        f"{published:.1%}",
        contender.command("uniform", f" --loads 1 --saturation --width {_WIDTH:g}"),
        full=True,
    )
    def compute() -> Outcome:
        curve = swept(contender, "uniform", (1.0,))
        most = _busiest(contender)
        return judge(
            {"saturates at": published},
            {
                "saturates at": saturates(contender, "uniform", (1.0,), _WIDTH),
                "accepted at full load": accepted(curve),
                "the busiest channel is full at": most,
            },
            tolerance=_WIDTH,
            digits=3,
            assumption=f"MIN; the print does not name the protocol; to {_WIDTH:g}",
            reason=f"MIN; the print does not name the protocol. The tables load their busiest channel so that it is full at"
            f" {most:.3f}; how the paper chooses among shortest paths is not printed",
        )


for _hosts, _published in _FULL_HOSTS.items():
    _register(_hosts, _published)
