"""The passive fibre plant: cords, trunks and panels between the ports of switches, the way of every link through them, its loss
and its polarity."""
