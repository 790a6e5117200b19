"""`topoloom balance`: the well-balanced pairs of Nakano 2016, VII, and what it refuses."""

import json

import pytest
from click.testing import CliRunner

from topoloom.cli.commands import balance
from topoloom.core.errors import InputError
from topoloom.graph.moore import moore_aspl


def _run(*arguments):
    result = CliRunner().invoke(balance.command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_table_iv_is_listed():
    """30 x 30 with K up to 10: the six pairs of Table IV with the bounds of Nakano 2016 as the errata correct them."""
    found = json.loads(_run("--rows", "30", "--columns", "30", "--degrees", "3-10", "--json"))
    pairs = {(pair["degree"], pair["length"]): pair for pair in found["pairs"]}
    assert list(pairs) == [(3, 3), (4, 4), (5, 5), (6, 6), (9, 7), (10, 8)]
    assert pairs[6, 6]["aspl_by_degree"] == moore_aspl(900, 6)
    assert [round(pair["aspl_bound"], 3) for pair in pairs.values()] == [8.123, 6.001, 4.957, 4.305, 3.626, 3.346]
    assert [round(pair["aspl_by_length"], 3) for pair in pairs.values()] == [7.0, 5.376, 4.401, 3.751, 3.287, 2.939]
    assert [pair["diameter_bound"] for pair in pairs.values()] == [20, 15, 12, 10, 9, 8]


def test_people_read_a_table():
    """One line per pair under the names of Nakano 2016, and a line that says so where there is none."""
    lines = _run("--rows", "10", "--columns", "10").splitlines()
    assert lines[0].startswith("grid of 10 x 10 = 100 switches")
    assert lines[1].split() == ["K", "L", "A_m-(K)", "A_d-(L)", "A-(K,L)", "D-(K,L)"]
    assert lines[3].split() == ["6", "3", "2.5758", "2.5600", "2.8388", "6"]
    assert "none with degrees 7-8" in _run("--rows", "10", "--columns", "10", "--degrees", "7-8")


def test_a_diagrid_has_its_own_pairs():
    """14 rows of 7: the same degrees as the grid of 100, by distances along the diagonals."""
    grid, diagrid = (
        json.loads(_run("--rows", "14", "--columns", "7", "--degrees", "4-6", *more, "--json"))
        for more in ((), ("--diagonal",))
    )
    assert diagrid["geometry"] == "diagrid"
    assert [(pair["degree"], pair["length"]) for pair in diagrid["pairs"]] == [(4, 2), (6, 3)]
    assert diagrid["pairs"][1]["diameter_bound"] == 5 < grid["pairs"][-1]["diameter_bound"]


def test_ranges_end_where_the_floor_does():
    """The defaults reach past a small floor; what lies beyond it is not looked at, and a range wholly beyond is refused."""
    pairs = json.loads(_run("--rows", "3", "--columns", "3", "--json"))["pairs"]
    assert pairs
    assert all(pair["degree"] <= 8 and pair["length"] <= 4 for pair in pairs)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--degrees", "9-3"), "--degrees '9-3' is not a range"),
        (("--degrees", "0"), "--degrees '0' is not a range"),
        (("--lengths", "two"), "--lengths 'two' is not a range"),
        (("--degrees", "100-120"), "--degrees begins at 100, and this floor has at most 99"),
        (("--lengths", "19"), "--lengths begins at 19, and this floor has at most 18"),
        (("--rows", "4000", "--columns", "4000"), "take too long; begin --lengths at a larger number"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, message):
    """In one sentence that names the option."""
    with pytest.raises(InputError, match=message):
        _run("--rows", "10", "--columns", "10", *arguments)
