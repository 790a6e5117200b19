"""The function `compare`: networks that are named, fully assessed, next to each other."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from topoloom.core.errors import InputError, hint, wrong_type
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.cost.spares import Spares
from topoloom.designer.assessment.assess import assess
from topoloom.designer.assessment.assessment import Assessment, Assessments, figure_keys
from topoloom.designer.assessment.reasons import Ranking, reasons
from topoloom.designer.assessment.subject import MOST_REPEATS
from topoloom.designer.assessment.subjects import subject_of
from topoloom.model.link_rates import refuse_mixed
from topoloom.model.sources import NetworkSource, network_of
from topoloom.network.laying_out import all_laid_out
from topoloom.placement.floors.floor import Floor
from topoloom.placement.hosts.housing import Housing


def compare(
    networks: Iterable[NetworkSource],
    *,
    reference: int | None = None,
    minimize: str = "cost_usd",
    hosts: int | None = None,
    minutes: float | None = None,
    repeats: int | None = None,
    floor: Floor | str | None = None,
    housing: Housing | str | Path | None = None,
    parts: Parts | str | Path | None = None,
    prices: str | Path | None = None,
    rate_gbps: float | None = None,
    host_cables: bool | None = None,
    spares: Spares | bool | None = None,
    radix: int | None = None,
    virtual_channels: int | None = None,
    seed: int = 1,
    store: str | Path | None = None,
    jobs: int | None = None,
    work: Work | None = None,
) -> Assessments:
    """Take networks through bill, tables, throughput, load, collectives, failures and growth, and rank them.

    Parameters
    ----------
    networks : sequence of NetworkSource
        Layouts, installed tables, and the terms that networks remember, are taken as they are; what has no layout is placed on
        `floor`, and what has no tables is routed by the engine that fits.
    reference : int, optional
        Which of them, from 0, the others are compared with.
    minimize : str
        The key of the figure that they are ranked by, less first unless more of it is better, as ``saturation``.
    hosts : int, optional
        That are needed: then what 10 % more of them cost is worked out for the sentences.
    minutes : float, optional
        The budget; what does not fit is named. Without it everything is worked out.
    repeats : int, optional
        How many times the usual draws are made at the most where time is left over, as `assess` has it; 16 if omitted.
    floor : Floor or str, optional
        For those that have no layout; ``slimfly-2014`` when omitted.
    housing : Housing, str or path, optional
        Hosts in racks of their own, for the same.
    parts, prices, rate_gbps, host_cables, spares : optional
        As `Network.priced` takes them, in place of what the networks remember.
    radix : int, optional
        Ports of the switches that can be had, for growth; those of the requirement that a network remembers if omitted.
    virtual_channels : int, optional
        Virtual virtual channels of a switch; those of that requirement if omitted, else 8.
    seed : int
    store : path, optional
        A folder where steps are kept and found again.
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional

    Returns
    -------
    Assessments
        The best first, each with a sentence why.

    Raises
    ------
    InputError
        No network, one that cannot be opened or placed, or no figure of that key.

    Examples
    --------
    >>> found = compare(["petersen", "ring:n=10"], minimize="worst_throughput", minutes=1)
    >>> [one.name for one in found.networks]
    ['petersen', 'ring(n=10)']
    """
    if isinstance(networks, (str, bytes)) or not isinstance(networks, Iterable):
        raise wrong_type(networks, Iterable, "compare", "name networks, as in ['petersen', 'hypercube:n=4']")
    given = list(networks)
    if not given:
        raise InputError("compare: name one network or more")
    if reference is not None and not 0 <= reference < len(given):
        raise InputError(f"reference={reference}: there are {len(given)} networks, numbered from 0")
    work = Work() if work is None else work
    networks_given = [network_of(one, "compare") for one in given]
    for network in networks_given:
        refuse_mixed(network.topology, "compare")
    laid_out = all_laid_out(
        networks_given,
        floor,
        hosts=housing,
        terms={"parts": parts, "prices": prices, "rate_gbps": rate_gbps, "host_cables": host_cables, "spares": spares},
        seed=seed,
        jobs=jobs,
        work=work,
    )
    subjects = [subject_of(network, virtual_channels=virtual_channels, radix=radix, seed=seed) for network in laid_out]
    seconds = None if minutes is None else minutes * 60
    repeats = MOST_REPEATS if repeats is None else repeats
    found = assess(subjects, objective=minimize, seconds=seconds, repeats=repeats, store=store, jobs=jobs, work=work)
    named = subjects[reference].topology.name if reference is not None else None
    return _explained(found, minimize, hosts, named)


def _explained(found: Assessments, minimize: str, hosts: int | None, reference: str | None) -> Assessments:
    """The comparison with its sentences."""
    known = figure_keys(found.networks)
    if minimize not in known and found.ended == "done":
        raise InputError(f"minimize='{minimize}': no network has such a figure ({hint(minimize, known)})")
    figure = next((one.figure(minimize) for one in found.networks if one.figure(minimize) is not None), None)
    label, unit = (minimize, "") if figure is None else (figure.label, figure.unit)
    scores = tuple(one.value(minimize) for one in found.networks)
    more = figure is not None and figure.better == "more"
    told = reasons(found.networks, Ranking(minimize, label, unit, scores, hosts, more_is_better=more))
    networks: list[Assessment] = [replace(one, why=why) for one, why in zip(found.networks, told, strict=True)]
    return replace(found, networks=tuple(networks), reference=reference)
