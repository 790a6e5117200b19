"""Where measured candidates are kept, so that a second run measures only what is new: shards in the design's folder."""

import hashlib
from pathlib import Path

import msgspec

from topoloom._version import __version__
from topoloom.core.shards import Shards, ShardWriter
from topoloom.cost.parts import Parts
from topoloom.designer.measure import Candidate, Outcome
from topoloom.designer.requirement import Requirement
from topoloom.placement.layout.place import SCREENING_MAP

_SCREENING = "screening"


class _Kept(msgspec.Struct):
    """A line: a candidate by all that decides what is measured."""

    key: str
    outcome: Outcome


class CandidateStore:
    """Measured candidates in a folder of shards; each is there whole or not at all, however a run ends."""

    def __init__(self, folder: Path, requirement: Requirement, parts: Parts) -> None:
        """Results depend on the need (but for its title, objective and limits), the parts and the version."""
        self._shards = Shards(folder / _SCREENING, _Kept)
        self._writer: ShardWriter[_Kept] = self._shards.writer()
        self._known: dict[str, Outcome] = {}
        requirement = msgspec.structs.replace(requirement, title="", minimize="cost_per_host_usd", compare=())
        # Neither do those of the screening depend on what becomes of the shortlist.
        gone = ("limits", "families", "search", "shortlist", "minutes", "repeats")
        plain = {**msgspec.to_builtins(requirement), **dict.fromkeys(gone)}
        content = msgspec.json.encode([__version__, plain, msgspec.to_builtins(parts)])
        self._stamp = hashlib.sha256(content).hexdigest()

    def _key(self, spec: str, map: str) -> str:
        return hashlib.sha256(f"{self._stamp} {map} {spec}".encode()).hexdigest()[:24]

    def get(self, spec: str, map: str = SCREENING_MAP) -> Outcome | None:
        """The stored candidate by this placement, or None where there is none."""
        self._known |= {line.key: line.outcome for line in self._shards.new()}
        return self._known.get(self._key(spec, map))

    def put(self, candidate: Outcome) -> None:
        """Keep a candidate."""
        map = candidate.map if isinstance(candidate, Candidate) else SCREENING_MAP
        self._writer.write(_Kept(self._key(candidate.spec, map), candidate))


def candidates_in(folder: Path) -> list[Candidate]:
    """All candidates that were measured into a folder, also by a run that goes on; none that could not be built."""
    lines = Shards(folder / _SCREENING, _Kept).new()
    return list({one.key: one.outcome for one in lines if isinstance(one.outcome, Candidate)}.values())
