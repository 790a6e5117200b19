"""The codes of operations in schedules and in the kernels that run them."""

#: Kinds of operations; the codes are GOAL's.
SEND, RECV, CALC = 1, 2, 3
#: The peer or tag of a receive that matches any.
ANY = -1
