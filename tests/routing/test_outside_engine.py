"""An engine of another package is found by its entry point, routed with, judged, and shown."""

import json
import os
import subprocess
import sys

import pytest

MODULE = '''
"""Engines from outside: one that is right, and one whose promise does not hold."""

from dataclasses import replace

from topoloom.routing.registry import engine, engines
from topoloom.routing.routing import HOP


@engine("outsider", "shortest paths, a virtual channel a hop, from another package", safe=True)
def outsider(request):
    made = engines.find("minimal").make(request)
    return replace(made, engine="outsider", virtual_channel_rule=HOP)


@engine("liar", "promises what does not hold", safe=True)
def liar(request):
    return replace(engines.find("minimal").make(request), engine="liar")
'''


@pytest.fixture
def package(tmp_path):
    """An installed package with an entry point, as pip leaves it; what runs topoloom beside it."""
    (tmp_path / "outsiders.py").write_text(MODULE)
    information = tmp_path / "outsiders-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: outsiders\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[topoloom.engines]\noutsiders = outsiders\n")

    def run(*arguments):
        path = os.pathsep.join([str(tmp_path), *sys.path])
        return subprocess.run(
            [sys.executable, "-m", "topoloom", *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
        )

    return run


@pytest.mark.exhaustive
def test_an_engine_from_outside_is_routed_with_judged_and_shown(package):
    """`route --engine`, its help, and its messages know it like one of ours; wrong tables name its package."""
    made = package("route", "torus:dims=5x5", "--engine", "outsider", "--json")
    record = json.loads(made.stdout)
    assert (record["engine"], record["verification"]["deadlock_free"]) == ("outsider", True)
    assert "from another package" in " ".join(package("route", "--help").stdout.split())
    assert "did you mean 'outsider'?" in package("route", "petersen", "--engine", "outsidr").stderr
    wrong = package("route", "torus:dims=5x5", "--engine", "liar")
    assert wrong.returncode == 2
    assert "the tables of engine liar (package outsiders) are wrong: channels wait in a cycle" in wrong.stderr
