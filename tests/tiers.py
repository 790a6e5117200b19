"""The two tiers of tests, as CONTRIBUTING.md has them: how many cases of a sweep and how many random examples each takes."""

#: Whether all tests run; conftest.py sets it before test modules are imported.
EVERYTHING = False


def examples(most: int) -> int:
    """How many random examples a property is tried on: `most` in the second tier, a tenth of them in the first."""
    return most if EVERYTHING else max(5, most // 10)
