"""The room of pictures: it knows no results, and draws on the axes it is given."""

import ast
from pathlib import Path

import topoloom.figures
from topoloom.figures.style import axes_of, png_bytes, sheet, svg_text

ROOM = Path(topoloom.figures.__file__).parent


def test_pictures_load_no_results():
    """Drawing imports nothing of the product but itself, errors, files, numbers as text, and what keeps code of the current
    folder out: a result of any package can call it."""
    files = list(ROOM.glob("*.py"))
    assert files
    for path in files:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("topoloom."):
                allowed = (
                    "topoloom.figures.",
                    "topoloom.core.amounts",
                    "topoloom.core.errors",
                    "topoloom.core.files",
                    "topoloom.core.surroundings",
                )
                assert node.module.startswith(allowed), f"{path.name}: {node.module}"


def test_given_axes_are_drawn_on_and_kept():
    """`axes_of` gives back what it is given, and axes of a new figure otherwise."""
    axes = sheet(4, 3).add_subplot()
    assert axes_of(axes) is axes
    assert axes_of(None).figure.get_size_inches().tolist() == [8.6, 4.6]


def test_a_picture_is_the_same_every_time():
    """No date and no random id in SVG and PNG."""

    def drawn():
        axes = axes_of(None)
        axes.plot([1.0, 2.0], [1.0, 2.0], label="a b")
        return axes.figure

    assert svg_text(drawn()) == svg_text(drawn())
    assert png_bytes(drawn()) == png_bytes(drawn())
