"""A floor by name, with what a user changes of it."""

from dataclasses import replace
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.floor_files import read_floor

#: No hall has more.
_MOST_SLOTS = 1_000_000


def chosen_floor(floor: str, rows: int | None, columns: int | None, rack: int | None) -> Floor:
    """The floor that is meant, with what the options change.

    Parameters
    ----------
    floor : str
        A preset's name or a file.
    rows, columns : int or None
        Places along the sides of a floor that has no listed slots; None: as it has them.
    rack : int or None
        The most switches in a rack; None: as the floor has it.

    Returns
    -------
    Floor
        A copy with these changed.

    Raises
    ------
    InputError
        There is no such floor, or its slots are listed, which leaves nothing to rows and columns.
    """
    found = read_floor(floor)
    if found.fixed is None:
        if (rows or 1) * (columns or 1) > _MOST_SLOTS:
            raise InputError(f"`rows` {rows} and `columns` {columns}: more than {_MOST_SLOTS:,} places; take fewer")
        given: dict[str, Any] = {"rows": rows, "columns": columns, "switches_per_rack": rack}
        return replace(found, **{key: value for key, value in given.items() if value is not None})
    for option, value in (("`rows`", rows), ("`columns`", columns)):
        if value is not None:
            raise InputError(f"{option}: the slots of floor '{found.name}' are listed in {floor}; leave it out")
    if rack is None:
        return found
    limits = found.fixed.limits.copy()
    limits[:, 0] = np.minimum(limits[:, 0], rack)
    return replace(found, fixed=replace(found.fixed, limits=limits))
