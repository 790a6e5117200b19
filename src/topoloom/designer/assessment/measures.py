"""Registered measures as figures of an assessment."""

import math
from collections.abc import Sequence
from typing import Any

from topoloom.core.errors import InputError
from topoloom.designer.assessment.figure import Figure
from topoloom.graph.measure_register import MEASURES, measured

#: The heading of these figures.
MEASURE_GROUP = "Measures"


def measure_figures(network: Any, names: Sequence[str]) -> list[Figure]:
    """The values of registered measures as figures; a measure that refuses the network has no value there.

    Parameters
    ----------
    network : Network
    names : sequence of str
        Of `topoloom.graph.measure_register.MEASURES`.

    Returns
    -------
    list of Figure
        With the name as the key, ``_`` for ``-``.

    Raises
    ------
    InputError
        No measure has that name.
    """
    figures = []
    for name in names:
        entry = MEASURES.find(name)
        try:
            value, how = measured(network, [name])[name], entry.text
        except InputError as error:
            value, how = math.nan, str(error)
        infinite = "it is infinite: " if math.isinf(value) else ""
        figures.append(
            Figure(
                key=name.replace("-", "_"),
                label=name.replace("-", " "),
                unit=entry.unit,
                group=MEASURE_GROUP,
                value=value if math.isfinite(value) else None,
                how=infinite + how,
                by_hand=f"topoloom info FOLDER --measure {name}",
                better=entry.better,
            )
        )
    return figures
