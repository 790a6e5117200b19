"""Tables of OpenSM's own engines and ours, on the same fabrics: real OpenSM on ibsim, discovered and dumped by real tools.

    python benchmarks/opensm_engines.py [--fabrics tree-holes,torus] [--engines minhop,ftree] [--lmc 0] [--keep FOLDER]

Each fabric is simulated by ibsim. For each engine a real OpenSM routes it, `ibnetdiscover` discovers it, and OpenSM's dump of
its forwarding tables is verified by `topoloom verify-tables`. Then `topoloom export` routes what was discovered, and a real
OpenSM loads these tables (`-R file`) and dumps them again. Per line: the maximum channel load, the longest path between
switches, unreached pairs, and whether the dump is what was loaded. --keep leaves the discoveries and dumps in a folder.

Needs Debian's opensm, ibsim-utils and infiniband-diags; no root.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from simulated_subnet import PATH, subnet

from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

_ENGINES = ("minhop", "updn", "dnup", "ftree", "lash", "dfsssp", "dor", "torus-2QoS")
_TOOLS = ("opensm", "ibsim", "ibnetdiscover")
#: Pairs of switches and ports: `Switch 8 "S0"` sections as ibsim reads them.
_Plug = tuple[str, int]


@dataclass(frozen=True)
class Wiring:
    """Switches with their number of ports, and cables between plugs; a plug of a host is its name and port 1.

    Attributes
    ----------
    switches : dict of str to int
    cables : list of pairs of (str, int)
    torus : tuple of int
        The sides, x first, of a torus whose switch numbers count x fastest; empty for other fabrics.
    """

    switches: dict[str, int]
    cables: list[tuple[_Plug, _Plug]]
    torus: tuple[int, ...] = ()

    def text(self) -> str:
        """The fabric as ibsim reads it."""
        at: dict[str, list[tuple[int, _Plug]]] = {}
        for first, second in self.cables:
            for own, other in ((first, second), (second, first)):
                at.setdefault(own[0], []).append((own[1], other))
        hosts = [name for name in at if name not in self.switches]
        nodes = [(f'Switch\t{ports} "{name}"', name) for name, ports in self.switches.items() if name in at]
        nodes += [(f'Hca\t1 "{name}"', name) for name in hosts]
        return "\n\n".join(
            "\n".join([head, *(f'[{port}]\t"{other}"[{plug}]' for port, (other, plug) in sorted(at[name]))])
            for head, name in nodes
        )

    def without(self, *lost: str) -> "Wiring":
        """The rest after switches, or cables `leaf0:3` (by one plug), are lost."""
        plugs = {(name, int(port)) for name, _, port in (part.partition(":") for part in lost) if port}
        cables = [
            cable
            for cable in self.cables
            if not ({cable[0][0], cable[1][0]} & set(lost) or {cable[0], cable[1]} & plugs)
        ]
        alive = {end for cable in cables for end, _ in cable if end in self.switches}
        # A host whose switch is lost has no cable, and is not discovered.
        return Wiring({name: ports for name, ports in self.switches.items() if name in alive}, cables, self.torus)


def tree2(leaves: int, spines: int, bundle: int, hosts: int) -> Wiring:
    """A two-level tree; hosts in the first ports of a leaf."""
    switches = {f"leaf{n:02}": hosts + spines * bundle for n in range(leaves)}
    switches |= {f"spine{n:02}": leaves * bundle + 4 for n in range(spines)}
    cables = [((f"node{n * hosts + h:04}", 1), (f"leaf{n:02}", h + 1)) for n in range(leaves) for h in range(hosts)]
    for n in range(leaves):
        for s in range(spines):
            cables += [
                ((f"leaf{n:02}", hosts + s * bundle + b + 1), (f"spine{s:02}", n * bundle + b + 1))
                for b in range(bundle)
            ]
    return Wiring(switches, cables)


def tree3(pods: int, leaves: int, middles: int, tops: int, hosts: int, bundle: int = 1) -> Wiring:
    """A three-level tree: pods of leaves and middles, each middle m joined to tops m * tops ... by `bundle` cables."""
    radix = max(hosts + middles, leaves + tops * bundle, pods * bundle)
    switches = {f"leaf{p}-{n:02}": radix for p in range(pods) for n in range(leaves)}
    switches |= {f"middle{p}-{m:02}": radix for p in range(pods) for m in range(middles)}
    switches |= {f"top{m}-{t:02}": radix for m in range(middles) for t in range(tops)}
    cables: list[tuple[_Plug, _Plug]] = []
    for p in range(pods):
        for n in range(leaves):
            first = (p * leaves + n) * hosts
            cables += [((f"node{first + h:04}", 1), (f"leaf{p}-{n:02}", h + 1)) for h in range(hosts)]
            cables += [((f"leaf{p}-{n:02}", hosts + m + 1), (f"middle{p}-{m:02}", n + 1)) for m in range(middles)]
        for m in range(middles):
            for t in range(tops):
                for b in range(bundle):
                    cables.append(
                        ((f"middle{p}-{m:02}", leaves + t * bundle + b + 1), (f"top{m}-{t:02}", p * bundle + b + 1))
                    )
    return Wiring(switches, cables)


def of_spec(spec: str, torus: tuple[int, ...] = ()) -> Wiring:
    """A network of the catalogue, with topoloom's names and ports."""
    topology: Topology = build(spec)
    switches = {f"S{s}": max(1, topology.radix) for s in range(topology.switches)}
    cables: list[tuple[_Plug, _Plug]] = [
        ((f"H{host}", 1), (f"S{switch}", port))
        for host, switch, port in zip(
            topology.host.tolist(), topology.endpoints.tolist(), topology.endpoint_ports.tolist(), strict=True
        )
    ]
    for (u, v), (p, q) in zip(topology.links.tolist(), topology.link_ports.tolist(), strict=True):
        cables.append(((f"S{u}", p), (f"S{v}", q)))
    return Wiring(switches, cables, torus)


def _with_services(wiring: Wiring) -> Wiring:
    """A tree with a leaf of four storage servers on two cables, and a subnet manager's host on a spine."""
    switches = {**wiring.switches, "leaf90": 40}
    cables = [*wiring.cables, *(((f"storage{n}", 1), ("leaf90", n + 1)) for n in range(4))]
    for n, spine in enumerate(("spine00", "spine01")):
        cables.append((("leaf90", 30 + n), (spine, wiring.switches[spine] - 1)))
    cables.append((("ufm1", 1), ("spine02", wiring.switches["spine02"])))
    return Wiring(switches, cables)


FABRICS: dict[str, Callable[[], Wiring]] = {
    "tree": lambda: tree2(6, 4, 2, 8),
    "tree-holes": lambda: _with_services(tree2(6, 4, 2, 8)).without("leaf00:9", "leaf01:12", "leaf03:16"),
    "tree-spine-lost": lambda: tree2(8, 4, 2, 8).without("spine03"),
    "tree3": lambda: tree3(4, 4, 4, 4, 4),
    "tree3-holes": lambda: tree3(4, 4, 4, 2, 4, 2).without("top0-00", "leaf1-02:5", "middle2-03:5", "leaf3-00:7"),
    "torus": lambda: of_spec("torus:dims=4x4,hosts=2", (4, 4, 1)),
    "torus-switch-lost": lambda: of_spec("torus:dims=5x5,hosts=2", (5, 5, 1)).without("S7"),
    "torus3": lambda: of_spec("torus:dims=3x4x4,hosts=1", (4, 4, 3)),
    "slimfly": lambda: of_spec("slimfly:q=5,hosts=3"),
    "dragonfly": lambda: of_spec("dragonfly:a=4,h=2,p=2"),
    "hyperx": lambda: of_spec("hyperx:dims=4x4,hosts=3"),
    "jellyfish": lambda: of_spec("jellyfish:n=24,degree=5,hosts=3"),
    "clos-bundles": lambda: of_spec("clos:leaves=8,spines=2,width=4"),
    "tree3-large": lambda: tree3(16, 16, 16, 16, 20).without("top3-00", "leaf1-02:22", "middle2-03:18", "leaf9-00:37"),
}
#: Not in the default run: minutes and gigabytes.
_LARGE = ("tree3-large",)


def torus_conf(wiring: Wiring) -> str:
    """The configuration of torus-2QoS for a torus whose switches ibsim numbers in the order of the file."""
    guid = {name: 0x200000 + number for number, name in enumerate(wiring.switches)}
    sides = wiring.torus
    lines = ["torus " + " ".join(str(side) for side in sides)]
    place = {f"S{n}": tuple(np.unravel_index(n, sides[::-1])[::-1]) for n in range(int(np.prod(sides)))}
    name_at = {at: name for name, at in place.items() if name in guid}
    # A side of four needs the neighbours in both directions.
    for origin, name in name_at.items():
        seed = [
            (f"{'xyz'[axis]}{sign}_link", (*origin[:axis], (origin[axis] + step) % sides[axis], *origin[axis + 1 :]))
            for axis in range(3)
            if sides[axis] > 1
            for sign, step in (("p", 1), ("m", -1))
        ]
        if all(other in name_at for _, other in seed):
            lines += [f"{word} 0x{guid[name]:x} 0x{guid[name_at[other]]:x}" for word, other in seed]
            break
    return "\n".join(lines) + "\n"


def verified(net: Path, tables: Path, qos: Path | None = None) -> str:
    """What `topoloom verify-tables` says, in one line."""
    command = [sys.executable, "-P", "-m", "topoloom", "verify-tables", str(net), str(tables), "--json"]
    command += ["--qos", str(qos)] if qos is not None and qos.exists() else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        record = json.loads(done.stdout)
    except ValueError:
        return f"rc {done.returncode} {done.stderr.strip()[:150]}"
    record = record.get("table_verification") or record
    lost = record["pairs"] - record["reached_pairs"]
    free = "yes" if record["deadlock_free"] else "no"
    return (
        f"rc {done.returncode} {record['pairs_between']:>10} load {record['max_channel_load']:>6}"
        f" hops {record['max_hops']} unreached {lost} deadlock-free {free}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fabrics", default=",".join(name for name in FABRICS if name not in _LARGE))
    parser.add_argument("--engines", default=",".join(_ENGINES))
    parser.add_argument("--lmc", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    if missing := [tool for tool in _TOOLS if not shutil.which(tool, path=PATH)]:
        sys.exit(f"not installed: {', '.join(missing)} (Debian: opensm, ibsim-utils, infiniband-diags)")
    with tempfile.TemporaryDirectory() as temporary:
        kept = options.keep or Path(temporary)
        for name in options.fabrics.split(","):
            _compared(name, FABRICS[name](), options.engines.split(","), options.lmc, (kept / name).resolve())


def _compared(name: str, wiring: Wiring, engines: list[str], lmc: int, kept: Path) -> None:
    """All lines of one fabric."""
    kept.mkdir(parents=True, exist_ok=True)
    hosts = {end for cable in wiring.cables for end, _ in cable} - set(wiring.switches)
    nodes = len(wiring.switches) + len(hosts)
    print(f"{name}: {len(wiring.switches)} switches, {len(hosts)} hosts, {len(wiring.cables)} cables", flush=True)
    net = kept / "found.net"
    for engine in engines:
        if engine == "torus-2QoS" and not wiring.torus:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            (folder / "fabric.net").write_text(wiring.text())
            more = ["-R", f"{engine},no_fallback" if engine != "minhop" else engine, "-l", str(lmc)]
            if engine == "torus-2QoS":
                (folder / "torus.conf").write_text(torus_conf(wiring))
                more += ["--torus_config", "torus.conf", "-Q"]
            elif engine in {"lash", "dfsssp"}:
                more += ["-Q"]
            try:
                with subnet(folder, nodes, more) as running:
                    found = running.printed("ibnetdiscover")
            except RuntimeError as error:
                print(f"  {engine:11} {error}", flush=True)
                continue
            net = kept / f"{engine}.net"
            net.write_text(found)
            shutil.copy(folder / "opensm-lfts.dump", kept / f"{engine}.lft")
            shutil.copy(folder / "opensm-subnet.lst", kept / f"{engine}.lst")
        print(f"  {engine:11} {verified(net, kept / f'{engine}.lft')}", flush=True)
    print(f"  {'topoloom':11} {_ours(net, kept, nodes)}", flush=True)


def _ours(net: Path, kept: Path, nodes: int) -> str:
    """The same fabric as discovered, with our tables, after a real OpenSM has loaded them."""
    folder = kept / "topoloom"
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "topoloom", "export", str(net), "opensm", "-o", str(folder), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - began
    if done.returncode:
        return f"rc {done.returncode} {done.stderr.strip()[-150:]}"
    policy = folder / "fabric.qos"
    more = ["-R", "file,no_fallback", "-U", "fabric.lft"] + (["-Q", "-Y", "fabric.qos"] if policy.exists() else [])
    conf = (folder / "opensm.conf").read_text() if policy.exists() else ""
    try:
        with subnet(folder, nodes, more, conf):
            pass
    except RuntimeError as error:
        return f"{error} ({verified(folder / 'fabric.net', folder / 'fabric.lft', policy)})"
    loaded, dumped = (_entries((folder / file).read_text()) for file in ("fabric.lft", "opensm-lfts.dump"))
    same = sum(dumped.get(key) == port for key, port in loaded.items())
    result = verified(folder / "fabric.net", folder / "fabric.lft", policy)
    return f"{result}; OpenSM has {same} of {len(loaded)} entries; exported in {seconds:.1f} s"


def _entries(text: str) -> dict[tuple[str, str, str], str]:
    """The port of each switch GUID, port GUID and LID's number among those of its port."""
    entries: dict[tuple[str, str, str], str] = {}
    switch, count = "", 0
    previous = ""
    for line in text.splitlines():
        if section := re.search(r"^Unicast lids .* guid 0x0*(\w+)", line):
            switch, previous = section[1], ""
        elif entry := re.match(r"0x\w+ (\d+) .*portguid 0x0*(\w+)", line):
            count = count + 1 if entry[2] == previous else 0
            previous = entry[2]
            entries[switch, entry[2], str(count)] = str(int(entry[1]))
    return entries


if __name__ == "__main__":
    main()
