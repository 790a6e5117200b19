"""The papers' claims: each has the verdict on record, from kept long runs and from computations here."""

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

#: The verdict on each claim; a changed verdict is a finding. After new long runs they are checked one by one.
_VERDICTS = json.loads((Path(__file__).parent / "verdicts.json").read_text())
#: What Python prints and no reader expects: {'a': 1}, ['a'], [1.5, True, None, np.float64.
_PYTHON = re.compile(r"\{'|\{\d+(\.\d+)?:|\['|\[\d+\.|\b(True|False|None)\b|np\.")
#: Verdicts that need no explanation.
_PLAIN = (Verdict.EXACT, Verdict.HOLDS)


#: The claims at one place of a paper share their numbers. Tables are in the first tier, all others in the second.
_PLACES = [
    pytest.param(
        paper, place, marks=[] if place.startswith("table-") else pytest.mark.exhaustive, id=f"{paper}/{place}"
    )
    for paper, place in dict.fromkeys((c.paper, place_of(c.id)) for c in claims())
]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("paper", "place"), _PLACES)
def test_every_claim_has_its_verdict_on_record(paper, place):
    """Each verdict is as in verdicts.json, with an explanation if it needs one."""
    results = {claim: run(claim) for claim in claims([f"{paper}/{place}"])}
    verdicts = {claim.id: computed.outcome.verdict_text for claim, computed in results.items()}
    assert verdicts == {name: verdict for name, verdict in _VERDICTS.items() if name.split("/")[:2] == [paper, place]}
    for claim, computed in results.items():
        assert computed.outcome.ours, claim.id
        assert computed.outcome.why or computed.outcome.verdict in _PLAIN, claim.id
        assert claim.command.startswith("topoloom "), claim.id
        texts = (computed.outcome.ours, computed.outcome.why, computed.outcome.details)
        assert not any(map(_PYTHON.search, texts)), claim.id


def test_a_claim_computes():
    """Our values come from the library or from a kept run: comparing literals with literals could not fail."""
    assert [claim.id for claim in claims() if not _computes(claim.compute)] == []
    assert not _computes(lambda: compare({"x": 1}, {"x": 3 - 2}))


def _computes(function) -> bool:
    """Whether a function, or a helper of its paper, uses topoloom other than for comparing and drawing."""
    seen, waiting = [], [function]
    while waiting:
        here = waiting.pop()
        here = inspect.unwrap(getattr(here, "func", here))  # cached and partial functions
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
    """The names that a function uses, including its inner functions."""
    return {*code.co_names}.union(*(_names(inner) for inner in code.co_consts if inspect.iscode(inner)))


def test_the_command_of_a_claim_is_one_that_topoloom_takes():
    """The current command line accepts each part of it, without the note in brackets; nothing is run."""
    context, refused, read = click.Context(cli, info_name="topoloom"), dict[str, str](), 0
    for claim in claims():
        for part in re.sub(r" \([^()]*\)$", "", claim.command).split("; "):
            if not part.startswith("topoloom "):
                continue  # a description in words for other networks
            _, name, *words = shlex.split(part)
            try:
                command = cli.get_command(context, name)
                assert command is not None
                command.make_context(name, words, parent=context)
            except (click.UsageError, InputError, AssertionError) as error:
                refused[claim.id] = f"{part}: {error}"
            read += 1
    assert refused == {}
    assert read >= len(claims())


def test_the_record_of_verdicts_names_claims_only():
    """A removed claim has no verdict."""
    assert set(_VERDICTS) == {claim.id for claim in claims()}


def test_claims_are_selected_by_id_by_folder_or_by_beginning():
    """Ids, parts of the tree, beginnings; numbers match as a whole, and an unknown name is an error."""
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
