"""Declarations that several operations share: one name, one meaning, one range and one default each."""

import re
from collections.abc import Callable
from typing import Annotated, Literal

from topoloom.core.settings import setting

#: The seed of random draws: NumPy's and METIS's take no more than 31 bits.
MOST_SEED = (1 << 31) - 1
SEED = 1
Seed = Annotated[int, setting("seed of all random draws", least=0, most=MOST_SEED)]

#: The network of an operation.
Source = Annotated[str, setting("a spec, a file or a folder", positional=True, names="file")]

#: The format of a file, where neither its suffix nor its content states it.
SourceFormat = Annotated[
    str, setting("the format of the file; by its suffix and its content if omitted", option="--from", metavar="FORMAT")
]
SourceFormats = Annotated[
    tuple[str, ...],
    setting(
        "the format of the discovery; give it twice, for PLAN and for the discovery, or `auto` for one of them; by suffix and"
        " content if omitted",
        option="--from",
        metavar="FORMAT",
    ),
]

#: What the columns of a sheet have.
SheetColumns = Annotated[
    str,
    setting(
        "the columns of a sheet whose heads are not known, by their heads or letters, as in"
        " a_device=From,a_port=B,b_device=To,b_port=D; also a_rack, a_unit, a_type, a_mtu, a_fec, a_rate, mtu, fec, rate,"
        " length, part, heads (their row)",
        metavar="FIELD=COLUMN,...",
    ),
]
Management = Annotated[
    bool, setting("include the cables of ports for management (eth0, mgmt0, Management1) in neighbour tables (LLDP)")
]
HcaMapping = Annotated[
    str,
    setting(
        "a CSV of port,hca-name: the adapters in an InfiniBand sheet, by number; mlx5_0 for 1, mlx5_1 for 2 if omitted",
        metavar="FILE",
        names="file",
    ),
]

#: The discoveries of planes, each a subnet.
Planes = Annotated[
    tuple[str, ...],
    setting(
        "the discovery of one plane, in place of one of the whole network; once per plane", metavar="FILE", names="file"
    ),
]

#: The planned network.
Plan = Annotated[str, setting("the plan: a spec, a file or a folder", positional=True, names="file")]

#: Ports of a switch; the largest directors have fewer than 4096.
MOST_PORTS = 4096
Radix = Annotated[int, setting("ports of a switch", least=2, most=MOST_PORTS)]

#: Links of a switch.
Degree = Annotated[int, setting("links per switch", least=0)]

#: Virtual lanes for data of a switch: VL0 to VL14 (InfiniBand Architecture Specification 1.7, 7.6.3).
DATA_VLS = 15
DataVls = Annotated[int, setting("virtual lanes for data of a switch", least=1, most=255)]

#: The routing engine, and the virtual channels that it may use.
Engine = Annotated[
    str,
    setting(
        "the routing engine; if omitted, the tables in the network's folder, else the engine that fits the network"
    ),
]
MOST_VIRTUAL_CHANNELS = 255
VirtualChannels = Annotated[
    int, setting("most virtual channels; as many as the engine uses if omitted", least=1, most=MOST_VIRTUAL_CHANNELS)
]

#: The installed tables of a discovered fabric, and their service levels.
TablesFile = Annotated[
    str, setting("its installed forwarding tables (LFT), as OpenSM or ibroute dump them", metavar="FILE", names="file")
]
Worse = Annotated[bool, setting("also write tables that are worse than the installed ones")]
Qos = Annotated[
    str,
    setting(
        "the service levels of the tables: a QoS policy, lines of source GUID, LID, level, or 'none' if all are 0",
        metavar="FILE",
        names="file",
    ),
]

#: Number of tables: host k of a switch uses table k modulo this number, by an address that has its own paths.
MOST_HOST_TABLES = 4096
HostTables = Annotated[
    int, setting("number of tables, which the hosts of a switch use in turn", least=1, most=MOST_HOST_TABLES)
]

#: Servers, switches and cables to buy, and their prices.
Server = Annotated[
    str, setting("hosts in separate racks: a server of the catalogue, or a file with [host] and [rack]", names="file")
]
Parts = Annotated[
    str,
    setting(
        "a parts catalogue: a name, a TOML file, or NetBox device types; the network's own if omitted", names="file"
    ),
]
Prices = Annotated[str, setting("your quotes, which replace prices of the catalogue: a TOML file", names="file")]

#: Whether lists and bills include the cables of hosts.
HostCables = Annotated[bool, setting("include the cables of hosts; as stored with the network if omitted")]

#: Spares in stock.
Spares = Annotated[bool, setting("include spares: 1 % of the switches and 2 % of cables and optics")]

#: Time limit for one run of an external program.
TIME_LIMIT = 3600.0
TimeLimit = Annotated[
    float, setting("time limit for building your own program, and for each run of it", unit="s", above=0, most=1e9)
]

#: The executor that runs the tasks of a study, or of the explorer.
EXECUTOR = "processes"
Executor = Annotated[str, setting("the executor that runs the tasks: processes, threads, dask, slurm")]
ExecutorOptions = Annotated[
    dict[str, str],
    setting(
        "an option of the executor, as in address=tcp://head:8786; may be repeated", option="--executor-option --option"
    ),
]
TaskJobs = Annotated[int, setting("tasks at a time; one per core if omitted", least=1, most=100_000)]

#: Runs of METIS; the best one counts.
MeasureNames = Annotated[
    tuple[str, ...],
    setting(
        "also a registered measure: girth, vertex-connectivity, betweenness-max, betweenness-mean, bisection-bound, or one"
        " of a plug-in; may be repeated",
        option="--measure",
        metavar="NAME",
    ),
]
MetisRuns = Annotated[int, setting("runs of METIS; the best one counts", least=1, most=10_000)]
METIS_RUNS = 8

#: Delays of a network without load.
SwitchDelay = Annotated[float, setting("delay of a switch", unit="ns", least=0, most=1e6)]
CableDelay = Annotated[float, setting("delay of cables", unit="ns/m", least=0, most=1e6)]
SWITCH_NS, CABLE_NS_PER_M = 60.0, 5.0
PacketBytes = Annotated[
    float, setting("size of a packet whose time on the links counts; 0: none", unit="bytes", least=0, most=1e9)
]
FlitBytes = Annotated[
    float,
    setting(
        "what a switch receives of a packet before it forwards; 0: switch_ns includes it; packet_bytes: store-and-forward",
        unit="bytes",
        least=0,
        most=1e9,
    ),
]

#: Rate of every link.
Rate = Annotated[float, setting("rate of a link", unit="Gb/s", above=0, most=1e9, option="--rate")]
#: The same, where the bill's terms give the default.
RateOfTerms = Annotated[
    float,
    setting(
        "rate of a link; if omitted, that stored with the network, else 40 or the nearest rate of the catalogue",
        unit="Gb/s",
        above=0,
        most=1e9,
        option="--rate",
    ),
]


def span_of(text: str) -> tuple[int, int]:
    """The least and the greatest number of a range ``3-32``, or of one number.

    Raises
    ------
    ValueError
        The text is neither.
    """
    ends = [int(end) for end in text.split("-")] if re.fullmatch(r"\d{1,7}(-\d{1,7})?", text) else []
    if not ends or not 1 <= ends[0] <= ends[-1]:
        raise ValueError("a range; write the least and the greatest, such as 3-32")
    return ends[0], ends[-1]


#: The floor, and the racks on it.
Floor = Annotated[
    str, setting("the floor: a preset's name, or a .toml or .csv file; slimfly-2014 if omitted", names="file")
]
MOST_ROWS = 10_000
Rows = Annotated[int, setting("rows of racks; near-square if omitted", least=1, most=MOST_ROWS)]
Columns = Annotated[int, setting("racks per row", least=1, most=MOST_ROWS)]
SwitchesPerRack = Annotated[int, setting("most switches per rack", least=1, most=1 << 24)]
Cluster = Annotated[
    Literal["auto", "groups", "sequential", "walktrap", "metis"],
    setting("which switches share a rack; auto if omitted"),
]


#: Bytes of each unit.
_UNITS = {"": 1, "b": 1} | {
    letter + end: base**power
    for power, letter in enumerate("kmgtp", 1)
    for end, base in (("", 1000), ("b", 1000), ("i", 1024), ("ib", 1024))
}
_MOST_BYTES = 1 << 60


def size_of(text: str) -> int:
    """The bytes of a size: 4096, 64MiB, 1.5GB.

    Raises
    ------
    ValueError
        The text is not a size.
    """
    digits = text.strip().rstrip("BKMGTPbkmgtpi").strip()
    try:
        size = float(digits) * _UNITS[text.strip()[len(digits) :].strip().lower()]
    except (KeyError, ValueError):
        size = -1.0
    if not (0 <= size <= _MOST_BYTES and size == int(size)):
        raise ValueError("a size in whole bytes, up to 1 EiB; write 4096, 64MiB or 1.5GB")
    return int(size)


def shares_of(text: str) -> tuple[float, ...]:
    """The shares of a list ``5%,10%``, or of a range ``first:last:step``; a number with % is divided by 100.

    Raises
    ------
    ValueError
        The text is not a list of shares.
    """
    shares = _numbers(text, _share, "a list of shares; write first:last:step, as in 0.05:0.95:0.05, or a list 5%,10%")
    wrong = [share for share in shares if not 0 <= share <= 1]
    if wrong:
        raise ValueError(
            f"a list of shares: {wrong[0]:g} is not a share of what fails, which is between 0 and 1 (100 %)"
        )
    return shares


def loads_of(text: str) -> tuple[float, ...] | None:
    """The loads of a list ``0.1,0.5``, or of a range ``first:last:step``; None for ``none``.

    Raises
    ------
    ValueError
        The text is not a list of loads.
    """
    if text.strip() == "none":
        return None
    loads = _numbers(text, float, "a list of loads; write first:last:step, as in 0.1:0.9:0.2, or a list 0.1,0.5")
    wrong = [load for load in loads if not 0 < load <= 1]
    if wrong:
        raise ValueError(f"a list of loads: load {wrong[0]:g}; a host makes more than 0 and at most 1 flit per cycle")
    return loads


def _numbers(text: str, read: Callable[[str], float], what: str) -> tuple[float, ...]:
    """The numbers of a list, or of a range ``first:last:step``; `what` is the error's text."""
    try:
        if ":" not in text:
            return tuple(map(read, text.split(",")))
        first, last, step = map(read, text.split(":"))
        count = int((last - first) / step + 1e-9) + 1
        if step <= 0 or not 1 <= count <= _MOST_NUMBERS:
            raise ValueError
        return tuple(round(first + number * step, 12) for number in range(count))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise ValueError(what) from None


def share_of(text: str) -> float:
    """A share: 0.1, or 10%.

    Raises
    ------
    ValueError
        The text is not a share.
    """
    try:
        share = _share(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ValueError("a share of what fails, which is between 0 and 1 (100 %)")
    return share


#: Most numbers of a range.
_MOST_NUMBERS = 10_000


def _share(text: str) -> float:
    word = text.strip()
    return round(float(word[:-1]) / 100, 12) if word.endswith("%") else float(word)
