"""Verdicts follow from the published numbers and from ours by one rule."""

import re
from pathlib import Path

import pytest

from topoloom_papers import papers
from topoloom_papers.verdicts import LONGEST_WHY, Outcome, Step, Verdict, check_statements, compare, listed


@pytest.mark.parametrize(
    ("published", "ours", "verdict"),
    [
        ("8.00", 8.0049, Verdict.EXACT),
        ("8.00", 8.0051, Verdict.NOT_REPRODUCIBLE),
        ("8", 8.4, Verdict.EXACT),
        ("8", 8.6, Verdict.NOT_REPRODUCIBLE),
        ("1,561", 1561.4, Verdict.EXACT),
        (16, 16.0, Verdict.EXACT),
        (16, 16.1, Verdict.NOT_REPRODUCIBLE),
        ("1", float("nan"), Verdict.NOT_REPRODUCIBLE),
        ("1", float("inf"), Verdict.NOT_REPRODUCIBLE),
    ],
)
def test_exact_is_to_the_last_published_digit(published, ours, verdict):
    """At most half a unit of the last digit; a number that is not a text has to be equal."""
    assert compare({"x": published}, {"x": ours}).verdict is verdict


def test_digits_that_are_cut_off_count_where_the_paper_cuts():
    """2.0769 is 2.07 where digits are cut, never 2.06; a negative number is cut towards zero."""
    assert compare({"x": "2.07"}, {"x": 2.0769}).verdict is Verdict.NOT_REPRODUCIBLE
    assert compare({"x": "2.07"}, {"x": 2.0769}, cut=True).verdict is Verdict.EXACT
    assert compare({"x": "2.06"}, {"x": 2.0769}, cut=True).verdict is Verdict.NOT_REPRODUCIBLE
    assert compare({"x": "-2.07"}, {"x": -2.0769}, cut=True).verdict is Verdict.EXACT


def test_a_step_is_allowed_once_and_named():
    """A difference of at most one step; each number has its own step, and a number without a step has to be exact."""
    step = Step(5, "the paper's")
    near = compare({"%": "40"}, {"%": 44.9}, step=step)
    assert (near.verdict, near.why) == (Verdict.STEP, "a step: the paper's (5)")
    assert compare({"%": "40"}, {"%": 45.1}, step=step).verdict is Verdict.NOT_REPRODUCIBLE
    assert compare({"%": "40"}, {"%": 40.2}, step=step).verdict is Verdict.EXACT
    each = Step({"a": 1.0}, "of a")
    assert compare({"a": "1", "b": "1"}, {"a": 2.0, "b": 1.0}, step=each).verdict is Verdict.STEP
    assert compare({"a": "1", "b": "1"}, {"a": 2.0, "b": 2.0}, step=each).verdict is Verdict.NOT_REPRODUCIBLE


def test_a_reading_that_was_chosen_is_never_called_exact():
    """The verdict is the best of n readings, even for an exact number."""
    for ours in (40.0, 44.0):
        outcome = compare({"%": "40"}, {"%": ours}, step=Step(5, "s"), readings=3)
        assert (outcome.verdict, outcome.verdict_text) == (Verdict.READING, "best of 3 readings")
    assert compare({"%": "40"}, {"%": 60.0}, readings=3).verdict_text == "not reproducible"
    assert check_statements({"a": True}, "1", readings=2).verdict_text == "best of 2 readings"


def test_what_repeats_an_error_is_explained_by_it():
    """Also for an exact number or the best of several readings; far from the published value, the error explains nothing."""
    assert compare({"$": "1033"}, {"$": 1033.2}, error="k is 44", readings=4).verdict is Verdict.EXPLAINED
    unexplained = compare({"$": "1033"}, {"$": 1100.0}, error="k is 44", reason="nobody knows")
    assert (unexplained.verdict, unexplained.why) == (Verdict.NOT_REPRODUCIBLE, "k is 44; nobody knows")


def test_a_paper_is_wrong_where_ours_is_right():
    """The published numbers without a correction also have to agree."""
    outcome = compare({"x": 1.0}, {"x": 2.0}, right={"x": 2.0}, reason="errata")
    assert (outcome.verdict, outcome.why) == (Verdict.PAPER_WRONG, "x is 2, not 1.0; errata")
    assert compare({"x": 1.0, "y": 5.0}, {"x": 2.0, "y": 6.0}, right={"x": 2.0}).verdict is Verdict.NOT_REPRODUCIBLE


def test_statements_hold_together_or_not_at_all():
    """A failing statement is named, with the assumption; for exact facts the paper is wrong."""
    assert check_statements({"a": True, "b": True}, "1 and 2", "if") == Outcome("1 and 2", Verdict.HOLDS, "if")
    failed = check_statements({"a": True, "b": False}, "1 and 2", "if")
    assert failed == Outcome("1 and 2", Verdict.NOT_REPRODUCIBLE, "does not hold: b; if")
    assert check_statements({"b": False}, "2", wrong=True).verdict is Verdict.PAPER_WRONG


def test_numbers_are_listed_with_their_names():
    """In one line, in a given form."""
    assert listed([("a", 1.0), ("b", 0.5)], "{:.1f}") == "a 1.0, b 0.5"


def test_a_reason_has_room_for_the_first_statements_only():
    """Statements that do not hold are counted when they are many, and all stand in the details, before those of the claim."""
    many = {f"statement {number} of a long list of statements": False for number in range(20)}
    outcome = check_statements(many | {"one that holds": True}, "1", "our reading", details="setup")
    assert outcome.why.endswith("and 16 more of 21 statements; our reading")
    assert len(outcome.why) < LONGEST_WHY
    assert outcome.details == f"does not hold: {'; '.join(many)}; setup"
    assert check_statements({"a": False, "b": False}, "1").details == ""
    long = check_statements({"x" * 500: False}, "; ".join(["number 1"] * 60))
    for text in (long.why, long.ours):
        assert len(text) <= LONGEST_WHY
        assert text.endswith(" ... (details)")
    assert long.ours.startswith("number 1; number 1; ")
    assert long.details == f"{'; '.join(['number 1'] * 60)}; does not hold: {'x' * 500}"
    assert (
        compare({"x": "1"}, {"x": 2.0}, details="setup").details
        == compare({"x": "1"}, {"x": 1.0}, details="setup").details
    )


def test_a_word_has_its_threshold_in_one_place():
    """No claim has a number of its own for a word of `words`: 'similar is read as 5 %' stands in no source."""
    words = "same|similar|comparable|close|nearly|identical|negligible|slightly|modestly|almost all|much|significantly"
    own = re.compile(rf"(?:{words})[^.;,]{{0,20}}(?: is read as |: within )(?:within |at least )?\d")
    folder = Path(papers.__file__).parent
    sources = {path.relative_to(folder): path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    assert len(sources) > 50
    assert {str(path): own.findall(text) for path, text in sources.items() if own.search(text)} == {}
    assert own.search("nearly identical is read as 1 %")
    assert own.search("comparable: within 5 %")
