"""Register: records by name, from modules of this package and from other packages; loaded at first use."""

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
        The kind of record, for messages: "engine".
    package : str, optional
        The package whose modules, also those in subpackages, register records when they are imported:
        ``topoloom.routing.engines``. Modules whose names begin with an underscore, and kernels, are not imported.
    group : str, optional
        The group of entry points with which other packages add records: ``topoloom.engines``.
    listed : str, optional
        The command that lists them, for messages: ``topoloom route --help``.
    elsewhere : mapping of str to str, optional
        The package to install, for names that another package of this project registers.

    Notes
    -----
    An entry point names a module (or an object in one) whose import registers records with the same decorators and calls. One
    that cannot be imported is skipped with a warning that names its package.

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
        package: str | None = None,
        group: str | None = None,
        listed: str | None = None,
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        self.entry_kind, self._package, self._group, self._listed = entry_kind, package, group, listed
        self._elsewhere = elsewhere or {}
        self._records: dict[str, T] = {}
        self._aliases: dict[str, str] = {}
        self._origin: dict[str, str] = {}
        self._loaded = False
        self._loading = ""
        self._lock = threading.RLock()

    def add(self, name: str, record: T, *, aliases: tuple[str, ...] = ()) -> None:
        """Add a record.

        Parameters
        ----------
        name : str
            The name that users write.
        record : T
            The record of that name.
        aliases : tuple of str
            Other names of the same record.

        Raises
        ------
        InputError
            Another package's record has the name, or an alias. (A module that is loaded again replaces its records.)
        """
        origin = self._loading or "here"
        for alias in (name, *aliases):
            holder = self._aliases.get(alias, alias)
            if holder in self._records and self._origin[holder] != origin:
                holder_package, new = (self._name_of(place) for place in (self._origin[holder], origin))
                raise InputError(
                    f"the {self.entry_kind} '{alias}' of {new} has the same name as one of {holder_package}; rename it"
                )
        self._records[name], self._origin[name] = record, origin
        self._aliases.update(dict.fromkeys(aliases, name))

    def find(self, name: str) -> T:
        """The record of that name or alias.

        Raises
        ------
        InputError
            The name is unknown; the sentence names the most similar name, all names, or the package to install.
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
        """The origin of a record: ``here``, or the name of the package that added it."""
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

        names = [*sorted(self._records), *self._aliases]
        near = get_close_matches(name[:100], names, 1, 0.5)
        if near:
            return f"did you mean '{near[0]}'?"
        if self._listed is not None and len(names) > 12:
            return f"'{self._listed}' lists them"
        return f"there are {', '.join(names)}" if names else "there are none"

    def _load(self) -> None:
        with self._lock:
            if not self._loaded:
                self._loaded = True
                self._load_all()

    def _load_all(self) -> None:
        if self._package is not None:
            _import_all(self._package)
        if self._group is not None:
            self._load_from_outside(self._group)

    def _load_from_outside(self, group: str) -> None:
        from importlib.metadata import entry_points

        # In order of names, so that the order does not depend on where packages are installed.
        points = [
            (point.dist.name if point.dist is not None else point.value, point) for point in entry_points(group=group)
        ]
        for package, point in sorted(points, key=lambda pair: (pair[0], pair[1].name)):
            self._loading = package
            try:
                point.load()
            except Exception as error:  # an error in another package must not break all commands
                reason = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
                log.warning("package %s adds no %s: %s", package, self.entry_kind, " ".join(reason.split()))
            finally:
                self._loading = ""


def _import_all(name: str) -> None:
    """Import the modules of a package and of the packages in it; kernels are imported by their callers."""
    package = importlib.import_module(name)
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        if module.name.startswith("_") or module.name == "kernels":
            continue
        if module.ispkg:
            _import_all(f"{name}.{module.name}")
        else:
            importlib.import_module(f"{name}.{module.name}")


def _shown(name: object) -> str:
    return f"'{name[:60]}'" if isinstance(name, str) else repr(name)[:60]
