"""The overhead of a study: 10,000 tasks that do nothing, by executor: .venv/bin/python benchmarks/studies.py

Targets on two cores, fixed before the measurement: 15 s with processes, 30 s with dask on a local cluster. The time is from the
call to the last record in the store and includes the start of workers.
"""

import tempfile
import time
from pathlib import Path

from topoloom import InputError, Study, run_study

TASKS = 10_000
TARGETS_S = {"threads": None, "processes": 15.0, "dask": 30.0}


def main() -> None:
    """Print one row per executor."""
    study = Study(operation="nothing", axes={"number": list(range(TASKS))})
    print(f"{'executor':12}{'seconds':>9}{'tasks/s':>16}{'target':>9}")
    for name, target in TARGETS_S.items():
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            try:
                results = run_study(study, Path(folder) / "study", executor=name)
            except InputError as error:
                print(f"{name:12}{error}")
                continue
            seconds = time.perf_counter() - began
        target_text = "" if target is None else f"{target:g} s"
        print(f"{name:12}{seconds:9.2f}{results.done / seconds:16,.0f}{target_text:>9}", flush=True)


if __name__ == "__main__":
    main()
