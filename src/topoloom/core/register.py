"""Register: things by name, from this package's rooms and from other packages; found when they are first asked for."""

import importlib
import logging
import pkgutil
import threading
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from topoloom.core.errors import InputError

log = logging.getLogger("topoloom")

T = TypeVar("T")


class Register(Generic[T], Mapping[str, T]):
    """A mapping from names to records, in alphabetical order.

    Parameters
    ----------
    entry_kind : str
        What one of them is called in messages: "engine".
    room : str, optional
        The package whose modules, and those of its packages, register themselves when they are imported:
        ``topoloom.routing.engines``. Modules with an underscore in front, and kernels, are omitted.
    group : str, optional
        The group of entry points by which other packages add to it: ``topoloom.engines``.
    listed : str, optional
        The command that lists them, for messages: ``topoloom route --help``.
    elsewhere : mapping of str to str, optional
        The package to install, for names that another package of this project registers.

    Notes
    -----
    An entry point names a module (or an object in one) whose import registers something, by the same decorators and calls
    as here. One that cannot be imported is passed over with a warning that names its package.

    Examples
    --------
    >>> colours: Register[int] = Register("colour")
    >>> colours.add("red", 1, aliases=("crimson",))
    >>> colours.find("crimson"), list(colours)
    (1, ['red'])
    >>> colours.find("rad")
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: no colour named 'rad' (did you mean 'red'?)
    """

    def __init__(
        self,
        entry_kind: str,
        *,
        room: str | None = None,
        group: str | None = None,
        listed: str | None = None,
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        self.entry_kind, self._room, self._group, self._listed = entry_kind, room, group, listed
        self._elsewhere = elsewhere or {}
        self._records: dict[str, T] = {}
        self._aliases: dict[str, str] = {}
        self._origin: dict[str, str] = {}
        self._loaded = False
        self._loading = ""
        self._lock = threading.RLock()

    def add(self, name: str, record: T, *, aliases: tuple[str, ...] = ()) -> None:
        """Put a record in.

        Parameters
        ----------
        name : str
            What users call it.
        record : T
            What is found under the name.
        aliases : tuple of str
            Other names of the same record.

        Raises
        ------
        InputError
            The name, or an alias, is taken by another package's record. (A module that is loaded again replaces its own.)
        """
        origin = self._loading or "here"
        for one in (name, *aliases):
            holder = self._aliases.get(one, one)
            if holder in self._records and self._origin[holder] != origin:
                known, new = (self._name_of(place) for place in (self._origin[holder], origin))
                raise InputError(
                    f"the {self.entry_kind} '{one}' of {new} has the name of one that {known} has; rename it"
                )
        self._records[name], self._origin[name] = record, origin
        self._aliases.update(dict.fromkeys(aliases, name))

    def find(self, name: str) -> T:
        """The record of that name or alias.

        Raises
        ------
        InputError
            There is none; the sentence names the nearest, all there are, or the package to install.
        """
        self._load()
        record = self._records.get(self._aliases.get(name, name)) if isinstance(name, str) else None
        if record is None:
            if name in self._elsewhere:
                package = self._elsewhere[name]
                raise InputError(f"{name}: install {package}, which has this {self.entry_kind} (pip install {package})")
            raise InputError(f"no {self.entry_kind} named {_shown(name)} ({self._hint(str(name))})")
        return record

    def origin(self, name: str) -> str:
        """Where it comes from: ``here``, or the name of the package that brought it."""
        self._load()
        return self._origin[name]

    def __getitem__(self, name: str) -> T:
        self._load()
        return self._records[self._aliases.get(name, name)]

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(sorted(self._records))

    def __len__(self) -> int:
        self._load()
        return len(self._records)

    @property
    def aliases(self) -> Mapping[str, str]:
        """The name behind every alias."""
        self._load()
        return dict(self._aliases)

    @staticmethod
    def _name_of(origin: str) -> str:
        return "topoloom" if origin == "here" else f"package {origin}"

    def _hint(self, name: str) -> str:
        from difflib import get_close_matches

        known = [*sorted(self._records), *self._aliases]
        near = get_close_matches(name[:100], known, 1, 0.5)
        if near:
            return f"did you mean '{near[0]}'?"
        if self._listed is not None and len(known) > 12:
            return f"'{self._listed}' lists them"
        return f"there are {', '.join(known)}" if known else "there are none"

    def _load(self) -> None:
        with self._lock:
            if not self._loaded:
                self._loaded = True
                self._load_all()

    def _load_all(self) -> None:
        if self._room is not None:
            _import_all(self._room)
        if self._group is not None:
            self._load_from_outside(self._group)

    def _load_from_outside(self, group: str) -> None:
        from importlib.metadata import entry_points

        # By name, so that it does not depend on where a package is installed who comes first.
        found = [
            (point.dist.name if point.dist is not None else point.value, point) for point in entry_points(group=group)
        ]
        for package, point in sorted(found, key=lambda one: (one[0], one[1].name)):
            self._loading = package
            try:
                point.load()
            except Exception as error:  # whatever a stranger's module raises must not take every command with it
                reason = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
                log.warning("package %s adds no %s: %s", package, self.entry_kind, " ".join(reason.split()))
            finally:
                self._loading = ""


def _import_all(room: str) -> None:
    """Import the modules of a package and of the packages in it; kernels are left to those who call them."""
    package = importlib.import_module(room)
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        if module.name.startswith("_") or module.name == "kernels":
            continue
        if module.ispkg:
            _import_all(f"{room}.{module.name}")
        else:
            importlib.import_module(f"{room}.{module.name}")


def _shown(name: object) -> str:
    return f"'{name[:60]}'" if isinstance(name, str) else repr(name)[:60]
