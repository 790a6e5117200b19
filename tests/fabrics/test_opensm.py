"""A real OpenSM takes the files: on ibsim it installs our tables as they are, and ibdmchk finds no credit loop in them.

Where opensm, ibsim or ibdmchk are missing (Debian: opensm, ibsim-utils, ibutils) these tests are skipped and say so.
"""

import os
import re
import shutil
import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from topoloom.fabrics.infiniband import export_opensm
from topoloom.routing.route import route
from topoloom.spec import build

_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
_TOOLS = {name: shutil.which(name, path=_PATH) for name in ("opensm", "ibsim", "ibdmchk")}
_SIMULATED = next(iter(Path("/usr/lib").glob("**/umad2sim/libumad2sim.so")), None)
_MISSING = [name for name, found in _TOOLS.items() if not found] + ([] if _SIMULATED else ["libumad2sim.so"])
_PATIENCE_S = 60

pytestmark = [
    pytest.mark.skipif(bool(_MISSING), reason=f"not installed: {', '.join(_MISSING)}"),
    pytest.mark.skipif(not Path("/proc/net/unix").exists(), reason="no /proc to see ibsim's socket in"),
]


@contextmanager
def running(command, log, **environment):
    """A program in the background, ended at the end."""
    with log.open("w") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, cwd=log.parent,
            env={**os.environ, "PATH": _PATH, **environment},
        )  # fmt: skip
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for(what, process, log):
    """Wait until `what` is true; fails with the log when the program ends or time is up."""
    end = time.monotonic() + _PATIENCE_S
    while not what():
        said = log.read_text(errors="replace")[-2000:] if log.exists() else ""
        assert process.poll() is None, said
        assert time.monotonic() < end, said
        time.sleep(0.05)


def entries(text):
    """{(switch GUID, port GUID): out port} of forwarding tables in OpenSM's format."""
    found, switch = {}, 0
    for line in text.splitlines():
        if section := re.search(r"^Unicast lids .* guid 0x(\w+) ", line):
            switch = int(section[1], 16)
        elif entry := re.match(r"0x\w+ (\d+) .*portguid 0x(\w+)", line):
            found[switch, int(entry[2], 16)] = int(entry[1])
    return found


@pytest.mark.parametrize(
    "spec", ["slimfly:q=5,hosts=2", "torus:dims=4x4x4,hosts=1", "jellyfish:n=64,degree=8,hosts=1", "dragonfly:h=2"]
)
def test_opensm_installs_the_tables_and_they_have_no_credit_loop(spec, tmp_path):
    """The file engine takes every entry, dumps the same tables, and ibdmchk agrees that nothing can deadlock."""
    routing = route(build(spec), lanes=8)
    files = export_opensm(routing, tmp_path)
    socket = f"topoloom{os.getpid()}{tmp_path.name[-8:]}"
    nodes = routing.topology.switches + routing.topology.hosts
    with ExitStack() as stack:
        simulator = stack.enter_context(
            running(
                [_TOOLS["ibsim"], "-s", "-n", "-N", f"{nodes + 16}", "-S", f"{routing.topology.switches + 16}",
                 "-P", f"{nodes * (routing.topology.radix + 2)}", "-L", "49152", "fabric.net"],
                tmp_path / "ibsim.log", IBSIM_SOCKNAME=socket,
            )
        )  # fmt: skip
        wait_for(lambda: f"@{socket}" in Path("/proc/net/unix").read_text(), simulator, tmp_path / "ibsim.log")
        command = [
            _TOOLS["opensm"], "-R", "file,no_fallback", "-U", "fabric.lft", "-Q", "-e", "-s", "0", "-D", "0x43",
            "-f", f"{tmp_path}/osm.log", "--dump_files_dir", str(tmp_path),
        ]  # fmt: skip
        # The log is what tells when the subnet is up.
        conf = tmp_path / "test.conf"
        conf.write_text("force_log_flush TRUE\nmax_wire_smps 64\nsweep_interval 0\n")
        if "fabric.qos" in files:
            conf.write_text(conf.read_text() + (tmp_path / "opensm.conf").read_text())
            command += ["-Y", "fabric.qos"]
        command += ["-F", "test.conf"]
        log = tmp_path / "osm.log"
        manager = stack.enter_context(
            running(
                command, tmp_path / "opensm.out", IBSIM_SOCKNAME=socket, SIM_HOST="H0", LD_PRELOAD=str(_SIMULATED),
                OSM_TMP_DIR=str(tmp_path), OSM_CACHE_DIR=str(tmp_path),
            )
        )  # fmt: skip
        wait_for(
            lambda: log.exists() and "SUBNET UP" in log.read_text(errors="replace"), manager, tmp_path / "opensm.out"
        )
        dumps = [tmp_path / "opensm-lfts.dump", tmp_path / "opensm-subnet.lst"]
        wait_for(lambda: all(dump.exists() and dump.stat().st_size for dump in dumps), manager, log)
        time.sleep(0.3)
        written = log.read_text(errors="replace")
    assert "file tables configured on all switches" in written
    assert not re.findall(r"ERR [0-9A-F]{4}|PARSE ERROR", written)
    assert entries(dumps[0].read_text()) == entries((tmp_path / "fabric.lft").read_text())
    if routing.verdict.lanes_used == 1:
        # With lanes ibdmchk would need the service level of every pair; those tables are safe by the verdict.
        checked = subprocess.run(
            [_TOOLS["ibdmchk"], "-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs", "-l", "0"],
            cwd=tmp_path, capture_output=True, text=True, timeout=_PATIENCE_S, check=False,
        )  # fmt: skip
        # Its text counts: it may crash after its verdict.
        assert "no credit loops found" in (checked.stdout + checked.stderr).lower(), checked.stdout[-1500:]
