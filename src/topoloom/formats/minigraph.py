"""SONiC's minigraph.xml: the cables of one device, which calls its own ports by their aliases.

Links of the types DeviceInterfaceLink and UnderlayInterfaceLink are cables; links for management, consoles and logical links
are not. A link's Bandwidth counts before the rate of its port. Source: sonic-net/sonic-buildimage,
src/sonic-config-engine/minigraph.py.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from topoloom.core.errors import at
from topoloom.core.xml_files import local_name, parse_xml
from topoloom.fabric.device_kinds import is_switch_role
from topoloom.fabric.named_cables import NamedCables
from topoloom.fabric.port_settings import PortSettings, fec_of
from topoloom.formats._lldp.views import gbps_of_mbps
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import text_of

_FORM = "a cable is a DeviceLinkBase with StartDevice, StartPort, EndDevice, EndPort"
_CABLES = {"DeviceInterfaceLink", "UnderlayInterfaceLink"}


def cables_in(data: bytes, source: str, lenient: bool) -> NamedCables:
    """The cables in a file.

    Parameters
    ----------
    data : bytes
    source : str
    lenient : bool
        Whether the caller reports cables that cannot be right itself.

    Returns
    -------
    NamedCables

    Raises
    ------
    InputError
        The file is damaged.
    """
    root = parse_xml(text_of(data, source), source)
    if local_name(root.tag) != "DeviceMiniGraph":
        raise at(source, None, f"starts with <{local_name(root.tag)[:40]}>; a minigraph starts with <DeviceMiniGraph>")
    cables = NamedCables(source, lenient=lenient)
    own = next((_text(part) for part in root if local_name(part.tag) == "Hostname"), "")
    if own:
        cables.device(own, switch=True)
        cables.title = own
        for port, settings in _own_settings(root, own):
            cables.device(own).set_up(port, settings)
    for element in root.iter():
        if local_name(element.tag) == "Device":
            facts = _facts(element)
            if (name := facts.get("Hostname")) and cables.has_names("a Device", name):
                cables.device(name, switch=is_sonic_switch(facts.get("ElementType", "")))
    others: Counter[str] = Counter()
    for element in root.iter():
        if local_name(element.tag) != "DeviceLinkBase":
            continue
        facts = _facts(element)
        kind = facts.get("ElementType", "")
        if kind not in _CABLES:
            others[kind] += 1
            continue
        ends = [(facts.get(f"{side}Device", ""), facts.get(f"{side}Port", "")) for side in ("Start", "End")]
        if not all(device for device, _ in ends):
            raise at(source, None, f"a DeviceLinkBase without a device; {_FORM}")
        if not cables.has_names("a DeviceLinkBase", *(name for end in ends for name in end)):
            continue
        rate_gbps = gbps_of_mbps(facts.get("Bandwidth", ""))
        (first, port), (other, far_port) = ((cables.device(device), name) for device, name in ends)
        cables.cable((first, port), (other, far_port), rate_gbps=rate_gbps)
    if others:
        kinds = ", ".join(f"{number} {kind or 'links without a type'}" for kind, number in others.items())
        cables.note(f"not cables of data: {kinds}")
    cables.only_in_use()
    return cables


def is_sonic_switch(kind: str) -> bool | None:
    """Whether a device of this type is a switch: LeafRouter, ToRRouter and SpineRouter are; Server and ServerRack are not."""
    return True if kind.endswith("Router") or "Fanout" in kind else is_switch_role(kind)


def _own_settings(root: Any, own: str) -> Iterator[tuple[str, PortSettings]]:
    """The rates of the ports of a device's own model (DeviceInfo), and those whose error correction is off (LinkMetadata)."""
    model = next((_text(part) for part in root if local_name(part.tag) == "HwSku"), "")
    for element in root.iter():
        kind, parts = local_name(element.tag), _facts(element)
        if kind == "LinkMetadata":
            properties = {facts.get("Name"): facts.get("Value", "") for facts in map(_facts, _inner(element))}
            ends = [end.partition(":") for end in parts.get("Key", "").split(";")]
            if properties.get("FECDisabled", "").lower() == "true":
                yield from (
                    (port, PortSettings(fec=fec_of("off"))) for name, _, port in ends if name.lower() == own.lower()
                )
        elif kind == "DeviceInfo" and parts.get("HwSku") == model:
            for facts in (_facts(part) for part in _inner(element) if local_name(part.tag) == "EthernetInterface"):
                if port := facts.get("InterfaceName"):
                    yield port, PortSettings(rate_gbps=gbps_of_mbps(facts.get("Speed", "")))


def _inner(element: Any) -> Iterator[Any]:
    """The elements two levels below."""
    return (part for group in element for part in group)


def _facts(element: Any) -> dict[str, str]:
    return {local_name(part.tag): _text(part) for part in element}


def _text(element: Any) -> str:
    return (element.text or "").strip()


register_named_format(
    "minigraph",
    (".minigraph.xml", "minigraph.xml"),
    "SONiC's minigraph.xml: the cables of one device",
    cables_in,
    _FORM,
    shared=(".xml",),
    rates=True,
)
