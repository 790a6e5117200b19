"""Places of papers: their order, and their papers' names."""

from topoloom_papers.places import citation, in_order, place_name, place_of
from topoloom_papers.registry import claims


def test_places_stand_in_the_order_of_a_paper():
    """The abstract, sections by numbers, Roman or not, figures, tables, and the conclusion."""
    places = [
        "abstract",
        "i",
        "ii-b",
        "iii-d-1",
        "iii-d-2",
        "vi",
        "vi-a",
        "vi-b-4",
        "vi-c",
        "section-3.3",
        "section-4.1",
        "fig-1",
        "fig-6a",
        "fig-6d",
        "fig-8",
        "fig-8a",
        "fig-10",
        "table-ii",
        "table-iv",
        "conclusion",
    ]
    assert sorted(set(places), key=in_order) == places


def test_every_claim_stands_at_a_place_of_a_paper_that_is_cited():
    """With a name for people; the citation has a year."""
    for one in claims():
        assert place_name(place_of(one.id)), one.id
        assert one.paper[-4:] in citation(one.paper)
    assert citation("someone-2030") == "someone-2030"
