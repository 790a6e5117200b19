"""The templates of all pages: one environment per package, which escapes every text unless it is marked as HTML."""

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
    """A template filled in, as HTML.

    Parameters
    ----------
    template : str
        The file's name.
    package : str
        The package with the folder ``templates`` that holds it.
    **values
        Values by their names in the template; texts are escaped, `markupsafe.Markup` is inserted as HTML.

    Returns
    -------
    Markup
        HTML that other templates insert unescaped.
    """
    return Markup(_environment(package).get_template(template).render(**values).removesuffix("\n"))


def framed(title: str, style: str, body: Markup, data: Markup | str = "", code: str = "", policy: str = "") -> str:
    """A complete page that fetches nothing and has no script except `code`.

    Parameters
    ----------
    title : str
    style : str
        CSS from topoloom, not escaped.
    body : Markup
        HTML.
    data : Markup
        A block of JSON for the script.
    code : str
        JavaScript from topoloom, not escaped.
    policy : str
        The Content-Security-Policy; a page without one has neither data nor code.

    Returns
    -------
    str
        An HTML document.
    """
    parts = {"style": Markup(style), "body": body, "data": data, "code": Markup(code), "policy": policy}
    return str(rendered("page.html", title=title, **parts)) + "\n"
