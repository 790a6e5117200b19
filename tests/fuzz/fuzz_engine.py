"""The fuzzer: damaged files through every reader, in a process of its own with limits, and what each reader may do with them.

A case is the seed's files with one of them damaged, and is known by its reader, the seed of its random numbers and its number.
The law: a reader returns, or raises one `InputError` of one line that names the file; no other exception, no warning, no more
than some seconds and some hundred megabytes. What is returned comes back the same when it is written and read once more.
"""

import argparse
import json
import logging
import os
import random
import resource
import subprocess
import sys
import time
import warnings
import zlib
from pathlib import Path

#: Of a case: seconds of the processor; of a process: address space over what it begins with.
CASE_S, SPACE = 10.0, 1 << 30
_LONGEST_SENTENCE = 1000
HERE = Path(__file__).parent


def run(readers: list[str], seed: int, first: int, count: int, keep: Path | None = None) -> list[dict[str, object]]:
    """Run cases `first` to `first + count - 1` of each reader in a child; the faults.

    Parameters
    ----------
    readers : list of str
    seed, first, count : int
    keep : path, optional
        A folder where the files of faults are kept.

    Returns
    -------
    list of dict
        Reader, case, and what it did.
    """
    faults: list[dict[str, object]] = []
    todo = [(name, first) for name in readers]
    while todo:
        words = [
            sys.executable,
            str(HERE / "fuzz_engine.py"),
            json.dumps(todo),
            str(seed),
            str(first + count),
            str(keep or ""),
        ]
        # What little text may ask for is less here, so that a case that is near the limit is quick.
        environment = os.environ | {"TOPOLOOM_MEMORY_GB": "0.1", "PYTHONHASHSEED": "0"}
        child = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
        lines = [json.loads(line) for line in child.stdout.splitlines() if line.startswith("{")]
        faults += [line for line in lines if "fault" in line]
        at = next((line for line in reversed(lines) if "at" in line), None)
        if child.returncode == 0:
            break
        if at is None:
            raise RuntimeError(f"the fuzzer itself failed: {child.stderr[-2000:]}")
        # Killed by its limits, or crashed: that is the case's fault; go on behind it.
        name, case = at["reader"], at["at"]
        told = (child.stderr.strip().splitlines() or [""])[-1][-300:]
        faults.append({"reader": name, "case": case, "fault": f"the process ended with {child.returncode}: {told}"})
        rest = [one for one, _ in todo]
        todo = [(name, case + 1), *((one, first) for one in rest[rest.index(name) + 1 :])]
    return faults


def _serve(todo: list[tuple[str, int]], seed: int, end: int, keep: str) -> None:
    """The child: every case of every reader, a line on stdout for each fault."""
    import tempfile

    from damage import mutated
    from fuzz_readers import READERS

    from topoloom import InputError

    logging.getLogger("topoloom").setLevel(logging.ERROR)
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        for name, first in todo:
            reader = READERS[name]
            seeds = reader.seeds()
            for number, files in enumerate(seeds):
                reader.read(_laid(Path(place) / f"{name}-{number}-whole", files))
            space = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            resource.setrlimit(resource.RLIMIT_AS, (space + SPACE, resource.RLIM_INFINITY))
            for case in range(first, end):
                print(json.dumps({"reader": name, "at": case}), flush=True)
                rng = random.Random(zlib.crc32(f"{name} {seed} {case}".encode()))
                files = dict(rng.choice(seeds))
                victim = rng.choice(sorted(file for file in files if file not in reader.spared))
                other = rng.choice(seeds).get(victim, files[victim])
                files[victim] = mutated(files[victim], other, rng)
                folder = _laid(Path(place) / f"{name}-{case}", files)
                resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + 3 * CASE_S), resource.RLIM_INFINITY))
                begun, fault = time.process_time(), ""
                try:
                    fault = reader.check(folder)
                except InputError as error:
                    fault = _sentence_fault(str(error), folder, files)
                except BaseException as error:
                    import traceback

                    where = traceback.extract_tb(error.__traceback__)[-1]
                    fault = f"{type(error).__name__}: {str(error)[:200]} ({Path(where.filename).name}:{where.lineno})"
                seconds = time.process_time() - begun
                if not fault and seconds > CASE_S:
                    fault = f"took {seconds:.1f} s"
                if fault:
                    print(json.dumps({"reader": name, "case": case, "file": victim, "fault": fault}), flush=True)
                    if keep:
                        _laid(Path(keep) / f"{name}-{seed}-{case}", files)
                _cleared(folder)


def _laid(folder: Path, files: dict[str, bytes]) -> Path:
    for file, content in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def _cleared(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _sentence_fault(said: str, folder: Path, files: dict[str, bytes]) -> str:
    """What is wrong with a sentence; nothing: it is one line that names the file."""
    shown = said.replace(str(folder), "")
    if len(shown) > _LONGEST_SENTENCE or len(shown.splitlines()) != 1:
        return f"the sentence is {len(shown)} characters in {len(shown.splitlines())} lines: {shown[:300]!r}"
    # A damaged file may name a file that `damage` knows of, and the sentence then names that one.
    named = str(folder) in said or any(Path(file).name in said for file in files) or "/etc/passwd:" in said
    if not named and "MEMORY_GB" not in said:
        return f"the sentence names no file: {shown[:300]!r}"
    return ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for word in ("todo", "seed", "end", "keep"):
        parser.add_argument(word)
    given = parser.parse_args()
    sys.path[:0] = [str(HERE)]
    _serve([tuple(one) for one in json.loads(given.todo)], int(given.seed), int(given.end), given.keep)
