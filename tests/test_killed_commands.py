"""kill -9 at any moment of any command that writes: the old output is there or the new one, and the command runs again."""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from topoloom import build, save
from topoloom.core.folders import files_in, settle

_REQUIREMENT = 'hosts = 60\n[switch]\nradix = 12\n[families]\ntry = ["torus", "hypercube"]\n'
_STUDY = 'operation = "nothing"\naxes.number = {from = 1, to = 400, step = 1}\n'
#: What writes the output `out` of old input and of new, and which of its files differ from run to run (seconds, dates).
_COMMANDS = {
    "build": ("build torus:dims=4x4 -o out.json", "build jellyfish:n=3000,degree=8 -o out.json"),
    "convert": ("convert a.json out.graphml", "convert b.json out.graphml"),
    "optimize": (
        "optimize ring:n=12 --moves 50 -o out.json",
        "optimize jellyfish:n=60,degree=4 --moves 3000 -o out.json",
    ),
    "layout": ("layout petersen -o out --map rows", "layout jellyfish:n=200,degree=8 -o out --map rows"),
    "route": ("route a.json -o out", "route c.json -o out"),
    "expand": ("expand ring:n=8,hosts=1 --to 10 -o out", "expand ring:n=20,hosts=1 --to 24 -o out"),
    "simulate": ("simulate a.json --loads 0.1 --fast -o out.csv", "simulate a.json --loads 0.1,0.2 --fast -o out.csv"),
    "resilience": (
        "resilience petersen --samples 5 --levels 10% -o out",
        "resilience petersen ring:n=9 --samples 9 --levels 20% -o out",
    ),
    "app": (
        "app a.json --app alltoall:bytes=64 --simulator flows -o out",
        "app a.json --app alltoall:bytes=64 --app allreduce:bytes=64 --simulator flows -o out",
    ),
    "watch": ("watch a.json b.json -o out", "watch a.json b.json a.json b.json -o out"),
    "verify": ("verify a.json b.json --sarif out.json", "verify a.json c.json --sarif out.json"),
    "design": ("design need.toml -o out --shortlist 0 --jobs 1", "design more.toml -o out --shortlist 0 --jobs 1"),
    "study": ("study s.toml -o out --only number<=9 --jobs 1", "study s.toml -o out --jobs 2"),
}
#: Written task by task: each file is whole, and the next run completes what is there.
_BY_PARTS = ("study", "design")
#: Folders of append-only files, to which each run adds its own.
_RECORDS = {"measured", "records"}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A folder with what the commands read."""
    place = tmp_path_factory.mktemp("inputs")
    for name, spec in (("a", "petersen:hosts=1"), ("b", "ring:n=10,hosts=1"), ("c", "torus:dims=6x6,hosts=1")):
        save(build(spec), place / f"{name}.json")
    (place / "need.toml").write_text(_REQUIREMENT)
    (place / "more.toml").write_text(_REQUIREMENT.replace("60", "90"))
    (place / "s.toml").write_text(_STUDY)
    return place


def _started(words: str, folder: Path) -> subprocess.Popen:
    command = [sys.executable, "-m", "topoloom", *words.split()]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


def _run(words: str, folder: Path) -> float:
    """The seconds that a command takes, undisturbed."""
    began = time.monotonic()
    assert _started(words, folder).wait(300) in (0, 3), words
    return time.monotonic() - began


def _output(folder: Path) -> dict[str, str]:
    """The digest of each file of the output; what a killed program began to put in its place is put there first."""
    found = {}
    for out in sorted(folder.glob("out*")):
        if out.is_dir():
            settle(out)
        for path in files_in(out) if out.is_dir() else [out]:
            if _RECORDS & set(path.parts):
                continue
            found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _is(state: dict[str, str], of: dict[str, str], volatile: set[str]) -> bool:
    return state.keys() == of.keys() and all(state[name] == of[name] for name in state.keys() - volatile)


def _killed_again_and_again(name: str, inputs: Path, tmp_path: Path, times: int) -> None:
    old, new = _COMMANDS[name]
    draws = random.Random(name)

    def fresh(place: str) -> Path:
        return Path(shutil.copytree(inputs, tmp_path / place))

    base = fresh("base")
    _run(old, base)
    before = _output(base)
    wanted = []
    for place in ("one", "two"):
        shutil.copytree(base, tmp_path / place)
        seconds = _run(new, tmp_path / place)
        wanted.append(_output(tmp_path / place))
    volatile = {one for one in wanted[0] if wanted[0][one] != wanted[1].get(one)}
    volatile.add("out/design.json")  # which says how much of it was measured before
    for number in range(times):
        folder = Path(shutil.copytree(base, tmp_path / f"killed-{number}"))
        running = _started(new, folder)
        time.sleep(seconds * draws.uniform(0.2, 1.05))
        running.send_signal(signal.SIGKILL)
        running.wait()
        time.sleep(0.1)  # its workers see that it is gone
        state = _output(folder)
        if name not in _BY_PARTS:
            assert _is(state, before, volatile) or _is(state, wanted[0], volatile), (name, number, sorted(state))
        _run(new, folder)
        if name != "study":
            assert _is(_output(folder), wanted[0], volatile), (name, number)
            continue
        digests = [line["digest"] for line in lines_of(folder / "out")]
        assert len(set(digests)) == 400
        assert len(digests) <= 400 + 2  # what the two workers were at
        assert (folder / "out" / "study.csv").read_text().count("\n") == 401


def lines_of(folder: Path) -> list[dict]:
    """The whole lines of a study's shards."""
    texts = [path.read_bytes() for path in (folder / "records").glob("*.jsonl")]
    return [json.loads(line) for text in texts for line in text.split(b"\n")[:-1]]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", list(_COMMANDS))
def test_every_command_that_is_killed(name, inputs, tmp_path):
    """All that write, a dozen moments each."""
    _killed_again_and_again(name, inputs, tmp_path, int(os.environ.get("TOPOLOOM_KILLS", "12")))
