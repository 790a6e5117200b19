"""Stuck switches served in place, as in networks too large for trees to be grown again: the laws of tables hold."""

import numpy as np
import pytest

from topoloom.routing.route import route
from topoloom.routing.virtual_channels import order_plan
from topoloom.topologies.spec import build


@pytest.mark.parametrize(
    ("spec", "virtual_channels"),
    [
        ("jellyfish:n=300,degree=6", 2),
        ("jellyfish:n=300,degree=6", 4),
        ("torus:dims=9x9", 2),
        ("dln:n=128,x=2,random=2", 3),
        ("ring:n=70", 2),
        ("hypercube:n=7", 3),
    ],
)
def test_tables_served_in_place_are_whole(spec, virtual_channels, monkeypatch):
    """Every pair arrives, nothing waits in cycles, the virtual channels suffice, and threads change nothing."""
    monkeypatch.setattr(order_plan, "_LARGEST_REGROWN", 0)
    # Networks so small would be tried with shortest paths alone first.
    monkeypatch.setattr(order_plan.OrderPlan, "shortest", lambda *_: None)
    topology = build(spec)
    routing = route(topology, virtual_channels=virtual_channels, jobs=1)
    assert routing.verification.complete
    assert routing.verification.deadlock_free
    assert routing.verification.virtual_channels_used <= virtual_channels
    other = route(topology, virtual_channels=virtual_channels, jobs=3)
    assert (other.ports == routing.ports).all()
    assert (other.virtual_channels == routing.virtual_channels).all()


def test_in_place_is_about_as_short_as_grown_again(monkeypatch):
    """Both are within two hundredths of each other, where many switches are stuck."""
    monkeypatch.setattr(order_plan.OrderPlan, "shortest", lambda *_: None)
    topology = build("jellyfish:n=600,degree=6")
    again = route(topology, virtual_channels=3).verification
    monkeypatch.setattr(order_plan, "_LARGEST_REGROWN", 0)
    in_place = route(topology, virtual_channels=3).verification
    assert again.stretch > 1
    assert in_place.stretch == pytest.approx(again.stretch, abs=0.02)


def test_rejoined_paths_end_where_they_should(monkeypatch):
    """A path walked by hand has as many hops as the verifier's histogram allows, and ends at its destination."""
    monkeypatch.setattr(order_plan, "_LARGEST_REGROWN", 0)
    monkeypatch.setattr(order_plan.OrderPlan, "shortest", lambda *_: None)
    routing = route(build("torus:dims=7x7"), virtual_channels=2)
    hops = np.array([[len(routing.path(s, d)) - 1 for s in range(49)] for d in range(49)])
    assert (np.bincount(hops.ravel())[1:] == routing.verification.histogram[1:]).all()
