"""The settings that determine a simulated time: rates, delays, the network model, collectives, and how computation counts."""

import math
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from topoloom.core.errors import InputError, hint
from topoloom.core.register import Register
from topoloom.core.settings import Settings, changed, setting, shown

#: Collective operations whose algorithm can be chosen in SimGrid.
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
#: In SimGrid, a send of fewer bytes returns at once.
DETACHED = 1 << 16
#: The shortest delay that SimGrid's precision can represent, and the settings that are delays.
_SHORTEST_NS = 0.1
_DELAYS = ("switch_ns", "link_ns", "host_link_ns", "loopback_ns")


class AppSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The machine and the network model for an MPI program.

    Each setting is described in its annotation, in ``topoloom app --help`` and in docs/how-to/run-applications.md. The
    defaults are those of Truong et al. 2016, section 6.1 (40 Gb/s, 200 ns per switch, 100 Gflop/s), and topoloom's own where
    the paper gives no value.

    Raises
    ------
    InputError
        A value of the wrong type or out of its range.
    """

    group: ClassVar[str] = "simulation"

    rate_gbps: Annotated[float, setting("rate of a link between switches, in each direction", unit="Gb/s", above=0)] = (
        40.0
    )
    host_rate_gbps: Annotated[float, setting("rate of a host's link; 0: same as rate_gbps", unit="Gb/s", least=0)] = 0.0
    duplex: Annotated[
        Literal["full", "half"],
        setting(
            "full: a link carries its rate in each direction; half: both directions share it, as in SimGrid's own files"
        ),
    ] = "full"
    switch_ns: Annotated[float, setting("delay of each switch that a message passes", unit="ns", least=0)] = 200.0
    cable_ns_per_m: Annotated[float, setting("delay per metre of cable", unit="ns/m", least=0)] = 5.0
    link_ns: Annotated[float, setting("delay of each link in addition to that of its length", unit="ns", least=0)] = 0.0
    host_link_ns: Annotated[float, setting("delay of each of the two hosts' links", unit="ns", least=0)] = 0.0
    cable_m: (
        Annotated[
            float, setting("length of every cable; none: as in the layout, 0 without a layout", unit="m", least=0)
        ]
        | None
    ) = None
    speed_gflops: Annotated[float, setting("speed of a rank", unit="Gflop/s", above=0)] = 100.0
    model: Annotated[
        Literal["plain", "smpi"],
        setting(
            "plain: the delays, plus bytes over the rate of the fullest link, which messages share fairly; smpi: SimGrid's"
            " own factors, fitted to an Ethernet cluster, and its sharing, which favours short delays"
        ),
    ] = "plain"
    collectives: Annotated[
        Literal["default", "ompi", "mpich", "mvapich2", "impi"],
        setting("selector of collective algorithms; default is SimGrid's own"),
    ] = "default"
    algorithms: Annotated[
        str,
        setting("algorithms of single collectives, which override the selector", example="alltoall:pair,allreduce:rab"),
    ] = "alltoall:ring,alltoallv:ring,allreduce:rdb,reduce:binomial"
    eager_bytes: Annotated[
        float,
        setting(
            "messages of fewer bytes are sent at once (MPI's eager limit); 0: all wait for their receive, as in"
            " SimGrid",
            unit="bytes",
            least=0,
            most=DETACHED,
        ),
    ] = 0.0
    computation: Annotated[
        Literal["none", "measured"],
        setting("of compiled programs: none, except what they declare; or measured on this machine"),
    ] = "none"
    machine_gflops: Annotated[
        float, setting("speed of this machine, where computation is measured", unit="Gflop/s", above=0)
    ] = 1.0
    poll_ns: Annotated[
        float,
        setting(
            "time of MPI_Test, MPI_Iprobe and MPI_Wtime in users' programs, so that polling loops end",
            unit="ns",
            above=0,
        ),
    ] = 10.0
    loopback_gbps: Annotated[float, setting("rate between ranks of one host", unit="Gb/s", above=0)] = 400.0
    loopback_ns: Annotated[float, setting("delay between ranks of one host", unit="ns", least=0)] = 100.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in self.values.items():
            if value == math.inf:
                raise InputError(f"simulation: {name}=inf; it must be finite")
        for name in _DELAYS:
            if 0 < getattr(self, name) < _SHORTEST_NS:
                raise InputError(
                    f"simulation: {name}={getattr(self, name):g}; it must be 0, or at least {_SHORTEST_NS:g}, the shortest"
                    " delay that SimGrid can represent"
                )
        for part in _parts(self.algorithms):
            operation, colon, algorithm = part.partition(":")
            if colon and operation not in _OPERATIONS:
                raise InputError(
                    f"simulation: algorithms={shown(self.algorithms)}; unknown operation {operation[:40]}"
                    f" ({hint(operation, _OPERATIONS)})"
                )
            if not (colon and algorithm):
                raise InputError(
                    f"simulation: algorithms={shown(self.algorithms)}; write operation:algorithm,..., as in alltoall:pair"
                )

    @property
    def values(self) -> dict[str, Any]:
        """All settings, as plain values."""
        return msgspec.structs.asdict(self)

    def options(self, *, replay: bool, polls: bool = False) -> list[str]:
        """Return the equivalent options of SimGrid; with `polls`, testing for messages and reading the time take time."""
        poll_s = self.poll_ns * 1e-9 if polls else 0.0
        chosen = [
            "smpi/display-timing:yes",
            "surf/precision:1e-12",
            "network/crosstraffic:0",
            f"smpi/async-small-thresh:{self.eager_bytes:.0f}",
            "smpi/simulate-computation:yes",
            f"smpi/host-speed:{self.machine_gflops * 1e9:.17g}f",
        ]
        if replay or self.computation == "none":
            # Only declared computation counts; the time between two calls is not measured.
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


def _parts(algorithms: str) -> list[str]:
    return [part.strip() for part in algorithms.split(",") if part.strip()]


#: The settings that papers state for their simulations; where they state nothing, the values are topoloom's choice.
PRESETS: Register[AppSettings] = Register(
    "preset of applications", group="topoloom.app_settings", listed="topoloom app --help"
)
PRESETS.add("truong-2016", AppSettings(), aliases=("truong-2016",))
PRESETS.add("nakano-2016", AppSettings(cable_m=5.0, collectives="mvapich2", algorithms="", switch_ns=60.0))
PRESETS.add(
    "xu-2019", AppSettings(rate_gbps=1.0, switch_ns=0.0, link_ns=30_000.0, host_link_ns=30_000.0, speed_gflops=8.0)
)


def with_changes(settings: AppSettings, changes: Iterable[str]) -> AppSettings:
    """Return settings with some of them changed by texts ``KEY=VALUE``.

    Algorithms are changed one by one, and the others stay; ``algorithms=`` removes all, a leading comma removes the others.

    Raises
    ------
    InputError
        An unknown key, or a value of the wrong type or out of range.

    Examples
    --------
    >>> with_changes(AppSettings(), ["rate_gbps=100", "algorithms=reduce:flat_tree"]).algorithms
    'alltoall:ring,alltoallv:ring,allreduce:rdb,reduce:flat_tree'
    >>> with_changes(AppSettings(), ["algorithms=,reduce:flat_tree"]).algorithms
    'reduce:flat_tree'
    """
    for text in changes:
        name, _, value = (part.strip() for part in text.partition("="))
        if name == "algorithms" and value:
            before = "" if value.startswith(",") else settings.algorithms
            text = f"algorithms={','.join(_merged(before, value))}"
        settings = changed(settings, [text])
    return settings


def _merged(before: str, changes: str) -> list[str]:
    """Return the chosen algorithm of each operation; changes override earlier choices."""
    chosen = {part.partition(":")[0]: part for part in (*_parts(before), *_parts(changes))}
    return list(chosen.values())
