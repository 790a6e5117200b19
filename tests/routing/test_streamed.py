"""Tables that are kept in files: the same laws, and a sample that is followed."""

import numpy as np
import pytest

from topoloom.errors import InputError
from topoloom.routing.judge.prove import prove
from topoloom.routing.route import route
from topoloom.spec import build


@pytest.mark.parametrize("name", ["orders", "updown", "minimal"])
def test_tables_in_files_are_whole(name, tmp_path):
    """Every pair arrives by tables read back from the files, as by those that were handed out."""
    topology = build("jellyfish:n=300,degree=6")
    lanes = 3 if name == "orders" else None
    routing = route(topology, name, lanes=lanes, folder=str(tmp_path))
    assert routing.verdict.complete
    ports = np.load(tmp_path / "tables" / "ports.npy")
    assert (ports == routing.ports).all()
    if name != "minimal":
        assert routing.verdict.deadlock_free
        assert (np.load(tmp_path / "tables" / "lanes.npy") == routing.lanes).all()


def test_a_sample_is_a_part_of_the_whole():
    """Following some destinations counts their pairs only, and no more load than following all."""
    routing = route(build("jellyfish:n=200,degree=5"))
    some = prove(routing, destinations=np.array([3, 50, 199]))
    assert (some.pairs, some.reached_pairs) == (3 * 199, 3 * 199)
    assert (some.channel_load <= routing.verdict.channel_load).all()
    assert some.lane_pairs.sum() == 3 * 199
    drawn = route(build("jellyfish:n=200,degree=5"), check=10).verdict
    assert drawn.pairs == 10 * 199


def test_engines_that_keep_tables_in_memory_say_so(tmp_path):
    """And which do not; and orders in files needs a number of lanes."""
    topology = build("jellyfish:n=60,degree=5")
    with pytest.raises(InputError, match="in a folder: minimal, orders, updown"):
        route(topology, "dfsssp", folder=str(tmp_path))
    with pytest.raises(InputError, match="give --lanes 8"):
        route(topology, folder=str(tmp_path))
    with pytest.raises(InputError, match="name a folder for them"):
        route(build("ring:n=40000"))
