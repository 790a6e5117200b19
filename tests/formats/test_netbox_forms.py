"""The forms in which NetBox and Nautobot give cables: several terminations, the import form, the table export, Nautobot's."""

import json

import pytest

from topoloom.fabric.port_names import named_plugs
from topoloom.network.opening import open_network


def interface(device, name):
    """A termination of NetBox's REST interface."""
    return {"object_type": "dcim.interface", "object": {"device": {"name": device}, "name": name}}


SEVERAL = {
    "results": [
        {
            "a_terminations": [interface("leaf1", "swp1"), interface("leaf1", "swp2")],
            "b_terminations": [interface("spine1", "swp1"), interface("spine1", "swp2")],
        }
    ]
}
NAUTOBOT = {
    "results": [
        {
            "termination_a_type": "dcim.interface",
            "termination_a": {"name": f"swp{port}", "device": {"name": "leaf1"}},
            "termination_b_type": "dcim.interface",
            "termination_b": {"name": f"swp{port}", "device": {"name": "spine1"}},
        }
        for port in (1, 2)
    ]
}
IMPORT = """side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,status
leaf1,dcim.interface,swp1,spine1,dcim.interface,swp1,connected
leaf1,dcim.interface,swp2,spine1,dcim.interface,swp2,connected
"""
TABLE = """ID,Label,Device A,Termination A,Device B,Termination B,Status
1,,leaf1,swp1,spine1,swp1,Connected
2,,"leaf1,leaf2","swp7,swp8","spine1,spine2","swp7,swp8",Connected
3,,leaf1,swp2,spine1,swp2,Connected
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("several.json", json.dumps(SEVERAL)),
        ("nautobot.json", json.dumps(NAUTOBOT)),
        ("import.csv", IMPORT),
        ("table.csv", TABLE),
    ],
)
def test_each_form_gives_the_same_cables(tmp_path, caplog, name, text):
    """Of a table's row with several terminations, which have no order, there is a line."""
    (tmp_path / name).write_text(text)
    plugs = {frozenset(ends) for ends in named_plugs(open_network(str(tmp_path / name)).fabric)}
    assert plugs == {frozenset({("leaf1", port), ("spine1", port)}) for port in ("swp1", "swp2")}
    assert ("row 3" in caplog.text) == (text is TABLE)
