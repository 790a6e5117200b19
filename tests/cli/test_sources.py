"""Every operation takes every kind of source: it works, or one sentence says what it needs."""

import io
import re
import sys

import pytest

from topoloom.cli.main import main

SPEC = "torus:dims=4x4,hosts=1"

#: Each operation with its cheapest options; SOURCE is replaced, OUT is a path that is not there.
VERBS = {
    "info": "info SOURCE",
    "hops": "hops SOURCE",
    "bounds": "bounds SOURCE",
    "cuts": "cuts SOURCE --seeds 1",
    "expander": "expander SOURCE --seeds 1",
    "convert": "convert SOURCE OUT.json",
    "optimize": "optimize SOURCE -o OUT.json --moves 10 --chains 1",
    "route": "route SOURCE",
    "quality": "quality SOURCE --bisections 1",
    "simulate": "simulate SOURCE --loads 0.1 --jobs 1",
    "resilience": "resilience SOURCE --samples 2 --jobs 1",
    "app": "app SOURCE --app pingpong --ranks 2 --jobs 1",
    "collective": "collective SOURCE --ranks 4 --bytes 4096",
    "verify": f"verify SOURCE {SPEC}",
    "layout": "layout SOURCE --map rows",
    "expand": "expand SOURCE --method splice --to 19 --radix 6",
    "cost": "cost SOURCE",
}

SOURCES = (
    "spec",
    "JSON file",
    "edge list",
    "cable list",
    "discovered fabric",
    "standard input",
    "layout folder",
    "plan folder",
    "plan folder before",
    "plan folder after",
    "route folder",
    "design folder",
)

#: What operations ask for that some sources do not have: hosts (an edge list has none).
NEEDS = r"no hosts|has no hosts|without hosts|needs? hosts|needs at least two hosts"


def called(arguments):
    """The exit code of the command line."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    sys.stdout.flush()
    return left.value.code


@pytest.fixture(scope="session")
def sources(tmp_path_factory):
    """The name of a source of each kind, all of the same torus but for the plan and the design."""
    folder = tmp_path_factory.mktemp("sources")
    requirement = folder / "need.toml"
    requirement.write_text("hosts = 16\nparts = 'slimfly-2014'\n[switch]\nradix = 8\n[families]\ntry = ['torus']\n")
    files = {
        "JSON file": "net.json",
        "edge list": "net.edges",
        "cable list": "net.csv",
        "discovered fabric": "fabric.net",
    }
    named = {kind: str(folder / name) for kind, name in files.items()}
    folders = {kind: str(folder / kind.split()[0]) for kind in SOURCES if kind.endswith("folder")}
    made = [["build", SPEC, "-o", name] for name in named.values()]
    made.append(["layout", SPEC, "--map", "rows", "-o", folders["layout folder"]])
    grown = ["expand", SPEC, "--method", "splice", "--to", "18", "--map", "rows", "--radix", "6"]
    made.append([*grown, "-o", folders["plan folder"]])
    made.append(["route", SPEC, "-o", folders["route folder"]])
    made.append(["design", str(requirement), "-o", folders["design folder"], "--shortlist", "0", "--jobs", "1"])
    for arguments in made:
        assert called(arguments) == 0, arguments
    plan = folders["plan folder"]
    return {
        "spec": SPEC,
        "standard input": "-",
        **named,
        **folders,
        "plan folder before": f"{plan}/before",
        "plan folder after": f"{plan}/after",
    }


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("operation", [pytest.param(v, marks=pytest.mark.simgrid) if v == "app" else v for v in VERBS])
def test_every_verb_takes_every_source(sources, tmp_path, monkeypatch, capfd, operation, kind):
    """The exit code is 0, or 2 with one sentence that names what the operation needs; never a traceback."""
    if kind == "standard input":
        with open(sources["JSON file"], "rb") as file:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read())))
    words = [
        {"SOURCE": sources[kind]}.get(word, word).replace("OUT", str(tmp_path / "out"))
        for word in VERBS[operation].split()
    ]
    capfd.readouterr()
    code = called(words)
    out, error = capfd.readouterr()
    assert "Traceback" not in error
    if code == 3:
        assert operation == "verify"
        assert kind in ("edge list", "plan folder after", "design folder"), out
    elif code == 2 and (operation, kind) == ("verify", "discovered fabric"):
        # The operation's ACTUAL is a spec, which is a plan.
        assert "the plan comes first, then what is cabled" in error
    elif code == 2:
        assert kind == "edge list", error
        assert re.search(NEEDS, error), error
        assert error.startswith("error: "), error
        assert error.count("\n") == 1, error
    else:
        assert code == 0, error
