"""What an optimisation gives: the graph, what it measures, the bounds beside it, and how it was found."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Literal, Self

import msgspec
import numpy as np

from topoloom.core.errors import at
from topoloom.core.files import read_text
from topoloom.core.folders import write_folder
from topoloom.core.json_files import parse_json
from topoloom.core.work import Ended
from topoloom.model.results import Provenance, Result, summary
from topoloom.model.topology import Topology

#: The two files of a folder that `Optimized.save` writes.
_TOPOLOGY, _RECORD = "topology.json", "optimized.json"
_MOST_RECORD_BYTES = 1 << 26


@dataclass(frozen=True)
class GraphBounds:
    """What no graph of the order, degree and rules can beat: `hops` is the sum over ordered pairs."""

    diameter: float
    hops: float
    pairs: int

    @property
    def aspl(self) -> float:
        """The least ASPL."""
        return self.hops / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, eq=False)
class BestSoFar:
    """The best graph so far of an optimisation running: what `work` is given some times a second.

    Attributes
    ----------
    links : int32[m, 2]
    cost : tuple of float
        What the search compares: (diameter, hops of all ordered pairs) for hops; for other goals (ordered pairs out of
        reach, nanoseconds beyond the cap, weighted sum).
    moves : int
        Tried until now, by all chains together.
    seconds : float
        Of wall time, likewise.
    share : float
        What is used up of the budget.
    """

    links: np.ndarray
    cost: tuple[float, ...]
    moves: int
    seconds: float
    share: float


@dataclass(frozen=True, eq=False)
class Optimized(Result):
    """The best graph that was found.

    `save` writes a folder with the graph and the record, and `load` reads it.

    Attributes
    ----------
    topology : Topology
        The switches, hosts and labels that were given, with other links; every degree is as it was.
    objective : str
        What was made least.
    components, diameter, aspl : int, int or float, float
        Measured again on the result; inf when it is not connected.
    diameter_bound, aspl_bound : float
        No graph with this order, degree and length limit has less (`topoloom.bounds`).
    start : str
        Where it began: "given", or the structure that was found.
    reason : "bound", "moves", "time" or "stopped"
        Why the search ended: nothing better exists; its budget of moves or of time was used up; `work` was stopped.
    ended : "done", "deadline" or "interrupted"
        Whether the search went through, or `work` ended it early.
    values : mapping of str to float
        What a goal beyond hops is made of: ``mean_ns`` and ``worst_ns`` with their bounds, ``longest_m``,
        ``mean_length_m``, and ``cable_w`` and ``cable_usd`` where there is a catalogue that says. Of a goal of traffic,
        ``throughput`` and ``throughput_upper``, ``hops_bound``, ``throughput_bound``, ``tub`` and ``worst_case``.
    provenance : Provenance
        Its timings are ``moves`` (tried by all chains together), ``seconds`` of wall time, those of earlier sessions
        included, and ``moves_per_s``.
    """

    record_name = "optimized"
    derived = ("gap", "optimal")

    topology: Topology
    objective: str
    components: int
    diameter: float
    aspl: float
    diameter_bound: float
    aspl_bound: float
    start: str
    reason: Literal["bound", "moves", "time", "stopped"]
    ended: Ended = "done"
    values: Mapping[str, float] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def moves(self) -> int:
        """Moves tried, by all chains together, those of earlier sessions included."""
        return int(self.provenance.timings.get("moves", 0))

    @property
    def seconds(self) -> float:
        """Of wall time, those of earlier sessions included."""
        return self.provenance.timings.get("seconds", 0.0)

    @property
    def moves_per_s(self) -> float:
        """Moves tried in a second."""
        return self.provenance.timings.get("moves_per_s", 0.0)

    @property
    def seed(self) -> int:
        """Of all draws."""
        return self.provenance.seed or 0

    @property
    def optimal(self) -> bool:
        """Whether the graph meets its bounds: no better one exists."""
        return self.reason == "bound"

    @property
    def gap(self) -> float:
        """By what share the ASPL is above its bound; inf when the graph is not connected."""
        return self.aspl / self.aspl_bound - 1 if self.aspl_bound else 0.0

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a folder: the graph, ``topology.json``, and the record, ``optimized.json``.

        Raises
        ------
        InputError
            The folder cannot be written.
        """
        # By name, for the formats are a room above this one.
        text = import_module("topoloom.formats.topoloom_json").write(self.topology)
        record = msgspec.json.format(msgspec.json.encode(self.record()), indent=1) + b"\n"
        write_folder(path, {_TOPOLOGY: text, _RECORD: record})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The result that `save` wrote.

        Raises
        ------
        InputError
            A file that is missing or wrong, or a graph that is not the record's.
        """
        folder = Path(path)
        source = str(folder / _RECORD)
        topology: Topology = import_module("topoloom.formats").load(folder / _TOPOLOGY)
        record = parse_json(read_text(folder / _RECORD, _MOST_RECORD_BYTES), source)
        if not isinstance(record, dict) or record.get("topology") != summary(topology):
            raise at(source, None, f"is no record of the graph in {_TOPOLOGY}; the two are saved together")
        return cls.from_record({**record, "topology": topology}, source)
