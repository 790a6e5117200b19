"""Drawing a study to a file: curves, a map, or a table of winners; the file's name selects the format."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.figures.files import check_figure_name, save_figure
from topoloom.figures.heat_map import draw_heat_map
from topoloom.figures.panels import panels
from topoloom.figures.print_formats import StyleName, WidthName
from topoloom.figures.style import Figure, printed, sheet
from topoloom.studies.export import rows_csv
from topoloom.studies.picture_settings import Kind
from topoloom.studies.results import StudyResults
from topoloom.studies.series import curves_of, heat_of
from topoloom.studies.winners import winners_of


def draw_study(
    results: StudyResults,
    path: str | Path,
    *,
    kind: Kind = "lines",
    x: str | None = None,
    y: str | None = None,
    by: Sequence[str] | None = None,
    each: str | None = None,
    value: str | None = None,
    of: str | None = None,
    most: bool = False,
    where: str | Sequence[str] | None = None,
    log: str = "",
    x_label: str | None = None,
    y_label: str | None = None,
    style: StyleName | None = None,
    width: WidthName | None = None,
    outlines: bool = False,
) -> None:
    """Write a picture of a study.

    Parameters
    ----------
    results : StudyResults
    path : path
        .svg, .png, .pdf or .pgf; .csv for a table of winners.
    kind : "lines", "heat" or "winners"
    x, y, by, each, where, log
        As in `curves_of`; for a map, x and y are axes.
    value : str, optional
        The measure of a map, or of winners.
    of : str, optional
        The axis whose values compete for winning.
    most : bool
        Whether the most wins, instead of the least.
    x_label, y_label : str, optional
        The texts of the axes, with units; by their columns when omitted.
    style, width
        For print, as in `plot` of a result.
    outlines : bool
        Whether text in .svg is drawn as outlines, which need no font.

    Raises
    ------
    InputError
        As in `curves_of`, `heat_of`, `winners_of` and `save_figure`.
    """
    suffix = Path(path).suffix
    labels = {name: label for name, label in (("x", x_label), ("y", y_label)) if label is not None}
    if kind == "winners":
        if labels:
            raise InputError("x_label and y_label: a table of winners has no axes; omit them")
        if of is None:
            raise InputError("winners: name the axis whose values compete, as in of=topology")
        if suffix != ".csv":
            raise InputError(f"{path}: end the name of a table of winners in .csv")
        write_atomically(path, rows_csv(winners_of(results, of, value or y, most=most, where=where)))
        return
    check_figure_name(path)

    def made() -> "Figure":
        if kind == "lines":
            curves = curves_of(results, x, y, by, each, where, log)
            return panels([structs.replace(panel, **labels) for panel in curves], results.title)
        heat = structs.replace(heat_of(results, x, y, value, where), **labels)
        figure = sheet(1.2 + 0.8 * max(5, len(heat.across)), 1.4 + 0.45 * max(4, len(heat.up)))
        draw_heat_map(figure.add_subplot(), heat)
        return figure

    save_figure(printed(made, style, width), path, outlines=outlines)
