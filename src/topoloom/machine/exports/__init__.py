"""Exports of a whole machine: lists of cables and labels, front views of racks, NetBox, and the nodes of schedulers."""
