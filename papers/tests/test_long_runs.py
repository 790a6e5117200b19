"""Long runs: read from what is kept, made again on request, kept whole or not at all."""

import datetime
import json

import msgspec
import pytest

from topoloom.core.errors import InputError
from topoloom_papers import long_runs
from topoloom_papers.long_runs import LONG_RUNS, Costs, MissingRunError, Run, long_run
from topoloom_papers.registry import Claim, claims, run
from topoloom_papers.reproduction import reproduce
from topoloom_papers.verdicts import Verdict, compare

_OLD = Run(value=[1, 2.5], seconds=60.0, cores=2, date="2026-01-02", version="0.2.0", commit="abc")


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """The runs of this process, with nothing kept but one run of the paper "some"."""
    monkeypatch.setattr(long_runs, "_FOLDER", tmp_path)
    monkeypatch.setattr(LONG_RUNS, "_files", {})
    monkeypatch.setattr(LONG_RUNS, "_fresh", {})
    (tmp_path / "some-2026.json").write_bytes(msgspec.json.encode({"runs": {"go": _OLD}, "costs": {}}))
    return LONG_RUNS


def test_an_interrupted_run_is_not_made_twice(runs, monkeypatch, tmp_path):
    """What a `--full` had made before Ctrl-C is taken by the next one of the same commit; a claim that ended is made again."""
    monkeypatch.setattr(long_runs, "_commit", lambda: "abc")
    made = []

    def make():
        made.append(1)
        return [len(made)]

    def claim(*, interrupted: bool) -> list[int]:
        process = long_runs.LongRuns()
        with process.of("some-2026", True):
            found = process.get("go on", list[int], make)
            if interrupted:
                raise KeyboardInterrupt
        return found

    with pytest.raises(KeyboardInterrupt):
        claim(interrupted=True)
    assert claim(interrupted=False) == [1]
    assert claim(interrupted=False) == [2], "asked for again, measured again"
    with pytest.raises(KeyboardInterrupt):
        claim(interrupted=True)
    monkeypatch.setattr(long_runs, "_commit", lambda: "def")
    assert claim(interrupted=False) == [4], "another program"
    monkeypatch.setattr(long_runs, "_commit", lambda: "def+")
    with pytest.raises(KeyboardInterrupt):
        claim(interrupted=True)
    assert claim(interrupted=False) == [6], "nobody knows of which program"


def never():
    raise AssertionError("nobody asked for this run")


def test_what_is_kept_is_read_and_what_is_not_is_missed(runs):
    """Nothing runs unless it is asked for; the value has its type again."""
    with runs.of("some-2026", again=False) as used:
        assert long_run("go", tuple[int, float], never) == (1, 2.5)
        assert used == [_OLD]
        with pytest.raises(MissingRunError, match="other"):
            long_run("other", int, never)
    assert _OLD.days == (datetime.date.today() - datetime.date(2026, 1, 2)).days


def test_asked_again_it_runs_once_and_is_not_kept_by_itself(runs, tmp_path):
    """Claims share a run of one process; the file is as it was."""
    before = (tmp_path / "some-2026.json").read_bytes()
    asked = []
    with runs.of("some-2026", again=True) as used:
        for _ in range(2):
            assert long_run("go", int, lambda: asked.append(1) or 7) == 7
        assert [one.value for one in used] == [7]
    with runs.of("some-2026", again=False):
        assert long_run("go", int, never) == 7
    assert asked == [1]
    assert (tmp_path / "some-2026.json").read_bytes() == before


def test_missing_runs_are_made_and_kept_at_once(runs, tmp_path):
    """What is kept is read; what is not is made, and lies in the file before the claim is done: Ctrl-C loses nothing."""

    def interrupted():
        assert long_run("go", tuple[int, float], never) == (1, 2.5)
        assert long_run("new", int, lambda: 3) == 3
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Claim("some-2026/y", "", "", "", interrupted), missing=True, keep=True)
    assert json.loads((tmp_path / "some-2026.json").read_text())["runs"]["new"]["value"] == 3
    one = Claim("some-2026/x", "", "", "", lambda: compare({"x": 1}, {"x": long_run("newer", float, lambda: 1.0)}))
    assert run(one, missing=True).outcome.verdict is Verdict.EXACT
    assert "newer" not in (tmp_path / "some-2026.json").read_text(), "nobody asked to keep it"


def test_all_long_runs_and_the_missing_ones_are_not_asked_for_at_once():
    """One of the two, said in a sentence."""
    with pytest.raises(InputError, match="give one of the two"):
        reproduce(["xu-2019/table-1/petersen"], full=True, missing=True)


def test_keeping_writes_the_runs_of_one_claim_and_what_it_took(runs, tmp_path):
    """Beside what was there, one line per run, with where it comes from."""
    with runs.of("some-2026", again=True):
        long_run("new", int, lambda: 3)
    runs.keep("some-2026/fig-1", 12.0)
    text = (tmp_path / "some-2026.json").read_text()
    kept = json.loads(text)
    assert set(kept["runs"]) == {"go", "new"}
    assert kept["runs"]["new"]["value"] == 3
    assert kept["runs"]["new"]["date"] == datetime.date.today().isoformat()
    assert kept["costs"]["some-2026/fig-1"]["seconds"] == pytest.approx(12, abs=0.1)
    assert any(line.startswith('"new":') for line in text.splitlines())


def test_a_claim_whose_run_is_missing_is_not_run(runs):
    """It says with which option it would be, and nothing of the paper."""
    one = Claim("some-2026/x", "", "", "", lambda: compare({"x": 1}, {"x": long_run("missing", float, never)}))
    outcome = run(one).outcome
    assert outcome.verdict is Verdict.NOT_RUN
    assert "--missing" in outcome.why
    again = Claim("some-2026/x", "", "", "", lambda: compare({"x": 1}, {"x": long_run("missing", float, lambda: 1.0)}))
    assert run(again, again=True).outcome.verdict is Verdict.EXACT


def test_what_every_claim_takes_is_on_record():
    """`--list` tells the time of each; those with long runs tell theirs."""
    for one in claims():
        assert isinstance(one.costs, Costs), one.id


def _cheap():
    """Claims whose long runs took some seconds together; those that took a moment are in the first tier."""
    return [
        pytest.param(one, marks=[] if one.costs.long_seconds <= 0.2 else pytest.mark.exhaustive, id=one.id)
        for one in claims()
        if one.costs and 0 < one.costs.long_seconds <= 8
    ]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("one", _cheap())
def test_what_is_kept_is_what_the_program_measures(monkeypatch, one):
    """The cheapest of all that is kept, measured again: the same numbers to the last digit."""
    kept = run(one).outcome
    monkeypatch.setattr(LONG_RUNS, "_fresh", {})
    again = run(one, again=True).outcome
    assert (again.ours, again.verdict) == (kept.ours, kept.verdict)
