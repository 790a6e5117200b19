"""What a study itself takes: 10,000 tasks that do nothing, by each executor: .venv/bin/python benchmarks/studies.py

Targets on two cores, fixed before: 15 s by processes, 30 s by dask on a local cluster. From the call to the last record in
the store, start of workers included.
"""

import tempfile
import time
from pathlib import Path

from topoloom import InputError, Study, run_study

TASKS = 10_000
TARGETS_S = {"threads": None, "processes": 15.0, "dask": 30.0}


def main() -> None:
    """A row an executor."""
    study = Study(operation="nothing", axes={"number": list(range(TASKS))})
    print(f"{'executor':12}{'seconds':>9}{'tasks a second':>16}{'target':>9}")
    for name, target in TARGETS_S.items():
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            try:
                found = run_study(study, Path(folder) / "study", executor=name)
            except InputError as error:
                print(f"{name:12}{error}")
                continue
            seconds = time.perf_counter() - began
        told = "" if target is None else f"{target:g} s"
        print(f"{name:12}{seconds:9.2f}{found.done / seconds:16,.0f}{told:>9}", flush=True)


if __name__ == "__main__":
    main()
