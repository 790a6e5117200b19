"""Commands from declarations: several values of a field are several operations; tables and lists as they are typed."""

from typing import Annotated, Any, ClassVar

import msgspec
import pytest
from click.testing import CliRunner

from topoloom import InputError
from topoloom.cli.declared import DeclaredGroup, declared, spelled
from topoloom.core.settings import Settings, setting
from topoloom.operations.operation import Operation, operation_of


class Meal(Operation, frozen=True, kw_only=True):
    """An operation that is in no register."""

    group: ClassVar[str] = "meal"

    dish: Annotated[str, setting("what is cooked", positional=True)]
    pot: Annotated[str, setting("in what")] | None = None
    guest: Annotated[str, setting("for whom")] = "me"
    spoons: Annotated[tuple[Annotated[int, setting("a size", least=1)], ...], setting("sizes")] = (1,)
    spice: Annotated[dict[str, Any], setting("how much of each", metavar="SPICE=GRAMS")] = msgspec.field(
        default_factory=dict
    )


class Table(Settings, frozen=True, kw_only=True):
    """How it is served."""

    group: ClassVar[str] = "table"

    candles: Annotated[tuple[str, ...], setting("colours")] = ()


class Kitchen(Settings, frozen=True, kw_only=True):
    """What a kitchen does."""

    group: ClassVar[str] = "kitchen"


class Serve(Settings, frozen=True, kw_only=True):
    """Serve each GUEST."""

    group: ClassVar[str] = "kitchen serve"

    guests: Annotated[tuple[str, ...], setting("who", positional=True, metavar="[GUEST]...")] = ()
    warm: Annotated[bool, setting("on warm plates")] = True


def given(*words, several=(("dish", "pot"), "guest")):
    """The operations that a command line gives, and how they are served."""
    found = []
    command = declared(Meal, Table, several=several)(lambda *values: found.extend(values))
    result = CliRunner().invoke(command, words, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return found


def test_several_values_are_combined_the_last_fastest():
    """Values of different fields cross; those of a pair go side by side; what was not given has its default."""
    meals, _ = given("soup", "rice", "--pot", "big", "--pot", "small", "--guest", "a", "--guest", "b")
    assert [(one.dish, one.pot, one.guest) for one in meals] == [
        ("soup", "big", "a"),
        ("soup", "big", "b"),
        ("rice", "small", "a"),
        ("rice", "small", "b"),
    ]
    meals, _ = given("soup", "rice", "--pot", "big")
    assert [(one.dish, one.pot, one.guest) for one in meals] == [("soup", "big", "me"), ("rice", "big", "me")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("soup", "--pot", "big", "--pot", "small"),
            "^--pot has 2 values for 1 DISH; give one for all, or one for each$",
        ),
        (("soup", "soup", "--pot", "big"), "^soup is given twice with the same --pot; give it once$"),
        (("soup", "--spice", "salt"), "^--spice 'salt': write SPICE=GRAMS$"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(words, message):
    """With the options as they are typed."""
    with pytest.raises(InputError, match=message):
        given(*words)


def test_one_field_of_several_values():
    """An operation per value, in their order, twice where a value comes twice; of presentation a list is repeated, too."""
    meals, table = given("soup", "rice", "soup", "--candles", "red", "--candles", "white", several="dish")
    assert [one.dish for one in meals] == ["soup", "rice", "soup"]
    assert table.candles == ("red", "white")


def test_a_text_that_is_given_again_goes_behind_the_first():
    """Nothing is lost: texts make a list, as ``algorithms=`` takes one; of numbers the last counts."""
    ((meal,), _) = given("soup", "--spice", "herb=", "--spice", "herb=dill", "--spice", "salt=1", "--spice", "salt=2")
    assert meal.spice == {"herb": ",dill", "salt": 2}


def test_one_value_is_a_list_of_one():
    """In a study a list may be an axis of its values; what is no such value is refused as before."""
    assert operation_of(Meal, {"dish": "soup", "spoons": 3}).spoons == (3,)
    for wrong in (0, "big", True, {"a": 1}):
        with pytest.raises(InputError, match=r"^meal: spoons=.*; it is a list, each a whole number from 1$"):
            operation_of(Meal, {"dish": "soup", "spoons": wrong})


def test_a_group_has_declared_commands_and_one_for_other_words():
    """Settings that are no operation make commands, too; the last word of their group is the name."""
    served = []
    serve = declared(Serve)(served.append)
    group = DeclaredGroup(Kitchen, [serve], default="serve", usages=("GUEST...", "serve GUEST..."))
    assert (group.name, group.help, serve.name, serve.help) == (
        *("kitchen", "What a kitchen does."),
        *("serve", "Serve each GUEST."),
    )
    runner = CliRunner()
    for words in (["serve", "a", "b", "--no-warm"], ["a", "b", "--no-warm"]):
        runner.invoke(group, words, catch_exceptions=False, standalone_mode=False)
    assert served == [Serve(guests=("a", "b"), warm=False)] * 2
    text = runner.invoke(group, ["--help"]).stdout
    assert "kitchen GUEST...\nUsage: kitchen serve GUEST..." in text
    assert runner.invoke(group, ["--nosuch"]).exit_code == 2
    assert spelled("`guests` and `warm` no", group) == "GUEST and --no-warm"
