"""Safe defaults: no design beyond 2:1, no prices of 2014 without a word, and families that vendors support."""

import datetime
import logging

import msgspec
import pytest

from topoloom import build
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.parts_files import load_parts
from topoloom.cost.price_age import expired_quotes, price_age, price_notes
from topoloom.cost.quotes import quoted_parts
from topoloom.cost.spares import Spares
from topoloom.designer.candidates import chosen_families, enumerate_candidates
from topoloom.designer.design import design
from topoloom.designer.measure import measure
from topoloom.designer.offers import tree_blocking
from topoloom.designer.outcomes import Candidate, Dropped
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_files import requirement_of
from topoloom.designer.requirement_tables import DesignLimits, FamiliesRequirement, PhaseRequirement, SwitchRequirement
from topoloom.placement.hosts.housing import HostType
from topoloom.placement.hosts.rack_device import FacilityRule
from topoloom.report.design_tables import requirement_table

EVERYTHING = FamiliesRequirement(preset="everything")


def requirement(**changes):
    """200 hosts on 16-port switches."""
    plain = Requirement(hosts=200, switch=SwitchRequirement(radix=16), parts="slimfly-2014", shortlist=0, usual=False)
    return msgspec.structs.replace(plain, **changes)


@pytest.mark.parametrize(
    ("limits", "blocking"),
    [
        (DesignLimits(), 2.0),
        (DesignLimits(diameter=3), 2.0),
        (DesignLimits(taper=1.0), 2.0),
        (DesignLimits(taper=4.0), 4.0),
        (DesignLimits(oversubscription=5.0), None),
        (DesignLimits(blocking=3.0), 3.0),
        (DesignLimits(blocking=1.5, taper=4.0), 1.5),
    ],
)
def test_the_default_limit(limits, blocking):
    """2:1 unless the requirement says something else; completing twice changes nothing."""
    filled = requirement(limits=limits).filled()
    assert filled.limits.blocking == blocking
    assert filled.filled() == filled


def test_no_ring_at_the_top():
    """Among all families, a ring or a 4:1 tree that is cheaper is dropped, with the number; a large limit lets them in.

    Two hosts on each of 100 switches of a ring: mean distance 25 hops of 99 others, so a channel carries 2 * 25 / 2 = 25.
    """
    small = FamiliesRequirement(only=("ring", "fat-tree", "slimfly", "hypercube"))
    ring = measure("ring:n=100,hosts=2", requirement(families=small).filled(), requirement().catalogue())
    assert isinstance(ring, Dropped)
    assert ring.limit == "blocking"
    assert ring.known["blocking"] == pytest.approx(25, rel=0.02)
    result = design(requirement(families=small), jobs=1)
    assert result.requirement.limits.blocking == 2.0
    assert all(candidate.blocking <= 2 * (1 + 1e-9) for candidate in result.ranked)
    assert result.dropped_by["blocking"] > 0
    lifted = design(requirement(families=small, limits=DesignLimits(blocking=1e9)), jobs=1)
    assert lifted.winner.blocking > 2
    assert lifted.winner.cost_usd < result.winner.cost_usd
    assert "(the default)" in requirement_table(result, result.requirement.catalogue())
    assert "(the default)" not in requirement_table(lifted, result.requirement.catalogue())


def test_the_page_says_what_else_is_required():
    """Planes, rails, phases, spares and what the machine room supplies."""
    wanted = requirement(
        host=HostType(name="node", nics=8, u=2, power_w=1000),
        planes=(1, 8),
        rails=True,
        phase=(PhaseRequirement(100, "2027-01"), PhaseRequirement(200)),
        spares=Spares(),
        facility=FacilityRule(power_w=5e5),
    )
    page = requirement_table(design(wanted, minutes=0.01, jobs=1, work=Work(seconds=0.1)), wanted.catalogue())
    for row in ("1 or 8", "each to another leaf", "100 hosts by 2027-01", "the maximum power of all IT: 500,000 W"):
        assert row in page
    assert "share of each switch model" in page
    assert "warms" not in page, "defaults are not required"


def test_theory_drops_only_what_measuring_drops():
    """A candidate that the default limit drops before it is built is, when measured, beyond it."""
    wanted = requirement(families=EVERYTHING).filled()
    parts = wanted.catalogue()
    early = [proposal for proposal in enumerate_candidates(wanted, parts) if proposal.passed == "blocking"]
    assert len(early) > 20
    for proposal in early[::5]:
        assert isinstance(measure(proposal.spec, wanted, parts), Dropped), proposal.spec


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("fat-tree:k=64,hosts=2048", 1.0),
        # 49 leaves of 42 down and 21 up: 2,048 ports on 1,029 links.
        ("fat-tree:k=64,hosts=2048,taper=2:1", 2048 / 1029),
        # 4,096 ports, 4,096 links to the aggregation, 2,048 to the core.
        ("fat-tree:k=64,hosts=4096,core_taper=2:1", 2.0),
        # 2:1 at both levels: 103 leaves of 40:20 in four pods, 80 aggregation switches of 32:16.
        ("fat-tree:k=64,hosts=4096,taper=2:1,core_taper=2:1", 4096 / 1280),
        ("dragonfly:a=4,h=2,p=2", None),
        ("megafly:leaves=4,spines=4,p=4,h=4", None),
        ("fat-tree:k=64,hosts=64", None),
    ],
)
def test_blocking_by_hand(spec, expected):
    """Host ports over links at the narrowest level; only of trees."""
    found = tree_blocking(build(spec))
    assert found == (None if expected is None else pytest.approx(expected))


def test_the_preset_is_what_vendors_support():
    """NVIDIA's catalogues: trees and Dragonfly+. HPE's, and one without vendors: Dragonfly too. Everything: all."""

    def names(catalogue, **families):
        wanted = requirement(parts=catalogue, families=FamiliesRequirement(**families))
        return {family.name for family in chosen_families(wanted, load_parts(catalogue))}

    assert names("infiniband-2026") == {"fat-tree", "megafly"}
    assert names("slingshot") == names("slimfly-2014") == {"fat-tree", "megafly", "dragonfly", "slingshot"}
    assert names("infiniband-2026", leave_out=("megafly",)) == {"fat-tree"}
    assert names("infiniband-2026", only=("slimfly",)) == {"slimfly"}
    assert len(names("infiniband-2026", preset="everything")) > 40


def test_prices_of_2014_are_never_silent(caplog):
    """A requirement without parts is warned about and records the catalogue; one that names it is not."""
    text = "hosts = 100\n[switch]\nradix = 16\n"
    with caplog.at_level(logging.WARNING, "topoloom"):
        wanted = requirement_of(text, "r.toml")
    assert wanted.parts == "slimfly-2014"
    assert "parts is not set: prices are those of 'slimfly-2014', of 2014-11-16" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING, "topoloom"):
        assert requirement_of("parts = 'slimfly-2014'\n" + text, "r.toml") == wanted
        wanted.filled()
    assert "parts is not set" not in caplog.text


def test_the_age_of_prices(tmp_path):
    """Three years to the day are not old; a catalogue without prices has none; quotes are the user's."""
    old = load_parts("slimfly-2014")
    assert price_age(old, datetime.date(2017, 11, 15)) is None
    assert price_age(old, datetime.date(2018, 1, 1)) == 3
    assert "of 2014-11-16, 12 years ago" in price_notes(old, datetime.date(2026, 11, 26))[0]
    assert price_notes(load_parts("infiniband-2026"), datetime.date(2099, 1, 1)) == []
    quotes = tmp_path / "mine.toml"
    quotes.write_text("name = 'mine'\n[[switch.product]]\nname = 'QM9700'\nprice_usd = 20_000\n")
    assert price_notes(quoted_parts("infiniband-2026", quotes), datetime.date(2099, 1, 1)) == []
    quotes.write_text("name = 'mine'\ninstallation_usd = 77\n")
    assert price_notes(quoted_parts("slimfly-2014", quotes), datetime.date(2026, 11, 26))


def test_a_quote_of_one_product_leaves_the_other_prices_old(tmp_path):
    """Quotes have an age, a first and a last day of their own."""
    today, catalogue, quotes = datetime.date(2026, 11, 26), tmp_path / "old.toml", tmp_path / "mine.toml"
    catalogue.write_text(
        "name = 'old'\nsource = 'mine'\ndate = 2019-01-01\n"
        + "".join(
            f"[[switch.product]]\nname = '{name}'\nports = {ports}\nprice_usd = 9\n"
            for name, ports in (("A", 32), ("B", 64))
        )
        + "[[cable]]\nuse = 'any'\nmedium = 'electric'\nbase_usd = 5\n"
    )
    quotes.write_text("[[switch.product]]\nname = 'A'\nprice_usd = 20\nquoted = 2021-01-10\nvalid_until = 2026-11-20\n")
    parts = quoted_parts(catalogue, quotes)
    assert price_notes(parts, today) == [
        "the prices of old are old: of 2019-01-01, 7 years ago; use them to compare networks, not as a budget",
        "quotes older than 3 years: A (2021-01-10)",
    ]
    assert expired_quotes(parts, today) == "quotes past their last day: A (2026-11-20)"
    assert expired_quotes(parts, datetime.date(2026, 11, 20)) == ""
    assert price_notes(parts, datetime.date(2020, 1, 1)) == ["quotes dated after today, 2020-01-01: A (2021-01-10)"]
    quotes.write_text(
        "[[switch.product]]\nname = 'A'\nprice_usd = 20\n[[switch.product]]\nname = 'B'\nprice_usd = 20\n"
        "[[cable]]\nname = 'electric'\nbase_usd = 6\n"
    )
    assert price_notes(quoted_parts(catalogue, quotes), today) == [], "all prices are quoted"


def test_a_named_spec_is_held_to_the_default_too():
    """A ring that the requirement names is measured, and dropped by its number."""
    wanted = requirement(families=FamiliesRequirement(only=("fat-tree",), specs=("ring:n=50,hosts=4",)))
    result = design(wanted, jobs=1)
    assert isinstance(result.winner, Candidate)
    assert [outcome.limit for outcome in result.dropped if outcome.family == "ring"] == ["blocking"]


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        (
            "[[switch.product]]\nname = 'QM9700'\nprice_usd = -5",
            "switch.product.price_usd = -5: it is a number from 0 or a list",
        ),
        ("[[switch.product]]\nname = 'QM9700'\nprice_eur = 5", "there is no key 'price_eur' in [switch.product]"),
        ("currency = 'EURO'", 'currency = "EURO": it is a currency of three capital letters, as in "EUR"'),
    ],
)
def test_a_wrong_quote_is_one_sentence_with_its_key(tmp_path, quote, reason):
    """No type of a validator, no pattern."""
    path = tmp_path / "mine.toml"
    path.write_text(quote)
    with pytest.raises(InputError, match=r"mine\.toml:1: ") as refused:
        quoted_parts("infiniband-2026", path)
    assert reason in str(refused.value)
