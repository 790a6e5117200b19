"""The commit of the running program: in records, and nowhere where it is unknown."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import topoloom
from topoloom.core import program

ROOT = Path(__file__).parents[1]


def _ask(folder):
    """What the copy of the program in a folder says."""
    code = "import runpy, sys; print(runpy.run_path(sys.argv[1])['commit']())"
    where = folder / "src" / "topoloom" / "core" / "program.py"
    return subprocess.run([sys.executable, "-c", code, str(where)], capture_output=True, text=True, check=True).stdout


def _copied(folder):
    (folder / "src" / "topoloom" / "core").mkdir(parents=True)
    shutil.copy(program.__file__, folder / "src" / "topoloom" / "core")


def _git(folder, *arguments):
    who = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
    ran = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_a_checkout_is_named_by_its_commit_and_a_sign_for_changes(tmp_path):
    """The first ten digits of HEAD; a + after a file of the package has changed, none after one beside it has."""
    _copied(tmp_path)
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", "-A")
    _git(tmp_path, "commit", "-qm", "first")
    head = _git(tmp_path, "rev-parse", "HEAD")[:10]
    (tmp_path / "notes.txt").write_text("mine")
    assert _ask(tmp_path) == f"{head}\n"
    (tmp_path / "src" / "topoloom" / "more.py").write_text("")
    assert _ask(tmp_path) == f"{head}+\n"


def test_a_copy_without_git_has_the_commit_of_its_wheel_or_none(tmp_path):
    """Also inside a repository of somebody else, whose commit says nothing about topoloom."""
    _git(tmp_path, "init", "-q")
    site = tmp_path / "environment"
    _copied(site)
    assert _ask(site) == "\n"
    (site / "src" / "topoloom" / program.COMMIT_FILE).write_text("0123456789\n")
    assert _ask(site) == "0123456789\n"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the sources are no checkout of git")
def test_a_record_names_the_commit_and_keeps_it_when_it_is_read(monkeypatch):
    """A record of another commit keeps that one; a record from before there was one gets none."""
    record = json.loads(json.dumps(topoloom.hops("petersen").record()))
    assert record["provenance"]["commit"] == program.commit() != ""
    for commit in ("ffffffffff", None):
        other = record | {"provenance": record["provenance"] | {"commit": commit}}
        if commit is None:
            del other["provenance"]["commit"]
        assert topoloom.Hops.from_record(other).record() == other
