"""What decides a simulated time, said out loud: rates, delays, the network model, the collectives, how computation counts."""

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from topoloom.errors import InputError, hint

MODELS = ("plain", "smpi")
DUPLEX = ("full", "half")
SELECTORS = ("default", "ompi", "mpich", "mvapich2", "impi")
COMPUTATION = ("none", "measured")


@dataclass(frozen=True)
class Settings:
    """The machine and the model.

    Attributes
    ----------
    rate_gbps, host_rate_gbps : float
        Of a link between switches, and of a host's link, in each direction; 0 for the hosts': the same.
    duplex : str
        ``full``: a link carries its rate each way at once; ``half``: both ways share it, as links in SimGrid's platform files
        do unless they say otherwise.
    switch_ns, cable_ns_per_m, link_ns, host_link_ns : float
        What delays a message: each switch that it passes, each metre of cable, each link besides its length, and each of the
        two hosts' links.
    cable_m : float
        How long every cable is; negative: as the layout has it, 0 without a layout.
    speed_gflops : float
        Of a rank.
    model : str
        ``plain``: a message of b bytes takes the delays and b over the rate of the fullest link on its way, which all
        messages there share evenly, however far they go.
        ``smpi``: SimGrid's own factors, fitted to a cluster with Ethernet, and its shares, which favour short delays.
    collectives : str
        The selector of collective algorithms; ``default`` is SimGrid's own.
    algorithms : str
        Algorithms chosen one by one, over the selector: ``alltoall:pair,allreduce:rab``. Unless chosen otherwise, all-to-alls
        go round a ring of partners, and sums are made by recursive doubling and binomial trees: SimGrid's own send to all at
        once, which is slow to simulate, and have rank 0 gather from all, whose link then decides alone.
    ahead_bytes : float
        Messages of fewer bytes travel as soon as they are sent; the others once their receive is posted. 0, all wait so, is
        SimGrid's own; in MPI libraries it is the eager limit. A send of less than 64 KiB returns at once either way.
    computation : str
        Of programs that are compiled: ``none``, but for what they charge themselves, or ``measured``, the time that this
        machine takes, times `own_gflops` over the speed.
    own_gflops : float
        What this machine computes, for ``measured``.
    poll_ns : float
        What MPI_Test, MPI_Iprobe and MPI_Wtime take in programs of the user's, where the model is ``plain``: a loop that waits
        by them would else last for ever, as no time passes in it.
    loop_gbps, loop_ns : float
        Between ranks of one host.

    Source: Truong 2016 section 6.1 for 40 Gb/s, 200 ns and 100 Gflop/s.
    """

    rate_gbps: float = 40.0
    host_rate_gbps: float = 0.0
    duplex: str = "full"
    switch_ns: float = 200.0
    cable_ns_per_m: float = 5.0
    link_ns: float = 0.0
    host_link_ns: float = 0.0
    cable_m: float = -1.0
    speed_gflops: float = 100.0
    model: str = "plain"
    collectives: str = "default"
    algorithms: str = "alltoall:ring,alltoallv:ring,allreduce:rdb,reduce:binomial"
    ahead_bytes: float = 0.0
    computation: str = "none"
    own_gflops: float = 1.0
    poll_ns: float = 10.0
    loop_gbps: float = 400.0
    loop_ns: float = 100.0

    def __post_init__(self) -> None:
        if not (self.cable_m == -1 or 0 <= self.cable_m < float("inf")):
            raise InputError(f"cable_m={self.cable_m:g}: it must be 0 or more, or -1 for the layout's lengths")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if name in _DELAYS and 0 < value < _SHORTEST_NS:
                raise InputError(
                    f"{name}={value:g}: it must be 0, or {_SHORTEST_NS:g} or more, which SimGrid can tell from 0"
                )
            if not (value > 0 if least else value >= 0) or value == float("inf"):
                raise InputError(f"{name}={value:g}: it must be a number {'above 0' if least else 'from 0 on'}")
        if self.ahead_bytes > _DETACHED:
            raise InputError(f"ahead_bytes={self.ahead_bytes:g}: SimGrid takes at most {_DETACHED}")
        for name, known in (
            ("duplex", DUPLEX),
            ("model", MODELS),
            ("collectives", SELECTORS),
            ("computation", COMPUTATION),
        ):
            if getattr(self, name) not in known:
                raise InputError(f"{name}={getattr(self, name)}: {hint(getattr(self, name), known)}")
        for part in _parts(self.algorithms):
            operation, sign, algorithm = part.partition(":")
            if sign and operation not in _OPERATIONS:
                raise InputError(
                    f"algorithms={self.algorithms}: no operation {operation[:40]}; {hint(operation, _OPERATIONS)}"
                )
            if not (sign and algorithm):
                raise InputError(f"algorithms={self.algorithms}: write operation:algorithm,..., as in alltoall:pair")

    @property
    def words(self) -> dict[str, Any]:
        """All of it, as plain values."""
        return asdict(self)

    def options(self, *, replay: bool, polls: bool = False) -> list[str]:
        """SimGrid's own options that say the same; with `polls` asking for messages and for the time takes time."""
        poll_s = self.poll_ns * 1e-9 if polls else 0.0
        chosen = [
            "smpi/display-timing:yes",
            "surf/precision:1e-12",
            "network/crosstraffic:0",
            f"smpi/async-small-thresh:{self.ahead_bytes:.0f}",
            "smpi/simulate-computation:yes",
            f"smpi/host-speed:{self.own_gflops * 1e9:.17g}f",
        ]
        if replay or self.computation == "none":
            # What programs and traces charge counts; what happens between two calls is not measured.
            chosen.append("smpi/cpu-threshold:1e30")
        if self.model == "plain":
            chosen += [
                "network/model:CM02",
                "network/bandwidth-factor:1",
                "network/weight-S:0",
                "network/TCP-gamma:0",
                "smpi/lat-factor:1",
                "smpi/bw-factor:1",
                "smpi/or:0:0:0",
                "smpi/os:0:0:0",
                "smpi/ois:0:0:0",
                "smpi/init:0",
                *(f"smpi/{call}:{poll_s:g}" for call in ("test", "iprobe", "wtime")),
            ]
        if self.collectives != "default":
            chosen.append(f"smpi/coll-selector:{self.collectives}")
        chosen += [f"smpi/{part}" for part in _parts(self.algorithms)]
        return [f"--cfg={option}" for option in chosen]


#: Collective operations whose algorithms SimGrid lets choose.
_OPERATIONS = (
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "barrier",
    "bcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
)
#: A send of fewer bytes returns at once, in SimGrid.
_DETACHED = 1 << 16
#: The shortest delay that is not lost in SimGrid's precision, and what delays.
_SHORTEST_NS = 0.1
_DELAYS = frozenset({"switch_ns", "link_ns", "host_link_ns", "loop_ns"})
#: Which numbers must be above 0.
_LEAST = {
    "rate_gbps": True,
    "host_rate_gbps": False,
    "switch_ns": False,
    "cable_ns_per_m": False,
    "link_ns": False,
    "host_link_ns": False,
    "speed_gflops": True,
    "own_gflops": True,
    "loop_gbps": True,
    "loop_ns": False,
    "ahead_bytes": False,
    "poll_ns": True,
}


def _parts(algorithms: str) -> list[str]:
    return [part.strip() for part in algorithms.split(",") if part.strip()]


#: What the papers say of their own simulations; what they do not say is our choice.
PRESETS = {
    "truong-2016": Settings(),
    "nakano-2016": Settings(cable_m=5.0, collectives="mvapich2", algorithms="", switch_ns=60.0),
    "xu-2019": Settings(rate_gbps=1.0, switch_ns=0.0, link_ns=30_000.0, host_link_ns=30_000.0, speed_gflops=8.0),
}


def changed(settings: Settings, changes: dict[str, str]) -> Settings:
    """Settings with some of them read from text: ``{"rate_gbps": "100"}``.

    Algorithms are changed one by one, the others stay; no text takes them all away.

    Raises
    ------
    InputError
        A name that there is not, or a value that is none.
    """
    kinds = {field.name: field.type for field in fields(Settings)}
    values: dict[str, Any] = {}
    for key, text in changes.items():
        if key not in kinds:
            raise InputError(f"no setting '{key[:60]}'; {hint(key, kinds)}")
        if kinds[key] in (float, "float"):
            try:
                values[key] = float(text)
            except ValueError:
                raise InputError(f"{key}={text[:60]}: a number is needed") from None
        elif key == "algorithms" and text:
            values[key] = ",".join(_merged(settings.algorithms, text))
        else:
            values[key] = text
    return replace(settings, **values)


def _merged(before: str, changes: str) -> list[str]:
    """What is chosen for each operation, the changes last."""
    chosen = {part.partition(":")[0]: part for part in (*_parts(before), *_parts(changes))}
    return list(chosen.values())
