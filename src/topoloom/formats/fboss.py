"""FBOSS' agent configuration: the neighbour that each port of one switch expects by LLDP (``expectedLLDPValues``).

Keys are types of LLDP: 2 the port, 5 the name of the neighbour. Source: facebook/fboss, agent/switch_config.thrift.
"""

from topoloom.core.errors import at
from topoloom.core.json_files import strict_json
from topoloom.fabric.named_cables import NamedCables
from topoloom.fabric.port_settings import PortSettings, bytes_of
from topoloom.formats._device_files import device_of
from topoloom.formats._lldp.views import gbps_of_mbps, text_in
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import text_of

_FORM = "a port has name and expectedLLDPValues with 2 (port) and 5 (name)"
_PORT, _NAME = "2", "5"


def cables_in(data: bytes, source: str, lenient: bool) -> NamedCables:
    """The cables of one switch, which has the name of its file.

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
    whole = strict_json(text_of(data, source), source)
    ports = whole["sw"].get("ports") if isinstance(whole, dict) and isinstance(whole.get("sw"), dict) else None
    if not isinstance(ports, list):
        raise at(source, None, f"is no configuration of FBOSS: it has no list sw.ports; {_FORM}")
    cables = NamedCables(source, lenient=lenient)
    own = cables.device(device_of(source), switch=True)
    cables.title = own.name
    for port in ports:
        name, expected = text_in(port.get("name")), port.get("expectedLLDPValues") or {}
        if not name:
            raise at(source, None, f"a port without a name; {_FORM}")
        if not cables.has_names("a port", name):
            continue
        own.ports.add(name)
        rate_gbps = gbps_of_mbps(text_in(port.get("speed")))
        own.set_up(name, PortSettings(frame=bytes_of(text_in(port.get("maxFrameSize"))), rate_gbps=rate_gbps))
        peer, far_port = text_in(expected.get(_NAME)), text_in(expected.get(_PORT))
        if peer and cables.has_names(f"port {name}", peer, far_port):
            far_end = (cables.device(peer), far_port)
            cables.cable((own, name), far_end, rate_gbps=rate_gbps)
    return cables


register_named_format(
    "fboss",
    (".fboss.json",),
    "FBOSS' agent configuration: the neighbours that one switch expects",
    cables_in,
    _FORM,
    shared=(".json",),
    rates=True,
)
