"""Published storage networks and pods of two switches: the counts of their tables, and where these are wrong.

Source of each: the comment of its example.
"""

import pytest
from machine_cases import EXAMPLES, built, counts

from topoloom.machine.bill import price_machine
from topoloom.machine.reading import machine_of


def _changed(name, *changes):
    """The machine of an example with these texts replaced."""
    path = EXAMPLES / f"{name}.toml"
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return built(machine_of(text, str(path), EXAMPLES))


@pytest.mark.parametrize("units", [1, 2, 3, 4])
def test_storage_takes_twelve_splitters_per_unit(units):
    """8 controllers with 6 legs each, four to a splitter; as fibres 12 twins, 24 splitter fibres and 48 modules.

    The table has 96 and 128 fibres for three and four units, which its own rule does not give.
    """
    machine = _changed(
        "a90-storage", ("count = 8\n", f"count = {8 * units}\n"), ('place = "rack"', 'place = "central"')
    )
    lines = counts(price_machine(machine), "storage")
    assert lines["transceiver, MMA4Z00-NS, 4 x 200G"] == 12 * units
    assert lines["host cable, MFP7E20"] == 24 * units
    assert lines["transceiver, MMA1Z00-NS400, 200G"] == 48 * units
    assert machine.networks["oob"].topology.endpoints.size == 16 * units + 2


def test_next_to_the_switches_the_splitters_are_copper():
    """All twelve are full: both switches have 24 legs."""
    machine = _changed("a90-storage")
    assert counts(price_machine(machine), "storage")["host cable, MCP7Y40"] == 12
    assert machine.networks["storage"].topology.endpoints_at.tolist() == [25, 25]  # with an uplink each


@pytest.mark.parametrize(("servers", "leaves", "in_band"), [(4, 1, 22), (8, 2, 32)])
def test_a_basepod_has_the_published_cables(servers, leaves, in_band):
    """8 links per server, each with a fibre of its own, half as many twins at either end, 16 copper cables for 32 links."""
    machine = _changed("basepod", ("count = 8\n", f"count = {servers}\n"), ("leaves = 2", f"leaves = {leaves}"))
    bill = price_machine(machine)
    lines, topology = counts(bill, "compute"), machine.networks["compute"].topology
    assert lines["host cable, MPO-12 OM4"] == topology.endpoints.size == 8 * servers
    assert lines["transceiver, MMA4Z00-NS"] == lines["transceiver, MMA4Z00-NS-FLT"] == 4 * servers
    assert len(topology.links) == 32
    assert sum(count for item, count in lines.items() if item.startswith("cable, ")) == 16
    assert (topology.endpoints_at + topology.degrees).max() <= 64
    assert sum(count for item, count in counts(bill, "in-band").items() if "cable" in item) == in_band
