"""SONiC's config_db.json: the neighbours of one device (DEVICE_NEIGHBOR), the aliases and rates of its ports (PORT).

The key of a neighbour is mostly the local port, but may be any text; ``local_port`` counts before it. Dumps of the database
put the name of a table and a key into one. Source: sonic-net/sonic-buildimage, src/sonic-yang-models (sonic-device_neighbor).
"""

from topoloom.core.errors import at
from topoloom.core.json_files import strict_json
from topoloom.fabric.named_cables import NamedCables
from topoloom.formats._device_files import device_of
from topoloom.formats._lldp.sonic import rows, sonic_settings
from topoloom.formats._lldp.views import text_in
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import text_of
from topoloom.formats.minigraph import is_sonic_switch

_FORM = "a cable is an entry of DEVICE_NEIGHBOR with name and port"


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
    whole = strict_json(text_of(data, source), source)
    if not isinstance(whole, dict) or not any(True for _ in rows(whole, "DEVICE_NEIGHBOR")):
        raise at(source, None, "has no table DEVICE_NEIGHBOR, so it names no cable; give LLDP neighbours, or a plan")
    metadata = dict(rows(whole, "DEVICE_METADATA")).get("localhost")
    cables = NamedCables(source, lenient=lenient)
    name = text_in(metadata.get("hostname")) if isinstance(metadata, dict) else ""
    own = cables.device(name or device_of(source), switch=True)
    cables.title = own.name
    ports = {port: facts for port, facts in rows(whole, "PORT") if isinstance(facts, dict)}
    aliases = {text_in(facts.get("alias")): port for port, facts in ports.items()}
    ports = {port: facts for port, facts in ports.items() if cables.has_names("PORT", port)}
    own.ports |= ports.keys()
    for port, facts in ports.items():
        own.set_up(port, sonic_settings(facts))
    kinds = {
        device: is_sonic_switch(text_in(facts.get("type")))
        for device, facts in rows(whole, "DEVICE_NEIGHBOR_METADATA")
        if isinstance(facts, dict)
    }
    for key, facts in rows(whole, "DEVICE_NEIGHBOR"):
        peer = text_in(facts.get("name")) if isinstance(facts, dict) else ""
        if not peer:
            cables.note(f"DEVICE_NEIGHBOR {key[:60]!a} has no name: omitted; {_FORM}")
            continue
        local = text_in(facts.get("local_port")) or key
        local = aliases.get(local, local)
        far_port = text_in(facts.get("port"))
        if cables.has_names(f"DEVICE_NEIGHBOR {key[:60]!a}", peer, local, far_port):
            cables.cable((own, local), (cables.device(peer, switch=kinds.get(peer)), far_port))
    return cables


register_named_format(
    "config-db",
    ("config_db.json", ".config_db.json"),
    "SONiC's config_db.json: the cables of one device",
    cables_in,
    _FORM,
    shared=(".json",),
    rates=True,
)
