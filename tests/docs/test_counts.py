"""What the pages count is as many as there are."""

import re

import pytest
from doc_blocks import PAGES, ROOT, prose

from topoloom.topologies.spec import FAMILIES

_COUNTED = {
    str(page.relative_to(ROOT)): set(map(int, re.findall(r"\b(\d+)\]? families\b", prose(page))))
    for page in PAGES
    if page.parent.name != "explanation"  # these quote papers
}


def test_the_first_pages_count_the_families():
    """README, the text of the package index and the start page say how many families the catalogue has."""
    for page in ("README.md", "PACKAGE.md", "docs/index.md"):
        assert _COUNTED[page]


@pytest.mark.parametrize("page", [page for page, counts in _COUNTED.items() if counts])
def test_a_page_that_counts_the_families_is_right(page):
    """The number is that of the catalogue."""
    assert _COUNTED[page] == {sum(FAMILIES.origin(name) == "here" for name in FAMILIES)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_estimates_the_families(page):
    """Nobody reads 'about forty families' where there are others."""
    assert not re.search(r"about \w+ families", prose(page))


def test_every_term_of_the_glossary_is_defined_once():
    """Each heading is one term, and has a definition."""
    text = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^### (.+)\n+(\S)", text, re.MULTILINE)
    assert len(terms) > 80
    assert len({term.lower() for term, _ in terms}) == len(terms)
    assert not [term for term, first in terms if first == "#"]
