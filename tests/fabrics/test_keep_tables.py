"""The loop that keeps the tables of a running OpenSM whole, on a simulated fabric: every lost cable is routed around."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_PATH = "/usr/bin:/usr/sbin:/bin:/sbin"
_MISSING = [tool for tool in ("opensm", "ibsim", "ibnetdiscover", "dump_lfts") if not shutil.which(tool, path=_PATH)]


@pytest.mark.exhaustive
@pytest.mark.skipif(bool(_MISSING), reason=f"not installed: {', '.join(_MISSING)}")
@pytest.mark.parametrize("fabric", ["tree", "torus-switch-lost"])
def test_after_every_loss_all_connected_hosts_reach_each_other(fabric):
    """Five losses and returns; the entries are read from the switches and followed by code that is not topoloom's."""
    command = [sys.executable, "benchmarks/live_losses.py", "--fabric", fabric, "--events", "5", "--seed", "3"]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    events = re.findall(r"^ +\d+ (Unlink|ReLink) .* code (\d)", done.stdout, re.MULTILINE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(events) == 5
    assert "at most 0 pairs of connected hosts without a path" in done.stdout


def test_the_scripts_are_shell_that_any_sh_reads():
    """dash parses them; nothing in them runs."""
    for script in ("keep-tables.sh", "load-tables.sh"):
        subprocess.run(["sh", "-n", _ROOT / "examples/live-fabric" / script], check=True)
