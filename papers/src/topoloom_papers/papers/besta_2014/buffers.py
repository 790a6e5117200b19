"""Claims of Besta 2014's Figure 8: several buffer sizes, and Slim Fly with more hosts than its links can carry."""

from collections.abc import Callable
from itertools import pairwise

from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.traffic.loads import table_loads
from topoloom_papers._load_curves import (
    Contender,
    LoadPoint,
    latency_figure,
    mean_and_all,
    not_below,
    saturates_or_deadlocks,
    swept,
)
from topoloom_papers.curves import Curves
from topoloom_papers.papers.besta_2014.loads import SETUP_NOTE, SLIMFLY, WIDTH
from topoloom_papers.papers.besta_2014.loads import curves as figure_6
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare, listed

BUFFERS = (8, 16, 32, 64, 128, 256)
#: A second reading: 8 to 64 flits per virtual channel, of which UGAL has four.
_PER_VC = 4
#: The loads of figure 8a's axis, and full load.
_BUFFER_LOADS = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 1.0)
#: Hosts per switch, and the published saturation load.
_HOSTS = {15: 0.875, 16: 0.8, 18: 0.75}
_PANELS = {16: ("b", "c"), 18: ("d", "e")}
_AXES = {"uniform": (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), "worst-case": (0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 1.0)}
_PROTOCOLS = {"MIN": "hop-vcs", "VAL": "valiant", "UGAL-L": "ugal-l"}
#: How shortest paths use the three virtual channels: one per hop, or any of them. For paths of two hops both are possible.
_VIRTUAL_CHANNELS = {"one virtual channel per hop": "hop-vcs", "any virtual channel": "minimal"}


def _buffered(flits: int) -> Contender:
    return Contender(f"{flits} flits", SLIMFLY, "ugal-l", (f"buffer_flits={flits}",))


def _by_buffer(per: int = 1) -> dict[int, list[LoadPoint]]:
    """Load curves of UGAL-L under worst-case traffic, by buffer size in flits per port (or, per = 4, per virtual channel)."""
    sizes = [flits for flits in BUFFERS if per * flits <= BUFFERS[-1]]
    return {flits: swept(_buffered(per * flits), "worst-case", _BUFFER_LOADS) for flits in sizes}


def _buffer_figure() -> Curves:
    named = {f"{flits} flits": curve[:-1] for flits, curve in _by_buffer().items()}
    return latency_figure("besta-2014-figure-8a", "Worst case, UGAL-L, by flits per port", named, network=True)


def _in_best_reading(statements: Callable[[int], dict[str, bool]], numbers: Callable[[int], str], note: str) -> Outcome:
    """The outcome in the reading with fewer statements that fail: flits per port, or per virtual channel."""
    readings = {"port": 1, "virtual channel": _PER_VC}
    failing = {name: sum(not holds for holds in statements(per).values()) for name, per in readings.items()}
    best = min(failing, key=lambda name: failing[name])
    return check_statements(
        statements(readings[best]),
        f"by flits per {best}: {numbers(readings[best])}",
        f"UGAL-L; the paper does not name the protocol; {note}",
        readings=len(readings),
        figure=_buffer_figure(),
        details=f"{'; '.join(f'flits per {name}: {numbers(per)}' for name, per in readings.items())}; {SETUP_NOTE}",
    )


def _buffer_command(flits: int) -> str:
    loads = ",".join(f"{load:g}" for load in _BUFFER_LOADS)
    return _buffered(flits).command("worst-case", f" --loads {loads}")


@claim(
    "besta-2014/fig-8a/bandwidth",
    "worst case: larger buffers enable higher bandwidth, 8 to 256 flits per port",
    "higher",
    _buffer_command(256),
)
def _higher_bandwidth() -> Outcome:
    def accepted(per: int) -> dict[int, float]:
        return {flits: curve[-1].accepted for flits, curve in _by_buffer(per).items()}

    def statements(per: int) -> dict[str, bool]:
        got = accepted(per)
        rising = {
            f"{more} flits carry no less than {few}": not_below(got[more], got[few]) for few, more in pairwise(got)
        }
        return rising | {f"{max(got)} flits carry more than {min(got)}": got[max(got)] > got[min(got)]}

    return _in_best_reading(
        statements,
        lambda per: f"accepted at full load {listed((str(f), v) for f, v in accepted(per).items())}",
        "flits per port, or per virtual channel",
    )


@claim(
    "besta-2014/fig-8a/latency",
    "worst case: smaller buffers result in lower latency, 8 to 256 flits per port",
    "lower",
    _buffer_command(8),
)
def _lower_latency() -> Outcome:
    def latencies(per: int) -> dict[int, list[float]]:
        return {flits: [point.network_mean or 0.0 for point in curve[:-1]] for flits, curve in _by_buffer(per).items()}

    def statements(per: int) -> dict[str, bool]:
        cycles = latencies(per)
        rising = {
            f"at a load of 0.5, {few} flits take less than {more}": cycles[few][-1] < cycles[more][-1]
            for few, more in pairwise(cycles)
        }
        least, most = min(cycles), max(cycles)
        always = all(few < many for few, many in zip(cycles[least], cycles[most], strict=True))
        return rising | {f"{least} flits take less than {most} at every load": always}

    return _in_best_reading(
        statements,
        lambda per: f"cycles at 0.5 {listed(((str(f), each[-1]) for f, each in latencies(per).items()), '{:.1f}')}",
        "latency from injection, as beyond saturation the queue at a source grows without limit",
    )


def _slimfly(hosts: int, engine: str, name: str = "") -> Contender:
    return Contender(name or f"p = {hosts}", f"{SLIMFLY.partition(',')[0]},hosts={hosts}", engine)


def _curves(hosts: int, traffic: str) -> dict[str, list[LoadPoint]]:
    """The curves of a panel of figure 8 b to e, or the same with 15 hosts per switch."""
    return {
        f"SF-{name}": swept(_slimfly(hosts, engine), traffic, _AXES[traffic]) for name, engine in _PROTOCOLS.items()
    }


def _panel(hosts: int, traffic: str) -> Curves | None:
    if hosts not in _PANELS:
        return None
    part = _PANELS[hosts][traffic == "worst-case"]
    title = f"{'Worst case' if traffic == 'worst-case' else 'Random traffic'}, p = {hosts}"
    return latency_figure(f"besta-2014-figure-8{part}", title, _curves(hosts, traffic))


def _channel_bound(hosts: int) -> float:
    """The load at which the maximum channel load reaches 1, for uniform traffic routed by the tables.

    As in the simulation a host also sends to the others of its switch, which takes no channel.
    """
    routing = _slimfly(hosts, "hop-vcs").routed
    number = routing.topology.hosts
    remote = (number - hosts) / (number - 1)
    return 1 / (remote * float(table_loads(routing, uniform_remote(routing.topology)).channels.max()))


def _at_full_load(hosts: int) -> dict[str, float]:
    """Accepted load per protocol at full offered load, uniform traffic; for the balanced network from figure 6a."""
    curves = figure_6("a") if hosts not in _PANELS else _curves(hosts, "uniform")
    return {name: curves[name][-1].accepted for name in (f"SF-{protocol}" for protocol in _PROTOCOLS)}


def _register(hosts: int, published: float) -> None:
    place = f"fig-8{_PANELS[hosts][0]}" if hosts in _PANELS else "fig-8"

    @claim(
        f"besta-2014/{place}/p-{hosts}",
        f"random traffic, q = 19, p = {hosts}: the load that saturates the network",
        f"{published:.1%}",
        _slimfly(hosts, "hop-vcs").command("uniform", f" --loads 1 --saturation --saturation-width {WIDTH:g}"),
    )
    def compute() -> Outcome:
        saturation = {}
        for name, engine in _VIRTUAL_CHANNELS.items():
            loads = saturates_or_deadlocks(_slimfly(hosts, engine), "uniform", WIDTH)
            if None not in loads:
                saturation[name] = mean_and_all([load for load in loads if load is not None])
        deadlocked = "".join(
            f"; with {name} packets deadlock before that" for name in _VIRTUAL_CHANNELS if name not in saturation
        )
        nearest = min(saturation, key=lambda name: abs(saturation[name][0] - published))
        bound = _channel_bound(hosts)
        each = "; ".join(f"with {name}, seeds 1 to 3: {loads}" for name, (_, loads) in saturation.items())
        note = (
            f"MIN; the paper does not name the protocol; {each}{deadlocked}; accepted at full load"
            f" {listed(_at_full_load(hosts).items())}: saturation was searched for MIN only"
        )
        return compare(
            {"saturates at": f"{published:.3f}"},
            {"saturates at": saturation[nearest][0], "maximum channel load of 1 at": bound},
            step=Step(WIDTH, "of our search"),
            readings=len(_VIRTUAL_CHANNELS),
            digits=3,
            assumption=note,
            details=SETUP_NOTE,
            reason=f"{note}. With our tables the maximum channel load reaches 1 at {bound:.3f}; the paper does not state how"
            " it chooses among shortest paths",
            figure=_panel(hosts, "uniform"),
        )


for _hosts, _published in _HOSTS.items():
    _register(_hosts, _published)


def _worst(hosts: int) -> None:
    part = _PANELS[hosts][1]

    @claim(
        f"besta-2014/fig-8{part}/p-{hosts}",
        f"worst case, p = {hosts}: bandwidth behaves as for random traffic, a little less than with p = 15",
        "similarly",
        _slimfly(hosts, "ugal-l").command("worst-case", " --loads 1"),
    )
    def compute() -> Outcome:
        accepted = {p: {n: points[-1].accepted for n, points in _curves(p, "worst-case").items()} for p in (15, hosts)}
        names = ("SF-VAL", "SF-UGAL-L")
        # The same links for more hosts: the load per host may fall in proportion, and by a tenth more.
        least = {name: 0.9 * accepted[15][name] * 15 / hosts for name in names}
        return check_statements(
            {
                f"{name} carries at most what it carries with p = 15, and loses at most in proportion to the hosts": least[
                    name
                ]
                <= accepted[hosts][name]
                <= accepted[15][name] + WIDTH / 2
                for name in names
            },
            f"accepted at full load: {'; '.join(f'p = {p}: {listed(loads.items())}' for p, loads in accepted.items())}",
            f"at least 15/{hosts} of the load with p = 15, less a tenth",
            details=SETUP_NOTE,
            figure=_panel(hosts, "worst-case"),
        )


for _hosts in _PANELS:
    _worst(_hosts)
