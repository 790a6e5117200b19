"""Nakano 2016's floors of about 900 switches: a grid and a diagrid, with K and L to be filled in."""

from topoloom.graph.geometry import Geometry

#: The spec, and the geometry.
FLOORS = {
    "grid": ("grid:rows=30,columns=30,degree={},length={}", Geometry.grid(30, 30)),
    "diagrid": ("diagrid:rows=42,columns=21,degree={},length={}", Geometry.diagrid(42, 21)),
}
#: What Nakano 2016 tried.
LENGTHS, DEGREES = range(2, 17), range(3, 17)


def room(floor: str, length: int) -> int:
    """The most links that every switch can have: the switches within `length` of the loneliest one, a corner."""
    return int(FLOORS[floor][1].points_within(length)[:, 1].min()) - 1


def spec(floor: str, k: int, length: int) -> str:
    """With as many links as a corner has room for, where that is fewer than `k`: the other ports stay open."""
    return FLOORS[floor][0].format(min(k, room(floor, length)), length)
