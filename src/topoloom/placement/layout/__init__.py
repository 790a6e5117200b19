"""From a graph to a floor: racks, their places, and the length of every cable."""
