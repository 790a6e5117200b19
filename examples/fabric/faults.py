"""Write morning.net.gz and evening.net.gz: the fabric of before.net.gz with faults. Run: python examples/fabric/faults.py

In the morning there are six faults. In the evening three of them are repaired; two cables and a host wait for spare parts.
"""

import gzip
import re
from pathlib import Path

_FOLDER = Path(__file__).parent

# A port is the name of a node and the number of one of its ports.
Port = tuple[str, int]
_CABLES_OUT: list[Port] = [("S0", 17), ("S20", 25)]  # between switches
_HOST_OUT: Port = ("S43", 13)
_SWAPPED_CABLES: tuple[Port, Port] = (("S9", 18), ("S9", 19))
_SWAPPED_HOSTS: tuple[Port, Port] = (("S5", 3), ("S40", 3))
_SLOW_CABLE: Port = ("S30", 28)


def faulty(text: str, *, repaired: bool) -> str:
    """The output of ibnetdiscover for the fabric with faults; both ends of a cable always change together."""
    lines = text.splitlines()
    ports = _ports(lines)
    for port in (*_CABLES_OUT, _HOST_OUT):
        for end in (port, ports[port][1]):
            lines[ports[end][0]] = ""
    if not repaired:
        for first, second in (_SWAPPED_CABLES, _SWAPPED_HOSTS):
            _swap(lines, ports, first, second)
        for end in (_SLOW_CABLE, ports[_SLOW_CABLE][1]):
            lines[ports[end][0]] = lines[ports[end][0]].replace("4xHDR", "1xHDR")
    remaining = [line for number, line in enumerate(lines) if line or lines[number - 1]]
    return "\n".join(remaining) + "\n"


def _ports(lines: list[str]) -> dict[Port, tuple[int, Port]]:
    """For every port with a cable, the number of its line and the port at the other end."""
    names = dict(re.findall(r'^(?:Switch|Ca)\t\d+ "([\w-]+)"\t+# "(\w+)"', "\n".join(lines), re.MULTILINE))
    ports, name = {}, ""
    for number, line in enumerate(lines):
        if node := re.match(r'(?:Switch|Ca)\t\d+ "([\w-]+)"', line):
            name = names[node[1]]
        elif port := re.match(r'\[(\d+)\](?:\(\w+\))?\s+"([\w-]+)"\[(\d+)\]', line):
            ports[name, int(port[1])] = (number, (names[port[2]], int(port[3])))
    return ports


def _swap(lines: list[str], ports: dict[Port, tuple[int, Port]], first: Port, second: Port) -> None:
    """Put two cables into each other's ports at this end."""
    (line_1, peer_1), (line_2, peer_2) = ports[first], ports[second]
    for a, b in ((line_1, line_2), (ports[peer_1][0], ports[peer_2][0])):
        # The port, the port at the other end, the port's address (hosts only), name and rate of the other end.
        parts = r'(\[\d+\](?:\(\w+\))?\s+)("[\w-]+"\[\d+\](?:\(\w+\))?)(\s+# (?:lid \d+ lmc \d+ )?)(.*)'
        (own_a, peer_a, lid_a, name_a), (own_b, peer_b, lid_b, name_b) = (
            re.findall(parts, lines[at])[0] for at in (a, b)
        )
        lines[a], lines[b] = own_a + peer_b + lid_a + name_b, own_b + peer_a + lid_b + name_a


if __name__ == "__main__":
    before = gzip.decompress((_FOLDER / "before.net.gz").read_bytes()).decode()
    for name, repaired in (("morning", False), ("evening", True)):
        text = faulty(before, repaired=repaired)
        (_FOLDER / f"{name}.net.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
