"""Where things stand: machine rooms, racks, hosts, which switches share a rack, and how long every cable is.

`floors` describes rooms and `hosts` what hosts are; `clustering` chooses which switches share a rack and `qap` where racks
stand; `layout` puts these together.
"""
