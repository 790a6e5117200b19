"""A containerlab file brought up without containers: a network namespace a node, veth pairs for cables, FRR's own daemons.

Everything lives in the namespaces of one `Lab`, with addresses that lead nowhere outside of them, and is gone when it is left:
daemons are children of the test and are waited for, namespaces are deleted.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import yaml

_DAEMONS = Path("/usr/lib/frr")
#: Sends an ICMP echo request to each address, once more after a second, and prints those that did not answer.
_PING = """
import socket, struct, sys, time
left, six = dict.fromkeys(sys.argv[1:]), ":" in sys.argv[1]
family, kind = (socket.AF_INET6, 58) if six else (socket.AF_INET, 1)
ask, answer = (128, 129) if six else (8, 0)
with socket.socket(family, socket.SOCK_RAW, kind) as one:
    one.settimeout(0.1)
    for _ in range(2):
        for address in left:
            head = struct.pack("!BBHHH", ask, 0, 0, 7, 1)
            words = sum(struct.unpack("!4H", head))
            check = ~((words & 0xFFFF) + (words >> 16)) & 0xFFFF
            try:
                one.sendto(struct.pack("!BBHHH", ask, 0, check, 7, 1), (address, 0))
            except OSError:
                continue  # no route
        until = time.monotonic() + 1
        while left and time.monotonic() < until:
            try:
                data, source = one.recvfrom(2000)
            except TimeoutError:
                continue
            if (data if six else data[20:])[:1] == bytes([answer]):
                left.pop(source[0], None)
print(*left)
"""


def missing():
    """Why no lab can be brought up here, in words; empty where one can."""
    if os.geteuid() != 0:
        return "needs root: network namespaces are made"
    if not (shutil.which("vtysh") and (_DAEMONS / "bgpd").exists()):
        return "not installed: FRR (Debian: frr)"
    if not (shutil.which("ip") and shutil.which("sysctl")):
        return "not installed: ip or sysctl (Debian: iproute2, procps)"
    tried = f"tltry{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", tried], capture_output=True, check=False).returncode:
        return "network namespaces are not allowed here"
    subprocess.run(["ip", "netns", "del", tried], check=False)
    return ""


needs_lab = pytest.mark.skipif(bool(missing()), reason=missing() or "-")


class Lab:
    """The nodes of a containerlab file, running; a context manager."""

    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}  # noqa: RUF012

    def __init__(self, folder):
        self.folder = Path(folder)
        self.told = yaml.safe_load((self.folder / "fabric.clab.yml").read_text())["topology"]
        self.nodes = self.told["nodes"]
        self.space = {name: f"tl{os.getpid()}-{number}" for number, name in enumerate(self.nodes)}
        self.hosts = [name for name, node in self.nodes.items() if node["labels"]["role"] == "host"]
        self.daemons = []
        # Sockets of daemons have short names, and the folder of one test per long one.
        self.run = Path(tempfile.mkdtemp(prefix="tl", dir="/tmp"))
        self.run.chmod(0o755)

    def __enter__(self):
        try:
            self._cables()
            for name, node in self.nodes.items():
                self._start(name, node)
            for name in self.nodes:
                self._configure(name)
            for name, node in self.nodes.items():
                for command in node.get("exec", []):
                    self.at(name, *shlex.split(command))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in self.daemons:
            daemon.kill()
        for daemon in self.daemons:
            daemon.wait(10)
        for space in self.space.values():
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)
        shutil.rmtree(self.run, ignore_errors=True)

    def at(self, node, *command, check=True):
        """What a command says at a node."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.space[node], *command], capture_output=True, text=True, check=False, timeout=60
        )
        assert not check or done.returncode == 0, (node, command, done.stdout, done.stderr)
        return done.stdout

    def vtysh(self, switch, command):
        """What FRR says at a switch."""
        return self.at(switch, "vtysh", "--vty_socket", str(self.run / switch), "-c", command)

    def unanswered(self, host, addresses):
        """The addresses that do not answer an echo request of a host within two seconds."""
        return self.at(host, sys.executable, "-c", _PING, *addresses).split()

    def until(self, true, seconds=60.0):
        """Wait until something holds, and say so if it never does."""
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, "it did not come up in time"
            time.sleep(0.02)

    def _cables(self):
        for space in self.space.values():
            subprocess.run(["ip", "netns", "add", space], check=True)
        lines = []
        for link in self.told["links"]:
            (a, p), (b, q) = (end.split(":") for end in link["endpoints"])
            lines.append(f"link add {p} netns {self.space[a]} type veth peer name {q} netns {self.space[b]}")
        subprocess.run(["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True)
        for name, node in self.nodes.items():
            # As a container runtime does it: at once after birth, before addresses.
            settings = {"net.ipv6.conf.all.accept_dad": "0", "net.ipv6.conf.default.accept_dad": "0"}
            for key, value in (settings | node.get("sysctls", {})).items():
                self.at(name, "sysctl", "-qw", f"{key}={value}")
            mine = [
                end.split(":")[1]
                for link in self.told["links"]
                for end in link["endpoints"]
                if end.split(":")[0] == name
            ]
            batch = "\n".join(f"link set {one} up" for one in ["lo", *mine])
            subprocess.run(["ip", "-n", self.space[name], "-batch", "-"], input=batch, text=True, check=True)

    def _start(self, name, node):
        """FRR in one namespace, by the files that a container would have in /etc/frr."""
        binds = dict(reversed(one.split(":")[:2]) for one in node.get("binds", []))
        if "/etc/frr/daemons" not in binds:
            return
        here = self.run / name
        here.mkdir()
        shutil.chown(here, "frr", "frr")
        wanted = (self.folder / binds["/etc/frr/daemons"]).read_text().split()
        daemons = [line.removesuffix("=yes") for line in wanted if line.endswith("d=yes") or line == "zebra=yes"]
        (here / "frr.conf").write_bytes((self.folder / binds["/etc/frr/frr.conf"]).read_bytes())
        (here / "vtysh.conf").write_text("")
        for daemon in daemons:
            empty, socket = here / f"{daemon}.conf", here / f"{daemon}.vty"
            empty.write_text("")
            options = ["-i", here / f"{daemon}.pid", "-f", empty, "-z", here / "zserv.api", "--vty_socket", here]
            command = [_DAEMONS / daemon, *options, "-A", "127.0.0.1", "-P", "0"]
            self.daemons.append(
                subprocess.Popen(["ip", "netns", "exec", self.space[name], *map(str, command)], **self.quiet)
            )
            # The others speak to zebra, which must be there before them.
            self.until(socket.exists)

    def _configure(self, name):
        """What a container does when its daemons run: vtysh tells each its part of frr.conf."""
        here = self.run / name
        if here.exists():
            self.at(name, "vtysh", "-b", "--config_dir", str(here), "--vty_socket", str(here))
