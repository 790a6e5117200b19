"""Verifying tables of other tools: all paths between host ports are followed, by the entries as they are installed."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from topoloom.core.errors import at
from topoloom.fabric._adaptive_paths import follow_groups
from topoloom.fabric._host_paths import Walked, walk
from topoloom.fabric.black_holes import BlackHole, black_holes
from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables, lids_text
from topoloom.fabric.port_groups import AdaptiveEntries, adaptive_entries
from topoloom.fabric.table_differences import TableDifference, table_differences
from topoloom.fabric.tables_from import NO_ENTRY, NO_LINK, entry_links
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.routing.channels import channels_of
from topoloom.routing.verification.verification import Followed

#: What record version 1 counted: pairs of switches, or of host ports.
PORTS = "host ports"
#: Black holes in the sentence about lost pairs.
_SHOWN = 1
#: Virtual lanes between which packets may change: the verifier has one bit for each pair of them.
_MOST_LANES = 8


@dataclass(frozen=True, eq=False)
class TableVerification(Followed, Result):
    """The verification of tables of other tools.

    Attributes
    ----------
    tables : str
        The file of the tables.
    switches : int
    pairs_between : "host ports"
        The kind of the pairs; records of version 1 may have "switches". Hops are counted between the hosts' switches.
    pairs, reached_pairs, minimal_pairs : int
        With several addresses per host port, a pair is reached if all its paths arrive, and minimal if all are shortest.
    mean_hops, stretch : float
    max_hops : int
    virtual_channels_used : int
    virtual_channel_pairs : int64[levels]
        Number of pairs that carry data, by service level; with several addresses, of paths. Level n is virtual channel n,
        unless `sl2vl` was given.
    cycle : tuple of (str, str)
        Channels that wait for each other in a cycle, by the names of the switches at their ends; empty: no cycle.
    cycle_virtual_channel : int
        The virtual channel of the cycle; -1: none.
    channel_load : float64[2 links]
        Pairs of host ports over each channel; a pair with several paths counts in equal parts on each.
    fault : str
        The worst black hole in words; empty: all pairs arrive.
    levels_known : bool
        Whether service levels were given, so that a cycle is a fault of the tables.
    paths : int
        Addresses (LIDs) of a host port, each with its own path.
    apart_pairs : int
        Pairs that no cables join.
    black_holes : tuple of BlackHole
        The entries at which packets are lost, one per root cause.
    table_notes : tuple of str
        What else is notable about the file: holes that no pair of hosts uses, switches and ports that the fabric lacks.
    differences : tuple of TableDifference
        The switches that hold other entries, if a dump of what they hold was given.
    adaptive : AdaptiveEntries, optional
        The groups of ports among which packets choose. All choices are followed: a pair is reached if none leads astray, hops
        are those of its longest path, `channel_load` is of an even spread, and `cycle` of all choices together.
    """

    record_name = "table-verification"
    record_version = 2
    former_names = ("judgement",)
    unrecorded = ("channel_load",)
    derived = ("deadlock_free", "minimal", "minimal_share", "lost_pairs", "max_channel_load", "load_over_mean")

    tables: str
    switches: int
    pairs_between: str
    pairs: int
    reached_pairs: int
    minimal_pairs: int
    mean_hops: float
    stretch: float
    max_hops: int
    virtual_channels_used: int
    virtual_channel_pairs: np.ndarray
    cycle: tuple[tuple[str, str], ...]
    cycle_virtual_channel: int
    channel_load: np.ndarray
    fault: str
    levels_known: bool = True
    paths: int = 1
    apart_pairs: int = 0
    black_holes: tuple[BlackHole, ...] = ()
    table_notes: tuple[str, ...] = ()
    differences: tuple[TableDifference, ...] = ()
    adaptive: AdaptiveEntries | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def deadlock_free(self) -> bool | None:
        """Whether no virtual channel holds a cycle of channels that wait for each other (Dally and Seitz, 1987).

        None: there is a cycle if all traffic shares one virtual channel, and the service levels are not known; or packets can
        choose such a cycle, but need not.
        """
        return None if self.cycle and (self.adaptive or not self.levels_known) else not self.cycle

    @property
    def lost_pairs(self) -> int:
        """Pairs of host ports that cables join and of which a path does not arrive."""
        return self.pairs - self.apart_pairs - self.reached_pairs

    @property
    def max_channel_load(self) -> int:
        """The pairs of host ports over the most loaded channel, rounded up; of lost pairs, no channel counts."""
        return math.ceil(float(self.channel_load.max(initial=0)) - 1e-9)

    @property
    def minimal(self) -> bool:
        """Whether every pair takes the fewest hops."""
        return self.minimal_pairs == self.pairs - self.apart_pairs

    @property
    def minimal_share(self) -> float:
        """The share of pairs that take the fewest hops; 1 if there are no pairs."""
        joined = self.pairs - self.apart_pairs
        return self.minimal_pairs / joined if joined else 1.0


def verify_tables(
    tables: Tables,
    fabric: Fabric,
    levels: np.ndarray | None = None,
    *,
    sl2vl: np.ndarray | None = None,
    skipped: Sequence[str] = (),
    installed: Tables | None = None,
) -> TableVerification:
    """Follow the tables of other tools between all host ports, and search for cycles in the channel dependencies.

    Only data between hosts counts, not what switches themselves send and receive (management).

    Parameters
    ----------
    tables : Tables
    fabric : Fabric
    levels : uint8[endpoints, endpoints] or uint8[k * paths, endpoints, endpoints], optional
        levels[to, from], or levels[path, to, from]: the virtual channel of each pair of endpoints, and of each of its paths, k
        times if the addresses of a source differ (`read_levels`). When omitted, they are not known: all data is followed in
        virtual channel 0, where a cycle proves nothing about tables whose engine uses service levels (dfsssp, lash,
        torus-2QoS). Without a cycle, no service levels can add one.
    sl2vl : uint8[switches, ports + 1, ports + 1, 16], optional
        The virtual lane of each service level at every switch, in-port and out-port (`topoloom.fabric.sl2vl.read_sl2vl`);
        omitted: level n is virtual lane n on the whole path.
    skipped : sequence of str
        Further notes about the files (`Installed.skipped`).
    installed : Tables, optional
        What the switches hold now; entries that differ from `tables` are reported.

    Returns
    -------
    TableVerification
        Which pairs arrive, in how many hops, on how many virtual channels, where the others end, and a cycle of channels that
        wait for each other if one exists.

    Raises
    ------
    InputError
        More virtual channels than service levels, or groups of ports and virtual lanes that change from hop to hop.
    """
    started = time.monotonic()
    topology = fabric.topology
    if levels is not None and int(levels.max(initial=0)) > 63:
        raise at(tables.source, None, f"service level {int(levels.max())}; levels are 0 to 15")
    walked, followed, adaptive = _walked(tables, fabric, levels, sl2vl)
    levels_used = 1 if levels is None else 1 + int(levels.max(initial=0))
    virtual_channels = levels_used if sl2vl is None else 1 + walked.highest
    if sl2vl is not None and virtual_channels > _MOST_LANES:
        raise at(
            tables.source,
            None,
            f"data uses virtual lane {walked.highest}; virtual lanes that change from hop to hop are verified up to 0 to 7",
        )
    ring = _ring(fabric, walked.turns, virtual_channels, sl2vl is not None)
    holes = black_holes(followed, fabric, walked.lost)
    k = topology.endpoints.size
    arrived = int(walked.histogram.sum())
    hops = int(walked.histogram @ np.arange(walked.histogram.size))
    channels, closed = channels_of(topology), np.append(ring, ring[:1]) // virtual_channels
    names = distinct_names(fabric)[0]
    return TableVerification(
        tables=tables.source,
        switches=topology.switches,
        pairs_between=PORTS,
        pairs=k * (k - 1),
        reached_pairs=walked.reached_pairs,
        minimal_pairs=walked.minimal_pairs,
        mean_hops=hops / arrived if arrived else 0.0,
        stretch=hops / walked.fewest if walked.fewest else 1.0,
        max_hops=int(np.flatnonzero(walked.histogram).max(initial=0)),
        virtual_channels_used=virtual_channels,
        virtual_channel_pairs=walked.virtual_channel_paths[:levels_used],
        cycle=tuple(
            (names[a], names[b])
            for a, b in zip(channels.origin[closed].tolist(), channels.to[closed].tolist(), strict=True)
        ),
        cycle_virtual_channel=int(ring[0]) % virtual_channels if ring.size else -1,
        channel_load=walked.load if tables.paths == 1 else walked.load / tables.paths,
        fault="; ".join(str(hole) for hole in holes[:_SHOWN]),
        levels_known=levels is not None,
        paths=tables.paths,
        apart_pairs=walked.apart_pairs,
        black_holes=holes,
        table_notes=(*_notes(followed, fabric, walked), *skipped),
        differences=() if installed is None else table_differences(tables, installed, fabric),
        adaptive=adaptive,
        provenance=provenance_of(
            topology,
            settings={"with_levels": levels is not None, "with_sl2vl": sl2vl is not None},
            timings={"seconds": time.monotonic() - started},
        ),
    )


def _walked(
    tables: Tables, fabric: Fabric, levels: np.ndarray | None, sl2vl: np.ndarray | None
) -> tuple[Walked, Tables, AdaptiveEntries | None]:
    """The sums over all paths, the tables with the longest paths, and what groups of ports there are."""
    if tables.groups is None:
        return walk(tables, fabric, levels, sl2vl), tables, None
    if sl2vl is not None or (levels is not None and levels.ndim > 2):
        raise at(tables.source, None, "groups of ports are verified with one virtual lane per pair of hosts")
    spread = follow_groups(tables, tables.groups, fabric, levels)
    walked = walk(spread.longest, fabric, levels)
    walked.load, walked.turns = spread.load, spread.turns
    return walked, spread.longest, adaptive_entries(tables.groups, fabric.topology.endpoints)


def _ring(fabric: Fabric, turns: np.ndarray, virtual_channels: int, by_hop: bool) -> np.ndarray:
    """A cycle of channels, each as channel * virtual channels + virtual channel; empty: none."""
    from topoloom.routing.verification.kernels.follow import find_cycle

    channels = channels_of(fabric.topology)
    return np.asarray(
        find_cycle(channels.first, channels.to, channels.back, channels.turn_first, turns, virtual_channels, by_hop),
        np.int64,
    )


def _notes(tables: Tables, fabric: Fabric, walked: Walked) -> list[str]:
    """What is notable about the tables, apart from lost pairs."""
    read, notes = tables.notes, []
    if read.other_switches:
        several = "tables of {} switches" if len(read.other_switches) > 1 else "the table of {} switch"
        notes.append(
            f"{several.format(len(read.other_switches))} not in {fabric.made} skipped: {', '.join(read.other_switches[:3])}"
            + (", ..." if len(read.other_switches) > 3 else "")
        )
    if read.other_lids:
        notes.append(
            f"entries for addresses that are not in {fabric.made} skipped, as of hosts that are switched off: LID"
            f" {lids_text(read.other_lids)}"
        )
    k, n = fabric.topology.endpoints.size, fabric.topology.switches
    with_table = np.setdiff1d(np.arange(n), read.without_table)
    links = [entry_links(tables.path(number), fabric)[with_table] for number in range(tables.paths)]
    holes = int((links[0][:, k:] == NO_ENTRY).sum())
    if holes:
        notes.append(
            f"{holes:,} of {with_table.size * (n - 1):,} entries from switch to switch are missing, as updn and ftree leave"
            " them; hosts do not use them"
        )
    if not walked.lost:
        missing = sum(int((own[:, :k] == NO_ENTRY).sum()) for own in links)
        dead = sum(int((own[:, :k] == NO_LINK).sum()) for own in links)
        if missing:
            notes.append(f"{missing:,} entries for hosts are missing at switches where no pair of hosts needs them")
        if dead:
            notes.append(f"{dead:,} entries for hosts lead to no switch, but no pair of hosts uses them")
    if read.without_table and not walked.lost:
        notes.append(
            f"{len(read.without_table)} switches have no table, and no pair of hosts needs one:"
            f" {', '.join(distinct_names(fabric)[0][s] for s in read.without_table[:3])}"
        )
    if read.multicast_entries:
        notes.append(f"{read.multicast_entries:,} multicast entries are skipped; they are not verified")
    return notes
