"""The search beyond the catalogue: what it proposes can be had, what it finds is measured alike, and a seed finds the same."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from topoloom import build, hops
from topoloom.cli.main import cli
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.cost.parts_files import load_parts
from topoloom.designer.candidates import enumerate_candidates
from topoloom.designer.design import Design, design
from topoloom.designer.measure import measure
from topoloom.designer.outcomes import Candidate, passed_limit, single_numbers
from topoloom.designer.pareto import undominated
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_files import read_requirement
from topoloom.designer.requirement_tables import DesignLimits, FamiliesRequirement, SearchRequirement, SwitchRequirement
from topoloom.designer.variations import proposed, variant_of, varied
from topoloom.optimizer.optimize import optimize
from topoloom.report.design_files import write_design

_EXAMPLES = Path(__file__).parents[2] / "examples"
_REQUIREMENT = Requirement(
    hosts=100,
    switch=SwitchRequirement(radix=14),
    families=FamiliesRequirement(only=("slimfly", "fat-tree", "dragonfly")),
    shortlist=0,
    usual=False,
    search=SearchRequirement(networks=40),
    limits=DesignLimits(oversubscription=2.0, diameter=4),
)


@pytest.fixture(scope="module")
def made() -> Design:
    """A need that the catalogue answers coarsely: few sizes of each family are near a hundred hosts."""
    return design(_REQUIREMENT, jobs=1)


@pytest.mark.exhaustive
def test_what_is_found_keeps_every_limit_and_is_measured_as_all_others(made):
    """Hosts served, ports there, limits kept; measured by itself, a network has the numbers that it is ranked by."""
    assert made.search.measured == 40
    assert made.search.specs
    found = [one for one in made.ranked if one.spec in made.search.specs]
    assert [one.spec for one in found] == list(made.search.specs)
    parts = _REQUIREMENT.catalogue()
    for one in found:
        assert one.hosts >= 100
        assert one.radix <= 14
        assert passed_limit(single_numbers(one), _REQUIREMENT.limits) is None
    again = measure(found[0].spec, _REQUIREMENT, parts)
    assert isinstance(again, Candidate)
    best = found[0] if found[0].map == "rows" else again
    assert again == best


@pytest.mark.exhaustive
def test_gains_are_those_of_the_ranking(made):
    """Never worse than the catalogue; the objective first; both ends are networks of the ranking, with its values."""
    by_spec = {one.spec: one for one in made.ranked}
    plain = design(_REQUIREMENT_WITHOUT, jobs=1)
    assert made.search.gains[0].measure == "cost_usd"
    for gain in made.search.gains:
        sign = -1 if gain.measure.startswith("bisection") else 1
        values = [
            sign * getattr(measure(one.spec, _REQUIREMENT, _REQUIREMENT.catalogue()), gain.measure)
            for one in plain.ranked
        ]
        assert sign * gain.catalogue == pytest.approx(min(values))
        assert sign * gain.found <= sign * gain.catalogue
        assert gain.share == pytest.approx(abs(gain.found - gain.catalogue) / abs(gain.catalogue))
        assert gain.catalogue_spec in {one.spec for one in plain.ranked}
        assert gain.found_spec in by_spec
    # A tree of switches of 13 ports is cheaper than those of the catalogue, and needs less power.
    assert made.search.gains[0].share > 0.04
    assert 0 <= made.search.beaten <= made.search.front


_REQUIREMENT_WITHOUT = Requirement(
    hosts=100,
    switch=SwitchRequirement(radix=14),
    families=_REQUIREMENT.families,
    shortlist=0,
    usual=False,
    limits=_REQUIREMENT.limits,
)


@pytest.mark.exhaustive
def test_a_seed_finds_the_same_whatever_the_jobs(made):
    """Generations are chosen from what was found before them, not from what was measured first."""
    again = design(_REQUIREMENT, jobs=2)
    assert again.search == made.search
    assert [one.spec for one in again.ranked] == [one.spec for one in made.ranked]


@pytest.mark.exhaustive
def test_a_second_run_measures_nothing_again(tmp_path):
    """What was tried is in the store, also for a run that asks for more."""
    small = msgspec.structs.replace(_REQUIREMENT, search=SearchRequirement(networks=16))
    first = design(small, store=tmp_path, jobs=1)
    more = design(_REQUIREMENT, store=tmp_path, jobs=1)
    assert more.reused >= len(first.ranked)
    assert set(first.search.specs) <= {one.spec for one in more.ranked} | {one.spec for one in more.dropped}


def test_a_stop_keeps_what_was_found():
    """The design is made of what is there."""
    work = Work()
    count = 0

    def told(_: object) -> None:
        nonlocal count
        count += 1
        if count == len(_catalogue()) + 5:
            work.stop()

    work.deliver = told  # type: ignore[method-assign]
    stopped = design(_REQUIREMENT, jobs=1, work=work)
    assert stopped.ended == "interrupted"
    assert 0 < stopped.search.measured < 40


def _catalogue() -> list[str]:
    return [one.spec for one in enumerate_candidates(_REQUIREMENT, _REQUIREMENT.catalogue()) if one.passed is None]


@pytest.mark.parametrize("name", ["room-1k", "ai-4k", "hpc-2k-ndr"])
def test_a_spec_comes_apart_and_together(name):
    """The parts of every candidate of the catalogue say that candidate, with rails and planes."""
    requirement = read_requirement(_EXAMPLES / f"{name}.toml")
    parts = requirement.catalogue()
    together = 0
    for one in enumerate_candidates(requirement, parts):
        variant = variant_of(one.spec, requirement)
        back = None if variant is None else proposed(variant, requirement, parts)
        # None: a switch would need more ports than there are, which the catalogue finds out when it is built.
        assert back is None or back.spec == one.spec
        together += back is not None
    assert together > 300


def test_links_are_optimised_of_random_families_alone():
    """As a part of the spec before the wiring; what has a structure keeps its links."""
    requirement, parts, draws = (
        Requirement(hosts=60, switch=SwitchRequirement(radix=12)),
        load_parts("slimfly-2014"),
        Draws(3),
    )
    random, regular = (
        variant_of("jellyfish:n=20,degree=5,hosts=3", requirement),
        variant_of("slimfly:q=5,hosts=2", requirement),
    )
    specs = {
        one.spec
        for start in (random, regular)
        for _ in range(80)
        if (one := varied(start, draws, requirement, parts)) is not None
    }
    optimised = {spec for spec in specs if "+optimized:moves=" in spec}
    assert optimised
    assert all(spec.startswith("jellyfish") for spec in optimised)
    back = proposed(variant_of(min(optimised), requirement), requirement, parts)
    assert back.spec == min(optimised)


def test_variations_can_be_built_and_serve_the_hosts():
    """What theory does not refuse is a network with the ports that it promises."""
    parts, draws = load_parts("slimfly-2014"), Draws(7)
    built = 0
    for spec in (
        "dragonfly:a=7,h=3,p=5,g=3",
        "slimfly:q=5,hosts=2",
        "fat-tree:k=14,hosts=100",
        "torus:dims=4x4x4,hosts=2",
    ):
        variant = variant_of(spec, _REQUIREMENT)
        for _ in range(60):
            one = varied(variant, draws, _REQUIREMENT, parts)
            if one is None or one.passed is not None:
                continue
            topology = build(one.spec)
            assert not one.ports or topology.radix <= 14
            built += 1
    assert built > 40


@pytest.mark.parametrize("spec", ["product:(ring:n=4)*(petersen),hosts=2", "torus:dims=4x4,hosts=2+permute"])
def test_what_is_no_family_with_a_wiring_is_left_alone(spec):
    """Products and other transforms are no parents."""
    assert variant_of(spec, _REQUIREMENT) is None


def test_undominated_is_what_no_row_beats():
    """Against the definition, row by row."""
    values = np.array([[1, 5, 3], [2, 2, 2], [2, 2, 2], [3, 2, 2], [0, 9, 9], [2, 3, 1]], float)

    def beats(a, b):
        return (a <= b).all() and (a < b).any()

    assert undominated(values).tolist() == [not any(beats(a, b) for a in values) for b in values]


def test_optimised_links_are_a_part_of_a_spec():
    """The same degrees and hosts, no more hops; the network that `optimize` makes with so many moves in one thread."""
    plain, better = (
        build("jellyfish:n=64,degree=5,hosts=3"),
        build("jellyfish:n=64,degree=5,hosts=3+optimized:moves=20000"),
    )
    assert better.spec == "jellyfish:n=64,degree=5,seed=1,hosts=3+optimized:moves=20000,seed=1"
    assert np.array_equal(better.degrees, plain.degrees)
    assert np.array_equal(better.endpoints, plain.endpoints)
    assert hops(better).aspl < hops(plain).aspl
    assert np.array_equal(better.links, optimize(plain, moves=20_000, seed=1, jobs=1).topology.links)


@pytest.mark.exhaustive
def test_the_command_and_the_page_tell_what_was_gained(made, tmp_path):
    """The same design by the command, with its record; the page has the gains."""
    (tmp_path / "need.toml").write_text(
        "hosts = 100\nshortlist = 0\nusual = false\n[switch]\nradix = 14\n[limits]\noversubscription = 2.0\ndiameter = 4\n"
        "[families]\ntry = ['slimfly', 'fat-tree', 'dragonfly']\n"
    )
    folder = tmp_path / "out"
    arguments = ["design", str(tmp_path / "need.toml"), "-o", str(folder), "--search", "40", "--jobs", "1"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0
    said = done.output
    assert "beyond the catalogue: 40 networks tried" in said
    assert made.search.gains[0].found_spec in said
    back = Design.load(folder / "design.json")
    assert back.search == made.search
    page = (folder / "report.html").read_text()
    assert 'id="beyond"' in page
    assert made.search.gains[0].found_spec in page
    write_design(made, tmp_path / "python")
    assert Design.load(tmp_path / "python" / "design.json").search == made.search
