"""A design on a Dask cluster of four workers in network namespaces of their own, with a worker and the client killed half-way.

    sudo python benchmarks/cluster_design.py [REQUIREMENT.toml] [--local] [--folder FOLDER] [--minutes N] [--kill-after N]

It makes a bridge and four network namespaces (`ip netns`), starts a scheduler on the bridge and one worker in each namespace,
and runs ``topoloom design --executor dask``. When --kill-after tasks are finished, it kills the client and one worker
(kill -9), and runs the same command again, which must end with all steps and repeat no finished task. With --local it then
runs the design on this machine alone, and compares the two results to the last digit. It prints one line per event, and the
memory and CPU seconds that it needed. Needs root, and `ip` (iproute2).
"""

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from topoloom.core.surroundings import python

ROOT = Path(__file__).parents[1]
BRIDGE, NET, WORKERS = "tlbr0", "10.231.77", 4
#: What differs from run to run: times, and what they were measured with.
_VARYING = ("timings", "seconds")


def ip(*words: str, check: bool = True) -> None:
    """Run `ip`."""
    subprocess.run(["ip", *words], check=check, capture_output=not check)


def remove() -> None:
    """Remove the namespaces and the bridge."""
    for number in range(WORKERS):
        ip("netns", "delete", f"tl{number}", check=False)
    ip("link", "delete", BRIDGE, check=False)


@contextmanager
def namespaces() -> Iterator[None]:
    """A bridge with an address, and namespaces joined to it by veth pairs."""
    remove()
    try:
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("address", "add", f"{NET}.1/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        for number in range(WORKERS):
            space, outside, inside = f"tl{number}", f"tlv{number}", f"tlw{number}"
            ip("netns", "add", space)
            ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", space)
            ip("link", "set", outside, "master", BRIDGE, "up")
            ip("-n", space, "address", "add", f"{NET}.{10 + number}/24", "dev", inside)
            ip("-n", space, "link", "set", inside, "up")
            ip("-n", space, "link", "set", "lo", "up")
        yield
    finally:
        remove()


@contextmanager
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The scheduler's address, and the workers; all are killed at the end."""
    words = python("-m", "distributed.cli.dask_scheduler", "--host", f"{NET}.1", "--port", "0", "--no-dashboard")
    scheduler = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    messages = cast(IO[str], scheduler.stderr)
    address = ""
    while not address:
        found = re.search(r"Scheduler at:\s+(tcp://\S+)", messages.readline())
        address = found[1] if found else ""
    threading.Thread(target=messages.read, daemon=True).start()
    workers = [
        subprocess.Popen(
            [
                *("ip", "netns", "exec", f"tl{number}"),
                *python("-m", "distributed.cli.dask_worker", address, "--host", f"{NET}.{10 + number}"),
                *("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"),
            ],
            stderr=subprocess.DEVNULL,
        )
        for number in range(WORKERS)
    ]
    try:
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def finished(tasks: Path) -> list[str]:
    """The digests of the records in the folder of the tasks, one per line of a shard."""
    shards = sorted((tasks / "records").glob("*.jsonl"))
    return [json.loads(line)["digest"] for path in shards for line in path.read_bytes().split(b"\n")[:-1]]


def plain(record: object) -> object:
    """A record without what differs from run to run."""
    if isinstance(record, dict):
        return {name: plain(value) for name, value in record.items() if name not in _VARYING}
    return [plain(value) for value in record] if isinstance(record, list) else record


def digest(record: object) -> str:
    """16 hexadecimal digits of a record."""
    return hashlib.sha256(json.dumps(plain(record), sort_keys=True).encode()).hexdigest()[:16]


def peak_gb(process: subprocess.Popen[bytes]) -> float:
    """The memory peak of a process that runs, in GB; 0 where it has ended."""
    try:
        text = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+) kB", text)
    return int(found[1]) / 1e6 if found else 0.0


def cpu_s(process: subprocess.Popen[bytes]) -> float:
    """The CPU seconds of a process that runs, all threads; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Run the design, kill, run it again, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("requirement", nargs="?", default=str(ROOT / "examples" / "ai-131k.toml"))
    parser.add_argument("--folder", default="/tmp/topoloom-cluster")
    parser.add_argument("--minutes", default="600", help="time for the full assessments")
    parser.add_argument("--change", action="append", default=[], help="change a key of the requirement: hosts=8192")
    parser.add_argument("--kill-after", type=int, default=10, help="finished tasks before the kills")
    parser.add_argument("--local", action="store_true", help="also run it on this machine, and compare")
    asked = parser.parse_args()
    folder = Path(asked.folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:8.1f} s  {text}", flush=True)

    changes = [word for change in asked.change for word in ("--change", change)]
    common = [asked.requirement, *changes, "--minutes", asked.minutes, "--repeats", "1", "--json"]
    design = [*python("-m", "topoloom", "design"), *common]
    tasks = folder / "tasks"
    with namespaces(), cluster() as (address, workers):
        say(f"scheduler at {address}, {WORKERS} workers in network namespaces; load {os.getloadavg()[0]:.1f}")
        away = [*design, "--executor", "dask", "--executor-option", f"address={address}", "--tasks", str(tasks)]
        first = [*away, "-o", str(folder / "first")]
        client = subprocess.Popen(first, stdout=subprocess.DEVNULL)
        while client.poll() is None and len(finished(tasks)) < asked.kill_after:
            time.sleep(0.2)
        if client.poll() is not None:
            raise SystemExit(f"the client ended ({client.returncode}) before {asked.kill_after} tasks were finished")
        client.kill()
        client.wait()
        workers[0].kill()
        before = finished(tasks)
        say(f"killed the client and a worker after {len(before)} finished tasks")
        again = subprocess.run([*away, "-o", str(folder / "second")], stdout=subprocess.PIPE, check=False)
        used = [f"{peak_gb(worker):.1f} GB, {cpu_s(worker):.0f} s" for worker in workers[1:]]
        own = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
        say(f"the second client ended with exit code {again.returncode}")
    records = finished(tasks)
    result = json.loads(again.stdout)
    missing = sum(len(network["missing"]) for network in result["shortlist"])
    say(f"{len(records)} tasks, {len(records) - len(set(records))} of them twice; ended: {result['ended']}")
    say(f"best: {result['best']}; {len(result['shortlist'])} networks assessed, {missing} steps missing")
    say(f"memory peaks and CPU: client {own:.1f} GB; the workers that are left {'; '.join(used)}")
    say(f"digest on the cluster: {digest(result)}")
    if asked.local:
        local = subprocess.run([*design, "-o", str(folder / "local")], stdout=subprocess.PIPE, check=True)
        here = digest(json.loads(local.stdout))
        say(f"digest on this machine: {here}; load {os.getloadavg()[0]:.1f}")
        if here != digest(result):
            sys.exit(1)
    if again.returncode or missing or len(records) > len(set(records)) or result["ended"] != "done":
        sys.exit(1)


if __name__ == "__main__":
    main()
