"""The virtual lanes that a real OpenSM's engine dfsssp needs on a simulated fabric (Debian: opensm, ibsim-utils).

``python -m topoloom_papers.opensm_lanes slimfly:q=7,hosts=6`` prints one line of JSON per network.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from topoloom.core.errors import InputError
from topoloom.fabric.net_text import net_text
from topoloom.topologies.spec import build

T = TypeVar("T")

_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
_PATIENCE_S = 1800
_PACKAGES = "opensm and ibsim-utils of Debian"


@dataclass(frozen=True)
class Lanes:
    """What OpenSM reports: the virtual lanes that it needs, those that the simulated ports have, and the paths in each lane.

    If `needed` is greater than `available`, OpenSM stops at the first path without a lane: `needed` is then a lower bound, and
    `paths` is empty. A path is from one address to another; hosts and switches have one address each.
    """

    needed: int
    available: int
    paths: tuple[int, ...]


def missing_tools() -> list[str]:
    """What is not installed of that which `opensm_lanes` needs."""
    programs = [name for name in ("opensm", "ibsim") if shutil.which(name, path=_PATH) is None]
    return programs + ([] if _preloaded() else ["libumad2sim.so"])


def _preloaded() -> Path | None:
    return next(
        (path for root in ("/usr/lib", "/usr/lib64") for path in Path(root).glob("**/umad2sim/libumad2sim.so")), None
    )


def opensm_lanes(spec: str) -> Lanes:
    """Bring up a network on ibsim by a real OpenSM with the engine dfsssp, and read from its log how many lanes it needs.

    Parameters
    ----------
    spec : str
        A network with at least one host.

    Returns
    -------
    Lanes

    Raises
    ------
    InputError
        A program is not installed, or ends without an answer.
    """
    if lacking := missing_tools():
        raise InputError(f"{spec}: {', '.join(lacking)} missing; install {_PACKAGES}")
    topology = build(spec)
    if not topology.hosts:
        raise InputError(f"{spec}: no host; the subnet manager runs on one, so add hosts=1")
    with tempfile.TemporaryDirectory(prefix="opensm-lanes-") as name, ExitStack() as stack:
        folder, nodes = Path(name), topology.switches + topology.hosts
        text = net_text(topology)
        (folder / "fabric.net").write_text(text)
        (folder / "lanes.conf").write_text("force_log_flush TRUE\nmax_wire_smps 64\nsweep_interval 0\n")
        socket = f"lanes{os.getpid()}"
        sizes = ["-N", f"{nodes + 16}", "-S", f"{topology.switches + 16}", "-P", f"{nodes * 90}", "-L", "49152"]
        simulator = stack.enter_context(
            _running(["ibsim", "-s", "-n", *sizes, "fabric.net"], folder, IBSIM_SOCKNAME=socket)
        )
        _wait(lambda: f"@{socket}" in Path("/proc/net/unix").read_text(), simulator, spec, folder / "ibsim.out")
        first = next(line.split('"')[1] for line in text.splitlines() if line[:2] in {"Hc", "Ca"})
        log = folder / "osm.log"
        files = ["-F", "lanes.conf", "-f", str(log), "--dump_files_dir", name]
        manager = stack.enter_context(
            _running(
                ["opensm", "-R", "dfsssp", "-Q", "-e", "-s", "0", "-D", "0x43", *files],
                folder,
                IBSIM_SOCKNAME=socket,
                SIM_HOST=first,
                LD_PRELOAD=str(_preloaded()),
                OSM_TMP_DIR=name,
                OSM_CACHE_DIR=name,
            )
        )
        lanes: Lanes = _wait(lambda: lanes_in(_text(log)), manager, spec, folder / "opensm.out")
        return lanes


def lanes_in(log: str) -> Lanes | None:
    """The lanes that OpenSM's log reports; None before it does.

    Examples
    --------
    >>> lanes_in("Virtual Lanes available: 8\\nVirtual Lanes needed: 9\\nERR AD25: Not enough VLs available")
    Lanes(needed=9, available=8, paths=())
    """
    available, needed = (re.search(rf"Virtual Lanes {word}: (\d+)\n", log) for word in ("available", "needed"))
    if available is None or needed is None:
        return None
    lanes = Lanes(int(needed[1]), int(available[1]), ())
    if lanes.needed > lanes.available:
        return lanes
    before, _, after = log.partition("(after balancing)")
    return (
        Lanes(lanes.needed, lanes.available, tuple(map(int, re.findall(r"\d+\. lane: (\d+)", before))))
        if after
        else None
    )


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


@contextmanager
def _running(command: Sequence[str], folder: Path, **environment: str) -> "Iterator[subprocess.Popen[bytes]]":
    """A program in the background, which writes into ``NAME.out``; ended at the end."""
    with (folder / f"{command[0]}.out").open("w") as out:
        process = subprocess.Popen(
            [shutil.which(command[0], path=_PATH) or command[0], *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, "PATH": _PATH, **environment},
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def _wait(read: Callable[[], T | None], process: "subprocess.Popen[bytes]", spec: str, out: Path) -> T:
    """What `read` returns, as soon as it is true."""
    end = time.monotonic() + _PATIENCE_S
    while not (value := read()):
        if process.poll() is not None or time.monotonic() > end:
            words = _text(out).strip().splitlines()[-1:]
            raise InputError(f"{spec}: {out.stem} ended without an answer ({words[0] if words else 'no output'})")
        time.sleep(0.1)
    return value


if __name__ == "__main__":
    for _spec in sys.argv[1:]:
        try:
            sys.stdout.write(msgspec.json.encode({"spec": _spec, "lanes": opensm_lanes(_spec)}).decode() + "\n")
        except InputError as error:
            sys.exit(str(error))
