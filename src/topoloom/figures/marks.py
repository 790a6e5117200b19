"""Colours and marks of series: each is distinct by colour and by mark, and pictures and pages use the same ones."""

from collections.abc import Callable, Sequence
from math import cos, pi, sin
from typing import TYPE_CHECKING, NamedTuple

from topoloom.figures.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.path import Path

#: The corners of a polygon within a square from -1 to 1, y upwards.
Outline = tuple[tuple[float, float], ...]


class Look(NamedTuple):
    """The look of a series: its colour, and the name of its mark in `MARKS`."""

    colour: str
    mark: str


def _turned(corners: int, start: float = 90.0, radii: Sequence[float] = (1.0,)) -> Outline:
    """Corners around the middle, the first at `start` degrees; the radii are used in turn."""
    angles = [pi * start / 180 + 2 * pi * number / corners for number in range(corners)]
    return tuple(
        (radii[number % len(radii)] * cos(angle), radii[number % len(radii)] * sin(angle))
        for number, angle in enumerate(angles)
    )


def _box(wide: float, high: float) -> Outline:
    return ((-wide, -high), (wide, -high), (wide, high), (-wide, high))


def _scaled(outline: Outline, scale: float) -> Outline:
    return tuple((scale * x, scale * y) for x, y in outline)


_PLUS: Outline = (
    *((-0.34, -1.0), (0.34, -1.0), (0.34, -0.34), (1.0, -0.34), (1.0, 0.34), (0.34, 0.34)),
    *((0.34, 1.0), (-0.34, 1.0), (-0.34, 0.34), (-1.0, 0.34), (-1.0, -0.34), (-0.34, -0.34)),
)
_CROSS: Outline = tuple(((x - y) * 0.72, (x + y) * 0.72) for x, y in _PLUS)
_HALF: Outline = tuple((cos(pi * step / 12) * 1.1, sin(pi * step / 12) * 1.1 - 0.5) for step in range(13))
_CHEVRON: Outline = ((-1.0, -0.7), (0.0, 0.15), (1.0, -0.7), (1.0, 0.1), (0.0, 0.95), (-1.0, 0.1))
_ARROW: Outline = (*((-1.0, -0.3), (0.1, -0.3), (0.1, -0.9), (1.0, 0.0)), *((0.1, 0.9), (0.1, 0.3), (-1.0, 0.3)))
_PARALLELOGRAM: Outline = ((-1.05, -0.65), (0.35, -0.65), (1.05, 0.65), (-0.35, 0.65))


def _rotated(outline: Outline) -> Outline:
    """The outline turned by 90 degrees counterclockwise."""
    return tuple((-y, x) for x, y in outline)


def _flipped(outline: Outline) -> Outline:
    return tuple((-x, -y) for x, y in outline)


_UP = _scaled(_turned(3), 1.15)
_HOURGLASS: Outline = ((-0.9, -1.0), (0.9, -1.0), (-0.9, 1.0), (0.9, 1.0))

#: Marks by name, simplest first.
MARKS: dict[str, Outline] = {
    "disc": _turned(24),
    "square": _box(0.86, 0.86),
    "up": _UP,
    "diamond": _scaled(_turned(4), 1.15),
    "down": _flipped(_UP),
    "plus": _PLUS,
    "star": _scaled(_turned(10, 90.0, (1.0, 0.42)), 1.2),
    "left": _rotated(_UP),
    "cross": _CROSS,
    "hourglass": _HOURGLASS,
    "right": _flipped(_rotated(_UP)),
    "tall": _box(0.42, 1.1),
    "bowtie": _rotated(_HOURGLASS),
    "half": _HALF,
    "spark": _scaled(_turned(8, 90.0, (1.0, 0.34)), 1.25),
    "wide": _box(1.1, 0.42),
    "chevron": _CHEVRON,
    "arrow": _ARROW,
    "bowl": _flipped(_HALF),
    "slant": _PARALLELOGRAM,
    "valley": _flipped(_CHEVRON),
}


def looks(names: Sequence[str]) -> dict[str, Look]:
    """A look for each name, in their order: the first 21 have distinct marks, and 168 have distinct looks.

    Examples
    --------
    >>> [look.mark for look in looks(["slimfly", "fat-tree"]).values()]
    ['disc', 'square']
    """
    shapes = list(MARKS)
    return {
        name: Look(COLOURS[number % len(COLOURS)], shapes[number % len(shapes)])
        for number, name in enumerate(dict.fromkeys(names))
    }


def marker(mark: str) -> "Path":
    """A mark as a path of matplotlib."""
    from matplotlib.path import Path

    outline = MARKS[mark]
    return Path([*outline, outline[0]], closed=True)


def svg_path(mark: str) -> str:
    """A mark as the ``d`` of an SVG path around 0, 0, y downwards, from -1 to 1.

    Examples
    --------
    >>> svg_path("wide")
    'M-1.1 0.42L1.1 0.42L1.1 -0.42L-1.1 -0.42Z'
    """
    write: Callable[[float], str] = "{:.3g}".format
    return "M" + "L".join(f"{write(x)} {write(-y)}" for x, y in MARKS[mark]) + "Z"
