"""What does not fit in memory is refused in one sentence, before anything is begun."""

import pytest

from topoloom import build, route
from topoloom.core.errors import InputError
from topoloom.routing import memory
from topoloom.routing.memory import needed_bytes


def test_tables_that_do_not_fit_are_refused(monkeypatch):
    """The sentence says what is needed, what there is, and what would do."""
    monkeypatch.setattr(memory, "free_bytes", lambda: 1_000_000)
    monkeypatch.setattr(memory, "_SMALL", 0)
    topology = build("jellyfish:n=1200,degree=4")
    with pytest.raises(
        InputError, match=r"engine orders needs about 0\.0 GB of memory, and 0\.0 GB are free; name a folder"
    ):
        route(topology)
    with pytest.raises(InputError, match="use engine updown with a folder for the tables"):
        route(topology, "dfsssp-switches")


def test_turns_of_wide_switches_count():
    """The verifier keeps the virtual channels of every turn: degree squared at each switch, in each thread."""
    topology = build("complete:n=200")
    tables, turns = needed_bytes(topology, 2.0, jobs=1)
    assert tables == 200 * 200 * 3
    assert turns == 8 * 200 * 199 * 199 * 2
    assert needed_bytes(topology, 2.0, jobs=1, in_files=True) == (0.0, turns)


def test_nobody_is_asked_for_small_networks(monkeypatch):
    """Where the system says nothing, or the network is small, nothing is refused."""
    monkeypatch.setattr(memory, "free_bytes", lambda: 0)
    assert route(build("petersen")).verification.complete
    monkeypatch.setattr(memory, "free_bytes", lambda: None)
    monkeypatch.setattr(memory, "_SMALL", 0)
    assert route(build("petersen")).verification.complete


def test_the_memory_that_is_free_is_known_here():
    """On Linux: more than nothing."""
    assert memory.free_bytes() > 0
