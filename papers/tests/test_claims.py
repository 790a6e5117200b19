"""The papers' claims: each has the verdict on record, from what is kept of long runs and from what is computed here."""

import inspect
import json
import re
import shlex
from pathlib import Path

import click
import pytest

from topoloom import InputError
from topoloom.cli.main import cli
from topoloom_papers import curves, papers, verdicts
from topoloom_papers.places import place_of
from topoloom_papers.registry import claims, run
from topoloom_papers.verdicts import Verdict, compare

#: The verdict on each claim; one that changes is a finding, not a nuisance. After new long runs they are looked at one by one.
_VERDICTS = json.loads((Path(__file__).parent / "verdicts.json").read_text())
#: These have nothing to tell beside the numbers where they agree.
_PLAIN = (Verdict.EXACT, Verdict.HOLDS)


#: The claims at one place of a paper share their numbers. Tables are in the first tier, all the rest in the second.
_PLACES = [
    pytest.param(
        paper, place, marks=[] if place.startswith("table-") else pytest.mark.exhaustive, id=f"{paper}/{place}"
    )
    for paper, place in dict.fromkeys((c.paper, place_of(c.id)) for c in claims())
]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("paper", "place"), _PLACES)
def test_every_claim_has_its_verdict_on_record(paper, place):
    """Each is as the table says, with a reason where it is not plainly so."""
    found = {one: run(one) for one in claims([f"{paper}/{place}"])}
    verdicts = {one.id: computed.outcome.told for one, computed in found.items()}
    assert verdicts == {name: verdict for name, verdict in _VERDICTS.items() if name.split("/")[:2] == [paper, place]}
    for one, computed in found.items():
        assert computed.outcome.ours, one.id
        assert computed.outcome.why or computed.outcome.verdict in _PLAIN, one.id
        assert one.command.startswith("topoloom "), one.id


def test_a_claim_computes():
    """What is compared with the print comes from the library or from a kept run: literals against literals cannot fail."""
    assert [one.id for one in claims() if not _computes(one.compute)] == []
    assert not _computes(lambda: compare({"x": 1}, {"x": 3 - 2}))


def _computes(function) -> bool:
    """Whether a function, or what it uses of its paper, uses anything of topoloom but what compares and draws."""
    seen, waiting = [], [function]
    while waiting:
        here = waiting.pop()
        here = inspect.unwrap(getattr(here, "func", here))  # what is behind a cache, or has some arguments already
        if any(here is other for other in seen):
            continue
        seen.append(here)
        if isinstance(here, dict | list | tuple):
            waiting += here.values() if isinstance(here, dict) else here
            continue
        home = getattr(here, "__module__", None) or getattr(here, "__name__", "")
        if home != __name__ and not home.startswith(papers.__name__):
            if home.startswith("topoloom") and home not in {verdicts.__name__, curves.__name__}:
                return True
        elif inspect.isfunction(here):
            waiting += [here.__globals__[name] for name in _names(here.__code__) if name in here.__globals__]
            waiting += [cell.cell_contents for cell in here.__closure__ or ()]
        else:
            kind = here if inspect.isclass(here) else type(here)
            waiting += [getattr(one, "fget", one) for one in vars(kind).values() if callable(getattr(one, "fget", one))]
    return False


def _names(code):
    """The names that a function uses, and those within it."""
    return {*code.co_names}.union(*(_names(inner) for inner in code.co_consts if inspect.iscode(inner)))


def test_the_command_of_a_claim_is_one_that_topoloom_takes():
    """Each part of it, without the note in brackets behind it, is read by the command line of today; nothing is run."""
    context, refused, read = click.Context(cli, info_name="topoloom"), dict[str, str](), 0
    for one in claims():
        for part in re.sub(r" \([^()]*\)$", "", one.command).split("; "):
            if not part.startswith("topoloom "):
                continue  # how the same is done for other networks, in words
            _, name, *words = shlex.split(part)
            try:
                command = cli.get_command(context, name)
                assert command is not None
                command.make_context(name, words, parent=context)
            except (click.UsageError, InputError, AssertionError) as error:
                refused[one.id] = f"{part}: {error}"
            read += 1
    assert refused == {}
    assert read >= len(claims())


def test_the_record_of_verdicts_names_claims_only():
    """One that is gone has no verdict."""
    assert set(_VERDICTS) == {one.id for one in claims()}


def test_claims_are_chosen_by_what_lies_below_a_name_or_begins_with_it():
    """Ids, parts of the tree, beginnings; numbers are never cut, and an unknown name is an error."""
    assert {c.id.split("/")[1] for c in claims(["besta-2014/table-iv"])} == {"table-iv"}
    assert [c.id for c in claims(["xu-2019/table-2"])] == ["xu-2019/table-2"]
    theorems = {c.id for c in claims(["truong-2016/theorem"])}
    assert {"truong-2016/theorem-1a", "truong-2016/theorem-1c"} <= theorems
    assert all(name.startswith("truong-2016/theorem") for name in theorems)
    # Table I is an id, and not the beginning of Table IV; figure 1 is not figure 10.
    assert {c.id.split("/")[1] for c in claims(["nakano-2016/table-i"])} == {"table-i"}
    assert "fig-14" not in {c.id.split("/")[1] for c in claims(["koibuchi-2013/fig-1"])}
    assert {c.id.split("/")[1] for c in claims(["besta-2014/fig-6"])} == {"fig-6a", "fig-6b", "fig-6c", "fig-6d"}
    with pytest.raises(InputError, match="no claim '005'"):
        claims(["005"])
    with pytest.raises(InputError, match="no claim ''"):
        claims([""])
