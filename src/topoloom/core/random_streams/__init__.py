"""Random draws that are the same on every machine and in every release.

`Draws` is for vectors, `random_streams.kernels` for kernels.
"""

from topoloom.core.random_streams.stream import GAMMA, Draws

__all__ = ["GAMMA", "Draws"]
