"""The verdict: what following tables from every switch to every other has found."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Result


class Followed:
    """What can be said of any tables that were followed, whether they lead between switches or between host ports."""

    cycle: tuple[tuple[object, object], ...]
    channel_load: np.ndarray

    @property
    def deadlock_free(self) -> bool | None:
        """Whether no virtual channel holds a cycle of channels that wait for each other (Dally and Seitz, 1987)."""
        return not self.cycle

    @property
    def edge_forwarding_index(self) -> int:
        """The pairs over the busiest channel, one direction of a link."""
        return int(self.channel_load.max(initial=0))

    @property
    def load_over_mean(self) -> float:
        """The pairs over the busiest channel, in means of all channels; 1: all alike."""
        mean = self.channel_load.mean() if self.channel_load.size else 0.0
        return float(self.channel_load.max() / mean) if mean else 1.0


@dataclass(frozen=True, eq=False)
class Verification(Followed, Result):
    """What tables do, found by following them.

    Attributes
    ----------
    pairs : int
        Ordered pairs of different switches.
    reached_pairs, minimal_pairs : int
        Those that arrive, and those that arrive in the fewest hops that the topology allows.
    apart_pairs : int
        Those that no path joins, because the topology is in parts.
    fault : str
        What is wrong with the first pair that does not arrive though there is a path; empty when all do.
    mean_hops, max_hops : float, int
        Of the pairs reached.
    histogram : int64[max_hops + 1]
        Pairs by hops.
    stretch : float
        mean_hops over the mean of the fewest hops of the same pairs that can be.
    virtual_channels_used : int
        One more than the highest virtual channel.
    virtual_channel_pairs : int64[virtual_channels_used]
        Pairs in each virtual channel (of the first hop, where virtual channels are counted by hops), without those that no path
        joins.
    cycle : tuple of (int, int)
        Channels (from switch, to switch) that wait for each other in a cycle, the first again for the last; empty: none.
    cycle_virtual_channel : int
        The virtual channel of that cycle; -1: none.
    channel_load, switch_load : int64[2 m], int64[n]
        Ordered pairs of switches with hosts (of all, where there are no hosts) over each channel, and those that pass
        through each switch, its own omitted (Xu 2019, 2.3).
    checked_destinations : int or None
        Only what goes to so many destinations was followed; None: everything was.
    """

    record_name = "verification"
    former_names = ("verdict",)
    derived = (
        "deadlock_free",
        "complete",
        "minimal",
        "minimal_share",
        "edge_forwarding_index",
        "load_over_mean",
        "vertex_load_min",
        "vertex_load_max",
    )
    unrecorded = ("channel_load", "switch_load")

    pairs: int
    reached_pairs: int
    minimal_pairs: int
    apart_pairs: int
    fault: str
    mean_hops: float
    max_hops: int
    histogram: np.ndarray
    stretch: float
    virtual_channels_used: int
    virtual_channel_pairs: np.ndarray
    cycle: tuple[tuple[int, int], ...]
    cycle_virtual_channel: int
    channel_load: np.ndarray
    switch_load: np.ndarray
    checked_destinations: int | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw the loads of channels, sorted: pairs whose path takes each."""
        from topoloom.figures.bars import draw_sorted_loads

        title = f"Channels of {self.provenance.name} by engine {self.provenance.engine}"
        draw_sorted_loads(axes, self.channel_load, "pairs whose path takes it", title)

    @property
    def deadlock_free(self) -> bool | None:
        """Whether no virtual channel holds a cycle of channels that wait for each other (Dally and Seitz, 1987).

        None: no cycle was found, but only a sample of destinations was followed; what was not may close one.
        """
        return None if self.checked_destinations is not None and not self.cycle else not self.cycle

    @property
    def minimal(self) -> bool:
        """Whether every pair that can be reached is reached in the fewest hops."""
        return self.minimal_pairs == self.pairs - self.apart_pairs

    @property
    def complete(self) -> bool:
        """Whether every pair that can be reached is reached."""
        return self.reached_pairs == self.pairs - self.apart_pairs

    @property
    def minimal_share(self) -> float:
        """The share of pairs that are reached in the fewest hops, of those that some path joins; 1 where there are none."""
        joined = self.pairs - self.apart_pairs
        return self.minimal_pairs / joined if joined else 1.0

    @property
    def vertex_load_min(self) -> int:
        """The pairs that pass through the least loaded switch."""
        return int(self.switch_load.min())

    @property
    def vertex_load_max(self) -> int:
        """The pairs that pass through the most loaded switch."""
        return int(self.switch_load.max())

    def rows(self) -> list[dict[str, Any]]:
        """One row per number of hops: ``hops`` and ``pairs``, the ordered pairs that take so many."""
        return [{"hops": hops, "pairs": pairs} for hops, pairs in enumerate(self.histogram.tolist())]


def together(layers: list[Verification]) -> Verification:
    """One verdict on several layers of tables of a topology: every pair counts once in each."""
    if len(layers) == 1:
        return layers[0]
    histogram = np.zeros(max(layer.histogram.size for layer in layers), np.int64)
    for layer in layers:
        histogram[: layer.histogram.size] += layer.histogram
    reached = int(histogram.sum())
    hops = int(histogram @ np.arange(histogram.size))
    fewest = sum(layer.mean_hops * layer.reached_pairs / layer.stretch for layer in layers)
    virtual_channels = max(layer.virtual_channels_used for layer in layers)
    bad = next((layer for layer in layers if layer.cycle), layers[0])
    return Verification(
        pairs=sum(layer.pairs for layer in layers),
        reached_pairs=reached,
        minimal_pairs=sum(layer.minimal_pairs for layer in layers),
        apart_pairs=sum(layer.apart_pairs for layer in layers),
        fault=next((layer.fault for layer in layers if layer.fault), ""),
        mean_hops=hops / reached if reached else 0.0,
        max_hops=histogram.size - 1,
        histogram=histogram,
        stretch=hops / fewest if fewest else 1.0,
        virtual_channels_used=virtual_channels,
        virtual_channel_pairs=np.sum(
            [
                np.pad(layer.virtual_channel_pairs, (0, virtual_channels - layer.virtual_channel_pairs.size))
                for layer in layers
            ],
            axis=0,
        ),
        cycle=bad.cycle,
        cycle_virtual_channel=bad.cycle_virtual_channel,
        channel_load=np.sum([layer.channel_load for layer in layers], axis=0),
        switch_load=np.sum([layer.switch_load for layer in layers], axis=0),
    )
