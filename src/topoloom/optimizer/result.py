"""The result of an optimisation: the graph, its measures and bounds, and how it was found."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Literal, Self

import numpy as np

from topoloom.core.errors import at
from topoloom.core.files import read_text
from topoloom.core.folders import write_folder
from topoloom.core.json_files import indented_json, parse_json
from topoloom.core.work import Ended
from topoloom.model.results import Provenance, Result, summary
from topoloom.model.topology import Topology

#: The two files of a folder that `Optimized.save` writes.
_TOPOLOGY, _RECORD = "topology.json", "optimized.json"
_MOST_RECORD_BYTES = 1 << 26


@dataclass(frozen=True)
class GraphBounds:
    """Lower bounds for graphs of an order, degree and rules; `hops` is the sum over ordered pairs."""

    diameter: float
    hops: float
    pairs: int

    @property
    def aspl(self) -> float:
        """The lower bound on the ASPL."""
        return self.hops / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, eq=False)
class BestSoFar:
    """The best graph so far of a running optimisation, which `work` receives a few times per second.

    Attributes
    ----------
    links : int32[m, 2]
    cost : tuple of float
        The cost that the search minimises: (diameter, hops of all ordered pairs) for hops; for other goals (ordered pairs
        without path, nanoseconds beyond the cap, weighted sum). Of a function, (value,), or (0, -value) if it is maximised.
    moves : int
        Moves tried so far, by all chains together.
    seconds : float
        Wall time so far.
    share : float
        The share of the budget that is used.
    """

    links: np.ndarray
    cost: tuple[float, ...]
    moves: int
    seconds: float
    share: float


@dataclass(frozen=True, eq=False)
class Optimized(Result):
    """The best graph of an optimisation.

    `save` writes a folder with the graph and the record, and `load` reads it.

    Attributes
    ----------
    topology : Topology
        The given switches, hosts and labels, with other links; degrees are unchanged.
    objective : str
        The minimised goal.
    components, diameter, aspl : int, int or float, float
        Measured on the result; inf if it is not connected.
    diameter_bound, aspl_bound : float
        Lower bounds for this order, degree and length limit (`topoloom.bounds`).
    start : str
        The start of the search: "given", or the structure that was found.
    reason : "bound", "moves", "time" or "stopped"
        Why the search ended: the bound is reached; its budget of moves or of time is used; `work` was stopped.
    ended : "done", "deadline" or "interrupted"
        Whether the search finished, or `work` ended it early.
    values : mapping of str to float
        The terms of a goal other than hops: ``mean_ns`` and ``worst_ns`` with their bounds, ``longest_m``,
        ``mean_length_m``, and ``cable_w`` and ``cable_usd`` if a catalogue gives them. For a traffic goal,
        ``throughput`` and ``throughput_upper``, ``hops_bound``, ``throughput_bound``, ``tub`` and ``worst_case``. For a
        function, ``value``, and ``value_given``, that of the given topology.
    provenance : Provenance
        Its timings are ``moves`` (tried by all chains together), ``seconds`` of wall time, including earlier sessions, and
        ``moves_per_s``.
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
        """Moves tried by all chains together, including earlier sessions."""
        return int(self.provenance.timings.get("moves", 0))

    @property
    def seconds(self) -> float:
        """Seconds of wall time, including earlier sessions."""
        return self.provenance.timings.get("seconds", 0.0)

    @property
    def moves_per_s(self) -> float:
        """Moves tried per second."""
        return self.provenance.timings.get("moves_per_s", 0.0)

    @property
    def seed(self) -> int:
        """The seed of all random draws."""
        return self.provenance.seed or 0

    @property
    def optimal(self) -> bool:
        """Whether the graph reaches its bounds, so that no better one exists."""
        return self.reason == "bound"

    @property
    def gap(self) -> float:
        """The relative difference between the ASPL and its bound; inf if the graph is not connected."""
        return self.aspl / self.aspl_bound - 1 if self.aspl_bound else 0.0

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a folder: the graph, ``topology.json``, and the record, ``optimized.json``.

        Raises
        ------
        InputError
            The folder cannot be written.
        """
        # Imported by name, because the formats are in a higher layer.
        text = import_module("topoloom.formats.topoloom_json").write(self.topology)
        record = indented_json(self.record())
        write_folder(path, {_TOPOLOGY: text, _RECORD: record})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a result that `save` wrote.

        Raises
        ------
        InputError
            A file that is missing or invalid, or a graph that does not belong to the record.
        """
        folder = Path(path)
        source = str(folder / _RECORD)
        topology: Topology = import_module("topoloom.formats").load(folder / _TOPOLOGY)
        record = parse_json(read_text(folder / _RECORD, _MOST_RECORD_BYTES), source)
        if not isinstance(record, dict) or record.get("topology") != summary(topology):
            raise at(source, None, f"does not belong to the graph in {_TOPOLOGY}; both files must be from one save")
        return cls.from_record({**record, "topology": topology}, source)
