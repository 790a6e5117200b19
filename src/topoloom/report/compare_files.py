"""What a comparison leaves in its folder; its report: a sentence a network, the networks side by side, and curves."""

from pathlib import Path

import msgspec

from topoloom._version import __version__
from topoloom.core.folders import write_folder
from topoloom.core.pages.templating import rendered
from topoloom.designer.assessment.assessment import Assessments
from topoloom.figures.interval_curves import interval_curves_svg
from topoloom.report.assessment_tables import assessment_curves, networks_side_by_side, sentences
from topoloom.report.curve_data import curve_data
from topoloom.report.page import figure, page
from topoloom.report.scripting import CURVES
from topoloom.report.shortlist_files import shortlist_files, stale_in
from topoloom.report.side_by_side import side_by_side

#: What the folders of the networks lie in.
NETWORKS = "networks"


def write_comparison(found: Assessments, folder: str | Path, *, everything: bool = False) -> list[Path]:
    """Write the report and a network folder for each network, all of it or nothing; returns what was written.

    Parameters
    ----------
    found : Assessments
    folder : path
        Made if it is not there; the folder around it must be.
    everything : bool
        Whether the networks' folders have files for installers and for other tools, too.

    Returns
    -------
    list of Path

    Raises
    ------
    InputError
        The folder cannot be made or written.
    """
    files = shortlist_files(
        {f"{NETWORKS}/{number}": one for number, one in enumerate(found.networks, 1)}, "compare", everything=everything
    )
    files["compare.json"] = msgspec.json.format(msgspec.json.encode(found.record()), indent=1) + b"\n"
    files["compare.html"] = compare_page(found, NETWORKS)
    return write_folder(folder, files, stale=stale_in(NETWORKS))


def compare_page(found: Assessments, folder: str) -> str:
    """The whole report as one self-contained HTML page.

    Parameters
    ----------
    found : Assessments
    folder : str
        In which the networks' folders lie, beside the page.

    Returns
    -------
    str
        An HTML document that fetches nothing.
    """
    title = "Networks side by side"
    curves = assessment_curves(found.networks)
    body = rendered(
        "compare.html",
        title=title,
        version=__version__,
        late=found.ended != "done",
        told=sentences(found.networks, folder, found.reference),
        table=side_by_side(networks_side_by_side(found.networks)),
        curves=[figure(interval_curves_svg(one), "") for one in curves],
    )
    return page(title, [body], curve_data(curves), CURVES)
