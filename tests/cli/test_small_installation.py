"""The commands of a management node run without the packages that only pictures and progress bars need."""

import json
import subprocess
import sys

import pytest

from topoloom import build, save

#: What docs/how-to/install.md omits from the small installation.
_OMITTED = ("matplotlib", "PIL", "fontTools", "contourpy", "kiwisolver", "rich", "pygments", "lazy_loader", "dateutil")
_RUNNER = """
import json, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in OMITTED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from topoloom.cli.main import main
codes = []
for line in json.load(sys.stdin):
    try:
        main(line.split())
    except SystemExit as end:
        codes.append(end.code or 0)
print(json.dumps(codes))
"""
#: Commands and their exit codes; pictures are the last, and refused.
_COMMANDS = {
    "verify plan.net plan.net -q --prom a.prom": 0,
    "watch plan.net plan.net -q -o sheets": 0,
    "route plan.net -q": 0,
    "export plan.net opensm -q -o tables": 0,
    "export plan.net slurm -q -o slurm": 0,
    "verify-tables tables/fabric.net tables/fabric.lft -q": 0,
    "repair tables/fabric.net tables/fabric.lft tables/fabric.net -q -o repaired": 0,
    "manual -q -o usr": 0,
    "layout petersen -q -o plan": 2,
}


@pytest.mark.exhaustive
def test_a_management_node_needs_no_pictures(tmp_path):
    """Every command of a fabric works; a command that draws names the package in one line."""
    save(build("torus:dims=3x3,hosts=1"), tmp_path / "plan.net")
    done = subprocess.run(
        [sys.executable, "-P", "-c", _RUNNER.replace("OMITTED", repr(_OMITTED))],
        input=json.dumps([*_COMMANDS]),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(done.stdout) == [*_COMMANDS.values()], done.stderr
    assert done.stderr.count("\n") == 1
    assert "needs the package matplotlib" in done.stderr
