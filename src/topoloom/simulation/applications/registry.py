"""The register of applications, one function per application: ``alltoall:bytes=65536``, ``cg:class=A``."""

import keyword
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from topoloom.core.errors import check_made
from topoloom.core.register import Register
from topoloom.simulation.applications.program import Program
from topoloom.topologies.spec import Parameter, read_settings


@dataclass(frozen=True)
class Application:
    """An application: its parameters, and a function that returns its program for a number of ranks.

    Attributes
    ----------
    name : str
    make : callable
    parameters : dict of str to Parameter
    description, source : str
    sized : bool
        Whether its file determines the number of ranks; `make` then gets 0.
    """

    name: str
    make: Callable[..., Program]
    parameters: dict[str, Parameter]
    description: str
    source: str
    sized: bool = False


#: Every application by its name; other packages add theirs by entry points of the group ``topoloom.applications``.
APPLICATIONS: Register[Application] = Register(
    "application",
    package="topoloom.simulation.applications.catalogue",
    group="topoloom.applications",
    listed="topoloom app --help",
)


def application(
    name: str, description: str, *, source: str = "", **parameters: Parameter
) -> Callable[[Callable[..., Program]], Callable[..., Program]]:
    """Return a decorator that registers a function which makes a program from a number of ranks and its parameters.

    Parameters
    ----------
    name : str
        The name, in lower case.
    description : str
        One line for the help.
    source : str
        The paper and section that define it.
    **parameters : Parameter
        Its parameters; one whose name is a keyword of Python (``class``) is passed to the function with an underscore
        appended.

    Returns
    -------
    callable
        The decorator; it returns the function unchanged.

    Raises
    ------
    InputError
        The name is already registered.
    """

    def register(make: Callable[..., Program]) -> Callable[..., Program]:
        named = {key.rstrip("_"): value for key, value in parameters.items()}
        APPLICATIONS.add(name, Application(name, make, named, description, source))
        return make

    return register


def program_of(text: str, ranks: int) -> Program:
    """Return the program that ``name:key=value,...`` describes, for a number of ranks.

    Raises
    ------
    InputError
        An unknown application or parameter, or a number of ranks that the application refuses.
    """
    name, _, settings = text.strip().partition(":")
    record = APPLICATIONS.find(name.lower())
    values, _ = read_settings(record.name, record.parameters, settings)
    program = record.make(ranks, **{_argument(key): value for key, value in values.items()})
    check_made(program, get_args(Program), f"application {record.name}", "a program, such as Source or RankTraces")
    return program


def opened(app: str | Program) -> str | Program:
    """Return the program, where a file determines its ranks; else `app` unchanged.

    Raises
    ------
    InputError
        As for `program_of`.
    """
    if not isinstance(app, str):
        return app
    name = app.strip().partition(":")[0].lower()
    return program_of(app, 0) if APPLICATIONS.find(name).sized else app


def _argument(key: str) -> str:
    return f"{key}_" if keyword.iskeyword(key) else key
