"""How kernels are compiled, and where the compiled ones are kept."""
