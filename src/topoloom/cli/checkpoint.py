"""The best graph of an optimisation on disk and on the screen while it is under way, and the way back to it."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from topoloom.cli import delivery
from topoloom.cli.output import say
from topoloom.errors import InputError
from topoloom.files import read_text, write_atomically
from topoloom.formats import load, save
from topoloom.topology import Topology

if TYPE_CHECKING:
    from topoloom.optimizer.result import Optimized, Progress

#: Seconds between two writes, and between two lines of progress where they are not drawn over each other.
_WRITE_SECONDS, _LINE_SECONDS = 0.5, 5.0
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
        self._drawn = sys.stderr.isatty()
        self._best, self._saved = given, False
        self._written: tuple[float, ...] | None = None
        self._written_at = self._shown_at = 0.0
        if output is None:
            return
        self._record = delivery.checked(output, None, quiet)
        self._state = Path(f"{output}.progress.json")
        if resume and Path(output).exists():
            self._resume(output)
        if objective.startswith("hops"):
            self._written = _hops_cost(self.start)

    def tell(self, progress: "Progress") -> None:
        """Write the best so far if it is better than what was written, and show how far the search is."""
        now = time.monotonic()
        if self._output not in (None, "-") and now - self._written_at >= _WRITE_SECONDS:
            self._written_at = now
            if self._written is None or progress.cost < self._written:
                self._best = self._given.replace(links=progress.links)
                self._written, self._saved = progress.cost, False
            # The state is written all the same: what is spent counts when the search is resumed.
            self._write(self._best, progress.moves, progress.seconds)
        if now - self._shown_at >= (_WRITE_SECONDS if self._drawn else _LINE_SECONDS):
            self._shown_at = now
            line = _line(progress, self._given)
            click.echo(f"\r\033[K{line}" if self._drawn else line, err=True, nl=not self._drawn)

    def end(self, found: "Optimized") -> None:
        """Write the result, whole; say where."""
        if self._drawn and self._shown_at:
            click.echo("\r\033[K", err=True, nl=False)
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
        try:
            state = msgspec.json.decode(read_text(self._state, 1 << 26), type=_State)
        except msgspec.DecodeError as error:
            raise InputError(f"{self._state}: {error}; remove it and start anew") from None
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
    from topoloom.graph.distances import hops

    found = hops(topology)
    return (found.diameter, round(found.aspl * found.switches * (found.switches - 1))) if found.connected else None


def _line(progress: "Progress", topology: Topology) -> str:
    """How far a search is, in a line."""
    told: dict[str, Any] = {}
    if len(progress.cost) == 2:
        pairs = max(1, topology.switches * (topology.switches - 1))
        told = {"diameter": f"{progress.cost[0]:g}", "ASPL": f"{progress.cost[1] / pairs:.6f}"}
    else:
        apart, beyond_ns, value = progress.cost
        told = {"out of reach": f"{apart:g}"} if apart else {"beyond the cap": f"{beyond_ns:g} ns"} if beyond_ns else {}
        told |= {"value": f"{value:.6g}"}
    shown = ", ".join(f"{key} {value}" for key, value in told.items())
    return (
        f"{progress.share:4.0%}  {shown}  {progress.moves:,} moves, {progress.moves_per_s:,.0f} a second,"
        f" {progress.seconds:,.0f} s"
    )
