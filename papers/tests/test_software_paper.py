"""The software paper in paper/: its form, its references, its figures and its numbers."""

import json
import re
import tomllib
from collections import Counter
from pathlib import Path

from topoloom import FAMILIES
from topoloom.studies.study import read_study

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "paper"
TEXT = (FOLDER / "paper.md").read_text(encoding="utf-8")
_, META, BODY = TEXT.split("---\n", 2)
#: The sections that the Journal of Open Source Software asks for.
SECTIONS = [
    "Summary",
    "Statement of need",
    "State of the field",
    "Software design",
    "Research impact statement",
    "AI usage disclosure",
    "Acknowledgements",
    "References",
]


def test_the_paper_has_the_sections_and_the_length_that_the_journal_asks_for():
    """750 to 1,750 words, a date, authors with affiliations, and the bibliography."""
    assert re.findall(r"^# (.*)$", BODY, re.M) == SECTIONS
    assert 750 <= len(BODY.split()) <= 1750
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(
        re.findall(r"^(\w+):", META, re.M)
    )


def test_every_reference_is_cited_and_every_citation_is_a_reference():
    """The entries of paper.bib are those of the text."""
    entries = re.findall(r"^@\w+\{(\w+),", (FOLDER / "paper.bib").read_text(encoding="utf-8"), re.M)
    assert sorted(entries) == sorted(set(re.findall(r"@(\w+)", BODY)))


def test_every_figure_is_drawn_by_the_makefile_and_lies_here():
    """A figure of the text is a target of the Makefile, and a reference in the text."""
    figures = re.findall(r"\\label\{(\w+)\}\]\((\w+\.pdf)\)", BODY)
    targets = re.search(r"^figures: (.*)$", (FOLDER / "Makefile").read_text(encoding="utf-8"), re.M)
    assert targets is not None
    assert [file for _, file in figures] == targets.group(1).split()
    for label, file in figures:
        assert (FOLDER / file).read_bytes().startswith(b"%PDF")
        assert f"\\autoref{{{label}}}" in BODY


def test_the_numbers_of_the_text_are_those_of_the_package():
    """The families of the catalogue, and the claims by verdict."""
    assert f"the networks of {len(FAMILIES)} families" in BODY
    verdicts = json.loads((Path(__file__).parent / "verdicts.json").read_text(encoding="utf-8"))
    counts = Counter("best" if verdict.startswith("best of ") else verdict for verdict in verdicts.values())
    exact, step, holds, best, error = (
        counts[verdict]
        for verdict in ("exact", "within one step", "holds", "best", "published value explained by an error")
    )
    words = " ".join(BODY.split())
    assert f"contains {counts.total()} claims" in words
    assert (
        f"{exact + step + holds + best + error} come out: {exact} exactly, {step} within one step, {holds} as statements,"
        f" {best} in the best of several readings of an ambiguous set-up, and {error} once an error in the paper is taken into"
        f" account. {counts['the paper is wrong']} are shown to be wrong, and {counts['not reproducible']} are not reproducible"
    ) in words


def test_the_files_of_the_figures_are_read():
    """The study expands into its tasks; the figure's columns are an axis and a number of its operation."""
    study = read_study(FOLDER / "loads.toml")
    assert len(study.tasks()) == 78
    figure = tomllib.loads((FOLDER / "figures.toml").read_text(encoding="utf-8"))["figure"][0]
    assert {figure["x"], *figure["by"]} <= set(study.axis_names)
