"""The base of results: each has a plain record, a table, a picture, a file and its provenance."""

import math
import os
from collections.abc import Mapping
from dataclasses import MISSING
from html import escape
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from topoloom._version import __version__
from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text, write_atomically
from topoloom.core.former_keys import with_current_keys
from topoloom.core.json_files import indented_json, parse_json
from topoloom.core.program import commit
from topoloom.model.directed import DirectedTopology
from topoloom.model.topology import Topology

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from topoloom.figures.print_formats import StyleName, WidthName

#: Most characters of a record; layouts and tables are saved as folders.
_MOST_CHARACTERS = 1 << 30


class Provenance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """The origin of a result. Comparisons of two results ignore it.

    Attributes
    ----------
    name : str
        The network's name, for people.
    spec : str or None
        Builds the same network again; None for a network from a file.
    digest : str
        SHA-256 of the network's content; empty for a result of several networks or of none.
    engine : str
        The routing engine of the tables; empty without tables.
    seed : int or None
    version : str
        The version of topoloom.
    commit : str
        The commit of topoloom, with a ``+`` for uncommitted changes; records omit it where it is unknown.
    settings : dict
        All other inputs that determine the result, by name.
    timings : dict of str to float
        Seconds, and rates per second: the only numbers that differ between equal runs.
    """

    name: str = ""
    spec: str | None = None
    digest: str = ""
    engine: str = ""
    seed: int | None = None
    version: str = __version__
    commit: str | msgspec.UnsetType = msgspec.UNSET
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    timings: dict[str, float] = msgspec.field(default_factory=dict)

    @classmethod
    def of_run(
        cls,
        *,
        name: str = "",
        spec: str | None = None,
        digest: str = "",
        engine: str = "",
        seed: int | None = None,
        settings: Mapping[str, Any] | None = None,
        timings: Mapping[str, float] | None = None,
    ) -> Self:
        """The provenance of a result of the running program, with its commit.

        Parameters
        ----------
        name, spec, digest, engine, seed
            As in `Provenance`.
        settings, timings : mapping, optional
            As in `Provenance`; values of settings become JSON types.

        Returns
        -------
        Provenance
        """
        return cls(
            name=name,
            spec=spec,
            digest=digest,
            engine=engine,
            seed=seed,
            commit=commit() or msgspec.UNSET,
            settings={key: json_value(value) for key, value in (settings or {}).items()},
            timings={key: float(value) for key, value in (timings or {}).items()},
        )


def provenance_of(
    topology: Topology | DirectedTopology,
    *,
    engine: str = "",
    seed: int | None = None,
    settings: Mapping[str, Any] | None = None,
    timings: Mapping[str, float] | None = None,
) -> Provenance:
    """The provenance of a result about one topology.

    Parameters
    ----------
    topology : Topology or DirectedTopology
    engine : str
    seed : int, optional
    settings, timings : mapping, optional
        As in `Provenance`; values become JSON types.

    Returns
    -------
    Provenance
        With the topology's name, spec and digest.
    """
    return Provenance.of_run(
        name=topology.name,
        spec=topology.spec,
        digest=topology.digest,
        engine=engine,
        seed=seed,
        settings=settings,
        timings=timings,
    )


class Recorded:
    """Base class of frozen dataclasses in records; it selects the fields and properties that a record shows."""

    #: Properties in the record, in addition to the fields.
    derived: ClassVar[tuple[str, ...]] = ()
    #: Fields that the record omits: large arrays, or content in files of a folder.
    unrecorded: ClassVar[tuple[str, ...]] = ()
    #: Fields that the record omits where they are None, so that records from before the field have the same version.
    omitted_if_none: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def _recorded(cls) -> list[str]:
        fields = [name for name in getattr(cls, "__dataclass_fields__", {}) if name != "provenance"]
        return [name for name in fields if name not in cls.unrecorded] + list(cls.derived)

    def _content(self) -> dict[str, Any]:
        content = {name: json_value(getattr(self, name)) for name in self._recorded()}
        return {name: value for name, value in content.items() if value is not None or name not in self.omitted_if_none}


class Result(Recorded):
    """Base class of results: frozen dataclasses whose fields are numbers, texts, arrays, dataclasses and Structs.

    A subclass defines its name in records (`record_name`), the version of its record (`record_version`), and the properties
    that a record shows in addition to the fields (`derived`). It may override `rows` and `plot`.
    """

    record_name: ClassVar[str]
    record_version: ClassVar[int] = 1
    #: What earlier versions of topoloom called the record.
    former_names: ClassVar[tuple[str, ...]] = ()

    provenance: Provenance

    def record(self) -> dict[str, Any]:
        """The result as JSON types only: ``{"schema": "topoloom/NAME/VERSION", "provenance": {...}, ...}``.

        Infinities and NaN, which JSON lacks, are None, and read back as NaN; arrays are lists; a topology is its name, spec,
        digest and size.
        """
        return {"schema": schema_id(type(self)), "provenance": msgspec.to_builtins(self.provenance), **self._content()}

    def rows(self) -> list[dict[str, Any]]:
        """The table of the result: one dict of JSON types per row; unless overridden, one row with the record's values that are
        not nested.
        """
        return [{key: value for key, value in self.record().items() if not isinstance(value, (dict, list))}]

    def to_frame(self) -> "pandas.DataFrame":
        """The table as a pandas DataFrame (the extra `frames`)."""
        try:
            import pandas
        except ImportError:
            raise InputError("tables need pandas: pip install 'topoloom[frames]'") from None
        return pandas.DataFrame(self.rows())

    def plot(
        self, ax: "Axes | None" = None, *, style: "StyleName | None" = None, width: "WidthName | None" = None
    ) -> "Axes":
        """Draw the result; results with a picture override this.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones when omitted.
        style : "ieee" or "acm", optional
            Draw a new figure for print; for a screen when omitted.
        width : "column" or "page", optional
            With `style`: the width of one column, or of the page.

        Returns
        -------
        Axes

        Raises
        ------
        InputError
            The result has no picture.
        """
        raise InputError(
            f"a {self.record_name.replace('-', ' ')} has no picture; its numbers are in to_frame() and record()"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record into a JSON file, completely or not at all.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        write_atomically(path, indented_json(self.record()))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The result that `save` wrote.

        Raises
        ------
        InputError
            The file cannot be read, or holds something else: ``file: reason``.
        """
        source = os.fspath(path)
        return cls.from_record(parse_json(read_text(Path(path), _MOST_CHARACTERS), source), source)

    @classmethod
    def from_record(cls, record: Any, source: str = "record") -> Self:
        """The result of a record, also of an older version; derived properties are computed again.

        Fields that an older version lacks have their defaults.

        Raises
        ------
        InputError
            The record is of another result, of a newer version, or damaged.
        """
        wanted = schema_id(cls)
        schema = record.get("schema") if isinstance(record, dict) else None
        current = [f"topoloom/{cls.record_name}/{version}" for version in range(1, cls.record_version + 1)]
        former = [f"topoloom/{name}/1" for name in cls.former_names]
        if schema not in current + former:
            raise at(
                source, None, f"is {str(schema)[:60] if schema else 'not a record of topoloom'}; expected {wanted}"
            )
        if schema != wanted:
            record = with_current_keys(record)
        content = {key: value for key, value in record.items() if key not in cls.derived and key != "schema"}
        kinds = get_type_hints(cls)
        fields = getattr(cls, "__dataclass_fields__", {})
        missing = [
            name
            for name in cls.unrecorded
            if name in fields and fields[name].default is MISSING and fields[name].default_factory is MISSING
        ]
        # A caller that stores the topology in a separate file adds it to the record.
        missing += [
            name
            for name in fields
            if kinds.get(name) is Topology and name not in missing and not isinstance(content.get(name), Topology)
        ]
        if missing:
            raise at(
                source,
                None,
                f"a record of {cls.record_name} does not hold its {', '.join(missing)}; it cannot be read back",
            )
        try:
            return msgspec.convert(_numbered(cls, content), cls, strict=False, dec_hook=_read_back)
        except (msgspec.ValidationError, ValueError) as error:
            raise at(source, None, f"is a damaged record of {cls.record_name}: {error}") from None

    def _repr_html_(self) -> str:
        """A small table for notebooks."""
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(key.replace('_', ' '))}</th><td>{escape(_brief(value))}</td></tr>"
            for key, value in self.record().items()
            if key not in {"schema", "provenance"}
        )
        return f"<table><caption>{escape(self.provenance.name)} {escape(self.record_name)}</caption>{rows}</table>"


class Filed(Result):
    """A result with arrays that are too large for a record: `save` and `load` take a folder.

    Packages in higher layers write and read the folder, so a subclass names their functions instead of importing them.
    """

    #: The functions that write a result into a folder, (result, path), and read it back, (path), as "module.name".
    written_by: ClassVar[str]
    read_by: ClassVar[str]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the folder, completely or not at all.

        Raises
        ------
        InputError
            The folder is of another network, or cannot be created or written.
        """
        _named(self.written_by)(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The result in a folder that `save`, or the command's ``-o``, wrote.

        Raises
        ------
        InputError
            A file is missing, wrong or changed.
        """
        result: Self = _named(cls.read_by)(path)
        return result


def _named(place: str) -> Any:
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


def schema_id(result_type: type[Result]) -> str:
    """The schema id of a result: ``topoloom/NAME/VERSION``."""
    return f"topoloom/{result_type.record_name}/{result_type.record_version}"


def json_value(value: Any) -> Any:
    """A value as JSON types only; infinities and NaN become None."""
    if value is None or isinstance(value, (str, bool, int)):
        return str(value) if type(value) is not str and isinstance(value, str) else value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Topology):
        return summary(value)
    if isinstance(value, Result):
        content = value.record()
        del content["schema"], content["provenance"]
        return content
    if isinstance(value, Recorded):
        return value._content()
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return json_value(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(map(json_value, value))
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, msgspec.Struct):
        # By the names in files, which may differ from Python's.
        names = zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
        about = value.__struct_config__
        tagged = {} if about.tag is None else {about.tag_field: about.tag}
        return tagged | {encoded_name: json_value(getattr(value, name)) for name, encoded_name in names}
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        items = ((name, getattr(value, name)) for name in fields)
        return {name: json_value(item) for name, item in items if item is not msgspec.UNSET}
    if hasattr(value, "value"):  # an Enum's member
        return json_value(value.value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} has no plain form")


def summary(topology: Topology) -> dict[str, Any]:
    """A topology in a record: its name, spec, digest and size; its links are not in the record."""
    return {
        "name": topology.name,
        "spec": topology.spec,
        "digest": topology.digest,
        "switches": topology.switches,
        "links": len(topology.links),
        "hosts": topology.hosts,
    }


def _read_back(kind: type, value: Any) -> Any:
    if issubclass(kind, np.ndarray):
        return np.array(value)
    raise NotImplementedError(f"{kind.__name__} cannot be read from a record")


def _numbered(kind: Any, value: Any) -> Any:
    """A record's content with NaN where a number is null, as infinities and NaN are written."""
    if value is None:
        return math.nan if kind is float else None
    if isinstance(kind, UnionType):
        alternatives = [part for part in get_args(kind) if part is not type(None)]
        return _numbered(alternatives[0], value) if len(alternatives) == 1 else value
    arguments = get_args(kind)
    if isinstance(value, list) and arguments and get_origin(kind) in (list, tuple):
        kinds = arguments if len(arguments) == len(value) and arguments[-1] is not ... else (arguments[0],) * len(value)
        return [_numbered(part, item) for part, item in zip(kinds, value, strict=True)]
    if isinstance(value, dict) and (hasattr(kind, "__dataclass_fields__") or hasattr(kind, "__struct_fields__")):
        hints = get_type_hints(kind)
        return {key: _numbered(hints.get(key), item) for key, item in value.items()}
    return value


def _brief(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (list, dict)):
        return f"{len(value)} entries"
    return "" if value is None else str(value)
