"""The templates of all pages: one environment, in which every text is escaped unless it is marked as HTML."""

from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("topoloom.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def rendered(template: str, **values: Any) -> Markup:
    """A template of ``pages/templates`` filled in, as HTML.

    Parameters
    ----------
    template : str
        The file's name.
    **values
        By the template's names; texts are escaped, `markupsafe.Markup` is HTML already.

    Returns
    -------
    Markup
        HTML that other templates take as it is.
    """
    return Markup(_environment().get_template(template).render(**values).removesuffix("\n"))


def framed(title: str, style: str, body: Markup) -> str:
    """A whole page: no script, nothing fetched.

    Parameters
    ----------
    title : str
    style : str
        CSS of topoloom's own.
    body : Markup
        HTML.

    Returns
    -------
    str
        An HTML document.
    """
    return str(rendered("page.html", title=title, style=Markup(style), body=body)) + "\n"
