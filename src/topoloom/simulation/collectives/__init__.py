"""Collectives: lower bounds on their time on a network, and schedules of trees that achieve them."""
