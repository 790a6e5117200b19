"""LLDP: what devices hear of each other, in the forms of eight makers; readers, and the joining of all views to cables."""
