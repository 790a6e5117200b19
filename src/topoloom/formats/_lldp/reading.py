"""The views of devices in a file: JSON of any maker, ``show lldp table`` of SONiC, XML of Junos; of one device or many."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from topoloom.core.errors import InputError, at
from topoloom.core.json_files import strict_json
from topoloom.core.xml_files import parse_xml
from topoloom.formats._lldp import cumulus, eos, junos, lldpd, networkctl, nxos, openconfig, sonic
from topoloom.formats._lldp.views import DeviceView, ViewReader
from topoloom.formats._text import text_of

#: The first that matches counts; forms that differ most come first.
_READERS: tuple[ViewReader, ...] = (
    networkctl.READER,
    eos.READER,
    nxos.READER,
    junos.READER,
    lldpd.READER,
    openconfig.READER,
    sonic.READER,
    cumulus.READER,
)
#: What file names have in addition to the name of the device.
_ENDINGS = {
    *(
        "json",
        "json0",
        "txt",
        "xml",
        "out",
        "log",
        "gz",
        "lldp",
        "lldpctl",
        "lldpcli",
        "networkctl",
        "neighbors",
        "neighbours",
    ),
    *("detail", "show", "config", "appl", "db", "chassis", "local", "interface", "interfaces", "openconfig", "gnmi"),
}
_MARKS = "-_. "
_DECODER = json.JSONDecoder()


def views_in(data: bytes, source: str) -> list[DeviceView]:
    """The views in the content of a file; empty if it has no form that is read here.

    Parameters
    ----------
    data : bytes
    source : str
        The file, which names the device if its content does not.

    Raises
    ------
    InputError
        The file has a known form, and is damaged.
    """
    text = text_of(data, source)
    start = text.lstrip()[:1]
    if start in ("{", "["):
        return _of_outputs(_outputs(text, source), source)
    if start == "<":
        if f"<{junos.WHOLE}" not in text:
            return []
        return _named([_read(junos.READER, junos.as_json(parse_xml(text, source)), source)], source)
    if sonic.is_lldp_table(text):
        try:
            return _named([sonic.read_lldp_table(text, source)], source)
        except ValueError as error:
            raise at(source, None, f"SONiC's show lldp table: {error}") from None
    return []


def _outputs(text: str, source: str) -> list[Any]:
    """The values of a JSON text; ``show chassis`` and ``show neighbors`` of one device, one after the other, as one."""
    try:
        return [strict_json(text, source)]
    except InputError:
        starts = _starts(text)
        if len(starts) == 1:
            raise
    values: list[Any] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        # Empty lines, so that messages have the line of the file.
        value = strict_json("\n" * text.count("\n", 0, start) + text[start:end], source)
        if values and isinstance(value, dict) and isinstance(values[-1], dict) and not value.keys() & values[-1].keys():
            values[-1] |= value
        else:
            values.append(value)
    return values


def _starts(text: str) -> list[int]:
    """Where the values of a text with several begin; one that is damaged is the last."""
    starts = [0]
    while True:
        try:
            _, end = _DECODER.raw_decode(text, starts[-1] + len(text[starts[-1] :]) - len(text[starts[-1] :].lstrip()))
        except (ValueError, RecursionError):
            return starts
        if not text[end:].strip():
            return starts
        starts.append(end)


def _of_outputs(values: list[Any], source: str) -> list[DeviceView]:
    views = [view for value in values for view in _of_json(value, source)]
    if len(values) > 1 and not all(view.name for view in views):
        raise at(
            source,
            None,
            "has several outputs, of which one does not name its device; give each device a file of its own",
        )
    return _named(views, source)


def _of_json(value: Any, source: str) -> Iterator[DeviceView]:
    reader = _reader(value)
    if reader is not None:
        yield _read(reader, value, source)
        return
    # Many devices in one file, each under its name.
    for name, content in value.items() if isinstance(value, dict) else ():
        inner = _reader(content)
        if inner is not None:
            view = _read(inner, content, source)
            yield replace(view, name=view.name or name)


def _reader(value: Any) -> ViewReader | None:
    return next((reader for reader in _READERS if reader.matches(value)), None)


def _read(reader: ViewReader, value: Any, source: str) -> DeviceView:
    try:
        return reader.read(value, source)
    except (ValueError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise at(source, None, f"has the keys of {reader.name}'s LLDP output, but not its form: {error}") from None


def _named(views: list[DeviceView], source: str) -> list[DeviceView]:
    """The views with the file's name where the content does not name the device."""
    return [view if view.name else replace(view, name=device_of(source)) for view in views]


def device_of(source: str) -> str:
    """The device that the name of a file stands for: ``lab/leaf1.lldp.json`` and ``lab/leaf1/lldp.json`` give ``leaf1``.

    Examples
    --------
    >>> device_of("lab/leaf1.lldp.json"), device_of("lab/leaf1/config_db.json"), device_of("sw.example.net.json")
    ('leaf1', 'leaf1', 'sw.example.net')
    """
    path = PurePath(source)
    for name in (path.name, *reversed(path.parts[:-1])):
        shorter = _without_endings(name)
        if shorter:
            return shorter
    return path.stem


def _without_endings(name: str) -> str:
    while name:
        cut = max((name.rfind(mark) for mark in _MARKS), default=-1)
        last = name[cut + 1 :].lower()
        if last not in _ENDINGS and not (last == "" and cut >= 0):
            return name
        name = name[:cut] if cut > 0 else ""
    return ""
