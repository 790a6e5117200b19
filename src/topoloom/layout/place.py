"""The verb `place`: switches into cabinets, cabinets onto the floor."""

import numpy as np

from topoloom.layout.cabinets import assign_cabinets
from topoloom.layout.floor import Floor, preset
from topoloom.layout.layout import Layout
from topoloom.topology import Topology


def place(topology: Topology, floor: Floor | str = "slimfly-2014", cluster: str = "auto", map: str = "rows") -> Layout:
    """Put the switches into cabinets and the cabinets on the floor, row by row.

    Parameters
    ----------
    topology : Topology
    floor : Floor or str
        A floor, or the name of a preset.
    cluster : str
        ``groups``, ``sequence`` or ``auto`` (groups where the family has them).

    Raises
    ------
    InputError
        The cabinets do not fit the floor, or one switch's hosts do not fit a cabinet.

    Examples
    --------
    >>> from topoloom import build
    >>> layout = place(build("slimfly:q=19,hosts=15"))
    >>> layout.cabinets, int(layout.between.sum()), round(layout.mean_length_m, 3)
    (19, 6498, 3.436)
    """
    floor = preset(floor) if isinstance(floor, str) else floor
    cabinet = assign_cabinets(topology, floor, cluster)
    slots = floor.slots_for(int(cabinet.max()) + 1)
    return Layout(topology, floor, slots, np.asarray(cabinet, np.int32), f"cluster={cluster}, map={map}")
