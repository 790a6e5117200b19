"""Tables of a fabric before and after: the figures that decide which ones are better."""

from dataclasses import dataclass

from topoloom.core.errors import InputError
from topoloom.model.results import Recorded


@dataclass(frozen=True)
class TableFigures(Recorded):
    """The figures of one set of tables.

    A pair that cables join and tables lose has throughput 0, so tables with lost pairs have no throughput. Loads and hops are
    of the pairs that arrive: with lost pairs, the maxima are lower bounds, and the means say nothing about the lost ones.

    Attributes
    ----------
    paths_per_pair : int
        Paths of a pair, over which its data is split evenly: 2^LMC.
    pairs, unreachable_pairs, apart_pairs : int
        Pairs of host ports, those of which a path does not arrive, and of these the ones that no cables join, which count in no
        throughput.
    max_channel_load, mean_channel_load : float
        Pairs of host ports over a channel between switches.
    max_hops, mean_hops : int, float
        Hops between switches, of the paths that arrive.
    uniform_throughput : float
        The share of the hosts' rate at which every host sends evenly to all hosts of other switches.
    shift_throughput, worst_shift_throughput : float
        The share of the hosts' rate that all shifts one after another reach (each takes as long as its maximum channel load),
        and that the worst shift reaches. In a shift by n, each host port sends to the n-th after it, in the fabric's order.
    shifts : int
        Number of measured shifts.
    shifts_sampled : bool
        Whether they are a sample, drawn by a fixed seed.
    """

    derived = ("lost_pairs", "load_over_mean")

    paths_per_pair: int
    pairs: int
    unreachable_pairs: int
    max_channel_load: float
    mean_channel_load: float
    max_hops: int
    mean_hops: float
    uniform_throughput: float
    shift_throughput: float
    worst_shift_throughput: float
    shifts: int
    shifts_sampled: bool
    apart_pairs: int = 0

    @property
    def lost_pairs(self) -> int:
        """Pairs of host ports that cables join and of which a path does not arrive."""
        return self.unreachable_pairs - self.apart_pairs

    @property
    def load_over_mean(self) -> float:
        """The maximum channel load divided by the mean of all channels; 1 without loads."""
        return self.max_channel_load / self.mean_channel_load if self.mean_channel_load else 1.0


@dataclass(frozen=True, eq=False)
class TablesCompared(Recorded):
    """Tables of a fabric before and after.

    Attributes
    ----------
    before_tables, after_tables : str
        What the tables are.
    before, after : TableFigures
    paths_changed : int
        Pairs of host ports of which a path has changed.
    """

    derived = ("worse", "slower_shifts")

    before_tables: str
    after_tables: str
    before: TableFigures
    after: TableFigures
    paths_changed: int

    @property
    def slower_shifts(self) -> bool:
        """Whether all shifts one after another, the phases of many all-to-all algorithms, take over 1 % longer than before.

        Even loads and fast shifts can contradict each other where the cables up of a leaf do not divide its hosts evenly: even
        loads need several paths to one host, which meet those to other hosts.
        """
        return self.after.shift_throughput < 0.99 * self.before.shift_throughput

    @property
    def worse(self) -> bool:
        """Whether the tables after lose more pairs, or as many and load a channel more, than those before."""
        return is_worse(self.before, self.after)

    @property
    def reason(self) -> str:
        """The figures after and before that decide which tables are worse."""
        return _deciding(self.before, self.after)


def is_worse(before: TableFigures, after: TableFigures) -> bool:
    """Whether tables lose more pairs than others, or as many and load a channel more."""
    if after.unreachable_pairs != before.unreachable_pairs:
        return after.unreachable_pairs > before.unreachable_pairs
    return after.max_channel_load > before.max_channel_load + 1e-9


def refuse_worse(of: str, name: str, before: TableFigures, after: TableFigures) -> None:
    """Refuse to write tables that are worse than the installed ones: the rule of every command that writes tables.

    Parameters
    ----------
    of : str
        The fabric or the file that the sentence begins with.
    name : str
        What the tables are.
    before, after : TableFigures
        Of the installed tables and of the others.

    Raises
    ------
    InputError
        They are worse.
    """
    if is_worse(before, after):
        raise InputError(
            f"{of}: {name} are worse than the installed ones: {_deciding(before, after)}; keep those, name other tables, or ask"
            " for worse ones (`worse`)"
        )


def _deciding(before: TableFigures, after: TableFigures) -> str:
    lost = after.unreachable_pairs, before.unreachable_pairs
    if lost[0] != lost[1]:
        return f"{lost[0]:,} of {after.pairs:,} pairs of hosts do not arrive, instead of {lost[1]:,}"
    load = f"a maximum channel load of {after.max_channel_load:,.10g} pairs of hosts"
    return f"{load}, instead of {before.max_channel_load:,.10g}"
