"""The result of verifying tables: they are followed from every switch to every other."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Result


class Followed:
    """Properties of all verified tables, between switches or between host ports."""

    cycle: tuple[tuple[object, object], ...]
    channel_load: np.ndarray

    @property
    def deadlock_free(self) -> bool | None:
        """Whether no virtual channel holds a cycle of channels that wait for each other (Dally and Seitz, 1987)."""
        return not self.cycle

    @property
    def load_over_mean(self) -> float:
        """The maximum channel load divided by the mean of all channels; 1 if all are equal."""
        mean = self.channel_load.mean() if self.channel_load.size else 0.0
        return float(self.channel_load.max() / mean) if mean else 1.0


@dataclass(frozen=True, eq=False)
class Verification(Followed, Result):
    """The paths, loads and deadlock freedom of tables, found by following them.

    Attributes
    ----------
    pairs : int
        Ordered pairs of different switches.
    reached_pairs, minimal_pairs : int
        Pairs that arrive, and pairs that arrive in the fewest hops that the topology allows.
    apart_pairs : int
        Pairs without any path, because the topology is not connected.
    fault : str
        A sentence on the first pair that has a path but does not arrive; empty if all arrive.
    mean_hops, max_hops : float, int
        Mean and largest number of hops of the pairs that arrive.
    histogram : int64[max_hops + 1]
        Pairs by hops.
    stretch : float
        mean_hops divided by the mean of the fewest possible hops of the same pairs.
    virtual_channels_used : int
        The highest virtual channel plus one.
    virtual_channel_pairs : int64[virtual_channels_used]
        Pairs in each virtual channel (of the first hop, if the virtual channel is the number of hops), without pairs that have
        no path.
    cycle : tuple of (int, int)
        Channels (from switch, to switch) that wait for each other in a cycle, the first one repeated at the end; empty: none.
    cycle_virtual_channel : int
        The virtual channel of that cycle; -1: none.
    channel_load, switch_load : int64[2 m], int64[n]
        Ordered pairs of switches with hosts (of all switches if there are no hosts) over each channel, and those that pass
        through each switch, without its own (Xu 2019, 2.3).
    checked_destinations : int or None
        Number of destinations of the sample that was followed; None: all.
    unverified : str or None
        Why freedom from deadlock is neither verified nor refuted; None where it is.
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
    omitted_if_none = ("unverified",)

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
    unverified: str | None = None

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw the sorted loads of the channels, in pairs per channel."""
        from topoloom.figures.bars import draw_sorted_loads

        title = f"Channels of {self.provenance.name} by engine {self.provenance.engine}"
        draw_sorted_loads(axes, self.channel_load, "load of the channel [pairs of switches]", title)

    @property
    def deadlock_free(self) -> bool | None:
        """Whether no virtual channel holds a cycle of channels that wait for each other (Dally and Seitz, 1987).

        None: the sample of destinations has no cycle, but the other destinations may close one; or `unverified` says why.
        """
        sampled = self.checked_destinations is not None
        return None if (sampled or self.unverified) and not self.cycle else not self.cycle

    @property
    def edge_forwarding_index(self) -> int:
        """The maximum channel load: the pairs of switches over the most loaded channel (one direction of a link)."""
        return int(self.channel_load.max(initial=0))

    @property
    def minimal(self) -> bool:
        """Whether every pair with a path arrives in the fewest hops."""
        return self.minimal_pairs == self.pairs - self.apart_pairs

    @property
    def complete(self) -> bool:
        """Whether every pair with a path arrives."""
        return self.reached_pairs == self.pairs - self.apart_pairs

    @property
    def minimal_share(self) -> float:
        """The share of the pairs with a path that arrive in the fewest hops; 1 if there are no such pairs."""
        joined = self.pairs - self.apart_pairs
        return self.minimal_pairs / joined if joined else 1.0

    @property
    def vertex_load_min(self) -> int:
        """The number of pairs that pass through the least loaded switch."""
        return int(self.switch_load.min())

    @property
    def vertex_load_max(self) -> int:
        """The number of pairs that pass through the most loaded switch."""
        return int(self.switch_load.max())

    def rows(self) -> list[dict[str, Any]]:
        """One row per number of hops: ``hops`` and ``pairs``, the ordered pairs with this number of hops."""
        return [{"hops": hops, "pairs": pairs} for hops, pairs in enumerate(self.histogram.tolist())]


def together(layers: list[Verification], channel_load: np.ndarray, switch_load: np.ndarray) -> Verification:
    """Combine the verifications of several layers of tables of a topology; every pair counts once per layer.

    Parameters
    ----------
    layers : list of Verification
        Their loads may be empty.
    channel_load, switch_load : int64[channels], int64[n]
        The sums of the loads of the layers.

    Returns
    -------
    Verification
    """
    if len(layers) == 1:
        return replace(layers[0], channel_load=channel_load, switch_load=switch_load)
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
        channel_load=channel_load,
        switch_load=switch_load,
    )


def fault_of(lost: int, stuck: int, examples: list[np.ndarray]) -> str:
    """A sentence on a pair that does not arrive; empty if all arrive.

    Parameters
    ----------
    lost, stuck : int
        Pairs whose path runs in a cycle, and pairs whose path ends at another switch.
    examples : list of int64[2, 2]
        (source, destination) of an example of each, -1 if there is none.

    Returns
    -------
    str
    """
    for kind, (count, what) in enumerate(
        ((lost, "runs in a cycle"), (stuck, "ends at a switch that has no port for it"))
    ):
        if count:
            source, destination = next(example[kind] for example in examples if example[kind, 0] >= 0).tolist()
            return f"the path from switch {source} to switch {destination} {what} ({count} pairs in all)"
    return ""
