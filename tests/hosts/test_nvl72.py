"""The NVL72 trays of the catalogue: 18 per rack of 48 units, without a file."""

import numpy as np
import pytest

from topoloom import build, place
from topoloom.core.errors import InputError
from topoloom.cost.parts_files import load_parts
from topoloom.cost.servers import housing_of
from topoloom.network.opening import open_network
from topoloom.placement.hosts.files import hosts_csv
from topoloom.placement.hosts.housing import HostType, Housing, RackRule


def test_trays_of_the_catalogue_stand_18_to_a_rack():
    """144 trays are 8 racks of 37 of 48 units: 18 trays, 9 NVLink trays, 8 shelves, two SN2201."""
    pod = open_network("fat-tree:hosts=576,k=64,leaf=18:18+rails:nics=4")
    layout = pod.placed(
        "koibuchi-2013", hosts="GB200 NVL72 tray", parts="infiniband-2026", rate_gbps=400, map="rows"
    ).layout
    full = np.bincount(layout.host_rack, minlength=layout.racks)
    assert sorted(full[full > 0].tolist()) == [18] * 8
    assert layout.stack.height(0, 18) == 37
    assert layout.housing.rack.u == 48


@pytest.mark.parametrize("tray", ["GB200 NVL72 tray", "GB300 NVL72 tray"])
def test_a_tray_without_a_power_is_not_0_watts(tray):
    """The power of a tray was not published: racks with a limit refuse it, and lists leave it empty."""
    parts = load_parts("infiniband-2026")
    assert next(server for server in parts.server if server.name == tray).power_w is None
    limited = Housing(host=HostType(name=tray), rack=RackRule(power_w=132_000))
    pod = build("fat-tree:hosts=576,k=144,leaf=18:18+rails:nics=4")
    with pytest.raises(InputError, match=f"racks have 132,000 W, but the power of '{tray}' is not known; give power_w"):
        place(pod, "koibuchi-2013", housing=limited, parts=parts, rate_gbps=400, map="rows")
    rows = hosts_csv(housing_of(tray, parts), ["A"], np.zeros(1), ["0:1"]).splitlines()
    assert dict(zip(rows[0].split(","), rows[1].split(","), strict=True))["power_w"] == ""
