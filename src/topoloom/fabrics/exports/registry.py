"""The register of exports: files for one tool or simulator each, from a fabric and, where it takes them, its tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from topoloom.errors import InputError
from topoloom.fabrics.fabric import Fabric
from topoloom.folders import write_folder
from topoloom.layout.layout import Layout
from topoloom.register import Register
from topoloom.routing.routing import Routing
from topoloom.spec import Parameter, read_settings


@dataclass(frozen=True)
class Order:
    """What is to be written: a fabric, and its tables and layout (None where there are none)."""

    fabric: Fabric
    routing: Routing | None = None
    layout: Layout | None = None

    @property
    def tables(self) -> Routing:
        """The tables, for an export that needs them.

        Raises
        ------
        InputError
            There are none.
        """
        if self.routing is None:
            raise InputError(
                f"{self.fabric.topology.name}: this export needs forwarding tables; topoloom route makes them"
            )
        return self.routing


@dataclass(frozen=True)
class Export:
    """A kind of export.

    Attributes
    ----------
    name, help : str
    tables : bool
        Whether it needs tables.
    make : callable
        Makes its files, name and text, from an `Order` and its options.
    sometimes : tuple of str
        Files that only some exports have; one that an earlier export left is taken away.
    options : dict of Parameter
        What it takes behind its name, as `topoloom.spec` reads it: ``frr:routing=bgp``.
    asked : bool
        Whether it is written only where it is asked for; the folder of a design goes without.
    """

    name: str
    help: str
    tables: bool
    make: Callable[..., dict[str, str]]
    sometimes: tuple[str, ...] = ()
    options: dict[str, Parameter] = field(default_factory=dict)
    asked: bool = False

    @property
    def words(self) -> str:
        """What it writes, and its options with their defaults, for the help."""
        shown = [
            f"{key}=" + ("" if option.default is None else option.write(option.default))
            for key, option in self.options.items()
        ]
        return "; ".join([self.help, *([", ".join(shown)] if shown else [])])


#: Every export by its name.
EXPORTS: Register[Export] = Register("export", room="topoloom.fabrics.exports", group="topoloom.exports")


def export(
    name: str, text: str, *, tables: bool, sometimes: tuple[str, ...] = (), asked: bool = False, **options: Parameter
) -> Callable[[Callable[..., dict[str, str]]], Callable[..., dict[str, str]]]:
    """Register a function of an `Order` and of the options as an export.

    Parameters
    ----------
    name : str
        What ``--export`` calls it.
    text : str
        What it writes and for which tool, in a line of help.
    tables : bool
        Whether it writes a routing's tables, and not the fabric alone.
    sometimes : tuple of str
        Names of files that it writes for some networks only; those of an earlier export are taken away.
    asked : bool
        Whether it is written only where it is asked for, and not into the folder of a design.
    **options : Parameter
        What it takes behind its name.

    Returns
    -------
    callable
        The decorator; it returns the function as it is.
    """

    def register(make: Callable[..., dict[str, str]]) -> Callable[..., dict[str, str]]:
        usual = {key: option.default for key, option in options.items()}
        EXPORTS.add(name, Export(name, text, tables, partial(make, **usual), sometimes, options, asked))
        return make

    return register


def export_named(text: str) -> tuple[Export, dict[str, Any]]:
    """The export that ``NAME`` or ``NAME:key=value,...`` asks for, and its options.

    Raises
    ------
    InputError
        No such export, or options that it does not take.

    Examples
    --------
    >>> export_named("frr:routing=bgp")[1]["routing"]
    'bgp'
    """
    name, _, rest = text.partition(":")
    record = EXPORTS.find(name)
    return record, read_settings(name, record.options, rest)[0]


def write_export(
    name: str, fabric: Fabric, folder: str | Path, routing: Routing | None = None, layout: Layout | None = None
) -> list[str]:
    """Write the files of an export to a folder, which is made when it is not there; their names.

    Parameters
    ----------
    name : str
        The export, by its name in `EXPORTS`; options behind it: ``frr:routing=bgp``.
    fabric : Fabric
        The network with the names, ports and addresses that go into the files.
    folder : path
        Made when it is not there. Files of an earlier export that this one does not write are taken away.
    routing : Routing, optional
        The forwarding tables, for the exports that write them.
    layout : Layout, optional
        Where switches and hosts stand, for the exports that name racks.

    Returns
    -------
    list of str
        The names of the files in `folder`.

    Raises
    ------
    InputError
        No such export or option; what the tool's files cannot say; tables that are needed and not given; a folder that cannot
        be written to. Nothing is written then.
    """
    record, options = export_named(name)
    if record.tables and routing is None:
        raise InputError(f"export {name} writes tables; use topoloom route with --export {name}")
    texts = record.make(Order(fabric, routing, layout), **options)
    write_folder(folder, texts, stale=record.sometimes)
    return list(texts)


def words(names: Sequence[str], what: str) -> list[str]:
    """Names without blanks, which most formats cannot hold: each run of them becomes one ``_``.

    Raises
    ------
    InputError
        Two of them are then the same.
    """
    found = ["_".join(name.split()) for name in names]
    seen: dict[str, str] = {}
    for name, word in zip(names, found, strict=True):
        if word in seen:
            raise InputError(f"two {what} are called {word!a}; their files need different names")
        seen[word] = name
    return found
