"""The templates of all pages: one environment per package, in which every text is escaped unless it is marked as HTML."""

from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment(package: str) -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def rendered(template: str, package: str = "topoloom.core.pages", /, **values: Any) -> Markup:
    """Fill in a template, and return the HTML.

    Parameters
    ----------
    template : str
        The file's name.
    package : str
        The package with the folder ``templates`` that holds it.
    **values
        The template's variables; texts are escaped, `markupsafe.Markup` is taken as HTML.

    Returns
    -------
    Markup
        HTML that other templates include unchanged.
    """
    return Markup(_environment(package).get_template(template).render(**values).removesuffix("\n"))


def framed(title: str, style: str, body: Markup, data: Markup | str = "", code: str = "", policy: str = "") -> str:
    """A complete page that fetches nothing and has no script but `code`.

    Parameters
    ----------
    title : str
    style : str
        CSS of the page.
    body : Markup
        HTML.
    data : Markup
        JSON data for the script.
    code : str
        The page's script.
    policy : str
        The Content-Security-Policy; without one the page has neither data nor code.

    Returns
    -------
    str
        An HTML document.
    """
    parts = {"style": Markup(style), "body": body, "data": data, "code": Markup(code), "policy": policy}
    return str(rendered("page.html", title=title, **parts)) + "\n"
