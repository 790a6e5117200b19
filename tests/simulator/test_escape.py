"""Packets that escape: what is verified deadlock-free comes to rest, however full the network was."""

import pytest
from msgspec import structs

from topoloom.routing.route import route
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flits.simulate import simulate
from topoloom.topologies.spec import build


@pytest.mark.exhaustive
@pytest.mark.parametrize("flits", [140, 280])
@pytest.mark.parametrize("whole", [True, False], ids=["cut-through", "wormhole"])
def test_a_torus_beyond_saturation_goes_on(flits, whole):
    """Long packets on full rings: a VC that may be chosen is empty or has room for a whole packet, so none waits in it.

    With VCs given to packets that had to wait in them, these networks stood still within 10,000 cycles; the watchdog says so.
    """
    config = structs.replace(find_preset("koibuchi-2013"), buffer_flits=flits, pipeline_cycles=1, cut_through=whole)
    for spec in ("torus:dims=8x8,hosts=8", "torus:dims=6x6,hosts=16"):
        routing = route(build(spec), "duato", virtual_channels=4)
        curve = simulate(routing, preset=config, loads=[0.9], seed=3)
        assert curve.points[0].accepted > 0.01
