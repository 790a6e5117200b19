"""Names of files with what one device states: the device that each is about."""

from pathlib import PurePath

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
    *("yml", "yaml", "conf", "avd", "fboss", "frr", "minigraph"),
    *("detail", "show", "config", "appl", "db", "chassis", "local", "interface", "interfaces", "openconfig", "gnmi"),
}
_MARKS = "-_. "


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
