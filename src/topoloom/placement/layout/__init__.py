"""From a graph to a floor: cabinets, their places, and the length of every cable."""
