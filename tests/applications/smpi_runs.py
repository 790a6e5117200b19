"""Compiling and running programs on a small platform of the tests' own, with every setting of the simulator said."""

import re
import subprocess
from functools import cache
from pathlib import Path

from topoloom.simulation.applications.program import Source
from topoloom.simulation.applications.registry import program_of

#: The platform: hosts on one switch without limits, each with a full-duplex link.
SPEED, RATE, DELAY, HEADER = 1e10, 1e9, 1e-6, 16  # flop/s, B/s, s a link, bytes that SMPI adds to a message


_PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <cluster id="c" prefix="host" suffix="" radical="0-{last}" speed="{speed}f" bw="{rate}Bps" lat="{delay}s"
  sharing_policy="SPLITDUPLEX"/>
</platform>
"""
#: CM02 without factors: a message takes the delays of its links and its bytes over its share of the slowest.
_SETTINGS = (
    "network/model:CM02",
    "network/TCP-gamma:0",
    "network/crosstraffic:no",
    "smpi/simulate-computation:no",
    "smpi/wtime:0",
    "smpi/host-speed:1f",
)


@cache
def _compiled(files: tuple[Path, ...], folder: Path) -> Path:
    to = folder / files[0].stem
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    done = subprocess.run(
        ["smpicc", *flags, *map(str, files), "-o", str(to)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return to


def simulated(
    folder: Path, text: str, ranks: int, *settings: str, trace: bool = False, rate: float = RATE
) -> dict[str, float]:
    """The results of an application on so many ranks, one a host; with `trace`, its traces are left in `folder`."""
    program = program_of(text, ranks)
    assert isinstance(program, Source)
    executable = _compiled(program.files, folder)
    platform, hosts = folder / f"cluster{ranks}-{rate}.xml", folder / f"hosts{ranks}"
    platform.write_text(_PLATFORM.format(last=ranks - 1, speed=SPEED, rate=rate, delay=DELAY))
    hosts.write_text("".join(f"host{i}\n" for i in range(ranks)))
    command = ["smpirun", "-np", str(ranks), "-platform", str(platform), "-hostfile", str(hosts)]
    command += ["-trace-ti", "-trace-file", str(folder / "trace")] if trace else []
    command += [f"--cfg={setting}" for setting in (*_SETTINGS, *settings)]
    done = subprocess.run(
        [*command, "--log=root.thres:warning", str(executable), *program.arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return {name: float(value) for name, value in re.findall(r"^result (\S+) (\S+) \S+$", done.stdout, re.MULTILINE)}


def traced(folder: Path) -> dict[int, list[list[str]]]:
    """What each rank did, an action with its arguments a line, of the last run with `trace`."""
    actions: dict[int, list[list[str]]] = {}
    for name in (folder / "trace").read_text().split():
        lines = [line.split() for line in (folder / name).read_text().splitlines()]
        actions[int(lines[0][0])] = [line[1:] for line in lines]
    return actions
