"""Helpers that claims share: hop counts of specs, and their spread over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev

from topoloom.core.errors import InputError
from topoloom.graph.hops import Hops, hops
from topoloom.topologies.spec import Facts, build, facts_of


@lru_cache(maxsize=256)
def measured(spec: str) -> Hops:
    """Hop statistics of the network with this spec, computed once."""
    return hops(build(spec))


def known(spec: str) -> Facts | None:
    """The facts of the network with this spec, which is not built; None if no such network exists."""
    try:
        return facts_of(spec)
    except InputError:
        return None


def facts(spec: str) -> Facts:
    """The facts of the network with this spec, which exists.

    Raises
    ------
    InputError
        No such network exists, or it has no facts.
    """
    found = facts_of(spec)
    if found is None:
        raise InputError(f"{spec}: its size is known only when it is built")
    return found


@dataclass(frozen=True)
class Spread:
    """Diameters and average shortest path lengths (ASPL) of a random family, one per seed."""

    diameters: tuple[int, ...]
    aspls: tuple[float, ...]
    aspls_including_self: tuple[float, ...]

    @property
    def diameter(self) -> float:
        """The most frequent diameter."""
        return float(max(set(self.diameters), key=self.diameters.count))

    @property
    def aspl(self) -> float:
        """The mean ASPL."""
        return fmean(self.aspls)

    @property
    def aspl_including_self(self) -> float:
        """The mean ASPL that also counts pairs of a switch with itself, as in Koibuchi 2013 (errata of Koibuchi 2013, 1)."""
        return fmean(self.aspls_including_self)

    @property
    def deviation(self) -> float:
        """The standard deviation of the ASPL over seeds."""
        return stdev(self.aspls) if len(self.aspls) > 1 else 0.0


def over_seeds(spec: str, seeds: Sequence[int] | range) -> Spread:
    """Hop statistics of ``spec`` for every seed; ``{seed}`` in the spec is replaced by the seed."""
    each = [measured(spec.format(seed=seed)) for seed in seeds]
    return Spread(
        tuple(int(h.diameter) for h in each), tuple(h.aspl for h in each), tuple(h.aspl_including_self for h in each)
    )
