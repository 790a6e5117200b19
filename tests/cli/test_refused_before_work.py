"""What can be refused is refused before a network is routed: on the command line, by studies and in Python."""

import sys
from importlib import import_module

import pytest

from in_process import run
from topoloom import InputError, build, collective, run_app
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.sweep import subjects
from topoloom.studies.task import run_task, task_of


class RoutedError(Exception):
    """Tables were asked for."""


@pytest.fixture(autouse=True)
def never_routed(monkeypatch):
    """Whoever makes tables fails, in every module that has the function, and in those that are imported later."""

    def routed(*_arguments, **_options):
        raise RoutedError

    route = import_module("topoloom.routing.route").route
    for name, module in list(sys.modules.items()):
        if name.startswith("topoloom.") and vars(module).get("route") is route:
            monkeypatch.setattr(module, "route", routed)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("simulate slimfly:q=5", "hosts"),
        ("simulate complete:n=4,hosts=1 slimfly:q=5", "hosts"),
        ("simulate slimfly:q=5,hosts=4 --loads 0.5,1.5", "load 1.5"),
        ("simulate slimfly:q=5,hosts=4 --traffic uniform:speed=3", "speed"),
        ("simulate slimfly:q=5,hosts=3 --traffic nosuch", "nosuch"),
        ("simulate slimfly:q=5,hosts=4 --engine orders --engine nosuch", "nosuch"),
        ("simulate slimfly:q=5,hosts=4 --between nosuch=3", "nosuch"),
        ("simulate complete:n=1,hosts=1", "at least two hosts"),
        ("app slimfly:q=5 --app alltoall --simulator flows", "no hosts"),
        ("app slimfly:q=5,hosts=1 --app nosuch --simulator flows", "nosuch"),
        ("app slimfly:q=5,hosts=1 --app cg:class=Z --simulator flows", "Z"),
        ("app slimfly:q=5,hosts=1 torus:dims=4x4,hosts=1 --app alltoall --simulator flows", "ranks=16"),
        ("collective slimfly:q=5 --operation allreduce", "no hosts"),
        ("quality slimfly:q=5 --traffic nosuch", "nosuch"),
        ("quality slimfly:q=5,hosts=3 --traffic chip:requests=5", "chip"),
    ],
)
def test_commands(words, told):
    """One sentence, exit code 2, and nothing was routed."""
    ran = run(*words.split())
    assert (ran.code, told in ran.error) == (2, True), ran.err


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("simulate", {"topology": "slimfly:q=5", "loads": 0.1}),
        ("simulate", {"topology": "slimfly:q=5,hosts=3", "loads": 0.1, "traffic": "uniform:speed=3"}),
        ("app", {"topology": "slimfly:q=5", "app": "alltoall", "simulator": "flows"}),
        ("app", {"topology": "slimfly:q=5,hosts=1", "app": "nosuch", "simulator": "flows"}),
        ("collective", {"topology": "slimfly:q=5"}),
        ("quality", {"topology": "slimfly:q=5", "traffic": "nosuch"}),
    ],
)
def test_operations_of_studies(operation, arguments):
    """The same sentences, before there are tables."""
    with pytest.raises(InputError):
        run_task(task_of(operation, arguments))


@pytest.mark.parametrize(
    "ask",
    [
        lambda: subjects([build("slimfly:q=5")], router=router_of("booksim")[1]),
        lambda: subjects([build("complete:n=3,hosts=1")], ["nosuch"], router=router_of("booksim")[1]),
        lambda: run_app(build("slimfly:q=5"), "alltoall", simulator="flows"),
        lambda: run_app(build("slimfly:q=5,hosts=1"), "nosuch", simulator="flows"),
        lambda: run_app(build("slimfly:q=5,hosts=1"), "alltoall", simulator="nosuch"),
        lambda: collective(build("slimfly:q=5"), "allreduce"),
        lambda: collective(build("slimfly:q=5,hosts=1"), "allreduce", algorithm="nosuch"),
    ],
)
def test_python(ask):
    """The library refuses, so whoever calls it is refused."""
    with pytest.raises(InputError):
        ask()


@pytest.mark.parametrize("words", ["simulate", "app --app alltoall --simulator flows", "collective", "quality"])
def test_what_nothing_is_wrong_with_asks_for_tables(words):
    """Else the tests above would say nothing."""
    command, *options = words.split()
    assert "RoutedError" in run(command, "complete:n=4,hosts=1", *options).err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("design nothing.toml -o out", "nothing.toml cannot be read"),
        ("design need.toml -o out/in", "there is no folder"),
        ("design need.toml -o need.toml", "is a file; name a folder"),
        ("compare petersen --reference ring:n=4 -o out", "is not one of the networks"),
        ("compare petersen -o out/in", "there is no folder"),
        ("expand petersen --to 12 -o out/in", "there is no folder"),
        ("expand nosuch:n=4 --to 12 -o out", "nosuch"),
        ("layout petersen -o out/in", "there is no folder"),
        ("layout nosuch:n=4 -o out", "nosuch"),
        ("route petersen -o out/in", "there is no folder"),
        ("route nosuch:n=4 --on-disk out", "nosuch"),
    ],
)
def test_what_is_refused_leaves_no_folder(words, told, tmp_path, monkeypatch):
    """A folder is made when there is something to put into it, and the one around it never."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "need.toml").write_text("hosts = 8\nshortlist = 0\n[switch]\nradix = 8\n")
    ran = run(*words.split())
    assert (ran.code, told in ran.error) == (2, True), ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["need.toml"]
