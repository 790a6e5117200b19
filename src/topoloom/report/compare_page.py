"""The report of a comparison: the networks side by side, and a sentence each."""

from topoloom._version import __version__
from topoloom.assessment.assessment import Assessments
from topoloom.pages.templating import rendered
from topoloom.report.page import page


def compare_page(found: Assessments) -> str:
    """The whole report as one self-contained HTML page."""
    title = "Networks side by side"
    body = rendered("compare.html", title=title, version=__version__, found=found, table="")
    return page(title, [body])
