"""Faults planted in an Ethernet fabric of 2,000 switches in the form of LLDP: how many verify finds, what it invents, how long.

    python benchmarks/planted_neighbours.py [--switches 2000] [--faults 200] [--seed 1] [--keep FOLDER]

Leaves with 8 uplinks and 4 hosts in the lanes of two split ports, and spines. The plan is a sheet with racks and rates; every
switch has a file as `nv show interface -o json` prints it, with all its ports. Faults of nine kinds are drawn by chance, each
with cables of its own: swapped cables, missing, one-sided, in another port, extra, slow, another MTU at one end, a port that is
whole where lanes are planned, a host that is not heard. Prints, per kind, how many were planted and found (by the code of the
rule and the ports), what else was reported (invented), and the seconds of `topoloom verify`. Exit code 0: all were found, and
nothing else.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_UPLINKS, _CAGES, _LANES = 8, 2, 2
#: Leaves per spine, and the most ports of a spine that are free for faults.
_LEAVES_PER_SPINE, _FREE = 15, 8
Plug = tuple[str, str]


@dataclass
class Planted:
    """A fabric as it is cabled, and the faults in it.

    Attributes
    ----------
    hears : dict of (str, str) to (str, str)
        What each port of a switch hears.
    settings : dict of (str, str) to dict
        What differs in the settings of a port.
    ports : dict of str to list of str
        All ports of each switch.
    faults : dict of (str, str) to int
        The number of the fault that each port is a part of; a host that is not heard: with an empty port.
    kinds : list of str
        The code of each fault.
    """

    hears: dict[Plug, Plug] = field(default_factory=dict)
    settings: dict[Plug, dict[str, Any]] = field(default_factory=dict)
    ports: dict[str, list[str]] = field(default_factory=dict)
    faults: dict[Plug, int] = field(default_factory=dict)
    kinds: list[str] = field(default_factory=list)

    def plant(self, code: str, *plugs: Plug) -> None:
        """Note a fault."""
        self.faults |= dict.fromkeys(plugs, len(self.kinds))
        self.kinds.append(code)

    def unplug(self, *plugs: Plug) -> None:
        """Take away what these ports hear."""
        for plug in plugs:
            self.hears.pop(plug, None)

    def join(self, first: Plug, other: Plug) -> None:
        """Plug a cable; hosts have no file."""
        for near, far in ((first, other), (other, first)):
            if near[0] in self.ports:
                self.hears[near] = far


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--switches", type=int, default=2000)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        (folder / "lldp").mkdir(parents=True)
        planted = written(options.switches, options.faults, random.Random(options.seed), folder)
        sys.exit(_verified(planted, folder))


def written(switches: int, faults: int, draws: random.Random, folder: Path) -> Planted:
    """Write plan.csv and lldp/, with the faults in the latter."""
    spines = max(_UPLINKS, switches // (_LEAVES_PER_SPINE + 1))
    leaves = [f"leaf{number:04}" for number in range(switches - spines)]
    names = [f"spine{number:03}" for number in range(spines)]
    cables: list[tuple[Plug, Plug]] = []
    used = Counter[str]()
    planted = Planted()
    for number, leaf in enumerate(leaves):
        planted.ports[leaf] = [f"swp{cage}s{lane}" for cage in range(1, _CAGES + 1) for lane in range(_LANES)]
        cables += [((leaf, port), (f"gpu{number:04}-{port[3:]}", "eth1")) for port in planted.ports[leaf]]
        for up in range(_UPLINKS):
            spine = names[(number + up * 7) % spines]
            used[spine] += 1
            cables.append(((leaf, f"swp{up + 51}"), (spine, f"swp{used[spine]}")))
        planted.ports[leaf] += [f"swp{up + 51}" for up in range(_UPLINKS + 1)]
    for spine in names:
        planted.ports[spine] = [f"swp{port}" for port in range(1, used[spine] + _FREE + 1)]
    for cable in cables:
        planted.join(*cable)
    _plant(planted, cables, used, faults, draws)
    rows = ["A-Rack,A-Node Name,A-Type,A-Port,Z-Rack,Z-Node Name,Z-Type,Z-Port,Speed"]
    for (leaf, port), (far, far_port) in cables:
        kind = "Host" if far.startswith("gpu") else "Switch"
        rows.append(f"R{leaf[4:]},{leaf},Switch,{port},,{far},{kind},{far_port},100G")
    (folder / "plan.csv").write_text("\n".join(rows) + "\n")
    for switch, ports in planted.ports.items():
        content = {port: _interface(planted, (switch, port)) for port in ports}
        (folder / "lldp" / f"{switch}.json").write_text(json.dumps(content))
    return planted


def _interface(planted: Planted, plug: Plug) -> dict[str, Any]:
    link = {"mtu": 9216, "speed": "100G", "fec": "rs"} | planted.settings.get(plug, {})
    content: dict[str, Any] = {"type": "swp", "link": link, "lldp": {}}
    if plug in planted.hears:
        name, port = planted.hears[plug]
        entry = {"chassis": {"system-name": name}, "port": {"name": port, "type": "ifname", "ttl": 120}}
        content["lldp"] = {"neighbor": {name: entry}}
    return content


def _plant(
    planted: Planted, cables: list[tuple[Plug, Plug]], used: Counter[str], faults: int, draws: random.Random
) -> None:
    """Draw the faults: of each kind about as many."""
    uplinks = [cable for cable in cables if cable[1][0].startswith("spine")]
    hosts = [cable for cable in cables if cable[1][0].startswith("gpu")]
    # A leaf has one fault at most, and a free port of a spine one cable: no fault hides another.
    by_leaf = {leaf: iter(draws.sample(sorted(group), len(group))) for leaf, group in _by_leaf(uplinks).items()}
    order = iter(draws.sample(sorted(by_leaf), len(by_leaf)))
    host_of = _by_leaf(hosts)
    free = {spine: iter(range(used[spine] + 1, used[spine] + _FREE + 1)) for spine in used}

    def uplink() -> tuple[Plug, Plug]:
        return next(by_leaf[next(order)])

    def swapped() -> None:
        (a, b), (c, d) = uplink(), uplink()
        while b[0] == d[0]:
            c, d = uplink()
        planted.join(a, d)
        planted.join(c, b)
        planted.plant("TL104", a, b, c, d)

    def missing() -> None:
        cable = uplink()
        planted.unplug(*cable)
        planted.plant("TL101", *cable)

    def one_sided() -> None:
        cable = uplink()
        planted.unplug(cable[1])
        planted.plant("TL106", *cable)

    def other_port() -> None:
        near, far = uplink()
        instead = far[0], f"swp{next(free[far[0]])}"
        planted.unplug(far)
        planted.join(near, instead)
        planted.plant("TL105", near, far, instead)

    def extra() -> None:
        (leaf, _), (spine, _) = uplink()
        ends = (leaf, f"swp{51 + _UPLINKS}"), (spine, f"swp{next(free[spine])}")
        planted.join(*ends)
        planted.plant("TL102", *ends)

    def slow() -> None:
        cable = uplink()
        planted.settings[cable[0]] = {"speed": "25G"}
        planted.plant("TL107", *cable)

    def other_mtu() -> None:
        cable = uplink()
        planted.settings[cable[draws.randrange(2)]] = {"mtu": 1500}
        planted.plant("TL115", *cable)

    def whole() -> None:
        (leaf, port), far = host_of[next(order)][0]
        cage = port.partition("s0")[0]
        lanes = [(leaf, f"{cage}s{lane}") for lane in range(_LANES)]
        planted.unplug(*lanes)
        planted.ports[leaf] = [cage, *(name for name in planted.ports[leaf] if (leaf, name) not in lanes)]
        planted.join((leaf, cage), far)
        others = [cable[1] for cable in host_of[leaf] if cable[0] in lanes]
        planted.plant("TL117", *lanes, (leaf, cage), *others)

    def unheard() -> None:
        near, (host, _) = draws.choice(host_of[next(order)])
        planted.unplug(near)
        planted.plant("TL209", near, (host, ""))

    kinds: list[Callable[[], None]] = [
        *(swapped, missing, one_sided, other_port, extra, slow, other_mtu, whole, unheard)
    ]
    for number in range(faults):
        kinds[number % len(kinds)]()


def _by_leaf(cables: list[tuple[Plug, Plug]]) -> dict[str, list[tuple[Plug, Plug]]]:
    leaves: dict[str, list[tuple[Plug, Plug]]] = {}
    for cable in cables:
        leaves.setdefault(cable[0][0], []).append(cable)
    return leaves


def _verified(planted: Planted, folder: Path) -> int:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
    command = [sys.executable, "-m", "topoloom", "verify", str(folder / "plan.csv"), str(folder / "lldp"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - started
    user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    invented: list[str] = []
    seen: Counter[int] = Counter()
    for entry in json.loads(done.stdout)["diagnostics"]:
        numbers = {planted.faults[plug] for plug in _plugs(entry) if plug in planted.faults}
        if len(numbers) == 1 and planted.kinds[next(iter(numbers))] == entry["code"]:
            seen.update(numbers)
        elif not entry["because_of"]:
            invented.append(f"{entry['code']}: {entry['text']}")
    again = [f"fault {number} is reported {times} times" for number, times in seen.items() if times > 1]
    total, there = Counter(planted.kinds), Counter(planted.kinds[number] for number in seen)
    for code in sorted(total):
        print(f"{code}: {there[code]} of {total[code]} found")
    print(f"{len(seen)} of {len(planted.kinds)} found, {len(invented) + len(again)} invented")
    print(*(f"  {text}" for text in (*invented, *again)), sep="\n", end="\n" * bool(invented or again))
    print(f"{len(planted.ports)} switches: {seconds:.1f} s, {user:.1f} s of user time")
    return 0 if len(seen) == len(planted.kinds) and not invented and not again else 1


def _plugs(entry: dict[str, Any]) -> Iterator[Plug]:
    for cable in (*entry["planned"], *entry["found"]):
        for end in cable:
            yield end["node"], end["port_name"]
    for node in entry["nodes"] if not (entry["planned"] or entry["found"]) else ():
        yield node, ""


if __name__ == "__main__":
    main()
