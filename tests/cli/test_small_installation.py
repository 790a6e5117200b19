"""The commands of a management node run without the packages that only pictures and progress bars need."""

import json
import subprocess
import sys

import pytest

from topoloom import build, save

#: What docs/how-to/install.md omits from the small installation.
_OMITTED = (
    "scipy",
    "matplotlib",
    "PIL",
    "fontTools",
    "contourpy",
    "kiwisolver",
    "rich",
    "pygments",
    "lazy_loader",
    "dateutil",
)
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
#: Commands and their exit codes without SciPy; placement is refused.
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
#: And only without pictures; a command that only draws is refused.
_WITHOUT_PICTURES = {
    "layout petersen:hosts=1 -o plan": 0,
    "resilience petersen -q -o lost": 0,
    "draw petersen -o a.svg": 2,
}


def _run(folder, commands, omitted):
    """Run commands in one process without some packages; checks their exit codes, and returns the error output."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", _RUNNER.replace("OMITTED", repr(omitted))],
        input=json.dumps([*commands]),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == [*commands.values()], done.stderr
    return done.stderr


@pytest.mark.exhaustive
def test_a_management_node_needs_neither_pictures_nor_scipy(tmp_path):
    """Every command of a fabric works; one that places switches names the package in one line."""
    save(build("torus:dims=3x3,hosts=1"), tmp_path / "plan.net")
    errors = _run(tmp_path, _COMMANDS, _OMITTED)
    assert errors.count("\n") == 1
    assert "needs the package scipy" in errors


@pytest.mark.exhaustive
def test_without_matplotlib_reports_have_a_sentence_for_each_picture(tmp_path):
    """The warning is printed once; PNG files are omitted; a command that only draws ends with the sentence."""
    errors = _run(tmp_path, _WITHOUT_PICTURES, tuple({*_OMITTED} - {"scipy"}))
    assert errors.count("topoloom: pictures need matplotlib: pip install 'topoloom[pictures]'") == 1
    assert errors.splitlines()[-1] == "error: pictures need matplotlib: pip install 'topoloom[pictures]'"
    for picture in (tmp_path / "plan" / "floorplan.svg", *(tmp_path / "lost").glob("*.svg")):
        assert "pip install 'topoloom[pictures]'" in picture.read_text()
    assert (tmp_path / "plan" / "cables.csv").is_file()
    assert not list(tmp_path.rglob("*.png"))
