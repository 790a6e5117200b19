"""What dropped files are: which are one discovery, their days, counters and planes; and the arguments of verify and watch."""

import gzip
import shutil
from pathlib import Path

import pytest

from in_process import run
from topoloom.studies.task import run_task, task_of
from topoloom.web.dropped_files import dropped_files
from topoloom.web.rounds import rounds_of

_EXAMPLES = Path(__file__).parents[2] / "examples"
_FABRIC, _LLDP = _EXAMPLES / "fabric", _EXAMPLES / "ethernet" / "lldp"
_COUNTERS = 'Errors for 0x20003f "S63"\n   GUID 0x20003f port 3: [SymbolErrorCounter == 40]\n'


def asked(plan, *files, **more):
    """What the operation of the page says."""
    return run_task(task_of("discoveries", {"plan": str(plan), "files": [str(file) for file in files], **more}))[0]


def named(result):
    """The files of each round by name."""
    return [[Path(result["files"][number]["name"]).name for number in one["files"]] for one in result["rounds"]]


@pytest.fixture(scope="module")
def week(tmp_path_factory):
    """The discoveries of the examples, error counters, a file of another kind, and one that is damaged."""
    folder = tmp_path_factory.mktemp("drop") / "week"
    folder.mkdir()
    for name in ("before", "morning", "evening"):
        shutil.copy(_FABRIC / f"{name}.net.gz", folder)
    (folder / "errors.txt").write_text(_COUNTERS)
    (folder / "readme.pdf").write_bytes(b"%PDF-1.4 none")
    (folder / "night.net").write_text(
        gzip.decompress((folder / "morning.net.gz").read_bytes()).decode()[:200_000] + "\n[x"
    )
    return folder


def test_a_folder_of_a_week(week):
    """Three discoveries in the order of time; the rest is reported, each with its sentence, and the others go on."""
    result = asked("hyperx:dims=8x8,hosts=16", week)
    assert named(result)[:3] == [["before.net.gz"], ["morning.net.gz"], ["evening.net.gz"]]
    kinds = {Path(file["name"]).name: file["kind"] for file in result["files"]}
    assert kinds["errors.txt"] == "counters"
    assert kinds["readme.pdf"] == "other"
    why = next(file["why"] for file in result["files"] if file["name"].endswith("readme.pdf"))
    assert why
    assert str(week) not in why
    assert result["rounds"][-1]["verify"]["counters"] == [str(week / "errors.txt")]
    assert result["rounds"][1]["watch"]["discoveries"] == [
        str(week / name) for name in ("before.net.gz", "morning.net.gz")
    ]


def test_the_order_that_a_user_gives(week):
    """As the files are listed, whatever their dates and names say."""
    files = [week / name for name in ("evening.net.gz", "before.net.gz")]
    assert named(asked("hyperx:dims=8x8,hosts=16", *files, in_order=True)) == [["evening.net.gz"], ["before.net.gz"]]


def test_one_file_per_device_is_one_discovery():
    """As verify opens the folder; a folder per day is a discovery each."""
    result = asked(_EXAMPLES / "ethernet" / "plan.dot", _LLDP)
    assert named(result) == [["lldp"]]
    assert result["rounds"][0]["verify"]["actual"] == [str(_LLDP)]


def test_folders_of_days(tmp_path):
    """Days by their names, not by the alphabet; a folder per device is no day."""
    for day in ("Tuesday", "Monday"):
        shutil.copytree(_LLDP, tmp_path / "drop" / day)
    result = asked(_EXAMPLES / "ethernet" / "plan.dot", tmp_path / "drop")
    assert named(result) == [["Monday"], ["Tuesday"]]
    for file in _LLDP.iterdir():
        (tmp_path / "devices" / file.stem).mkdir(parents=True)
        shutil.copy(file, tmp_path / "devices" / file.stem / "lldp.json")
    assert [file.name for file in dropped_files(tmp_path / "devices")] == ["devices"]


def test_a_fabric_in_a_folder_of_its_day(tmp_path):
    """fabric.net alone, as users name the discovery of a network fabric, is no plan."""
    (tmp_path / "monday").mkdir()
    (tmp_path / "monday" / "fabric.net").write_text("[1]")
    assert [file.kind for file in dropped_files(tmp_path / "monday")] == ["discovery"]
    (tmp_path / "monday" / "fabric.lft").write_text("")
    assert [file.kind for file in dropped_files(tmp_path / "monday")] == ["plan"]


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["week/mon.net", "week/tue.net"], ["mon.net", "tue.net"]),
        (["week/mon/a.net", "week/tue/a.net"], ["mon", "tue"]),
        (["week/mon/a.net", "week/mon/b.net", "week/tue/a.net"], ["mon/a.net", "mon/b.net", "tue/a.net"]),
    ],
)
def test_names_of_days(files, names):
    """Those of files; of folders, where files have the same names; or of both."""
    rows = [
        {"number": number, "name": name, "kind": "discovery", "date": "", "networks": [""], "planes": []}
        for number, name in enumerate(files)
    ]
    assert [one.name for one in rounds_of(rows, in_order=True)] == names


@pytest.mark.parametrize(
    ("names", "order"),
    [
        (["2026-11-10.net", "2026-11-09.net"], [1, 0]),
        (["tuesday.net", "monday.net", "friday.net"], [1, 0, 2]),
        (["day10.net", "day9.net", "day1.net"], [2, 1, 0]),
        (["evening.net", "before.net", "morning.net"], [1, 2, 0]),
        (["b.net", "a.net"], [1, 0]),
    ],
)
def test_days_by_names(names, order, tmp_path):
    """Dates, then names of days and parts of days, then names with numbers by value."""
    for name in names:
        (tmp_path / name).write_text("x")
    rows = [
        {"number": number, "name": name, "kind": "discovery", "date": dropped_files(tmp_path / name)[0].date}
        | {"networks": [""], "planes": []}
        for number, name in enumerate(names)
    ]
    assert [one.numbers for one in rounds_of(rows, in_order=False)] == [[number] for number in order]


def test_planes_of_one_day_are_one_round():
    """Each plane has its file; a second file of a plane is the next round."""
    rows = [
        {"number": number, "name": name, "kind": "discovery", "date": "", "networks": [""], "planes": planes}
        for number, (name, planes) in enumerate(
            [("mon-0.net", [0]), ("mon-1.net", [1]), ("tue-1.net", [1]), ("tue-0.net", [0])]
        )
    ]
    assert [one.numbers for one in rounds_of(rows, in_order=False)] == [[0, 1], [3, 2]]
    assert [one.numbers for one in rounds_of(rows, in_order=True)] == [[0, 1], [2, 3]]


def test_a_folder_of_topoloom_is_a_plan(tmp_path):
    """It can be used as the plan, and is no discovery."""
    assert run("layout", "petersen:hosts=2", "--map", "rows", "-o", tmp_path / "net").code == 0
    (file,) = asked("petersen:hosts=2", tmp_path / "net")["files"]
    assert file["kind"] == "plan"


def test_the_numbers_are_those_of_the_commands(week):
    """verify and watch with the arguments that the page requests print what its records have."""
    last = asked("hyperx:dims=8x8,hosts=16", *[week / f"{name}.net.gz" for name in ("before", "morning")])["rounds"][-1]
    by_task = run_task(task_of("verify", last["verify"]))[0]
    printed = run("verify", last["verify"]["plan"], *last["verify"]["actual"], "--json").record
    assert by_task["diagnostics"] == printed["diagnostics"]
    assert by_task["errors"] == printed["errors"] == 5
    by_task = run_task(task_of("watch", last["watch"]))[0]
    printed = run("watch", last["watch"]["plan"], *last["watch"]["discoveries"], "--json").record
    assert (by_task["seen"], by_task["open"]) == (printed["seen"], printed["open"])
    assert by_task["seen"][-1]["right_cables"] == 1465
