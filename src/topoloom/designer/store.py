"""Where measured candidates are kept, so that a second run measures only what is new."""

import hashlib
from pathlib import Path

import msgspec

from topoloom._version import __version__
from topoloom.cost.parts import Parts
from topoloom.designer.measure import Candidate, Outcome
from topoloom.designer.need import Need
from topoloom.files import write_atomically
from topoloom.layout.place import SCREENING_MAP


class Store:
    """One small JSON file a candidate in a folder; a file is whole or absent, however a run ends."""

    def __init__(self, folder: Path, need: Need, parts: Parts) -> None:
        """Results depend on the need (but for its title, objective and limits), the parts and the version."""
        self._folder = folder
        need = msgspec.structs.replace(need, title="", minimize="cost_per_host_usd", compare=())
        # Neither do those of the screening depend on what becomes of the finalists.
        gone = ("limits", "families", "finalists", "minutes")
        plain = {**msgspec.to_builtins(need), **dict.fromkeys(gone)}
        content = msgspec.json.encode([__version__, plain, msgspec.to_builtins(parts)])
        self._stamp = hashlib.sha256(content).hexdigest()

    def _path(self, spec: str, map: str) -> Path:
        return self._folder / f"{hashlib.sha256(f'{self._stamp} {map} {spec}'.encode()).hexdigest()[:24]}.json"

    def get(self, spec: str, map: str = SCREENING_MAP) -> Outcome | None:
        """The stored candidate by this placement, or None when it is absent or unreadable."""
        try:
            found: Outcome = msgspec.json.decode(self._path(spec, map).read_bytes(), type=Outcome)
        except (OSError, msgspec.DecodeError):
            return None
        return found if found.spec == spec else None

    def put(self, candidate: Outcome) -> None:
        """Keep a candidate."""
        self._folder.mkdir(parents=True, exist_ok=True)
        map = candidate.map if isinstance(candidate, Candidate) else SCREENING_MAP
        write_atomically(self._path(candidate.spec, map), msgspec.json.encode(candidate))
