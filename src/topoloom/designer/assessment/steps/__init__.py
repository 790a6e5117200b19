"""One file per step of the chain: what of a network it works out, as figures and results."""
