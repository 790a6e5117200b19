"""The floor of a flat random network: a cable per link, laid out as Koibuchi 2013 IV does and jointly, against panels.

    python benchmarks/panels.py [SWITCHES DEGREE]

One row per way to cable the same number of switches and links: pieces that are pulled between racks, their metres, pairs of
racks with a piece between them, the fullest section of tray, distinct lengths in whole metres, and the time. Panels of a
shuffled network change places with the racks; `rows` leaves them in order.
"""

import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np

from topoloom import open_network
from topoloom.placement.floors.floor import preset
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.tray_load import tray_load

SWITCHES, DEGREE = (int(text) for text in sys.argv[1:3]) if len(sys.argv) > 2 else (256, 32)
#: Name, family, and arguments of `Network.placed`.
WAYS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("cable per link, rows", "jellyfish", {"map": "rows"}),
    ("cable per link, METIS and annealing (Koibuchi 2013 IV)", "jellyfish", {"cluster": "metis", "map": "anneal"}),
    ("cable per link, joint", "jellyfish", {"map": "joint"}),
    ("patch field, rows", "jellyfish", {"panels": "field", "map": "rows"}),
    ("patch field, racks change places", "jellyfish", {"panels": "field"}),
    ("shuffle panels, rows", "shuffled", {"panels": "shuffle", "map": "rows"}),
    ("shuffle panels, racks change places", "shuffled", {"panels": "shuffle"}),
)


def row(layout: Layout) -> list[str]:
    """The figures of a layout."""
    length_m = layout.length_m[layout.between & layout.cabled_alone]
    if layout.plant is not None:
        ends = layout.plant.slots_of_ends(layout.slot)
        length_m = np.concatenate([length_m, layout.plant.length_m[ends[:, 0] != ends[:, 1]]])
    _, load = tray_load(layout)
    lengths = np.unique(np.ceil(length_m - 1e-9)).size
    return [
        f"{length_m.size:,}",
        f"{length_m.sum():,.0f}",
        f"{layout.rack_pairs:,}",
        f"{load.max(initial=0):,}",
        str(lengths),
        f"{layout.mean_length_m:.1f}",
    ]


def main() -> None:
    print(f"{SWITCHES} switches of {DEGREE} links, two in a rack")
    head = ["pieces", "metres", "rack pairs", "tray", "lengths", "mean link m", "s"]
    print(f"{'':55s}" + "".join(f"{name:>12s}" for name in head))
    for name, family, placing in WAYS:
        network = open_network(f"{family}:n={SWITCHES},degree={DEGREE},hosts={DEGREE}")
        began = time.monotonic()
        room = replace(preset("koibuchi-2013"), switches_per_rack=2)
        placed = network.placed(room, parts="ethernet-2026", rate_gbps=100, **placing)
        cells = [*row(placed.part(Layout)), f"{time.monotonic() - began:.1f}"]
        print(f"{name:55s}" + "".join(f"{cell:>12s}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
