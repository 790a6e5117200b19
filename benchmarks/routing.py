"""Routing: Koibuchi 2013's Figure 17, virtual channels and loads by engine, and the time that OpenSM takes on the same fabrics.

    python benchmarks/routing.py [--only fig17,verified,hosts,virtual_channels,opensm] [--most 16384] [--patience 150]
        [--jobs N]

`fig17`: seconds for all tables of RING-y, y = log2 N (a ring with y - 2 random links per switch), by engine. Koibuchi
2013 has 82 s for paths only, without virtual channels, at 16,384 switches on one thread of a Xeon X5690. Compiling is not
counted: every engine routes a small network first. `verified` is the time to verify tables with 8 virtual channels, which
`topoloom route` always does.

`verified`: `topoloom route` of random networks of 14 links per switch in 8 virtual channels, with verification: seconds, CPU
seconds, and the process's peak memory, mapped files included. 65,536 switches, in files, only with --most 65536: minutes.

`hosts`: `topoloom route` and `topoloom export ... opensm` of discovered InfiniBand fabrics of 5,120 hosts, tables per host.

`virtual_channels`: virtual channels, stretch, and the maximum channel load divided by the mean, by engine.

`opensm`: seconds until opensm on ibsim reports SUBNET UP, with its engines and with our tables (`-R file`), including our
routing and export; needs Debian's opensm and ibsim-utils, and root's port 1 of H0. Runs longer than --patience are stopped.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from opensm_engines import of_spec, tree3

from topoloom.core.errors import InputError
from topoloom.fabric.exports.registry import write_export
from topoloom.routing.registry import RoutingRequest, engines
from topoloom.routing.route import route
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build

_FABRICS = (
    "slimfly:q=5",
    "slimfly:q=13",
    "torus:dims=4x4x4",
    "jellyfish:n=64,degree=8",
    "jellyfish:n=512,degree=8",
    "jellyfish:n=1024,degree=10",
    "dln:n=338,x=2,random=2",
    "dln:n=338,x=2,random=4",
    "dln:n=338,x=2,random=8",
)
_REAL = (
    "slimfly:q=5,hosts=4",
    "jellyfish:n=64,degree=8,hosts=4",
    "dln:n=128,x=2,random=2,hosts=4",
    "jellyfish:n=512,degree=8,hosts=1",
)
_HOSTS = {
    "three levels, bundles of 4": lambda: tree3(16, 16, 20, 4, 20, 4),
    "three levels, 20 hosts on 16 cables": lambda: tree3(16, 16, 16, 16, 20),
    "fat-tree:k=28,hosts=5120": lambda: of_spec("fat-tree:k=28,hosts=5120"),
    "slimfly:q=16,hosts=10": lambda: of_spec("slimfly:q=16,hosts=10"),
    "jellyfish:n=512,degree=14,hosts=10": lambda: of_spec("jellyfish:n=512,degree=14,hosts=10"),
}
_ENGINES = ("orders", "dfsssp-switches", "lash", "nue", "updown", "segments")
_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def main() -> None:
    """Print the selected tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="fig17,verified,hosts,virtual_channels,opensm")
    parser.add_argument("--most", type=int, default=16384)
    parser.add_argument("--patience", type=float, default=150.0)
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    parts: dict[str, Callable[[argparse.Namespace], None]] = {
        "fig17": _fig17,
        "verified": _verified,
        "hosts": _hosts,
        "virtual_channels": _virtual_channels,
        "opensm": _opensm,
    }
    for name in options.only.split(","):
        parts[name](options)


def _fig17(options: argparse.Namespace) -> None:
    kinds = (("minimal", None), ("updown", None), ("orders", 8))
    heads = "".join(
        f"{name if virtual_channels is None else f'{name}, {virtual_channels} VCs':>18}"
        for name, virtual_channels in kinds
    )
    print(f"{'RING-y':>8} {'y':>3}{heads}{'verified':>10}{'stretch':>9}{'load':>7}")
    small = build("dln:n=64,x=2,random=4")
    for name, virtual_channels in kinds:
        verify_routing(engines.find(name).make(RoutingRequest(small, virtual_channels, 1, options.jobs)), options.jobs)
    size = 64
    while size <= options.most:
        topology = build(f"dln:n={size},x=2,random={size.bit_length() - 3}")
        cells = ""
        for name, virtual_channels in kinds:
            began = time.perf_counter()
            routing = engines.find(name).make(RoutingRequest(topology, virtual_channels, 1, options.jobs))
            cells += f"{time.perf_counter() - began:18.2f}"
        began = time.perf_counter()
        verification = verify_routing(routing, options.jobs)
        seconds = time.perf_counter() - began
        verified = f"{seconds:10.2f}{verification.stretch:9.4f}{verification.load_over_mean:7.2f}"
        print(f"{size:8} {size.bit_length() - 1:3}{cells}{verified}", flush=True)
        size *= 4 if size < 4096 else 2


def _verified(options: argparse.Namespace) -> None:
    print(f"\n{'network':34}{'seconds':>9}{'CPU s':>9}{'peak GB':>9}")
    for size in (4096, 16384, 65536):
        if size <= options.most:
            spec = f"jellyfish:n={size},degree=14"
            with tempfile.TemporaryDirectory() as folder:
                kept = ["--on-disk", f"{folder}/tables"] if size > 32768 else []
                jobs = [] if options.jobs is None else ["--jobs", str(options.jobs)]
                print(f"{spec:34}{_measured(['route', spec, '--virtual-channels', '8', *kept, *jobs])}", flush=True)


def _hosts(options: argparse.Namespace) -> None:
    print(f"\n{'discovered fabric':42}{'command':9}{'seconds':>9}{'CPU s':>9}{'peak GB':>9}")
    jobs = [] if options.jobs is None else ["--jobs", str(options.jobs)]
    for name, make in _HOSTS.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "fabric.net"
            file.write_text(make().text())
            for command in (["route", str(file), *jobs], ["export", str(file), "opensm", "-o", f"{folder}/out"]):
                print(f"{name:42}{command[0]:9}{_measured(command)}", flush=True)


def _measured(command: list[str]) -> str:
    """Seconds, CPU seconds and peak memory of a topoloom command in a process of its own, as text."""
    with tempfile.TemporaryFile("w+") as notes:
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "topoloom", *command], stdout=subprocess.DEVNULL, stderr=notes
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        notes.seek(0)
        reason = "" if process.returncode == 0 else f"  exit code {process.returncode}: {notes.read().strip()}"
    return f"{seconds:9.1f}{used.ru_utime + used.ru_stime:9.1f}{used.ru_maxrss / 1e6:9.2f}{reason}"


def _virtual_channels(options: argparse.Namespace) -> None:
    print(f"\n{'fabric':28} {'engine':10}{'VCs':>6}{'stretch':>9}{'load':>7}{'seconds':>9}")
    for name in _ENGINES:
        route(build("slimfly:q=5"), name)
    for spec in _FABRICS:
        for name in _ENGINES:
            began = time.perf_counter()
            try:
                report = route(build(spec), name, jobs=options.jobs).verification
            except InputError as refusal:
                print(f"{spec:28} {name:10} refused: {str(refusal).split(': ', 1)[1]}", flush=True)
                continue
            seconds = time.perf_counter() - began
            if report is not None:
                numbers = (
                    f"{report.virtual_channels_used:6}{report.stretch:9.4f}{report.load_over_mean:7.2f}{seconds:9.2f}"
                )
                print(f"{spec:28} {name:10}{numbers}", flush=True)


def _opensm(options: argparse.Namespace) -> None:
    if not all(shutil.which(tool, path=_PATH) for tool in ("opensm", "ibsim")):
        print("\nopensm: not installed (Debian: opensm, ibsim-utils)")
        return
    print(f"\n{'fabric':34} {'tables by':18}{'seconds':>9}")
    for spec in _REAL:
        topology = build(spec)
        for name in ("minhop", "updn", "dfsssp", "lash", "nue"):
            with tempfile.TemporaryDirectory() as folder:
                write_export("opensm", topology, folder, route(topology, "updown"))
                taken = _brought_up(Path(folder), ["-R", name], options.patience)
            print(f"{spec:34} {'OpenSM ' + name:18}{taken}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            files = write_export("opensm", topology, folder, route(topology, virtual_channels=8, jobs=options.jobs))
            own = time.perf_counter() - began
            extra = ["-Q", "-Y", "fabric.qos", "-F", "opensm.conf"] if "fabric.qos" in files else []
            taken = _brought_up(Path(folder), ["-R", "file,no_fallback", "-U", "fabric.lft", *extra], options.patience)
        print(f"{spec:34} {'topoloom orders':18}{taken}  of these {own:.2f} before opensm starts", flush=True)


def _brought_up(folder: Path, engine: list[str], patience: float) -> str:
    """Seconds from the start of opensm to its exit after one sweep, as text."""
    library = next(Path("/usr/lib").glob("**/umad2sim/libumad2sim.so"))
    socket = f"bench{os.getpid()}"
    places = {"OSM_TMP_DIR": str(folder), "OSM_CACHE_DIR": str(folder)}
    environment = {**os.environ, "PATH": _PATH, "IBSIM_SOCKNAME": socket, **places}
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    simulator = subprocess.Popen(
        ["ibsim", "-s", "-n", "-N", "4096", "-S", "2048", "-P", "65536", "-L", "49152", "fabric.net"],
        cwd=folder,
        env=environment,
        **quiet,
    )
    try:
        while f"@{socket}" not in Path("/proc/net/unix").read_text():
            time.sleep(0.05)
        began = time.perf_counter()
        try:
            subprocess.run(
                ["opensm", "-o", "-e", "-f", str(folder / "osm.log"), *engine],
                cwd=folder,
                timeout=patience,
                check=False,
                env={**environment, "SIM_HOST": "H0", "LD_PRELOAD": str(library)},
                **quiet,
            )
        except subprocess.TimeoutExpired:
            return f"{'> ' + format(patience, '.0f'):>9}"
        seconds = time.perf_counter() - began
        text = (folder / "osm.log").read_text(errors="replace")
        return f"{seconds:9.2f}" + ("" if "SUBNET UP" in text else "  but no SUBNET UP")
    finally:
        simulator.terminate()
        simulator.wait()


if __name__ == "__main__":
    main()
