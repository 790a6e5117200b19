"""Random draws that are the same on every machine and in every release: `Draws` for vectors, `draws.kernels` for kernels."""

from topoloom.draws.stream import GAMMA, Draws

__all__ = ["GAMMA", "Draws"]
