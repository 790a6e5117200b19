"""The package as it is published: what the wheel holds, and its text for a package index."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import topoloom
from topoloom.core.program import COMMIT_FILE

ROOT = Path(__file__).parents[1]
#: What running the sources leaves beside them.
_LEFT = {".pyc", ".nbi", ".nbc"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built as pip builds it."""
    pytest.importorskip("hatchling", reason="hatchling is not installed (the extra test)")
    from hatchling.builders.wheel import WheelBuilder

    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("dist")), versions=["standard"])
    with zipfile.ZipFile(built) as archive:
        yield archive


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    """Modules, templates, styles, parts catalogues, schemas, C sources and the mark of types; no caches."""
    source = ROOT / "src"
    files = (path for path in (source / "topoloom").rglob("*") if path.is_file() and path.suffix not in _LEFT)
    files = (path for path in files if "shipped" not in path.parts)  # kernels for this processor: no business of others
    packed = {name for name in wheel.namelist() if name.startswith("topoloom/")}
    examples = {f"topoloom/start/examples/{file}" for one in topoloom.EXAMPLES.values() for file in one.files}
    assert packed == {path.relative_to(source).as_posix() for path in files} | examples | {f"topoloom/{COMMIT_FILE}"}
    assert {".py", ".toml", ".css", ".html", ".json", ".c", ".h", ".cpp", ".txt"} <= {
        Path(name).suffix for name in packed
    }
    assert "topoloom/py.typed" in packed
    others = {name.partition("/")[2] for name in wheel.namelist() if not name.startswith("topoloom/")}
    assert others == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The command line of the wheel's own files, in a process of its own and a folder far from the checkout."""
    site, desk = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("desk")
    wheel.extractall(site)
    environment = os.environ | {"PYTHONPATH": str(site)}

    def run(*words):
        call = [sys.executable, "-P", "-m", "topoloom", *words]
        return subprocess.run(call, capture_output=True, text=True, check=False, cwd=desk, env=environment)

    return run


def test_an_installed_wheel_has_the_examples(installed):
    """It lists them, copies one with the files that it refers to, and says where the pages are; nothing is of the checkout."""
    assert [line.split()[0] for line in installed("examples").stdout.splitlines()] == [*topoloom.EXAMPLES]
    done = installed("examples", "ai-4k", "-o", "copied")
    assert (done.returncode, done.stderr.count("copied/")) == (0, len(topoloom.EXAMPLES["ai-4k"].files))
    assert str(ROOT) not in installed().stdout


def test_an_installed_wheel_writes_a_requirement_that_it_can_read(installed):
    """Its switch is priced by made-up quotes, which come from the examples."""
    done = installed("new", "--yes")
    assert (done.returncode, done.stderr.splitlines()[0]) == (0, "wrote requirement.toml and quotes/made-up-ndr.toml")


@pytest.mark.exhaustive
def test_the_greetings_examples_work_in_an_installed_wheel(installed):
    """Those of the administrator: a fabric with faults is copied, and its faults are found."""
    assert installed("examples", "fabric", "-o", "examples").returncode == 0
    done = installed("verify", "hyperx:dims=8x8,hosts=16", "examples/fabric/morning.net.gz")
    assert (done.returncode, "TL104 error: swapped" in done.stdout) == (3, True), done.stderr


def test_the_wheel_names_its_version_and_its_command(wheel):
    """The version is that of the module, and `topoloom` is a command."""
    (folder,) = {name.partition("/")[0] for name in wheel.namelist() if ".dist-info/" in name}
    assert folder == f"topoloom-{topoloom.__version__}.dist-info"
    assert "topoloom = topoloom.__main__:main" in wheel.read(f"{folder}/entry_points.txt").decode()


def test_the_text_for_a_package_index_stands_by_itself():
    """An index shows it without the other files: it links to none of them, and has no picture that would be missing."""
    text = (ROOT / "PACKAGE.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert [target for target in targets if not target.startswith("https://")] == []


def test_the_citation_is_of_this_version():
    """CITATION.cff names the version that the package has."""
    assert f"\nversion: {topoloom.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
