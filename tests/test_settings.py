"""Settings: one annotation gives the check, the sentence, the help and the table."""

from typing import Annotated, Literal

import pytest

from topoloom import InputError
from topoloom.core.settings import Settings, changed, described, setting


class _Router(Settings):
    group = "router"

    vcs: Annotated[int, setting("virtual channels of a port", least=0, most=32)] = 0
    reach: Annotated[float, setting("of a cable", unit="m", above=0)] | None = None
    hosts: Literal["any", "one"] = "any"
    safe: bool = False
    sizes: Annotated[tuple[int, ...], setting("of packets", unit="flits")] = (1, 5)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("vcs=3", 3),
        ("reach=2.5", 2.5),
        ("reach=none", None),
        ("hosts=one", "one"),
        ("safe=yes", True),
        ("sizes=2,4", (2, 4)),
        (" vcs = 7 ", 7),
    ],
)
def test_a_text_is_read_as_its_setting_is(text, value):
    """KEY=VALUE, each value by the type of its key."""
    found = changed(_Router(), [text])
    assert getattr(found, text.partition("=")[0].strip()) == value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("vcs=many", "router: vcs='many'; it is a whole number from 0 to 32"),
        ("vcs=99", "router: vcs='99'; it is a whole number from 0 to 32"),
        ("vcs=" + "9" * 5000, "router: vcs='9999"),
        ("reach=-1", "router: reach='-1'; it is a number above 0 or none"),
        ("reach=nan", "router: reach='nan'; it is a number above 0 or none"),
        ("hosts=all", "router: hosts='all'; it is any or one"),
        ("safe=maybe", "router: safe='maybe'; it is yes or no"),
        ("vc=3", r"no router setting 'vc' \(did you mean vcs\?\)"),
        ("vcs", "router setting 'vcs': write KEY=VALUE, as in vcs=0"),
    ],
)
def test_a_text_that_does_not_fit_is_refused_in_a_sentence(text, told):
    """It names the group, the key, what was given, and what would do."""
    with pytest.raises(InputError, match=told) as caught:
        changed(_Router(), [text])
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("values", [{"vcs": "3"}, {"vcs": True}, {"vcs": 33}, {"reach": float("nan")}, {"hosts": 1}])
def test_python_is_checked_by_the_same_rules(values):
    """A Struct that is made in a program is refused as a text is."""
    with pytest.raises(InputError, match=r"^router: \w+="):
        _Router(**values)


def test_numbers_of_numpy_are_numbers():
    """An int64 is a whole number."""
    import numpy as np

    assert _Router(vcs=np.int64(4)).vcs == 4


def test_the_description_is_made_from_the_same_annotation():
    """Name, what it accepts, unit, default and words, in the order of the fields."""
    rows = {one.name: one for one in described(_Router)}
    assert list(rows) == ["vcs", "reach", "hosts", "safe", "sizes"]
    assert rows["vcs"].accepts == "a whole number from 0 to 32"
    assert rows["vcs"].description == "virtual channels of a port"
    assert (rows["reach"].unit, rows["reach"].default) == ("m", "")
    assert rows["safe"].default == "no"
    assert rows["sizes"].default == "1,5"
