"""The build hook of the wheel: kernels of the levels of this type of machine, and a tag that says so."""

import platform
import runpy
import shutil
import sys
from pathlib import Path

import pytest

from topoloom.core.compiling.levels import LEVELS

pytest.importorskip("hatchling", reason="hatchling is not installed (the extra test)")
_ROOT = Path(__file__).parents[1]
_SOURCES = ("src/topoloom/core/program.py", "src/topoloom/core/compiling/levels.py")


@pytest.fixture
def built(tmp_path):
    """What the hook adds to a wheel of a checkout with kernels in these folders."""
    hook = runpy.run_path(str(_ROOT / "tools" / "build_hook.py"))["PackagedFiles"]
    for file in _SOURCES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(_ROOT / file, tmp_path / file)

    def build(*folders):
        for folder in folders:
            (tmp_path / "src/topoloom/core/compiling/shipped" / folder).mkdir(parents=True)
        data = {"force_include": {}}
        hook(str(tmp_path), {}, None, None, str(tmp_path), "wheel").initialize("standard", data)
        return data, {path for path in data["force_include"].values() if "shipped" in path}

    return build


@pytest.mark.skipif(not LEVELS, reason="this type of machine has no levels")
def test_a_wheel_with_kernels_is_for_this_python_and_machine(built):
    """Only the folders of levels are added, not the kernels for the processor of the builder."""
    level = next(iter(LEVELS))
    data, shipped = built(level, "znver9-01234567")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert data["tag"] == f"{python}-{python}-manylinux_2_17_{platform.machine()}"
    assert data["pure_python"] is False
    assert shipped == {f"topoloom/core/compiling/shipped/{level}"}


def test_a_wheel_without_kernels_is_for_all_machines(built):
    """It has no tag of its own."""
    data, shipped = built("znver9-01234567")
    assert ("tag" in data, shipped) == (False, set())
