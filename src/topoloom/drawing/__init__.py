"""Drawings of networks, so that their structure is seen: blocks in blocks (planes, tiers, pods, groups, rings, lattices,
racks), each with its place, and links in bundles between what is visible.

`structure` finds the blocks by the labels of the families, with `tiers`, `lattices` and `parts`; `arranging` gives all of them
a place in one plane; `bundles` counts the links between what is visible; `drawing` has the record and its function; `picture`
draws it as SVG and PNG.
"""
