"""A name that no file system takes is one sentence, whatever option or argument it is given for."""

import click
import pytest

import topoloom
from in_process import own_commands, run
from topoloom import InputError
from topoloom.cli.main import cli

_LONG = "n" * 300
_REQUIREMENT = 'title = "t"\nhosts = 4\nshortlist = 0\nminutes = 0.01\n[switch]\nradix = 8\n'
_STUDY = 'title = "t"\noperation = "hops"\n[axes]\ntopology = ["petersen"]\n[run]\nexecutor = "threads"\njobs = 1\n'

#: How each command is called, but for what is too long: quick, and right.
_CALLS = {
    "new requirement": "--hosts 4 --switch 8x100 --yes --force",
    "new study": "--operation hops --network petersen --axis none --yes --force",
    "examples": "",
    "families": "",
    "info": "petersen",
    "draw": "petersen",
    "hops": "petersen",
    "bounds": "petersen",
    "balance": "--rows 3 --columns 3",
    "cuts": "petersen",
    "expander": "petersen",
    "build": "petersen",
    "convert": "one.json two.json",
    "optimize": "petersen --moves 1 --chains 1",
    "route": "petersen:hosts=1",
    "reroute": "petersen:hosts=1 0-1",
    "export": "petersen:hosts=1 opensm -o fabric",
    "quality": "petersen --bisections 1",
    "paths": "petersen",
    "simulate": "clos:leaves=2,spines=2,hosts=2 --fast --loads 0.1 --jobs 1",
    "resilience": "petersen --samples 1 --levels 0.1",
    "losses": "petersen:hosts=1",
    "outage": "petersen:hosts=1 0",
    "lifetime": "petersen --link-fit 100",
    "degradation": "petersen:hosts=1 --shares 10%",
    "damage": "petersen --share 10% -o left.json",
    "app": "one.json --app alltoall:bytes=8 --simulator flows",
    "collective": "one.json --bytes 64",
    "verify": "one.json",
    "verify-tables": "one.json one.json",
    "rules": "",
    "methods": "",
    "manual": "-o prefix",
    "repair": "one.json one.json one.json",
    "watch": "one.json one.json",
    "layout": "complete:n=2",
    "expand": "one.json --to 8 --method hosts --radix 8",
    "cost": "complete:n=2",
    "facility": "complete:n=2",
    "report": "one.json",
    "phases": "complete:n=2,hosts=2 --hosts 2,4",
    "design": "need.toml --jobs 1 -o designs",
    "compare": "one.json --minutes 0.001",
    "flat-or-tree": "8 --radix 8 --traffic matching --no-growth",
    "study run": "study.toml -o study",
    "study plot": "study",
    "study status": "study",
    "study export": "study -o study.csv",
    "study merge": "study study",
}
#: Answers until somebody ends it.
_SERVED = {"serve"}
#: Have commands below them.
_GROUPS = {"new", "study"}


def _command(name):
    found = cli
    for word in name.split():
        found = found.get_command(click.Context(cli), word)
    return found


def _places(name):
    """The options and arguments that take a text, by how they are written; "" for the first argument."""
    found = []
    for parameter in _command(name).params:
        text = not isinstance(parameter.type, click.Choice) and parameter.type.name in (
            "text",
            "path",
            "filename",
            "file",
        )
        if isinstance(parameter, click.Argument):
            found.append("")
        elif text and not parameter.is_flag:
            found.append(parameter.opts[-1] if parameter.opts[-1].startswith("--") else parameter.opts[0])
    return found


def test_every_command_is_tried():
    """Those of the command line, and those below new and study."""
    commands = set(own_commands()) - _GROUPS - _SERVED
    below = {f"{group} {name}" for group in _GROUPS for name in _command(group).list_commands(click.Context(cli))}
    assert set(_CALLS) == commands | below


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A network, a requirement, a study that is done."""
    here = tmp_path_factory.mktemp("long")
    topoloom.save(topoloom.build("complete:n=1,hosts=4"), here / "one.json")
    (here / "need.toml").write_text(_REQUIREMENT)
    (here / "study.toml").write_text(_STUDY)
    assert run("study", here / "study.toml", "-o", here / "study").code == 0
    return here


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", _CALLS)
def test_one_sentence(name, folder, monkeypatch):
    """Exit code 2 and a line of less than 1,000 characters, or the right answer where the text is no file; no traceback."""
    monkeypatch.chdir(folder)
    words = _CALLS[name].split()
    for place in _places(name):
        for long in (_LONG, f"{_LONG}.json", f"no/{_LONG}.svg", f"{folder}/{_LONG}/x.toml"):
            given = [place, long] if place else []
            done = run(*name.split(), *([long, *words[1:]] if not place else words), *given)
            assert "Traceback" not in done.err, (place, done.err[-500:])
            assert done.code in (0, 2), (place, done.code)
            assert done.code == 0 or done.error, (place, done.err)
            assert len(done.error) < 1000, (place, done.error)


def test_specs_may_be_longer_than_names(tmp_path):
    """A spec is no file's name: of any length it is built."""
    spec = "jellyfish:n=10,degree=3" + "+permute:seed=1" * 20
    assert len(spec) > 255
    assert run("build", spec, "-o", tmp_path / "out.json").code == 0


@pytest.mark.parametrize("name", [_LONG, f"{_LONG}/x.json", "a/" * 2500 + "x.json"])
def test_python_says_so_too(name, tmp_path, monkeypatch):
    """Every function that takes a path."""
    monkeypatch.chdir(tmp_path)
    topology = topoloom.build("petersen:hosts=1")
    cabling = topoloom.cable(topoloom.place(topology))
    for call in (
        lambda: topoloom.load(name),
        lambda: topoloom.save(topology, name),
        lambda: topoloom.save_routing(topoloom.route(topology), name),
        lambda: topoloom.save_cabling(cabling, name),
        lambda: topoloom.load_layout(name),
        lambda: topoloom.load_expansion(name),
        lambda: topoloom.check_plan(name),
        lambda: topoloom.load_goal(name),
        lambda: topoloom.load_chakra(name),
        lambda: topoloom.read_schedule(name),
        lambda: topoloom.read_study(name),
        lambda: topoloom.open_study(name),
        lambda: topoloom.trace_from(name),
        lambda: topoloom.program_from(name),
        lambda: topoloom.design(name),
        lambda: topoloom.Store(name, create=True),
    ):
        with pytest.raises(InputError, match="is too long: a file's name has at most 255 bytes"):
            call()
    assert not list(tmp_path.iterdir())
