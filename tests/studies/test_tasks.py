"""A task is a plain record: it gives what its command prints, what decides the result tells it apart, and it is checked."""

import json
import shlex
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from topoloom import InputError, Task, run_task, task_of
from topoloom.cli.main import cli
from topoloom.operations.operation import OPERATIONS
from topoloom.studies.task import without_timings
from topoloom.web.saying import as_command

REQUIREMENT = """
hosts = 60
shortlist = 0
[switch]
radix = 12
[families]
try = ["slimfly", "fat-tree", "hypercube"]
"""

#: For each operation a task and the command line that says the same.
SAME = {
    "info": ({"topology": "petersen"}, "info petersen"),
    "draw": ({"topology": "petersen", "arrangement": "racks"}, "draw petersen --arrangement racks"),
    "hops": (
        {"topology": "torus:dims=4x4", "latency": True, "switch_ns": 90.0},
        "hops torus:dims=4x4 --latency --switch-ns 90",
    ),
    "bounds": ({"grid": "6x6", "degree": 4, "length": 3}, "bounds --grid 6x6 --degree 4 --length 3"),
    "balance": ({"rows": 8, "columns": 8, "degrees": [3, 5]}, "balance --rows 8 --columns 8 --degrees 3-5"),
    "expander": ({"topology": "slimfly:q=5", "random_graphs": 1}, "expander slimfly:q=5 --random-graphs 1"),
    "cuts": ({"topology": "slimfly:q=5", "ways": 3}, "cuts slimfly:q=5 --ways 3"),
    "layout": (
        {"topology": "torus:dims=4x4", "switches_per_rack": 4, "map": "anneal", "moves": 500, "runs": 2},
        "layout torus:dims=4x4 --switches-per-rack 4 --map anneal --moves 500 --runs 2",
    ),
    "cost": (
        {"topology": "slimfly:q=5,hosts=3", "map": "rows", "radix": 12},
        "cost slimfly:q=5,hosts=3 --map rows --radix 12",
    ),
    "facility": (
        {"topology": "slimfly:q=5,hosts=3", "map": "rows", "pue": 1.3},
        "facility slimfly:q=5,hosts=3 --map rows --pue 1.3",
    ),
    "phases": (
        {"topology": "fat-tree:k=8,hosts=16", "hosts": "8,16", "map": "rows"},
        "phases fat-tree:k=8,hosts=16 --hosts 8,16 --map rows",
    ),
    "expand": (
        {"topology": "jellyfish:n=20,degree=4,seed=1", "to": 22, "map": "rows"},
        "expand jellyfish:n=20,degree=4,seed=1 --to 22 --map rows",
    ),
    "route": ({"topology": "slimfly:q=5", "engine": "updown"}, "route slimfly:q=5 --engine updown"),
    "reroute": ({"topology": "slimfly:q=5", "lost": "0-1"}, "reroute slimfly:q=5 0-1"),
    "paths": ({"topology": "petersen"}, "paths petersen"),
    "quality": (
        {"topology": "slimfly:q=5,hosts=3", "bisections": 50, "seed": 3},
        "quality slimfly:q=5,hosts=3 --bisections 50 --seed 3",
    ),
    "simulate": (
        {"topology": "petersen:hosts=2", "loads": 0.3, "set": {"vcs": 6}, "seed": 2},
        "simulate petersen:hosts=2 --loads 0.3 --set vcs=6 --seed 2",
    ),
    "app": (
        {"topology": "petersen:hosts=2", "app": "alltoall:bytes=1000", "ranks": 8, "placement": "random"},
        "app petersen:hosts=2 --app alltoall:bytes=1000 --ranks 8 --placement random --simulator flows",
    ),
    "collective": (
        {"topology": "petersen:hosts=1", "operation": "allgather", "bytes": 100000, "set": {"rate_gbps": 100}},
        "collective petersen:hosts=1 --operation allgather --bytes 100000 --set rate_gbps=100",
    ),
    "losses": ({"topology": "petersen:hosts=1", "lose": ["leaf"]}, "losses petersen:hosts=1 --lose leaf"),
    "outage": (
        {"topology": "petersen:hosts=1", "lost": "switch:0,link:1-2", "pair": "3,7"},
        "outage petersen:hosts=1 switch:0,link:1-2 --pair 3,7",
    ),
    "lifetime": (
        {"topology": "petersen", "link_fit": 100.0, "samples": 40},
        "lifetime petersen --link-fit 100 --samples 40",
    ),
    "degradation": (
        {"topology": "petersen", "shares": [0.1], "draws": 2},
        "degradation petersen --shares 10% --draws 2",
    ),
    "resilience": (
        {"topology": "petersen", "samples": 50, "levels": [0.1, 0.3]},
        "resilience petersen --samples 50 --levels 10%,30%",
    ),
    "optimize": (
        {"topology": "jellyfish:n=20,degree=3,seed=1", "moves": 2000},
        "optimize jellyfish:n=20,degree=3,seed=1 --moves 2000 --chains 1 -o best.json",
    ),
    "verify": ({"plan": "fat-tree:k=4", "taper": 2.0}, "verify fat-tree:k=4 --taper 2"),
    "watch": (
        {"plan": "fat-tree:k=4", "discoveries": ["fat-tree:k=4", "fat-tree:k=4"]},
        "watch fat-tree:k=4 fat-tree:k=4 fat-tree:k=4",
    ),
    "design": ({"requirement": "need.toml"}, "design need.toml -o out --shortlist 0"),
    "flat-or-tree": (
        {"least_hosts": 24, "radix": 8, "oversubscription": 2, "traffic": ["matching"], "growth": False},
        "flat-or-tree 24 --radix 8 --oversubscription 2 --traffic matching --no-growth",
    ),
    "compare": (
        {"networks": ["petersen:hosts=1", "ring:n=4,hosts=1"], "reference": "ring:n=4,hosts=1", "minimize": "power_w"},
        "compare petersen:hosts=1 ring:n=4,hosts=1 --reference ring:n=4,hosts=1 --minimize power_w --minutes 1000 --repeats 1",
    ),
}
SAME["app"][0]["simulator"] = "flows"
#: More of them: hosts on rails have tables of their own; a seed is that of the tables, too; traffic has an end.
MORE = [
    ("quality", {"topology": "fat-tree:k=4,hosts=8+rails:nics=2", "bisections": 5}),
    ("app", {"topology": "petersen:hosts=1", "app": "alltoall:bytes=100", "simulator": "flows", "seed": 3}),
    (
        "simulate",
        {"topology": "torus:dims=9x8,hosts=1", "engine": "dor", "traffic": "chip:requests=2", "set": {"vcs": 2}},
    ),
    ("simulate", {"topology": "petersen:hosts=1", "loads": [0.1, 0.2], "saturation": True, "saturation_width": 0.5}),
    ("collective", {"topology": "ring:n=4,hosts=1", "operation": "broadcast", "root_rank": 2, "bound": True}),
]


@pytest.mark.sweep(8)
@pytest.mark.parametrize(
    ("operation", "arguments", "line"),
    [(operation, *SAME[operation]) for operation in SAME]
    + [(*one, as_command(task_of(*one)).split(" ", 1)[1]) for one in MORE],
)
def test_a_task_gives_what_its_command_prints(operation, arguments, line, tmp_path, monkeypatch):
    """Command line and plain record: the same numbers, but for seconds."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "need.toml").write_text(REQUIREMENT)
    result, row = run_task(task_of(operation, arguments))
    printed = CliRunner().invoke(cli, [*shlex.split(line), "--json"])
    assert printed.exit_code == 0, printed.output
    by_command = without_timings(json.loads(printed.stdout))
    for one in (result, by_command):
        _forget_time(one)
    assert json.loads(msgspec.json.encode(result)) == by_command
    assert row
    assert all(value is None or isinstance(value, (str, int, float, bool)) for value in row.values())


def _forget_time(content):
    """Take away what is measured in seconds, and how many threads were at it, wherever it stands."""
    if isinstance(content, dict):
        for key in ("timings", "seconds", "jobs"):
            content.pop(key, None)
        for value in content.values():
            _forget_time(value)
    elif isinstance(content, list):
        for value in content:
            _forget_time(value)


def test_every_verb_is_in_the_table_above():
    """No operation without the comparison, but those that no command has: tests/web looks at what the explorer asks."""
    studied = {name: kind.__module__ for name, kind in OPERATIONS.items() if kind.studied}
    own = {name for name, module in studied.items() if module.startswith("topoloom.") and ".web." not in module}
    assert own - {"nothing"} == set(SAME)


def test_defaults_and_the_order_of_arguments_make_no_other_task():
    """What decides the result decides the digest, and nothing else does."""
    one = task_of("simulate", {"topology": "petersen", "loads": 0.5, "seed": 1, "traffic": "uniform"})
    other = task_of("simulate", {"loads": 0.5, "topology": "petersen"})
    assert one.digest == other.digest
    assert one.digest != task_of("simulate", {"loads": 0.5, "topology": "petersen", "seed": 2}).digest
    assert one.digest != task_of("hops", {"topology": "petersen"}).digest


def test_a_file_counts_by_its_content(tmp_path):
    """The same file elsewhere is the same task; another content is another, and is refused when it changes later."""
    run = CliRunner().invoke(cli, ["build", "petersen", "-o", str(tmp_path / "a.json")])
    assert run.exit_code == 0
    (tmp_path / "b.json").write_bytes((tmp_path / "a.json").read_bytes())
    one, other = (task_of("hops", {"topology": name}, tmp_path) for name in ("a.json", "b.json"))
    assert one.digest == other.digest
    assert run_task(one)[1]["diameter"] == 2
    (tmp_path / "a.json").write_text((tmp_path / "a.json").read_text() + "\n")
    with pytest.raises(InputError, match="has changed since"):
        run_task(one)


def test_a_task_is_plain_text():
    """JSON there and back."""
    task = task_of("simulate", {"topology": "petersen", "loads": 0.5, "set": {"vcs": 4}})
    assert msgspec.json.decode(msgspec.json.encode(task), type=Task) == task


@pytest.mark.parametrize(
    ("operation", "arguments", "words"),
    [
        ("simulte", {}, "no operation named 'simulte'"),
        ("hops", {}, "needs the argument 'topology'"),
        ("hops", {"topolgy": "x"}, "did you mean topology"),
        ("hops", {"topology": 7}, "topology"),
        ("simulate", {"topology": "petersen", "loads": 1.5}, "loads"),
        ("simulate", {"topology": "petersen", "loads": "high"}, "loads"),
        ("hops", {"topology": "petersen", "samples": 0}, "samples"),
    ],
)
def test_what_a_verb_does_not_take_is_one_sentence(operation, arguments, words):
    """Before anything runs."""
    with pytest.raises(InputError, match=words) as caught:
        task_of(operation, arguments)
    assert "\n" not in str(caught.value)


def test_files_in_a_list_belong_to_the_task(tmp_path, monkeypatch):
    """By what lies there, not by their names: another content is another task, and a change since it was made is refused."""
    monkeypatch.chdir(tmp_path)
    for name in ("one.edges", "two.edges"):
        (tmp_path / name).write_text("0 1\n1 2\n")
    first = task_of("compare", {"networks": ["ring:n=4,hosts=1", "one.edges"], "reference": "one.edges"})
    second = task_of("compare", {"networks": ["ring:n=4,hosts=1", "two.edges"], "reference": "two.edges"})
    assert {*first.files} == {"networks[1]", "reference"}
    assert first.digest == second.digest
    assert first.digest != task_of("compare", {"networks": ["ring:n=4,hosts=1"]}).digest
    (tmp_path / "two.edges").write_text("0 1\n1 2\n2 0\n")
    with pytest.raises(InputError, match="has changed since the study was planned"):
        run_task(second)


def test_several_files_in_one_argument_belong_to_the_task(tmp_path):
    """Of planes (with commas), of a network of a machine (NETWORK=FILE), and a folder of one file per device: by content."""
    days = [str(tmp_path / name) for name in ("mon.net", "tue.net")]
    devices = tmp_path / "lldp"
    devices.mkdir()

    def tasks():
        return [
            task_of("watch", {"plan": "fat-tree:k=4", "plane": [",".join(days)]}),
            task_of("verify", {"plan": "fat-tree:k=4", "actual": [f"compute={days[0]}"]}),
            task_of("verify", {"plan": "fat-tree:k=4", "actual": [str(devices)]}),
        ]

    for file in (*map(Path, days), devices / "leaf01.json"):
        file.write_text("0 1\n1 2\n")
    first = tasks()
    assert [one.digest for one in first] == [one.digest for one in tasks()]
    assert [[*one.files] for one in first] == [["plane[0]"], ["actual[0]"], ["actual[0]"]]
    for file in (Path(days[0]), devices / "leaf01.json"):
        file.write_text("0 1\n1 2\n2 0\n")
    for one, other in zip(first, tasks(), strict=True):
        assert one.digest != other.digest
        with pytest.raises(InputError, match="has changed since the study was planned"):
            run_task(one)


@pytest.mark.parametrize("changed", [{"minutes": 3.0}, {"repeats": 4}])
def test_a_comparison_within_a_time_is_no_task(changed):
    """Its figures would be others on another machine."""
    with pytest.raises(
        InputError, match="compare: with `minutes`, or `repeats` above 1, figures depend on the machine"
    ):
        task_of("compare", {"networks": ["petersen"], **changed})
