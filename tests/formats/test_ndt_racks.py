"""NDT keeps the racks of both ends; it has no column for units."""

from topoloom.formats.ndt import write_fabric
from topoloom.network.opening import open_network

_SHEET = """A-Rack,A-U,A-Node Name,A-Type,A-Port,Z-Rack,Z-RU,Z-Node Name,Z-Type,Z-Port
A01,12,leaf1,Switch,1,A02,3,spine1,Switch,1
A01,13,gpu1,Host,1,A01,12,leaf1,Switch,2
"""


def test_racks_are_written_and_read(tmp_path):
    """Of switches and of hosts."""
    (tmp_path / "plan.csv").write_text(_SHEET)
    (tmp_path / "plan.ndt").write_text(write_fabric(open_network(str(tmp_path / "plan.csv")).fabric))
    fabric = open_network(str(tmp_path / "plan.ndt")).fabric
    racks = dict(zip(fabric.switch_names, fabric.switch_rack.tolist(), strict=True))
    assert racks == {"leaf1": "A01", "spine1": "A02"}
    assert fabric.host_rack.tolist() == ["A01"]
