"""Simulation: flit by flit, as flows with fair rates, and of MPI programs, workloads and collectives on both and on SimGrid.

`flits` has the routers, `flows` the fair rates, `workloads` reads GOAL and Chakra files, `collectives` makes schedules of
collectives, `applications` runs programs.
"""
