"""Real LLDP agents on a fabric of network namespaces: what lldpd prints is compared with the plan, before and after a swap.

    python benchmarks/lldp_lab.py [PLAN] [--swap CABLE CABLE] [--keep FOLDER]

PLAN is anything that topoloom opens (default: 2 spines, 4 leaves and 8 hosts). It is written as `plan.dot`,
and every device of that file becomes a network namespace with an lldpd of its own, every cable a veth pair between ports with
the planned names. `lldpcli` is asked in each of its forms (json and json0; summary, plain and details), one file per device,
and each folder is compared with the plan, as `topoloom verify` does: first as planned, then with the far ends of two cables
swapped. Per form: the codes of what was found. Needs root (also as `python -m benchmarks.lldp_lab`), lldpd and ip
(Debian: lldpd, iproute2); without them it says so and runs nothing. Exit code 0: nothing was
found as planned, and exactly the swapped cables afterwards.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from topoloom import diagnose, open_network, save
from topoloom.fabric.port_names import named_plugs

_SPEC = "clos:leaves=4,spines=2"
#: Forms of the output, each with the words that ask for it.
FORMS = {f"{form}-{how or 'plain'}": (form, how) for form in ("json", "json0") for how in ("summary", "", "details")}
#: The kernel takes no longer name of an interface, and not these characters.
_LONGEST, _NOT_IN_NAMES = 15, "/: "
_SECONDS = 60.0
_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
Plug = tuple[str, str]


def missing() -> str:
    """Why no lab can be brought up here, in words; empty where one can."""
    if os.geteuid() != 0:
        return f"needs root, as it makes network namespaces: sudo {sys.executable} {__file__}"
    if not all(shutil.which(program, path=_PATH) for program in ("lldpd", "lldpcli", "ip")):
        return "not installed: lldpd or ip (Debian: lldpd, iproute2)"
    space = f"tltry{os.getpid()}"
    done = subprocess.run(["ip", "netns", "add", space], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False)
    return "network namespaces are not allowed here" if done.returncode else ""


class Lab:
    """The devices of a plan, running.

    Parameters
    ----------
    cables : sequence of ((str, str), (str, str))
        Device and port at both ends.
    folder : Path
        For sockets and configurations; its name must be short.

    Attributes
    ----------
    cables : list of ((str, str), (str, str))
        As they are plugged now.
    """

    def __init__(self, cables: Sequence[tuple[Plug, Plug]], folder: Path) -> None:
        self.cables, self._folder = list(cables), folder
        names = dict.fromkeys(device for cable in cables for device, _ in cable)
        self._space = {name: f"tl{os.getpid()}-{number}" for number, name in enumerate(names)}
        self._agents: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Make namespaces and cables, start the agents, and wait until every port hears its neighbour."""
        for space in self._space.values():
            _ip("netns", "add", space)
        for cable in self.cables:
            self._plug(cable)
        for name, space in self._space.items():
            conf, log = self._folder / f"{space}.conf", self._folder / f"{space}.log"
            conf.write_text(f"configure system hostname '{name}'\nconfigure lldp tx-interval 1\n")
            command = ["ip", "netns", "exec", space, "lldpd", "-d", "-u", str(self._socket(name)), "-O", str(conf)]
            with log.open("wb") as file:
                self._agents.append(subprocess.Popen(command, env=_environment(), stdout=file, stderr=file))
        self.wait()

    def stop(self) -> None:
        """End all agents, and remove the namespaces."""
        for agent in self._agents:
            agent.terminate()
        for agent in self._agents:
            agent.wait(10)
        for space in self._space.values():
            subprocess.run(["ip", "netns", "del", space], env=_environment(), capture_output=True, check=False)

    def swap(self, first: int, second: int) -> None:
        """Unplug two cables, and plug each near end to the far end of the other."""
        (a, b), (c, d) = self.cables[first], self.cables[second]
        for (device, port), _ in (self.cables[first], self.cables[second]):
            _ip("-n", self._space[device], "link", "del", port)
        for index, cable in ((first, (a, d)), (second, (c, b))):
            self.cables[index] = cable
            self._plug(cable)
        self.wait()

    def collect(self, folder: Path, form: str) -> None:
        """Write what every device prints, one file per device."""
        folder.mkdir(parents=True)
        for name in self._space:
            (folder / f"{name}.json").write_text(self._printed(name, *FORMS[form]))

    def wait(self) -> None:
        """Wait until every port hears exactly the device at the other end of its cable.

        Raises
        ------
        RuntimeError
            It does not, within a minute.
        """
        until = time.monotonic() + _SECONDS
        expected = {(end, far[0]) for cable in self.cables for end, far in (cable, cable[::-1])}
        while (heard := {entry for name in self._space for entry in self._heard(name)}) != expected:
            if time.monotonic() > until:
                raise RuntimeError(f"lldpd hears {sorted(heard)}, and should hear {sorted(expected)}")
            time.sleep(0.5)

    def _plug(self, cable: tuple[Plug, Plug]) -> None:
        (a, p), (b, q) = ((self._space[device], port) for device, port in cable)
        _ip("link", "add", p, "netns", a, "type", "veth", "peer", "name", q, "netns", b)
        for space, port in ((a, p), (b, q)):
            _ip("-n", space, "link", "set", port, "up")

    def _socket(self, name: str) -> Path:
        return self._folder / f"{self._space[name]}.sock"

    def _printed(self, name: str, form: str, how: str) -> str:
        command = ["lldpcli", "-u", str(self._socket(name)), "-f", form, "show", "neighbors", *filter(None, [how])]
        done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
        return done.stdout

    def _heard(self, name: str) -> Iterator[tuple[Plug, str]]:
        """Each port of a device with the names that it hears, by lldpd's regular form."""
        printed = self._printed(name, "json0", "summary")
        for whole in json.loads(printed)["lldp"] if printed.strip() else ():
            for entry in whole.get("interface", ()):
                yield (name, entry["name"]), entry["chassis"][0]["name"][0]["value"]


@contextmanager
def lab(cables: Sequence[tuple[Plug, Plug]]) -> Iterator[Lab]:
    """A lab that runs as long as it is used.

    Raises
    ------
    ValueError
        The kernel does not take the name of a port.
    """
    for cable in cables:
        for device, port in cable:
            if len(port) > _LONGEST or any(mark in port for mark in _NOT_IN_NAMES):
                raise ValueError(
                    f"{device} port {port} cannot be an interface: 1 to {_LONGEST} characters without / : "
                )
    # Sockets have short names.
    with tempfile.TemporaryDirectory(prefix="tl", dir="/tmp") as folder:
        # Agents give up root.
        Path(folder).chmod(0o755)
        running = Lab(cables, Path(folder))
        try:
            running.start()
            yield running
        finally:
            running.stop()


def main() -> None:
    """Print what is found, form by form."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plan", nargs="?", default=_SPEC)
    parser.add_argument("--swap", nargs=2, type=int, metavar="CABLE", help="numbers of the cables in plan.dot, from 0")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    if reason := missing():
        sys.exit(f"lldp_lab: {reason}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        sys.exit(_run(options.plan, options.swap, folder))


def _run(plan: str, swap: list[int] | None, folder: Path) -> int:
    save(open_network(plan), folder / "plan.dot", format="ptm")
    cables = list(named_plugs(open_network(folder / "plan.dot").fabric))
    first, second = swap or _apart(cables)
    swapped = sorted(f"{device} port {port}" for each in (first, second) for device, port in cables[each])
    right = True
    began = time.monotonic()
    with lab(cables) as running:
        print(
            f"{len(cables)} cables; every port hears its neighbour after {time.monotonic() - began:.1f} s", flush=True
        )
        for state in ("planned", "swapped"):
            if state == "swapped":
                running.swap(first, second)
                print(f"swapped: the cables of {', '.join(swapped)}", flush=True)
            for form in FORMS:
                running.collect(folder / state / form, form)
                found = diagnose(folder / "plan.dot", open_network(folder / state / form, lenient=True)).diagnostics
                codes = [one.code for one in found]
                named = {f"{end.node} port {end.port_name}" for one in found for cable in one.planned for end in cable}
                print(f"  {state} {form}: {' '.join(codes) or 'nothing'}", flush=True)
                right &= (codes, sorted(named)) == ((["TL104"], swapped) if state == "swapped" else ([], []))
    print("all as it is" if right else "NOT as it is")
    return 0 if right else 1


def _apart(cables: Sequence[tuple[Plug, Plug]]) -> tuple[int, int]:
    """The first cable, and the first one that shares no device with it."""
    first = {device for device, _ in cables[0]}
    return 0, next(index for index, cable in enumerate(cables) if not first & {device for device, _ in cable})


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], env=_environment(), check=True, capture_output=True)


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": _PATH}


if __name__ == "__main__":
    main()
