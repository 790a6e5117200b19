"""The NVL72 trays of the catalogue: 18 per rack of 48 units, without a file."""

import numpy as np

from topoloom.network.opening import open_network


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
