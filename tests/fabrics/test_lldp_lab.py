"""Real lldpd on a fabric of network namespaces, cabled by a plan: what it prints is compared with the plan."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from in_process import run

ROOT = Path(__file__).parents[2]
MISSING = runpy.run_path(str(ROOT / "benchmarks" / "lldp_lab.py"))["missing"]()


@pytest.mark.exhaustive
@pytest.mark.skipif(bool(MISSING), reason=MISSING or "-")
def test_two_swapped_cables_are_found_by_real_agents(tmp_path):
    """As planned nothing is found, in every form of lldpcli; then the two cables with their ports, and nothing else."""
    command = [sys.executable, "benchmarks/lldp_lab.py", "--keep", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "all as it is"
    assert sum(line.endswith(": nothing") for line in lines) == sum(line.endswith(": TL104") for line in lines) == 6
    clean = run("verify", tmp_path / "plan.dot", tmp_path / "planned" / "json-plain")
    assert (clean.code, "ports                         exact" in clean.out) == (0, True)
    swapped = run("verify", tmp_path / "plan.dot", tmp_path / "swapped" / "json0-details")
    wanted = (
        "TL104 error: swapped: S0 port swp3 is in S5 port swp2, should be in S4 port swp1; "
        "S1 port swp4 is in S4 port swp1, should be in S5 port swp2"
    )
    assert swapped.code == 3
    assert [line for line in swapped.out.splitlines() if "TL" in line] == [wanted]
