"""New switches on the floor: what stands stays, limits hold, and a floor that can grow does."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom import InputError, build, expand, place
from topoloom.cabling.expansion.growing_floor import with_rows
from topoloom.placement.floors.floor import preset

_GROWN = ("jellyfish:n=40,degree=4,hosts=2", 60)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "changes", [{}, {"rows": 2}, {"columns": 3}, {"rows": 4, "columns": 2}, {"hosts_per_rack": 24}], ids=str
)
def test_everything_stays_where_it_is(changes):
    """Names and places of the slots of switches that stand do not change, and no rack holds more than it may."""
    floor = replace(preset("koibuchi-2013"), switches_per_rack=8, **changes)
    spec, to = _GROWN
    plan = expand(build(spec), to, floor=floor)
    before, after = plan.before.layout, plan.layout
    n = before.topology.switches
    assert [before.slots.names[s] for s in before.slot] == [after.slots.names[s] for s in after.slot[:n]]
    assert np.allclose(before.slots.place_m[before.slot], after.slots.place_m[after.slot[:n]])
    assert np.bincount(after.slot).max() <= 8
    assert np.bincount(after.slot, after.topology.endpoints_at).max() <= changes.get("hosts_per_rack", 1e9)
    assert (after.height[:n] == before.height).all()


def test_racks_with_room_are_filled_first():
    """Four racks of 12 with 10 switches each take eight more; only then is a fifth set up."""
    layout = place(build("jellyfish:n=40,degree=4"), replace(preset("koibuchi-2013"), switches_per_rack=12))
    plan = expand(layout, 48)
    assert plan.racks_new == 0
    assert expand(layout, 49).racks_new == 1


def test_a_full_floor_is_told():
    """A floor with given rows and columns does not grow by itself; the sentence says what would do."""
    floor = replace(preset("koibuchi-2013"), rows=2, columns=2)
    layout = place(build("jellyfish:n=64,degree=4"), floor)
    with pytest.raises(
        InputError, match=r"no space for switch 64 .* all 4 slots are full; give a floor with more rows"
    ):
        expand(layout, 65)
    assert expand(with_rows(layout, 3), 65).layout.slots.rows == 3
    with pytest.raises(InputError, match="it has 2 rows"):
        with_rows(layout, 1)


def test_the_floor_gets_no_more_rows_than_it_needs():
    """Rows without a rack are only those that were there."""
    plan = expand(build("torus:dims=8x8"), 72, floor="koibuchi-2013")
    used = plan.layout.used // plan.layout.slots.columns
    assert plan.layout.slots.rows == used.max() + 1
