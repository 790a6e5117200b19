"""The store of measured candidates: shards in the design's folder, so that a second run measures only what is new."""

import hashlib
from pathlib import Path

import msgspec

from topoloom._version import __version__
from topoloom.core.shards import Shards, ShardWriter
from topoloom.cost.parts import Parts
from topoloom.designer.outcomes import Candidate, Outcome
from topoloom.designer.requirement import Requirement
from topoloom.placement.layout.place import SCREENING_MAP

_SCREENING = "screening"


class _Kept(msgspec.Struct):
    """A record of the store: a candidate under a key of all that its measures depend on."""

    key: str
    outcome: Outcome


class CandidateStore:
    """Measured candidates in a folder of shards; each record is complete or absent, however a run ends."""

    def __init__(self, folder: Path, requirement: Requirement, parts: Parts) -> None:
        """Results depend on the requirement (except title, objective and limits), the parts and the version."""
        self._shards = Shards(folder / _SCREENING, _Kept)
        self._writer: ShardWriter[_Kept] = self._shards.writer()
        self._known: dict[str, Outcome] = {}
        requirement = msgspec.structs.replace(requirement, title="", minimize="cost_per_host_usd", compare=())
        # Screening does not depend on these either.
        irrelevant = ("limits", "families", "search", "shortlist", "minutes", "repeats")
        plain = {**msgspec.to_builtins(requirement), **dict.fromkeys(irrelevant)}
        content = msgspec.json.encode([__version__, plain, msgspec.to_builtins(parts)])
        self._stamp = hashlib.sha256(content).hexdigest()

    def _key(self, spec: str, map: str) -> str:
        return hashlib.sha256(f"{self._stamp} {map} {spec}".encode()).hexdigest()[:24]

    def get(self, spec: str, map: str = SCREENING_MAP) -> Outcome | None:
        """The stored candidate by this placement, or None."""
        self._known |= {line.key: line.outcome for line in self._shards.new()}
        return self._known.get(self._key(spec, map))

    def put(self, candidate: Outcome) -> None:
        """Store a candidate."""
        map = candidate.map if isinstance(candidate, Candidate) else SCREENING_MAP
        self._writer.write(_Kept(self._key(candidate.spec, map), candidate))


def candidates_in(folder: Path) -> list[Candidate]:
    """All candidates measured into a folder, including those of a running design; without those that could not be built."""
    lines = Shards(folder / _SCREENING, _Kept).new()
    return list({line.key: line.outcome for line in lines if isinstance(line.outcome, Candidate)}.values())
