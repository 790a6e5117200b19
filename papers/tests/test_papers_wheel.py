"""The package as it is published: what its wheel holds, and what it needs."""

import tomllib
import zipfile
from pathlib import Path

import pytest

import topoloom

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built as pip builds it."""
    pytest.importorskip("hatchling", reason="hatchling is not installed (the extra test)")
    from hatchling.builders.wheel import WheelBuilder

    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("dist")), versions=["standard"])
    with zipfile.ZipFile(built) as archive:
        yield archive


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    """Modules, kept runs, templates and the mark of types; no caches, and nothing of topoloom."""
    source = ROOT / "src"
    paths = [path for path in (source / "topoloom_papers").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    packed = {name for name in wheel.namelist() if name.startswith("topoloom_papers/")}
    assert packed == {path.relative_to(source).as_posix() for path in paths}
    assert {".py", ".json", ".html", ".css"} <= {Path(name).suffix for name in packed}
    assert "topoloom_papers/py.typed" in packed
    others = {name.partition("/")[2] for name in wheel.namelist() if not name.startswith("topoloom_papers/")}
    assert others == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


def test_it_is_of_topoloom_s_version():
    """And needs that one, with what draws pictures."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == topoloom.__version__
    assert f"topoloom[pictures]=={topoloom.__version__}" in project["dependencies"]
