"""An InfiniBand subnet on this machine: ibsim with a real OpenSM, and cables that can be pulled and plugged; no root."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
_DUMPS = ("opensm-lfts.dump", "opensm-subnet.lst")


@dataclass(frozen=True)
class Subnet:
    """A running subnet.

    Attributes
    ----------
    folder : Path
        With OpenSM's log and dumps.
    environment : dict of str to str
        For programs that are to see the subnet, as infiniband-diags.
    simulator, manager : Popen
        ibsim and opensm.
    """

    folder: Path
    environment: dict[str, str]
    simulator: Any
    manager: Any

    def order(self, command: str) -> None:
        """Give ibsim a command of its console: `Unlink "S3"[5]`, `ReLink "S3"[5]`, `Unlink "S3"`."""
        self.simulator.stdin.write(command + "\n")
        self.simulator.stdin.flush()

    def printed(self, *command: str) -> str:
        """What a program of infiniband-diags prints."""
        done = subprocess.run(
            command, env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False
        )
        return done.stdout


@contextmanager
def subnet(folder: Path, nodes: int, options: list[str], conf: str = "") -> Iterator[Subnet]:
    """The fabric.net in `folder` on ibsim, brought up by a real OpenSM with `options` and the lines `conf`.

    Raises
    ------
    RuntimeError
        OpenSM did not bring the subnet up.
    """
    library = next(Path("/usr/lib").glob("**/umad2sim/libumad2sim.so"))
    socket = f"bench{os.getpid()}-{time.monotonic_ns() % 1000000}"
    places = {"OSM_TMP_DIR": str(folder), "OSM_CACHE_DIR": str(folder), "IBSIM_SOCKNAME": socket}
    environment = {**os.environ, "PATH": PATH, **places}
    first = next(
        line.split('"')[1] for line in (folder / "fabric.net").read_text().splitlines() if line[:2] in {"Hc", "Ca"}
    )
    client = {**environment, "SIM_HOST": first, "LD_PRELOAD": str(library)}
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, "text": True}
    sizes = ["-N", str(nodes + 16), "-S", str(nodes), "-P", str(nodes * 90), "-L", "49152"]
    simulator = subprocess.Popen(["ibsim", "-s", *sizes, "fabric.net"], env=environment, stdin=subprocess.PIPE, **quiet)
    started = [simulator]
    try:
        while f"@{socket}" not in Path("/proc/net/unix").read_text():
            if simulator.poll() is not None:
                raise RuntimeError("ibsim ended")
            time.sleep(0.05)
        (folder / "run.conf").write_text("force_log_flush TRUE\nmax_wire_smps 64\nsweep_interval 0\n" + conf)
        for name in (*_DUMPS, "osm.log"):
            (folder / name).unlink(missing_ok=True)
        command = ["opensm", "-e", "-s", "0", "-D", "0x43", "-F", "run.conf", "-f", str(folder / "osm.log")]
        command += ["--dump_files_dir", str(folder), *options]
        manager = subprocess.Popen(command, env=client, stdin=subprocess.DEVNULL, **quiet)
        started.append(manager)
        _wait_until_up(folder, manager)
        yield Subnet(folder, client, simulator, manager)
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def _wait_until_up(folder: Path, manager: "subprocess.Popen[str]") -> None:
    """Wait until the log says that the subnet is up, and the dumps are whole."""
    log = folder / "osm.log"
    for _ in range(12000):
        text = log.read_text(errors="replace") if log.exists() else ""
        if "SUBNET UP" in text:
            break
        if "No routing engine able" in text or manager.poll() is not None:
            raise RuntimeError("OpenSM's engine refuses")
        time.sleep(0.05)
    before: list[int] = []
    for _ in range(1200):
        sizes = [(folder / name).stat().st_size if (folder / name).exists() else 0 for name in _DUMPS]
        if all(sizes) and sizes == before:
            break
        before = sizes
        time.sleep(0.2)
