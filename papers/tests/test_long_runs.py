"""Long runs: read from the package, made again on request, stored completely or not at all."""

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
    """The next `--full` of the same commit reuses the runs made before Ctrl-C; a finished claim is made again."""
    monkeypatch.setattr(long_runs, "commit_of_runs", lambda: "abc")
    made = []

    def make():
        made.append(1)
        return [len(made)]

    def claim(*, interrupted: bool) -> list[int]:
        process = long_runs.LongRuns()
        with process.of("some-2026", True):
            value = process.get("go on", list[int], make)
            if interrupted:
                raise KeyboardInterrupt
        return value

    with pytest.raises(KeyboardInterrupt):
        claim(interrupted=True)
    assert claim(interrupted=False) == [1]
    assert claim(interrupted=False) == [2], "requested again, measured again"
    with pytest.raises(KeyboardInterrupt):
        claim(interrupted=True)
    monkeypatch.setattr(long_runs, "commit_of_runs", lambda: "def")
    assert claim(interrupted=False) == [4], "a different commit"
    monkeypatch.setattr(long_runs, "commit_of_runs", lambda: "def+")
    with pytest.raises(KeyboardInterrupt):
        claim(interrupted=True)
    assert claim(interrupted=False) == [6], "uncommitted changes: not reused"


def never():
    raise AssertionError("this run was not requested")


def test_kept_runs_are_read_and_others_are_missing(runs):
    """Nothing runs unless requested; the value has its type again."""
    with runs.of("some-2026", again=False) as used:
        assert long_run("go", tuple[int, float], never) == (1, 2.5)
        assert used == [_OLD]
        with pytest.raises(MissingRunError, match="other"):
            long_run("other", int, never)
    assert _OLD.days == (datetime.date.today() - datetime.date(2026, 1, 2)).days


def test_asked_again_it_runs_once_and_is_not_kept_by_itself(runs, tmp_path):
    """Claims share a run of one process; the file is unchanged."""
    before = (tmp_path / "some-2026.json").read_bytes()
    made = []
    with runs.of("some-2026", again=True) as used:
        for _ in range(2):
            assert long_run("go", int, lambda: made.append(1) or 7) == 7
        assert [used_run.value for used_run in used] == [7]
    with runs.of("some-2026", again=False):
        assert long_run("go", int, never) == 7
    assert made == [1]
    assert (tmp_path / "some-2026.json").read_bytes() == before


def test_missing_runs_are_made_and_kept_at_once(runs, tmp_path):
    """Kept runs are read; others are made and stored before the claim is finished: Ctrl-C loses nothing."""

    def interrupted():
        assert long_run("go", tuple[int, float], never) == (1, 2.5)
        assert long_run("new", int, lambda: 3) == 3
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Claim("some-2026/y", "", "", "", interrupted), missing=True, keep=True)
    assert json.loads((tmp_path / "some-2026.json").read_text())["runs"]["new"]["value"] == 3
    claim = Claim("some-2026/x", "", "", "", lambda: compare({"x": 1}, {"x": long_run("newer", float, lambda: 1.0)}))
    assert run(claim, missing=True).outcome.verdict is Verdict.EXACT
    assert "newer" not in (tmp_path / "some-2026.json").read_text(), "keeping it was not requested"


def test_all_long_runs_and_the_missing_ones_are_not_asked_for_at_once():
    """Only one of the two is allowed."""
    with pytest.raises(InputError, match="give one of the two"):
        reproduce(["xu-2019/table-1/petersen"], full=True, missing=True)


def test_keeping_writes_the_runs_of_one_claim_and_what_it_took(runs, tmp_path):
    """Added to the kept ones, one line per run, with its origin."""
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
    """The explanation names the option that makes it; there is no verdict on the paper."""
    claim = Claim("some-2026/x", "", "", "", lambda: compare({"x": 1}, {"x": long_run("missing", float, never)}))
    outcome = run(claim).outcome
    assert outcome.verdict is Verdict.NOT_RUN
    assert "--missing" in outcome.why
    again = Claim("some-2026/x", "", "", "", lambda: compare({"x": 1}, {"x": long_run("missing", float, lambda: 1.0)}))
    assert run(again, again=True).outcome.verdict is Verdict.EXACT


def test_the_time_of_every_claim_is_on_record():
    """`--list` shows the time of each claim, and of its long runs."""
    for claim in claims():
        assert isinstance(claim.costs, Costs), claim.id


def _cheap():
    """Claims whose long runs took some seconds in total; the fastest are in the first tier."""
    return [
        pytest.param(claim, marks=[] if claim.costs.long_seconds <= 0.2 else pytest.mark.exhaustive, id=claim.id)
        for claim in claims()
        if claim.costs and 0 < claim.costs.long_seconds <= 8
    ]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("claim", _cheap())
def test_kept_runs_equal_new_measurements(monkeypatch, claim):
    """The cheapest kept runs, measured again, give the same numbers to the last digit."""
    old = run(claim).outcome
    monkeypatch.setattr(LONG_RUNS, "_fresh", {})
    new = run(claim, again=True).outcome
    assert (new.ours, new.verdict) == (old.ours, old.verdict)
