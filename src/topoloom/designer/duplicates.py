"""Candidates that are the same network under several names: some families contain networks of others."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from topoloom.designer.candidates import SUPPORTED
from topoloom.designer.outcomes import Candidate, Dropped, single_numbers
from topoloom.designer.requirement import Requirement
from topoloom.fabric.structure_matching import match_shapes
from topoloom.graph.planes import planes_of
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

#: The transform that leaves places empty.
_POPULATED = re.compile(r"\+populated:hosts=[0-9]+")
#: Larger networks are not compared, as that takes tables of all pairs; and guesses per pair of networks.
_MOST_SWITCHES, _GUESSES = 2_048, 4


def duplicates(candidates: Sequence[Candidate], requirement: Requirement, wanted: frozenset[str]) -> dict[str, Dropped]:
    """Find candidates that have the links and hosts of another one; only equal networks are found, but perhaps not all.

    Candidates of equal counts and distances are built, and their switches matched. They are duplicates if the matching takes
    every link to a link and every host to a host. Which places of a partly filled network are empty makes no difference.
    The best by the objective stays; of equal ones, that of a family that vendors support, or with the shortest spec.

    Parameters
    ----------
    candidates : sequence of Candidate
    requirement : Requirement
    wanted : frozenset of str
        Specs that stay: those that the user names, and reference designs.

    Returns
    -------
    dict of str to Dropped
        The duplicates by spec, each with the spec of the network that stays.
    """

    def preference(candidate: Candidate) -> tuple[bool, float, bool, int, str]:
        supported = candidate.family in SUPPORTED
        value = float(f"{getattr(candidate, requirement.minimize):.9g}")
        return candidate.spec not in wanted, value, not supported, len(candidate.spec), candidate.spec

    groups: dict[tuple[object, ...], list[Candidate]] = {}
    for candidate in sorted(candidates, key=preference):
        groups.setdefault(_counts(candidate), []).append(candidate)
    same: dict[str, Dropped] = {}
    for group in groups.values():
        if len(group) < 2 or group[0].switches > _MOST_SWITCHES * group[0].planes:
            continue
        distinct: list[tuple[str, Topology]] = []
        for candidate in group:
            plane = _plane(build(_POPULATED.sub("", candidate.spec)))
            twin = None if plane is None else next((spec for spec, other in distinct if _equal(other, plane)), None)
            if twin is not None and candidate.spec not in wanted:
                same[candidate.spec] = Dropped(
                    candidate.spec, candidate.family, "same", f"the same network as {twin}", single_numbers(candidate)
                )
            elif plane is not None:
                distinct.append((candidate.spec, plane))
    return same


def _counts(candidate: Candidate) -> tuple[object, ...]:
    """What equal networks have in common."""
    return candidate.switches, candidate.hosts, candidate.links, candidate.planes, candidate.hop_histogram


def _plane(topology: Topology) -> Topology | None:
    """One plane of a network whose planes are alike; None where they differ."""
    planes = planes_of(topology)
    return planes[0].topology if len({plane.topology.digest for plane in planes}) == 1 else None


def _equal(first: Topology, second: Topology) -> bool:
    """Whether a matching of the switches that takes links to links and hosts to hosts is found."""
    if first.switches != second.switches or len(first.links) != len(second.links) or first.hosts != second.hosts:
        return False
    if sorted(first.endpoints_at.tolist()) != sorted(second.endpoints_at.tolist()):
        return False
    shapes = match_shapes(first, second, tries=_GUESSES)
    return (
        shapes.agree == shapes.links
        and bool((shapes.planned >= 0).all())
        and _ports(first, np.arange(first.switches)) == _ports(second, shapes.planned)
    )


def _ports(topology: Topology, names: np.ndarray) -> Counter[tuple[int, ...]]:
    """How many hosts have their ports on the same switches, by the names of the switches."""
    of_hosts: dict[int, list[int]] = {}
    for host, switch in zip(topology.host.tolist(), names[topology.endpoints].tolist(), strict=True):
        of_hosts.setdefault(host, []).append(switch)
    return Counter(tuple(sorted(switches)) for switches in of_hosts.values())
