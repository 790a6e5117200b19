"""The views of devices in a file: JSON of any maker, ``show lldp table`` of SONiC, XML of Junos; of one device or many."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from topoloom.core.errors import InputError, at
from topoloom.core.json_files import strict_json
from topoloom.core.xml_files import parse_xml
from topoloom.formats._device_files import device_of
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
            _, end = _DECODER.raw_decode(text, _next_value(text, starts[-1]))
        except (ValueError, RecursionError):
            return starts
        if _next_value(text, end) == len(text):
            return starts
        starts.append(end)


def _next_value(text: str, place: int) -> int:
    """The place after blanks and empty lines."""
    while place < len(text) and text[place].isspace():
        place += 1
    return place


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
