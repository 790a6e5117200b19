"""The first call of a kernel compiles it; no deadline can hold then."""

from hypothesis import settings

settings.register_profile("kernels", deadline=None)
settings.load_profile("kernels")
