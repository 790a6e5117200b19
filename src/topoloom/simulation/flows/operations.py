"""The numbers by which schedules, and the kernels that run them, call operations."""

#: What an operation is; the numbers are GOAL's.
SEND, RECV, CALC = 1, 2, 3
#: A receive's peer or tag where any will do.
ANY = -1
