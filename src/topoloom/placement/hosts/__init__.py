"""Hosts: what hangs on the ports of a network, and the racks that hold it."""
