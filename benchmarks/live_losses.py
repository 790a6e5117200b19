"""Losses and returns on a fabric that a real OpenSM routes with our tables, kept whole by examples/live-fabric/keep-tables.sh.

    python benchmarks/live_losses.py [--fabric tree3] [--events 100] [--seed 1] [--keep FOLDER]

ibsim simulates the fabric (those of opensm_engines.py). A cable, a host's cable or a switch is pulled, or a lost one plugged
again, by chance; then the script runs one round. Then the discovery and the entries that the switches hold are read by
infiniband-diags and followed here, by code that shares nothing with topoloom: every pair of hosts that is connected must be
reached. Per event: what happened, entries changed, steps, pairs without a path before the repair and after it, seconds.
Exit code 0: no pair of connected hosts was without a path after any event.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from opensm_engines import FABRICS, Wiring
from simulated_subnet import Subnet, subnet

_SCRIPT = Path(__file__).parent.parent / "examples/live-fabric/keep-tables.sh"
_Plug = tuple[str, int]


def main() -> None:
    """Print the events."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fabric", default="tree3", choices=FABRICS)
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        sys.exit(_run(FABRICS[options.fabric](), options.events, random.Random(options.seed), folder))


def _run(wiring: Wiring, events: int, draws: random.Random, folder: Path) -> int:
    hosts = sorted({end for cable in wiring.cables for end, _ in cable} - set(wiring.switches))
    nodes = len(wiring.switches) + len(hosts)
    (folder / "fabric.net").write_text(wiring.text())
    with subnet(folder, nodes, ["-R", "minhop"]) as running:
        (folder / "found.net").write_text(running.printed("ibnetdiscover"))
    _topoloom("export", "found.net", "opensm", "-o", "installed", cwd=folder)
    loaded, policy = folder / "loaded.lft", folder / "loaded.qos"
    shutil.copy(folder / "installed/fabric.lft", loaded)
    more, conf = ["-R", "file", "-U", str(loaded)], ""
    if (folder / "installed/fabric.qos").exists():
        shutil.copy(folder / "installed/fabric.qos", policy)
        more, conf = [*more, "-Q", "-Y", str(policy)], (folder / "installed/opensm.conf").read_text()
    worst = 0
    lost: list[str] = []
    began = time.monotonic()
    with subnet(folder, nodes, more, conf) as running:
        print(f"{len(wiring.switches)} switches, {len(hosts)} hosts, {len(wiring.cables)} cables", flush=True)
        for number in range(1, events + 1):
            what = _event(wiring, hosts[0], lost, draws)
            running.order(what)
            time.sleep(1)
            broken, _ = _unreached(running)
            started = time.monotonic()
            done = subprocess.run(
                [str(_SCRIPT), "installed", "once"],
                cwd=folder,
                env=_environment(running, loaded, policy),
                capture_output=True,
                text=True,
                check=False,
            )
            seconds = time.monotonic() - started
            left, pairs = _unreached(running)
            worst = max(worst, left)
            shown = {
                key: match[1]
                for key in ("entries changed", "steps")
                if (match := re.search(rf"^{key} +(.*)$", done.stdout, re.MULTILINE))
            }
            print(
                f"{number:4} {what:28} code {done.returncode}  changed {shown.get('entries changed', '0'):>6}"
                f"  unreached pairs {broken:5} -> {left} of {pairs}  {seconds:5.1f} s  {shown.get('steps', '')}",
                flush=True,
            )
            if done.returncode:
                print(done.stderr.strip()[-500:], flush=True)
    minutes = (time.monotonic() - began) / 60
    print(
        f"{events} events in {minutes:.0f} minutes: at most {worst} pairs of connected hosts without a path after a repair"
    )
    return 1 if worst else 0


def _event(wiring: Wiring, manager: str, lost: list[str], draws: random.Random) -> str:
    """The next order to ibsim: a loss, or the return of something lost; OpenSM's own host and its leaf stay."""
    if lost and (draws.random() < 0.5 or len(lost) > 6):
        back = lost.pop(draws.randrange(len(lost)))
        return f"ReLink {back}"
    home = next(b[0] for a, b in wiring.cables if a[0] == manager)
    while True:
        if draws.random() < 0.15:
            part = f'"{draws.choice([name for name in wiring.switches if name != home])}"'
        else:
            (first, port), (second, _) = draws.choice(wiring.cables)
            if manager in (first, second):
                continue
            part = f'"{first}"[{port}]'
        if part not in lost:
            lost.append(part)
            return f"Unlink {part}"


def _environment(running: Subnet, loaded: Path, policy: Path) -> dict[str, str]:
    # topoloom itself must not be given ibsim's library for every file that it opens, but infiniband-diags must.
    programs = f"{Path(sys.executable).parent}:{running.environment['PATH']}"
    return {
        **running.environment,
        "PATH": programs,
        "LFTS": str(loaded),
        "QOS": str(policy),
        "OPENSM": str(running.manager.pid),
        "SETTLE": "1",
    }


def _topoloom(*arguments: str, cwd: Path) -> None:
    command = [sys.executable, "-P", "-m", "topoloom", *arguments]
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, env=os.environ)


def _unreached(running: Subnet) -> tuple[int, int]:
    """Pairs of connected hosts that the entries in the switches do not join, and all such pairs."""
    found = running.printed("ibnetdiscover")
    far: dict[_Plug, _Plug] = {}
    lid: dict[str, int] = {}
    node = ""
    for line in found.splitlines():
        if head := re.match(r'(Switch|Ca)\s+\d+ "([^"]+)"(?:.*lid (\d+))?', line):
            node = head[2]
        elif plug := re.match(r'\[(\d+)\](?:\(\w+\))?\s+"([^"]+)"\[(\d+)\](?:\(\w+\))?\s*#\s*(?:lid (\d+))?', line):
            far[node, int(plug[1])] = plug[2], int(plug[3])
            if node.startswith("H-"):
                lid[node] = int(plug[4])
    tables: dict[str, dict[int, int]] = defaultdict(dict)
    for line in running.printed("dump_lfts").splitlines():
        if section := re.match(r"Unicast lids .* guid 0x(\w+)", line):
            node = f"S-{section[1]}"
        elif entry := re.match(r"0x(\w+) (\d+)", line):
            tables[node][int(entry[1], 16)] = int(entry[2])
    part = _parts(far)
    unreached = pairs = 0
    for target, address in lid.items():
        for source in lid:
            if source == target or part[source] != part[target]:
                continue
            pairs += 1
            at, hops = far[source, 1][0], 0
            while at in tables and hops < 64:
                at, hops = far.get((at, tables[at].get(address, 255)), ("", 0))[0], hops + 1
            unreached += at != target
    return unreached, pairs


def _parts(far: dict[_Plug, _Plug]) -> dict[str, str]:
    """A name of the connected part of each node."""
    neighbours: dict[str, set[str]] = defaultdict(set)
    for (node, _), (other, _) in far.items():
        neighbours[node].add(other)
    part: dict[str, str] = {}
    for start in neighbours:
        rest = [start]
        while rest:
            node = rest.pop()
            if node not in part:
                part[node] = start
                rest += neighbours[node]
    return part


if __name__ == "__main__":
    main()
