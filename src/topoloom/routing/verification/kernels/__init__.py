"""Kernels of the verifier: tables followed hop by hop, and what waits for what."""
