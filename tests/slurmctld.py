"""A slurmctld that reads a topology.conf, for tests of the files that are written for Slurm."""

import getpass
import os
import re
import shutil
import socket
import subprocess
import time

import pytest

_CONF = """
ClusterName=scratch
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
TopologyPlugin=topology/tree
ProctrackType=proctrack/linuxproc
AccountingStorageType=accounting_storage/none
NodeName={nodes} NodeAddr=127.0.0.[1-{count}] CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES
"""


def names_of(hostlist):
    """The names in a list of SLURM's, in order; an own reader."""
    found = []
    for stem, ranges, plain in re.findall(r"([^,\[\]]+)\[([^\]]*)\]|([^,\[\]]+)", hostlist):
        if plain:
            found.append(plain)
            continue
        for part in ranges.split(","):
            low, _, high = part.partition("-")
            found += [f"{stem}{number:0{len(low)}d}" for number in range(int(low), int(high or low) + 1)]
    return found


def shown_by_slurm(folder, text, nodes):
    """What a slurmctld that reads the text prints of it: level, nodes and switches of each switch."""
    if not all(map(shutil.which, ("slurmctld", "scontrol"))):
        pytest.skip("not installed: slurmctld, scontrol (Debian: slurmctld, slurm-client)")
    (folder / "state").mkdir()
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    host = socket.gethostname().partition(".")[0]
    conf = folder / "slurm.conf"
    settings = {"host": host, "port": port, "user": getpass.getuser(), "folder": folder}
    conf.write_text(_CONF.format(**settings, nodes=nodes, count=len(names_of(nodes))))
    (folder / "topology.conf").write_text(text)
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    daemon = subprocess.Popen(["slurmctld", "-D", "-i", "-f", str(conf)], **quiet)
    try:
        deadline = time.monotonic() + 60
        while True:
            done = subprocess.run(
                ["scontrol", "show", "topology"],
                env=os.environ | {"SLURM_CONF": str(conf)},
                capture_output=True,
                text=True,
                check=False,
            )
            log = folder / "slurmctld.log"
            told = log.read_text() if log.exists() else ""
            if done.returncode == 0 and "SwitchName" in done.stdout:
                break
            assert daemon.poll() is None, told[-2000:]
            assert time.monotonic() < deadline, told[-2000:] + done.stderr
            time.sleep(0.1)
    finally:
        daemon.kill()
        daemon.wait(20)
    assert "error: " not in "".join(
        line for line in told.splitlines(keepends=True) if "opology" in line or "witch" in line
    )
    found = {}
    for line in done.stdout.splitlines():
        pairs = dict(part.split("=", 1) for part in line.split() if "=" in part)
        below = names_of(pairs.get("Switches", ""))
        found[pairs["SwitchName"]] = int(pairs["Level"]), set(names_of(pairs["Nodes"])), set(below)
    return found
