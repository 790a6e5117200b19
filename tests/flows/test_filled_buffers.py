"""Flows have no buffers: routers take as long where buffers hold all that waits, and longer where they fill."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from topoloom import build, route


@pytest.mark.exhaustive
def test_flits_are_flows_where_no_buffer_fills():
    """Each host of a Slim Fly to the next: within 0.2 % with 4,096 flits per port, 60 % longer with 64."""
    benchmark = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "flows.py"))
    by_flits = benchmark["_by_flits"]
    routing = route(build("slimfly:q=5,hosts=1"), "orders")
    pairs = [(a, int(b)) for a, b in enumerate((np.arange(50) + 1) % 50)]
    flows = benchmark["_as_flows"](routing, pairs).seconds / benchmark["_CYCLE_S"]
    deep, usual = (by_flits(routing, pairs, 4, 16, buffer_flits=flits) for flits in (4096, 64))
    single = by_flits(routing, pairs, 4, 1, buffer_flits=64, size=1)
    assert deep == pytest.approx(flows, rel=0.002)
    assert usual > 1.5 * flows
    assert single == pytest.approx(usual, rel=0.01)
