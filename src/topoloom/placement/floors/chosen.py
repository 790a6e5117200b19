"""The choice of a floor by name, with the user's changes."""

from dataclasses import replace
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.floor_files import read_floor

#: Most slots of a floor.
_MOST_SLOTS = 1_000_000


def chosen_floor(floor: str, rows: int | None, columns: int | None, rack: int | None) -> Floor:
    """The floor with this name, with the given changes.

    Parameters
    ----------
    floor : str
        A preset's name or a file.
    rows, columns : int or None
        Sides of a floor without listed slots, in places; None: the floor's own.
    rack : int or None
        Most switches in a rack; None: the floor's own.

    Returns
    -------
    Floor
        The changed copy.

    Raises
    ------
    InputError
        There is no such floor, or its slots are listed, so rows and columns cannot be set.
    """
    original = read_floor(floor)
    if original.fixed is None:
        if (rows or 1) * (columns or 1) > _MOST_SLOTS:
            raise InputError(f"`rows` {rows} and `columns` {columns}: more than {_MOST_SLOTS:,} places; give fewer")
        changes: dict[str, Any] = {"rows": rows, "columns": columns, "switches_per_rack": rack}
        return replace(original, **{key: value for key, value in changes.items() if value is not None})
    for option, value in (("`rows`", rows), ("`columns`", columns)):
        if value is not None:
            raise InputError(f"{option}: the slots of floor '{original.name}' are listed in {floor}; omit this option")
    if rack is None:
        return original
    limits = original.fixed.limits.copy()
    limits[:, 0] = np.minimum(limits[:, 0], rack)
    return replace(original, fixed=replace(original.fixed, limits=limits))
