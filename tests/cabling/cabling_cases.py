"""What the tests of the cabling room share: layouts made by hand, and files read as their readers do."""

import csv
import io
from dataclasses import replace

import numpy as np

from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import preset
from topoloom.placement.floors.slots import NO_LIMIT, Slots
from topoloom.placement.layout.layout import Layout


def stand(topology, each, floor="slimfly-2014", **changes):
    """A layout with so many switches per rack, in their own order, row by row."""
    rack = (np.arange(topology.switches) // each).astype(np.int32)
    room = replace(preset(floor), **changes)
    return Layout(topology, room, room.slots_for(int(rack.max()) + 1), rack)


def odd_floor(*names):
    """A floor whose slots have these names, a metre apart in a row."""
    place_m = np.stack([np.arange(len(names), dtype=float), np.zeros(len(names))], axis=1)
    slots = Slots(names, place_m, np.full((len(names), 3), NO_LIMIT))
    return replace(preset("slimfly-2014"), name="odd", fixed=slots)


def rows(text):
    """A CSV file as dicts."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


#: Two ports a host, parallel links, labels of every type, a switch without links.
FABRIC = Topology(
    links=[(0, 1), (0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (3, 5), (4, 5), (1, 4)],
    switches=7,
    endpoints=[0, 0, 1, 2, 3, 5],
    host=[0, 1, 0, 2, 3, 3],
    labels={"x": np.arange(7), "height": np.linspace(0, 1, 7), "role": np.array(["a", "b", "c", "=", "", "1", "-2"])},
    name="=fabric",
    spec="fabric:n=7",
)
