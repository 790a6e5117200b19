"""Kernels of the judge: tables followed hop by hop, and what waits for what."""
