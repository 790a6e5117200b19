"""Nakano 2016's floors of about 900 switches: a grid and a diagrid, with placeholders for K and L."""

from topoloom.graph.geometry import Geometry

#: Spec and geometry of each floor.
FLOORS = {
    "grid": ("grid:rows=30,columns=30,degree={},length={}", Geometry.grid(30, 30)),
    "diagrid": ("diagrid:rows=42,columns=21,degree={},length={}", Geometry.diagrid(42, 21)),
}
#: The values of L and K in Nakano 2016.
LENGTHS, DEGREES = range(2, 17), range(3, 17)


def most_links(floor: str, length: int) -> int:
    """The most links that every switch can have: the number of switches within `length` of a corner."""
    return int(FLOORS[floor][1].points_within(length)[:, 1].min()) - 1


def spec(floor: str, k: int, length: int) -> str:
    """The spec for `k` links per switch, or for `most_links` if that is fewer: the other ports stay open."""
    return FLOORS[floor][0].format(min(k, most_links(floor, length)), length)
