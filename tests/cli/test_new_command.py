"""`topoloom new`: questions on a terminal, options without one, and files that the other commands read."""

import io
import os
import pty
import re
import sys
import tomllib

import pytest

from in_process import run
from topoloom import EXAMPLES, InputError, Study, new_requirement, new_study, read_study, run_study
from topoloom.designer.requirement_files import read_requirement
from topoloom.operations.context import RunContext
from topoloom.operations.operation import OPERATIONS, operation_of


class _Terminal(io.StringIO):
    """A person's answers."""

    def isatty(self):
        return True


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """An empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def answers(monkeypatch, desk):
    """Runs a command at a terminal, with answers line by line."""

    def at_terminal(words, *lines):
        monkeypatch.setattr(sys, "stdin", _Terminal("".join(f"{line}\n" for line in lines)))
        return run(*words)

    return at_terminal


@pytest.mark.parametrize("kind", ["requirement", "study"])
def test_six_times_enter_is_what_yes_writes(answers, desk, kind):
    """The defaults are shown, and Enter takes them."""
    asked = answers(["new", kind, "-o", "asked.toml"], *[""] * 6)
    assert (asked.code, asked.err.count("]: ")) == (0, 6)
    assert run("new", kind, "-o", "yes.toml", "--yes").code == 0
    assert (desk / "asked.toml").read_text() == (desk / "yes.toml").read_text()


def test_new_alone_asks_for_a_requirement(answers, desk):
    """And says what was written and what comes next."""
    done = answers(["new"], *[""] * 6)
    assert done.code == 0
    assert done.err.rpartition("]: ")[2].splitlines() == [
        "wrote requirement.toml and quotes/made-up-ndr.toml",
        "next: topoloom design requirement.toml -o design",
    ]
    assert (desk / "quotes/made-up-ndr.toml").read_text() == EXAMPLES["made-up-ndr"].text()


def test_a_wrong_answer_is_explained_and_asked_again(answers, desk):
    """Each in one sentence; what was answered before stays."""
    wrong = [
        "many",
        "1",
        "10,000",
        "QM87",
        "QM8700",
        "36x40",
        "moon",
        "koibuchi-2013",
        "cost=3",
        "cost_usd=2e7",
        "speed",
        "power",
        "torrus",
    ]
    done = answers(["new", "-o", "wanted.toml"], *wrong, "torus fat-tree")
    assert done.code == 0
    explained = [
        line.strip() for line in done.err.splitlines() if line.startswith("1/6") or "    " in line or "]: " in line
    ]
    sentences = "\n".join(explained)
    for part in (
        "a whole number from 2",
        "did you mean QM8700",
        "has no price",
        "no floor named 'moon'",
        "did you mean cost_usd",
        "it is cost or",
        "did you mean 'torus'",
    ):
        assert part in sentences
    requirement = read_requirement("wanted.toml")
    assert (requirement.hosts, requirement.radix, requirement.rate_gbps, requirement.minimize) == (
        10_000,
        36,
        40,
        "power_w",
    )
    assert (requirement.floor.preset, requirement.limits.cost_usd, requirement.families.only) == (
        "koibuchi-2013",
        2e7,
        ("torus", "fat-tree"),
    )


def test_a_study_is_asked_for_step_by_step(answers, desk):
    """Networks, axis and values are seen together: a name in braces is the axis, and a wrong value is asked again."""
    lines = [
        "hopps",
        "balance",
        "hops",
        "petersn",
        "torus:dims={side}x{side}",
        "sid",
        "",
        "",
        "4,x",
        "4:8:x2",
        "2",
        "lsf",
        "threads",
    ]
    done = answers(["new", "study"], *lines)
    assert done.code == 0
    for part in (
        "did you mean 'hops'",
        "takes no network",
        "did you mean 'petersen'",
        "not an argument of hops",
        "say which values side takes",
        "no executor named 'lsf'",
    ):
        assert part in done.err
    study = read_study("study.toml")
    assert (study.run.executor, study.seeds) == ("threads", 2)
    results = run_study(study, "results")
    assert (results.done, results.column("diameter")) == (4, [4, 4, 8, 8])


def test_a_question_that_has_no_meaning_is_not_asked(answers):
    """Without an axis there are no values."""
    done = answers(["new", "study"], "hops", "petersen", "none", "", "")
    assert (done.code, "Its values" in done.err) == (0, False)


def test_options_are_not_asked_for(answers):
    """Only what is not given is; the questions are counted."""
    done = answers(
        ["new", "--hosts", "500", "--switch", "36x40", "--floor", "slimfly-2014", "--matters", "cost"], "", ""
    )
    assert done.code == 0
    assert done.err.startswith("2 questions.")


def test_nothing_is_asked_where_all_is_given(desk, monkeypatch):
    """Then no terminal is needed."""
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    words = [
        "--operation",
        "hops",
        "--network",
        "petersen",
        "--axis",
        "none",
        "--values",
        "",
        "--seeds",
        "1",
        "--executor",
        "threads",
    ]
    assert run("new", "study", *words).code == 0
    assert read_study("study.toml").task == {"topology": "petersen"}


@pytest.mark.parametrize("stdin", [io.StringIO("500\n"), None])
def test_without_a_terminal_nobody_is_asked(desk, monkeypatch, stdin):
    """One sentence says what to give; nothing is written."""
    monkeypatch.setattr(sys, "stdin", stdin)
    done = run("new", "--hosts", "500")
    assert done.code == 2
    assert done.error == (
        "standard input is not a terminal, so no question can be asked; give --switch, --floor, --limit, --matters, --family,"
        " or --yes for the defaults"
    )
    assert [*desk.iterdir()] == []


def test_an_input_that_ends_is_a_mistake(answers, desk):
    """One sentence; nothing is written."""
    done = answers(["new"], "500", "")
    assert (done.code, [*desk.iterdir()]) == (2, [])
    assert done.error.startswith("the input ended before the last answer")


def test_a_file_that_is_there_is_not_replaced(answers, desk):
    """It is refused before anything is asked; with --force it is replaced, but never quotes, which may be one's own."""
    (desk / "wanted.toml").write_text("mine\n")
    done = answers(["new", "-o", "wanted.toml"], *[""] * 6)
    assert (done.code, "1/6" in done.err) == (2, False)
    assert done.error == "wanted.toml is there already; name another file, or say --force to replace it"
    (desk / "quotes").mkdir()
    (desk / "quotes/made-up-ndr.toml").write_text("# mine\n")
    assert run("new", "-o", "wanted.toml", "--yes", "--force").code == 0
    assert (desk / "quotes/made-up-ndr.toml").read_text() == "# mine\n"


def test_a_command_that_there_is_not_is_named():
    """`new` takes no word but its commands."""
    done = run("new", "requirment")
    assert (done.code, "'requirment'" in done.error, "requirement" in done.error) == (2, True, True), done.err


def test_quotes_that_cannot_be_written_leave_nothing(desk):
    """The folder's name is taken by a file."""
    (desk / "quotes").write_text("a file\n")
    done = run("new", "--yes")
    assert (done.code, [path.name for path in desk.iterdir()]) == (2, ["quotes"])
    assert done.error.startswith("quotes: ")


def test_paths_start_from_the_file(desk):
    """A floor file that is named here is named from the folder of the requirement."""
    (desk / "plans").mkdir()
    (desk / "hall.csv").write_text(EXAMPLES["hall"].text() and "slot,x_m,y_m\nA01,0,0\nA02,0.6,0\n")
    done = run("new", "requirement", "-o", "plans/wanted.toml", "--floor", "hall.csv", "--switch", "36x40", "--yes")
    assert done.code == 0, done.err
    assert 'file = "../hall.csv"' in (desk / "plans/wanted.toml").read_text()
    assert read_requirement("plans/wanted.toml").floor.file == "plans/../hall.csv"


def test_growth_asks_for_idle_ports(desk):
    """For a quarter more hosts, at the least cost."""
    assert run("new", "-o", "wanted.toml", "--matters", "growth", "--hosts", "1001", "--yes").code == 0
    requirement = read_requirement("wanted.toml")
    assert (requirement.least.grow_to_hosts, requirement.minimize) == (1252, "cost_usd")


def test_full_bandwidth_is_asked_for_unless_another_limit_is_given(desk):
    """Without a limit the cheapest network is a ring."""
    assert run("new", "-o", "a.toml", "--yes", "--limit", "diameter=3").code == 0
    assert run("new", "-o", "b.toml", "--yes", "--limit", "oversubscription=3").code == 0
    a, b = read_requirement("a.toml").limits, read_requirement("b.toml").limits
    assert (a.oversubscription, a.diameter, b.oversubscription) == (1.05, 3, 3)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--hosts", "1"], "--hosts: 1 is out of range; give a whole number from 2 to 1,000,000"),
        (["--switch", "64"], "--switch: '64' is neither a product"),
        (["--switch", "QM9700x800"], "--switch: 'QM9700' has no ports of 800 Gb/s"),
        (["--switch", "QM8700"], "has no price of QM8700; --prices names your quotes"),
        (["--limit", "cost=3"], "--limit: there is no limit 'cost' (did you mean cost_usd?)"),
        (["--limit", "cost_usd=x"], 'cost_usd = "x": it is a number above 0'),
        (["--family", "torrus"], "no family named 'torrus'"),
        (["--floor", "moon"], "--floor: no floor named 'moon'"),
        (["--floor", "moon.toml"], "moon.toml cannot be read"),
        (["--prices", "none.toml"], "none.toml cannot be read"),
        (["-o", "no/such/wanted.toml"], "there is no folder"),
    ],
)
def test_a_wrong_option_is_one_sentence(desk, words, sentence):
    """Exit code 2; nothing is written."""
    done = run("new", "requirement", "--yes", *words)
    assert (done.code, sentence in done.error, [*desk.iterdir()]) == (2, True, []), done.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--operation", "convert"], "convert writes files or lists"),
        (["--operation", "app"], "app needs the argument 'app'"),
        (["--network", "petersn"], "no family named 'petersn'"),
        (["--operation", "design", "--network", "none.toml"], "--network: none.toml: there is no such file"),
        (["--axis", "none", "--values", "1,2"], "--values: there is no axis to take them; --axis names one"),
        (["--axis", "load"], "--axis: 'load' is not an argument of simulate (did you mean loads?)"),
        (["--axis", "virtual_channels"], "--values: say which values virtual_channels takes"),
        (["--values", "0.9:0.1:0.1"], "must increase"),
        (["--task", "trafic=x"], "--task: simulate has no argument 'trafic' (did you mean traffic?)"),
        (["--values", "4:8"], "--values 4:8: a range needs a step: 4:8:1"),
        (["--values", "0.1,x"], "--values 0.1,x: 'x' is not a number, as the other values are"),
        (["--axis", "vcs", "--values", "2,3"], "not an argument of simulate (a router setting: set.vcs)"),
        (["--operation", "info", "--seeds", "3"], "info has no random draws"),
        (["--executor", "lsf"], "no executor named 'lsf'"),
    ],
)
def test_a_wrong_option_of_a_study_is_one_sentence(desk, words, sentence):
    """Exit code 2; nothing is written."""
    done = run("new", "study", "--yes", *words)
    assert (done.code, sentence in done.error, [*desk.iterdir()]) == (2, True, []), done.err


@pytest.mark.parametrize(
    ("answers", "lines"),
    [
        ({}, ['# where = ["loads <= 0.5"]', "# set = { vcs = 3 }", "needs --trust", "# seed = 1"]),
        ({"axis": "set.vcs", "values": "2,3", "task": {"loads": 0.1}}, ["# where = [\"topology != 'slimfly"]),
        ({"operation": "app", "task": {"app": "alltoall:bytes=64"}}, ["# set = { rate_gbps = 400 }"]),
    ],
)
def test_the_comments_of_a_study_are_valid_lines_for_it(answers, lines):
    """Conditions name axes of the file, settings are those of the operation."""
    text = new_study(**answers).text
    assert [line for line in lines if line not in text] == []
    tomllib.loads("\n".join(line.removeprefix("# ") if " = " in line else line for line in text.splitlines()[8:]))


def test_a_study_with_seeds_does_not_offer_a_seed():
    """Both together are refused."""
    assert "\n# seed = " not in new_study(seeds=3).text


def test_library_operation_and_record_are_the_same(desk):
    """The text, the answers and the other files; the command adds which files it wrote."""
    record = run("new", "--hosts", "500", "--limit", "cost_usd=1e6", "--yes", "--json").record
    made = new_requirement(hosts=500, limits={"cost_usd": 1e6}).record()
    operation = operation_of(OPERATIONS.find("new requirement"), {"hosts": 500, "limits": {"cost_usd": 1e6}})
    assert record.pop("files") == ["requirement.toml", "quotes/made-up-ndr.toml"]
    assert made.pop("files") == []
    assert operation.run(RunContext()).record() == made | {"files": []}
    assert record == made
    record = run("new", "study", "--operation", "hops", "--yes", "--json").record
    made = new_study(operation="hops").record()
    assert record | {"files": []} == made
    assert operation_of(OPERATIONS.find("new study"), {"operation": "hops"}).run(RunContext()).record() == made


def test_a_draft_is_a_study_of_python_too(desk):
    """Written by the library, read, and with a range, words and a nested argument."""
    draft = new_study(
        operation="quality",
        networks=["petersen:hosts=2"],
        axis="engine",
        values="levels,updown",
        task={"bisections": 10},
    )
    assert draft.write("q.toml").files == ("q.toml",)
    study = read_study("q.toml")
    assert isinstance(study, Study)
    assert (study.axes, study.task) == (
        {"engine": ["levels", "updown"]},
        {"topology": "petersen:hosts=2", "bisections": 10},
    )
    with pytest.raises(InputError, match=r"q\.toml is there already"):
        draft.write("q.toml")
    nested = new_study(operation="design", networks=[str(_room(desk))], axis="change.hosts", values="500,800")
    nested.write("d.toml")
    assert [task.arguments["change"] for task in read_study("d.toml").tasks()] == [{"hosts": 500}, {"hosts": 800}]


def _room(folder):
    (folder / "room.toml").write_text(EXAMPLES["room-1k"].text())
    return folder / "room.toml"


@pytest.mark.exhaustive
def test_a_real_terminal(desk):
    """In a process of its own, on a pseudoterminal: Enter, a number, Enter ...; Ctrl-D ends it."""
    code, said = _typed(desk, ["new"], ["", "", "", "", "", ""])
    assert (code, (desk / "requirement.toml").exists()) == (0, True), said
    code, said = _typed(desk, ["new", "study"], ["hops", "\x04"])
    assert (code, (desk / "study.toml").exists()) == (2, False), said


def _typed(folder, words, lines):
    """The exit code of a command at a pseudoterminal, and what it printed."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execv(sys.executable, [sys.executable, "-m", "topoloom", *words])
    said = b""
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        said += data
        if said.endswith(b"]: ") and lines:
            line = lines.pop(0)
            os.write(terminal, line.encode() if line == "\x04" else f"{line}\n".encode())
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), said.decode()


def test_a_comment_says_whether_it_is_a_default_and_old_prices_are_named(desk):
    """Each commented key is marked; prices of 2014 are named in the last line, prices of a product are not."""
    shown = run("new", "--yes", "--switch", "64x400").err
    assert "prices are of 2014" in shown.splitlines()[-1]
    keys = [line for line in (desk / "requirement.toml").read_text().splitlines() if re.match(r"# \w+ = ", line)]
    assert keys
    assert all(" # (default) " in line or " # (e.g.) " in line for line in keys)
    assert "2014" not in run("new", "--yes", "-o", "other.toml").err
