"""A rack that moves in a room: seconds until lengths, bill and limits are known, at 1,000 and at 10,000 hosts.

    python benchmarks/room.py [FOLDER ...]

Target: 0.5 s. `task`: the processor time of the operation, in a process that has the room; `server`: a browser's request until
it has the answer, from the first rack that is carried after the page was opened. The networks have the sizes of the winners of
`topoloom design examples/room-1k.toml` and `examples/cluster-10k.toml`; further folders, also of machines, can be named.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np

from topoloom import run_task, task_of
from topoloom.network.opening import open_network

_SPECS = {
    "1,000 hosts, 6 x 10 racks": (
        "slimfly:q=7,hosts=11+populated:hosts=1000",
        "koibuchi-2013",
        {"rows": 6, "columns": 10, "switches_per_rack": 8},
    ),
    "10,000 hosts": ("slimfly:q=19,hosts=14+populated:hosts=10000", "slimfly-2014", {}),
    "10,000 hosts in 722 racks": (
        "slimfly:q=19,hosts=14+populated:hosts=10000",
        "koibuchi-2013",
        {"switches_per_rack": 1},
    ),
}
_MOVES = 15


def main() -> None:
    """Print one line per network."""
    with tempfile.TemporaryDirectory() as place:
        named = {}
        for number, (title, (spec, floor, options)) in enumerate(_SPECS.items()):
            folder = Path(place) / f"net{number}"
            open_network(spec).placed(floor, map="rows", parts="slimfly-2014", rate_gbps=40, **options).save(folder)
            named[title] = str(folder)
        named |= {folder: folder for folder in sys.argv[1:]}
        command = [
            sys.executable,
            "-m",
            "topoloom",
            "serve",
            "--port",
            "0",
            "--store",
            f"{place}/store",
            "--no-browser",
            *named.values(),
        ]
        server = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"TOPOLOOM_TOKEN": "t" * 24},
        )
        base = re.search(r"http\S+", server.stdout.readline())[0].partition("/?")[0]
        client = httpx.Client(base_url=base, headers={"authorization": f"Bearer {'t' * 24}"}, timeout=120)
        try:
            for title, folder in named.items():
                _measure(client, title, folder)
        finally:
            server.terminate()
            server.wait(30)


def _measure(client: httpx.Client, title: str, folder: str) -> None:
    first = run_task(task_of("stand", {"topology": folder}))[0]
    names, racks = first["slots"]["name"], first["floor"]["racks"]["name"]
    draws = np.random.default_rng(1)
    # What the page does as it opens: the worker opens the room.
    client.post("/api/previews", json={"operation": "stand", "arguments": {"topology": folder}, "page": title})
    alone, asked = [], []
    for _ in range(_MOVES):
        arguments = {
            "topology": folder,
            "picture": False,
            "moved": [[str(draws.choice(racks)), str(draws.choice(names))]],
        }
        began = time.process_time()
        run_task(task_of("stand", arguments))
        alone.append(time.process_time() - began)
        began = time.perf_counter()
        request = {"operation": "stand", "arguments": arguments, "page": title}
        client.post("/api/previews", json=request).raise_for_status()
        asked.append(time.perf_counter() - began)
    print(f"{title:28s} {len(racks):4d} racks   task {_of(alone)}   server {_of(asked)}", flush=True)


def _of(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.2f} s (at most {max(seconds):.2f})"


if __name__ == "__main__":
    main()
