"""The placement of candidates: row by row as they are screened, and by the search of the shortlist."""

import msgspec

from topoloom.cabling.expansion.phases.numbering import layout_of_part
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.cost.placed import placed_layout
from topoloom.designer.requirement import Requirement
from topoloom.designer.wiring import whole_spec
from topoloom.model.results import json_value
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.network.opening import as_network
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.place import DEFAULT_MAP, SCREENING_MAP
from topoloom.topologies.spec import build


def place_candidate(
    topology: Topology, requirement: Requirement, parts: Parts, grown: Topology | None = None
) -> Layout:
    """The layout of a candidate as it is screened: its racks row by row.

    Parameters
    ----------
    topology : Topology
    requirement : Requirement
        Gives the floor, the hosts and their racks.
    parts : Parts
        The requirement's catalogue, for the power that racks must supply.
    grown : Topology, optional
        The network after its growth, which is placed; the part of it has the places that it has then.

    Raises
    ------
    InputError
        The switches do not fit on the floor.
    """
    terms, room = requirement.terms(parts, topology), requirement.floor.floor()
    whole = topology if grown is None else grown
    panels = requirement.panels_of(whole)
    layout = placed_layout(whole, terms, room, hosts=requirement.housing, map=SCREENING_MAP, panels=panels)
    return layout if grown is None else layout_of_part(layout, topology)


def placed_networks(
    spec: str,
    requirement: Requirement,
    parts: Parts,
    map: str = DEFAULT_MAP,
    jobs: int | None = None,
    work: Work | None = None,
) -> dict[str, Network]:
    """A candidate's network, and where it is sized for growth also the network after it: built, placed, with the requirement.

    Parameters
    ----------
    spec : str
    requirement, parts
        As in `place_candidate`.
    map : str
        The placement, as in `place`.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        May stop the search.

    Returns
    -------
    dict of str to Network
        By spec; each switch and host of the candidate has the place that it has after the growth.

    Raises
    ------
    InputError
        The switches do not fit on the floor.
    """
    whole = whole_spec(spec)
    grown = build(whole)
    terms = msgspec.structs.asdict(requirement.terms(parts, grown))
    network = as_network(grown).priced(**terms).with_requirements(json_value(requirement))
    network = network.placed(
        requirement.floor.floor(),
        hosts=requirement.housing,
        map=map,
        panels=requirement.panels_of(grown),
        jobs=jobs,
        work=work,
    )
    if whole == spec:
        return {spec: network}
    # Where rates differ, `price` buys each switch of a part for its ports after the growth.
    radix = None if grown.mixed else network.topology.radix
    part = as_network(build(spec)).priced(**terms | {"radix": radix})
    layout = layout_of_part(network.part(Layout), part.topology)
    return {whole: network, spec: part.with_requirements(json_value(requirement)).standing(layout)}


def placed_network(
    spec: str,
    requirement: Requirement,
    parts: Parts,
    map: str = DEFAULT_MAP,
    jobs: int | None = None,
    work: Work | None = None,
) -> Network:
    """A candidate's network.

    Parameters
    ----------
    spec, requirement, parts, map, jobs, work
        As in `placed_networks`.
    """
    return placed_networks(spec, requirement, parts, map, jobs, work)[spec]
