"""The register of applications: ``alltoall:bytes=65536``, ``cg:class=A``, a function each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from topoloom.applications.program import Program
from topoloom.errors import InputError, hint
from topoloom.modules import load_modules
from topoloom.spec import Parameter, read_settings


@dataclass(frozen=True)
class Application:
    """An application: its parameters, and the program that so many ranks run."""

    name: str
    make: Callable[..., Program]
    parameters: dict[str, Parameter]
    description: str
    source: str


_applications: dict[str, Application] = {}


def application(
    name: str, description: str, *, source: str = "", **parameters: Parameter
) -> Callable[[Callable[..., Program]], Callable[..., Program]]:
    """Register the decorated function, which makes a program from a number of ranks and its parameters.

    A parameter whose name is a word of Python (``class``) is given to the function with an underscore behind it.
    """

    def register(make: Callable[..., Program]) -> Callable[..., Program]:
        named = {key.rstrip("_"): value for key, value in parameters.items()}
        _applications[name] = Application(name, make, named, description, source)
        return make

    return register


def applications() -> dict[str, Application]:
    """Every application by its name."""
    load_modules("topoloom.applications.catalogue")
    return dict(sorted(_applications.items()))


def program_of(text: str, ranks: int) -> Program:
    """The program that ``name:key=value,...`` names, for so many ranks.

    Raises
    ------
    InputError
        No such application, parameters that it does not take, or a number of ranks that it refuses.
    """
    name, _, settings = text.strip().partition(":")
    known = applications()
    if name.lower() not in known:
        raise InputError(f"no application '{name[:60]}'; {hint(name.lower(), known)}")
    found = known[name.lower()]
    values, _ = read_settings(found.name, found.parameters, settings)
    return found.make(ranks, **{_argument(key): value for key, value in values.items()})


def _argument(key: str) -> Any:
    import keyword

    return f"{key}_" if keyword.iskeyword(key) else key
