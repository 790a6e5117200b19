"""Arista AVD's structured configuration of one device: ``ethernet_interfaces[]{name, peer, peer_interface, peer_type}``.

The table of all cables that AVD documents (``*-topology.csv``) is read as a sheet (`topoloom.formats.sheet`). Source:
aristanetworks/avd, roles eos_designs and eos_cli_config_gen.
"""

import re
from typing import Any

from topoloom.core.errors import at
from topoloom.core.yaml_files import parse_yaml
from topoloom.fabric.device_kinds import is_switch_role
from topoloom.fabric.named_cables import NamedCables
from topoloom.fabric.port_settings import PortSettings, bytes_of, fec_of, gbps_of
from topoloom.formats._device_files import device_of
from topoloom.formats._lldp.views import gbps_of_mbps, text_in
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import text_of

_FORM = "an interface has name, peer and peer_interface"
_TABLE = dict[str, Any]
_MLAG = "mlag_peer"
_MEGABITS = re.compile(r"(?:forced |auto )?([0-9]{1,7})(?:full|half)?")
_KEYS = ("name", "peer", "peer_interface", "peer_type")


def cables_in(data: bytes, source: str, lenient: bool) -> NamedCables:
    """The cables of one device.

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
    whole = parse_yaml(text_of(data, source), _TABLE, source, "structured configuration of AVD")
    interfaces = whole.get("ethernet_interfaces")
    if not isinstance(interfaces, list):
        raise at(source, None, "is no structured configuration of AVD: it has no list ethernet_interfaces")
    cables = NamedCables(source, lenient=lenient)
    own = cables.device(str(whole.get("hostname") or device_of(source)), switch=True)
    for entry in interfaces:
        if not isinstance(entry, dict):
            raise at(source, None, f"an entry of ethernet_interfaces is no table; {_FORM}")
        name, peer, far_port, kind = (str(entry.get(key) or "") for key in _KEYS)
        if name and peer and cables.has_names(f"interface {name[:60]!a}", name, peer, far_port):
            switch = True if kind == _MLAG else is_switch_role(kind)
            own.set_up(name, _settings(entry))
            cables.cable((own, name), (cables.device(peer, switch=switch), far_port))
    return cables


def _settings(entry: _TABLE) -> PortSettings:
    """The MTU, the rate (in Mb/s without a unit), and the error correction if one kind is switched on, or none is."""
    kinds = entry.get("error_correction_encoding")
    switched = kinds if isinstance(kinds, dict) else {}
    is_on = [fec for kind, on in switched.items() if on is True and (fec := fec_of(str(kind)))]
    if switched.get("enabled") is False:
        is_on = [fec_of("off")]
    speed = text_in(entry.get("speed"))
    megabits = _MEGABITS.fullmatch(speed)
    return PortSettings(
        mtu=bytes_of(text_in(entry.get("mtu")) or text_in(entry.get("l2_mtu"))),
        fec=is_on[0] if len(is_on) == 1 else "",
        rate_gbps=gbps_of_mbps(megabits[1]) if megabits else gbps_of(speed),
    )


register_named_format(
    "avd",
    (".avd.yml",),
    "structured configuration of Arista AVD, of one device",
    cables_in,
    _FORM,
    shared=(".yml", ".yaml"),
    rates=True,
)
