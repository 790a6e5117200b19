"""The report of a comparison: a sentence a network, the networks side by side, and curves."""

from topoloom._version import __version__
from topoloom.core.pages.templating import rendered
from topoloom.designer.assessment.assessment import Assessments
from topoloom.figures.interval_curves import interval_curves_svg
from topoloom.report.assessment_tables import assessment_curves, networks_side_by_side, sentences
from topoloom.report.curve_data import curve_data
from topoloom.report.page import figure, page
from topoloom.report.scripting import CURVES
from topoloom.report.side_by_side import side_by_side


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
