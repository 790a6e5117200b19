"""Machines: hosts of several kinds, the networks that join them, one room and one bill.

`requirement` has the machine file, `reading` reads it, `connecting` says which ports of which devices are on which network,
`racks` places all devices, `machine` is the result, `bill` its costs, and `folder` its files.
"""
