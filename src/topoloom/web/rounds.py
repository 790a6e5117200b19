"""Rounds of discoveries: what was discovered at one time, one file of the whole network, or one per network or plane."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from topoloom.web.dropped_files import COUNTERS, DISCOVERY

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_PARTS = ("before", "morning", "noon", "afternoon", "evening", "night", "after")
_NUMBERED = re.compile(r"(?:day|week|round)[-_ ]?(\d{1,4})")
_NOT_KNOWN = 10_000


@dataclass
class Round:
    """What was discovered at one time.

    Attributes
    ----------
    name : str
        Its date, or the names of its files.
    numbers : list of int
        Its files.
    counters : list of int
        The files with error counters from then.
    when : tuple
        Its place in time.
    """

    name: str
    numbers: list[int]
    counters: list[int] = field(default_factory=list)
    when: tuple[Any, ...] = ()


def rounds_of(rows: Sequence[dict[str, Any]], *, in_order: bool) -> list[Round]:
    """Rounds in the order of time.

    Parameters
    ----------
    rows : sequence of dict
        Files with ``number``, ``name``, ``kind``, ``date``, ``networks`` and ``planes``.
    in_order : bool
        Whether they are in the order of time; otherwise by dates, then by the names of days and numbers in names.

    Returns
    -------
    list of Round
    """
    discoveries = [row for row in rows if row["kind"] == DISCOVERY]
    dated = all(row["date"] for row in discoveries)
    if not in_order:
        discoveries = sorted(discoveries, key=lambda row: (*_when(row, dated), _natural(row["name"])))
    rounds: list[Round] = []
    held: set[tuple[str, int]] = set()
    for row in discoveries:
        # A network, or a plane of it, is discovered once per round.
        shows = {(network, plane) for network in row["networks"] for plane in row["planes"] or (-1,)}
        when = _when(row, dated)
        new = not rounds or bool(shows & held) or (not in_order and rounds[-1].when[1:] != _day(when))
        if new:
            rounds.append(Round("", [], [], (when, *_day(when))))
            held = set()
        held |= shows
        rounds[-1].numbers.append(row["number"])
    _name(rounds, rows)
    for row in rows:
        if rounds and (row["kind"] == COUNTERS or row.get("counters")):
            _round_of_counters(row, rounds, dated).counters.append(row["number"])
    return rounds


def _name(rounds: Sequence[Round], rows: Sequence[dict[str, Any]]) -> None:
    """Name rounds by their files; where several have the same names, by the folders of the days, or by both."""
    paths = [[PurePath(rows[number]["name"]) for number in each.numbers] for each in rounds]
    named = [
        [tuple(dict.fromkeys(part(path) for path in day)) for day in paths]
        for part in (
            lambda path: path.name,
            lambda path: path.parent.name,
            lambda path: f"{path.parent.name}/{path.name}",
        )
    ]
    distinct = next((names for names in named if len({*names}) == len(names)), named[-1])
    for each, names in zip(rounds, distinct, strict=True):
        each.name = ", ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1} more"


def _round_of_counters(row: dict[str, Any], rounds: Sequence[Round], dated: bool) -> Round:
    """The round with the discovery in the same file, else the last one not after it, else the last one."""
    own = next((each for each in rounds if row["number"] in each.numbers), None)
    when = _when(row, dated)
    if own is not None or (when[1:] == (_NOT_KNOWN, _NOT_KNOWN) and not row["date"]):
        return own or rounds[-1]
    return next((each for each in reversed(rounds) if each.when[0] <= when), rounds[-1])


def _when(row: dict[str, Any], dated: bool) -> tuple[str, int, int]:
    """The place of a file in time: its date, the day and the part of the day in its name."""
    text = row["name"].lower()
    words = re.findall(r"[a-z]+", text)
    numbered = _NUMBERED.findall(text)
    day = int(numbered[-1]) if numbered else _rank(words, [rf"{name}[a-z]*day|{name}" for name in _DAYS])
    return (row["date"] if dated else "", day, _rank(words, _PARTS))


def _rank(words: Sequence[str], names: Sequence[str]) -> int:
    """The number of the first name that is one of the words."""
    return next(
        (number for number, name in enumerate(names) if any(re.fullmatch(name, word) for word in words)), _NOT_KNOWN
    )


def _day(when: tuple[str, int, int]) -> tuple[Any, ...]:
    return when[0][:10], when[1], when[2]


def _natural(name: str) -> list[Any]:
    """A name as a key that sorts numbers by value."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name.lower())]
