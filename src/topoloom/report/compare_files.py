"""The files of a comparison, and its report: the reasons, the networks side by side, and curves."""

from pathlib import Path

from topoloom._version import __version__
from topoloom.core.folders import write_folder
from topoloom.core.json_files import indented_json
from topoloom.core.pages.templating import rendered
from topoloom.designer.assessment.assessment import Assessments
from topoloom.figures.interval_curves import interval_curves_svg
from topoloom.report.assessment_tables import assessment_curves, networks_side_by_side, sentences
from topoloom.report.curve_data import curve_data
from topoloom.report.page import figure, page
from topoloom.report.scripting import CURVES
from topoloom.report.shortlist_files import shortlist_files, stale_in
from topoloom.report.side_by_side import side_by_side

#: The folder that contains the networks' folders.
NETWORKS = "networks"


def write_comparison(comparison: Assessments, folder: str | Path, *, everything: bool = False) -> list[Path]:
    """Write the report and one folder per network, all files or none, and return the paths.

    Parameters
    ----------
    comparison : Assessments
    folder : path
        Created if it does not exist; its parent folder must exist.
    everything : bool
        Whether the networks' folders also contain the files for installers and for other tools.

    Returns
    -------
    list of Path

    Raises
    ------
    InputError
        The folder cannot be made or written.
    """
    files = shortlist_files(
        {f"{NETWORKS}/{number}": network for number, network in enumerate(comparison.networks, 1)},
        "compare",
        everything=everything,
    )
    files["compare.json"] = indented_json(comparison.record())
    files["compare.html"] = compare_page(comparison, NETWORKS)
    return write_folder(folder, files, stale=stale_in(NETWORKS))


def compare_page(comparison: Assessments, folder: str) -> str:
    """The report as one self-contained HTML page.

    Parameters
    ----------
    comparison : Assessments
    folder : str
        The folder next to the page in which the networks' folders are.

    Returns
    -------
    str
        An HTML document that fetches nothing.
    """
    title = "Networks side by side"
    curves = assessment_curves(comparison.networks)
    body = rendered(
        "compare.html",
        title=title,
        version=__version__,
        late=comparison.ended != "done",
        reasons=sentences(comparison.networks, folder, comparison.reference),
        table=side_by_side(networks_side_by_side(comparison.networks)),
        curves=[figure(interval_curves_svg(curve), "") for curve in curves],
    )
    return page(title, [body], curve_data(curves), CURVES)
