"""Declarations that several operations share: one name, one meaning, one range and one default each."""

import re
from typing import Annotated

from topoloom.settings import setting

#: The seed of random draws: NumPy's and METIS's take no more than 31 bits.
MOST_SEED = (1 << 31) - 1
SEED = 1
Seed = Annotated[int, setting("seed of all random draws", least=0, most=MOST_SEED)]

#: A network, as every operation takes it.
Source = Annotated[str, setting("a spec, a file or a folder", positional=True, names="file")]

#: Runs of METIS, of which the best counts.
MetisRuns = Annotated[int, setting("runs of METIS, of which the best counts", least=1, most=10_000)]
METIS_RUNS = 8

#: Delays of a network without load.
SwitchDelay = Annotated[float, setting("delay of a switch", unit="ns", least=0, most=1e6)]
CableDelay = Annotated[float, setting("delay of a metre of cable", unit="ns/m", least=0, most=1e6)]
SWITCH_NS, CABLE_NS_PER_M = 60.0, 5.0

#: Rate of a link, where all have the same.
Rate = Annotated[float, setting("rate of a link", unit="Gb/s", above=0, most=1e9, option="--rate")]


def span_of(text: str) -> tuple[int, int]:
    """``3-32``, or one number, as the least and the greatest.

    Raises
    ------
    ValueError
        It is neither.
    """
    ends = [int(end) for end in text.split("-")] if re.fullmatch(r"\d{1,7}(-\d{1,7})?", text) else []
    if not ends or not 1 <= ends[0] <= ends[-1]:
        raise ValueError("a range; write the least and the greatest, such as 3-32")
    return ends[0], ends[-1]
