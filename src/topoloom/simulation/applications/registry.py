"""The register of applications: ``alltoall:bytes=65536``, ``cg:class=A``, a function each."""

import keyword
from collections.abc import Callable
from dataclasses import dataclass

from topoloom.core.register import Register
from topoloom.simulation.applications.program import Program
from topoloom.topologies.spec import Parameter, read_settings


@dataclass(frozen=True)
class Application:
    """An application: its parameters, and the program that so many ranks run.

    Attributes
    ----------
    name : str
    make : callable
    parameters : dict of str to Parameter
    description, source : str
    sized : bool
        Whether its file says how many ranks there are; `make` is given 0 then.
    """

    name: str
    make: Callable[..., Program]
    parameters: dict[str, Parameter]
    description: str
    source: str
    sized: bool = False


#: Every application by its name; packages from outside add theirs by the entry points ``topoloom.applications``.
APPLICATIONS: Register[Application] = Register(
    "application",
    package="topoloom.simulation.applications.catalogue",
    group="topoloom.applications",
    listed="topoloom app --help",
)


def application(
    name: str, description: str, *, source: str = "", **parameters: Parameter
) -> Callable[[Callable[..., Program]], Callable[..., Program]]:
    """Register the decorated function, which makes a program from a number of ranks and its parameters.

    Parameters
    ----------
    name : str
        In lower case.
    description : str
        One line for the help.
    source : str
        Paper and section that it follows.
    **parameters : Parameter
        What it can be given; one whose name is a word of Python (``class``) is given to the function with an underscore
        behind it.

    Returns
    -------
    callable
        The decorator; it returns the function as it is.

    Raises
    ------
    InputError
        Another package has registered the name.
    """

    def register(make: Callable[..., Program]) -> Callable[..., Program]:
        named = {key.rstrip("_"): value for key, value in parameters.items()}
        APPLICATIONS.add(name, Application(name, make, named, description, source))
        return make

    return register


def program_of(text: str, ranks: int) -> Program:
    """The program that ``name:key=value,...`` names, for so many ranks.

    Raises
    ------
    InputError
        No such application, parameters that it does not take, or a number of ranks that it refuses.
    """
    name, _, settings = text.strip().partition(":")
    found = APPLICATIONS.find(name.lower())
    values, _ = read_settings(found.name, found.parameters, settings)
    return found.make(ranks, **{_argument(key): value for key, value in values.items()})


def opened(app: str | Program) -> str | Program:
    """The program, where a file says how many ranks it has; else what was given.

    Raises
    ------
    InputError
        As `program_of`.
    """
    if not isinstance(app, str):
        return app
    name = app.strip().partition(":")[0].lower()
    return program_of(app, 0) if APPLICATIONS.find(name).sized else app


def _argument(key: str) -> str:
    return f"{key}_" if keyword.iskeyword(key) else key
