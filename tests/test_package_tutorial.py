"""The tutorial on a published package: its commands, in the order of the page, in an environment of their own."""

import os
import re
import site
import subprocess
import sys
from pathlib import Path

import pytest

from topoloom import copy_examples

PAGE = (Path(__file__).parents[1] / "docs" / "tutorials" / "package.md").read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_the_tutorials_commands_end_with_a_published_package(tmp_path):
    """Tests of the package pass, its study is drawn, its wheel is installed from a folder, and each output is the page's."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    (packages,) = (tmp_path / "env").glob("lib/python*/site-packages")
    # The environment sees this one's packages, topoloom among them, without changing it.
    (packages / "these.pth").write_text(
        "".join(f"import site; site.addsitedir({p!r})\n" for p in site.getsitepackages())
    )
    path = os.pathsep.join([str(tmp_path / "env" / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": "1"}
    desk = tmp_path / "desk"
    copy_examples(desk, "package")
    (study,) = re.findall(r"```toml\n# queues.toml\n(.*?)```", PAGE, re.DOTALL)
    (desk / "package" / "queues.toml").write_text(study)
    (desk / "topoloom").write_text(f'#!/bin/sh\nexec {tmp_path}/env/bin/python -m topoloom "$@"\n')
    (desk / "topoloom").chmod(0o755)
    environment["PATH"] = os.pathsep.join([str(desk), path])
    folder, steps = desk, re.findall(r"```sh\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert len(steps) == 4
    for commands, shown in steps:
        script = f"set -e\n{commands}pwd > {tmp_path}/where\n"
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        folder = Path((tmp_path / "where").read_text().strip())
        wanted = ".*".join(map(re.escape, shown.strip().split("...")))
        assert re.search(wanted, done.stdout + done.stderr, re.DOTALL), done.stdout + done.stderr
