"""The best graph of an optimisation on disk while it is running, and how an interrupted one goes on from it."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from topoloom.cli import delivery
from topoloom.cli.output import say
from topoloom.core.errors import InputError
from topoloom.core.files import read_text, write_atomically
from topoloom.core.json_files import parse_json
from topoloom.formats import load, save
from topoloom.model.topology import Topology

if TYPE_CHECKING:
    from topoloom.optimizer.result import BestSoFar, Optimized

#: Seconds between two writes.
_WRITE_SECONDS = 0.5
_LONGEST = 100_000


class _State(msgspec.Struct, forbid_unknown_fields=True):
    """What is kept beside the graph to go on from it."""

    objective: str
    seed: int
    moves: int
    seconds: float
    start: str


class Checkpoint:
    """Keeps the file of -o, and ``FILE.progress.json`` beside it, at the best so far; nothing without a file.

    `start` is the topology to begin with, and `spent` the moves and seconds of the session that is resumed.

    Raises
    ------
    InputError
        The file cannot be written, or what is to be resumed is another network.
    """

    def __init__(
        self, given: Topology, output: str | None, seed: int, objective: str, quiet: bool, resume: bool
    ) -> None:
        self.start, self.spent = given, (0, 0.0)
        self._given, self._output, self._seed, self._objective = given, output, seed, objective
        self._best, self._saved = given, False
        self._written: tuple[float, ...] | None = None
        self._written_at = 0.0
        if output is None:
            return
        self._record = delivery.checked(output, None, quiet)
        self._state = Path(f"{output}.progress.json")
        if resume and Path(output).exists():
            self._resume(output)
        if objective.startswith("hops"):
            self._written = _hops_cost(self.start)

    def keep(self, best: "BestSoFar") -> None:
        """Write the best so far if it is better than what was written."""
        now = time.monotonic()
        if self._output in (None, "-") or now - self._written_at < _WRITE_SECONDS:
            return
        self._written_at = now
        if self._written is None or best.cost < self._written:
            self._best = self._given.replace(links=best.links)
            self._written, self._saved = best.cost, False
        # The state is written all the same: what is spent counts when the search is resumed.
        self._write(self._best, best.moves, best.seconds)

    def end(self, found: "Optimized") -> None:
        """Write the result, whole; say where."""
        if self._output is None:
            return
        if self._output == "-":
            save(found.topology, "-", self._record.name)
            return
        self._saved = False
        self._write(found.topology, found.moves, found.seconds)
        say(f"wrote {found.topology.name} to {self._output}", err=True)

    def _write(self, topology: Topology, moves: int, seconds: float) -> None:
        state = _State(self._objective, self._seed, moves, seconds, self._given.digest)
        if not self._saved:
            save(topology, str(self._output), self._record.name)
            self._saved = True
        write_atomically(self._state, msgspec.json.format(msgspec.json.encode(state), indent=1))

    def _resume(self, output: str) -> None:
        if not self._state.exists():
            raise InputError(
                f"{self._state}: not there, so {output} cannot be resumed; name it as TOPOLOGY to start from it"
            )
        state = parse_json(
            read_text(self._state, 1 << 26), str(self._state), _State, "state of a search (remove it, and start again)"
        )
        found = load(output)
        same = found.switches == self._given.switches and (found.degrees == self._given.degrees).all()
        if state.start != self._given.digest or not same:
            raise InputError(
                f"{output} did not begin from {self._given.name}; resume with the topology that it began from"
            )
        if state.objective != self._objective:
            raise InputError(
                f"{output} was made for '{state.objective}', now it is '{self._objective}'; resume with the same"
            )
        self.start = self._best = self._given.replace(links=found.links)
        self._saved = True
        self.spent = state.moves, state.seconds


def _hops_cost(topology: Topology) -> tuple[float, ...] | None:
    """What a search for hops compares, of a connected topology: (diameter, hops of all ordered pairs)."""
    from topoloom.graph.path_lengths import path_lengths

    found = path_lengths(topology)
    return (found.diameter, round(found.aspl * found.switches * (found.switches - 1))) if found.connected else None
