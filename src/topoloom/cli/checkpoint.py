"""The best graph of a running optimisation on disk, and resuming an interrupted optimisation from it."""

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


class _State(msgspec.Struct, forbid_unknown_fields=True):
    """The state of a search, stored next to the graph, from which the search is resumed."""

    objective: str
    seed: int
    moves: int
    seconds: float
    start: str


class Checkpoint:
    """Writes the best graph so far to the file of -o, and the state to ``FILE.progress.json``; without -o it writes nothing.

    `start` is the topology that the search starts from, `spent` the moves and seconds of the session that is resumed.

    Raises
    ------
    InputError
        The file cannot be written, or it holds another network than the one to resume.
    """

    def __init__(
        self, original: Topology, output: str | None, seed: int, objective: str, quiet: bool, resume: bool
    ) -> None:
        self.start, self.spent = original, (0, 0.0)
        self._original, self._output, self._seed, self._objective = original, output, seed, objective
        self._best, self._saved = original, False
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
        """Write the best graph so far if it is better than the one on disk."""
        now = time.monotonic()
        if self._output in (None, "-") or now - self._written_at < _WRITE_SECONDS:
            return
        self._written_at = now
        if self._written is None or best.cost < self._written:
            self._best = self._original.replace(links=best.links)
            self._written, self._saved = best.cost, False
        # The state is always written: the moves and seconds spent count when the search is resumed.
        self._write(self._best, best.moves, best.seconds)

    def end(self, result: "Optimized") -> None:
        """Write the final result and print where it is."""
        if self._output is None:
            return
        if self._output == "-":
            save(result.topology, "-", self._record.name)
            return
        self._saved = False
        self._write(result.topology, result.moves, result.seconds)
        say(f"wrote {result.topology.name} to {self._output}", err=True)

    def _write(self, topology: Topology, moves: int, seconds: float) -> None:
        state = _State(self._objective, self._seed, moves, seconds, self._original.digest)
        if not self._saved:
            save(topology, str(self._output), self._record.name)
            self._saved = True
        write_atomically(self._state, msgspec.json.format(msgspec.json.encode(state), indent=1))

    def _resume(self, output: str) -> None:
        if not self._state.exists():
            raise InputError(
                f"{self._state} does not exist, so {output} cannot be resumed; name it as TOPOLOGY to start from it"
            )
        state = parse_json(
            read_text(self._state, 1 << 26), str(self._state), _State, "state of a search (remove it, and start again)"
        )
        saved = load(output)
        same = saved.switches == self._original.switches and (saved.degrees == self._original.degrees).all()
        if state.start != self._original.digest or not same:
            raise InputError(
                f"{output} did not start from {self._original.name}; resume with the topology that it started from"
            )
        if state.objective != self._objective:
            raise InputError(
                f"{output} was made for '{state.objective}', now it is '{self._objective}'; resume with the same"
            )
        self.start = self._best = self._original.replace(links=saved.links)
        self._saved = True
        self.spent = state.moves, state.seconds


def _hops_cost(topology: Topology) -> tuple[float, ...] | None:
    """(diameter, sum of hops over all ordered pairs): the cost in a search for hops; None if the topology is disconnected."""
    from topoloom.graph.path_lengths import path_lengths

    lengths = path_lengths(topology)
    return (
        (lengths.diameter, round(lengths.aspl * lengths.switches * (lengths.switches - 1)))
        if lengths.connected
        else None
    )
