"""The rows of a floor: slots with the same y."""

import numpy as np

from topoloom.placement.floors.slots import Slots


def row_names(slots: Slots) -> list[str]:
    """The row of each slot: what the names of its slots have in common, such as ``A`` of A01 and A02; else its y.

    Parameters
    ----------
    slots : Slots

    Returns
    -------
    list of str
        One name per slot; different rows have different names.
    """
    y = np.round(slots.place_m[:, 1], 6)
    values, member = np.unique(y, return_inverse=True)
    names = []
    for row in range(len(values)):
        own = [slots.names[slot] for slot in np.flatnonzero(member.reshape(-1) == row).tolist()]
        # The names of a row begin alike as far as the least and the greatest do.
        least, greatest = min(own), max(own)
        alike = next((i for i, (a, b) in enumerate(zip(least, greatest, strict=False)) if a != b), len(least))
        names.append(least[:alike].rstrip("0123456789-_ "))
    unique = len(set(names)) == len(names) and all(names)
    shown = names if unique else [f"y {value:g} m" for value in values.tolist()]
    return [shown[row] for row in member.reshape(-1).tolist()]
