"""A file of figures: which pictures of which studies a paper has, so that its Makefile calls one command."""

from pathlib import Path
from typing import Annotated

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.core.toml_files import read_toml
from topoloom.figures.print_formats import StyleName, WidthName, print_format
from topoloom.studies.picture_settings import PictureSettings
from topoloom.studies.pictures import draw_study
from topoloom.studies.results import StudyResults
from topoloom.studies.run import open_study


class FigureTable(PictureSettings, frozen=True, kw_only=True):
    """A figure: the file that is written, and the arguments of `draw_study`."""

    file: Annotated[str, setting("the picture, relative to the folder of the file of figures")]
    study: Annotated[str, setting("the study, relative to it, too; that of the whole file if omitted")] | None = None
    style: Annotated[StyleName, setting("as --style of topoloom study plot")] | None = None
    width: Annotated[WidthName, setting("as --width")] | None = None
    outlines: Annotated[bool, setting("as --outlines")] = False


class FigureFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The figures of a paper; `study`, `style` and `width` are those of every figure without its own."""

    figure: tuple[FigureTable, ...]
    study: str | None = None
    style: StyleName | None = None
    width: WidthName | None = None


def draw_figures(path: str | Path) -> list[Path]:
    """Draw every figure of a TOML file; names of studies and of figures are relative to its folder.

    Parameters
    ----------
    path : path
        TOML: ``[[figure]]`` with `file`, `study`, and the arguments of `draw_study`.

    Returns
    -------
    list of Path
        The files, in the order of the figures.

    Raises
    ------
    InputError
        The file cannot be read, has an unknown key or two figures of one name; or a figure cannot be drawn:
        ``FILE: figure NAME: reason``. Figures before it are written.
    """
    source, figures = Path(path), read_figures(path)
    studies: dict[str, StudyResults] = {}
    drawn = []
    for each in figures.figure:
        try:
            drawn.append(_draw(each, figures, source.parent, studies))
        except InputError as error:
            raise InputError(f"{path}: figure {each.file}: {error}") from None
    return drawn


def read_figures(path: str | Path) -> FigureFile:
    """The figures that a TOML file lists, without drawing them.

    Parameters
    ----------
    path : path

    Returns
    -------
    FigureFile

    Raises
    ------
    InputError
        The file cannot be read, has an unknown key, no figure, or two figures of one name.
    """
    figures = read_toml(path, FigureFile)
    if not figures.figure:
        raise InputError(f"{path}: no figure; add [[figure]] with file, study, x and y")
    names = [each.file for each in figures.figure]
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        raise InputError(f"{path}: two figures are written to {double}; give each its own file")
    return figures


def _draw(each: FigureTable, figures: FigureFile, folder: Path, studies: dict[str, StudyResults]) -> Path:
    study = each.study or figures.study
    if study is None:
        raise InputError("study is missing: name the folder of a study, here or at the top of the file")
    style, width = each.style or figures.style, each.width or figures.width
    print_format(style, width)
    if study not in studies:
        studies[study] = open_study(folder / study)
    target = folder / each.file
    winners = each.kind == "winners"
    draw_study(
        studies[study],
        target,
        **each.arguments,
        style=None if winners else style,
        width=None if winners else width,
        outlines=each.outlines,
    )
    return target
