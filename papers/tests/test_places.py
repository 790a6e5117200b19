"""Places of papers: their order, and their papers' names."""

from collections import Counter

from topoloom_papers.places import citation, order_of, place_name, place_of, places_of
from topoloom_papers.registry import claims


def test_claims_stand_in_the_order_of_the_paper():
    """A figure stands with the section that discusses it; papers by year; places that no paper lists come last."""
    besta = ["ii-b/degree", "fig-5a/moore", "iii-c/bisection", "table-iii/sf", "iii-d-2/df", "fig-6a/min", "vi-a/racks"]
    ids = [f"besta-2014/{one}" for one in besta] + ["besta-2014/appendix/x", "nakano-2016/fig-1/x", "xu-2019/table-1/x"]
    assert sorted(sorted(ids), key=order_of) == ids
    listed = [one.id for one in claims()]
    assert listed == sorted(listed, key=order_of)
    assert [one.paper for one in claims(["nakano-2016/fig-1", "koibuchi-2013/fig-17"])] == [
        "koibuchi-2013",
        "nakano-2016",
    ]


def test_every_claim_stands_at_a_place_that_its_paper_lists():
    """With a name for people; the citation has a year. No place is listed twice."""
    for one in claims():
        places = places_of(one.paper)
        assert place_of(one.id) in places, one.id
        assert max(Counter(places).values()) == 1
        assert place_name(place_of(one.id)), one.id
        assert one.paper[-4:] in citation(one.paper)
    assert citation("someone-2030") == "someone-2030"
