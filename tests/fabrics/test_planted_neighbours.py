"""Faults planted in LLDP folders: all are found, none is invented, and every surface of verify and watch has them."""

import json
import random
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from in_process import run

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "planted_neighbours.py"
CODES = ["TL101", "TL102", "TL104", "TL105", "TL106", "TL107", "TL115", "TL117", "TL209"]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_planted_faults_are_found_and_none_is_invented(seed):
    """Nine kinds of faults, each with ports of its own: as many reports, each with the code and the ports."""
    command = [sys.executable, str(SCRIPT), "--switches", "120", "--faults", "45", "--seed", str(seed)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "45 of 45 found, 0 invented" in done.stdout) == (0, True), done.stdout + done.stderr


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """In wrong/ a fabric with one fault of each kind; in right/ without faults."""
    folder = tmp_path_factory.mktemp("planted")
    write = runpy.run_path(str(SCRIPT))["written"]
    for name, faults in (("right", 0), ("wrong", 9)):
        (folder / name / "lldp").mkdir(parents=True)
        write(40, faults, random.Random(5), folder / name)
    return folder


def test_exit_codes_sarif_metrics_and_nagios(planted, tmp_path):
    """As for InfiniBand: 3 for faults and 0 without; every code in SARIF and metrics; one line for Nagios."""
    wrong = "verify", planted / "wrong/plan.csv", planted / "wrong/lldp"
    right = "verify", planted / "right/plan.csv", planted / "right/lldp"
    assert (run(*wrong).code, run(*right).code) == (3, 0)
    run(*wrong, "--sarif", tmp_path / "x.sarif", "--prom", tmp_path / "x.prom")
    results = json.loads((tmp_path / "x.sarif").read_text())["runs"][0]["results"]
    assert {*CODES} <= {result["ruleId"] for result in results}
    metrics = (tmp_path / "x.prom").read_text()
    assert all(f'"{code}"' in metrics for code in CODES)
    assert run(*wrong, "--nagios").code == 2
    assert run(*right, "--nagios").code == 0


def test_watch_shows_the_progress_of_ethernet(planted, tmp_path):
    """Yesterday's folder had faults, today's has none; the sheets of the racks have the open tasks with names of ports."""
    plan = planted / "right/plan.csv"
    done = run("watch", plan, planted / "wrong/lldp", planted / "right/lldp", "--json")
    first, last = done.record["seen"]
    assert done.code == 0
    assert last["right_cables"] > first["right_cables"]
    assert last["gone_faults"] == first["new_faults"] > 0
    back = run("watch", plan, planted / "right/lldp", planted / "wrong/lldp", "-o", tmp_path / "sheets")
    assert back.code == 3
    assert all(code in back.out for code in CODES)
    sheets = "".join(path.read_text(errors="ignore") for path in (tmp_path / "sheets").iterdir() if path.is_file())
    assert re.search(r"leaf\d+ port swp\d+", sheets)
    assert len([*(tmp_path / "sheets").iterdir()]) > 5


def test_two_folders_of_one_day_are_the_same(planted, tmp_path):
    """The same folder twice: nothing new, nothing gone."""
    again = shutil.copytree(planted / "wrong/lldp", tmp_path / "again")
    done = run("watch", planted / "wrong/plan.csv", planted / "wrong/lldp", again, "--json")
    last = done.record["seen"][-1]
    assert (last["new_faults"], last["gone_faults"], last["new_right"], last["lost"]) == (0, 0, 0, 0)
