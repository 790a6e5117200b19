"""LLDP neighbours as a format: `topoloom.formats._lldp` reads what eight makers' devices print; nothing writes it."""

from topoloom.fabric.named_cables import NamedCables
from topoloom.formats._named_format import register_named_format

LLDP = "lldp"
_FORM = "expected LLDP neighbours of devices, such as 'lldpcli -f json show neighbors' prints them"


def cables_in(data: bytes, source: str, lenient: bool, management: bool = False) -> NamedCables:
    """The cables in one file: the neighbours of one device, or of many.

    Parameters
    ----------
    data : bytes
    source : str
        The file, which names the device if its content does not.
    lenient : bool
        Whether the caller reports entries that are not cables itself.
    management : bool
        Whether to include the cables of ports for management.

    Returns
    -------
    NamedCables

    Raises
    ------
    InputError
        The file has no form that is read, or is damaged.
    """
    # Only files of neighbours need the readers of all makers.
    from topoloom.formats._lldp.folder import cables_of_file

    return cables_of_file(data, source, lenient, management)


register_named_format(
    LLDP,
    (".lldp", ".lldp.json", ".lldp.txt"),
    "LLDP neighbours: lldpd, networkctl, SONiC, Cumulus, EOS, NX-OS, Junos, OpenConfig; also a folder",
    cables_in,
    _FORM,
    shared=(".json", ".txt", ".xml"),
    rates=True,
    isolated=False,
)
