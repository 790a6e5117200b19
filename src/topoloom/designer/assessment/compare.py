"""The operation `compare`: named networks, fully assessed, side by side."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from topoloom.core.errors import InputError, hint, wrong_type
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.cost.spares import Spares
from topoloom.designer.assessment.assess import assess, ranked
from topoloom.designer.assessment.assessment import Assessment, Assessments, distinct_assessments, figure_keys
from topoloom.designer.assessment.measures import measure_figures
from topoloom.designer.assessment.reasons import Ranking, reasons
from topoloom.designer.assessment.subject import MOST_REPEATS
from topoloom.designer.assessment.subjects import subject_of
from topoloom.designer.names import name_of_network
from topoloom.graph.measure_register import MEASURES
from topoloom.model.sources import NetworkSource, network_of
from topoloom.network import Network
from topoloom.network.laying_out import all_laid_out
from topoloom.placement.floors.floor import Floor
from topoloom.placement.hosts.housing import Housing


def compare(
    networks: Iterable[NetworkSource],
    *,
    reference: int | None = None,
    minimize: str = "cost_usd",
    measures: Sequence[str] = (),
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
    """Assess networks in full (bill, tables, throughput, load, collectives, failures, growth), and rank them.

    Parameters
    ----------
    networks : sequence of NetworkSource
        The layouts, installed tables and terms of the networks are used. A network without a layout is placed on `floor`,
        and one without tables is routed by the engine that suits it.
    reference : int, optional
        Index, from 0, of the network that the others are compared with.
    minimize : str
        The key of the figure to rank by, as ``saturation``; less is better unless the figure says otherwise.
    measures : sequence of str
        Registered measures (`topoloom.graph.measure_register`) that are figures, too, under their names with ``_`` for ``-``.
    hosts : int, optional
        Number of hosts required; the reasons then include the cost of 10 % more.
    minutes : float, optional
        The time budget; steps that do not fit are listed. Without it every step is run.
    repeats : int, optional
        Largest multiple of the normal number of draws, as in `assess`; 16 if omitted.
    floor : Floor or str, optional
        For networks without a layout; ``slimfly-2014`` when omitted.
    housing : Housing, str or path, optional
        Hosts in racks, for networks without a layout.
    parts, prices, rate_gbps, host_cables, spares : optional
        As in `Network.priced`; they replace the terms that the networks remember.
    radix : int, optional
        Ports of the available switches, for growth; if omitted, those of the requirement that a network remembers.
    virtual_channels : int, optional
        Virtual channels of a switch; if omitted, those of the requirement that a network remembers, else 8.
    seed : int
    store : path, optional
        A folder that keeps the results of steps for later runs.
    jobs : int, optional
        Number of threads; one per core when omitted.
    work : Work, optional

    Returns
    -------
    Assessments
        Best first, each with the reason for its rank.

    Raises
    ------
    InputError
        No network is given, one cannot be opened or placed, or no figure has the key `minimize`.

    Examples
    --------
    >>> assessments = compare(["petersen", "ring:n=10"], minimize="worst_throughput", minutes=1)
    >>> [network.name for network in assessments.networks]
    ['Petersen graph, 10 switches of 3 ports', 'ring, 10 switches of 2 ports']
    """
    if isinstance(networks, (str, bytes)) or not isinstance(networks, Iterable):
        raise wrong_type(networks, Iterable, "compare", "name networks, as in ['petersen', 'hypercube:n=4']")
    sources = list(networks)
    if not sources:
        raise InputError("compare: no network given; name one or more")
    if reference is not None and not 0 <= reference < len(sources):
        raise InputError(f"reference={reference}: there are {len(sources)} networks, numbered from 0")
    if isinstance(measures, str):
        raise InputError(f"measures takes a list of names, not the text '{measures}'; write ['{measures}']")
    for name in measures:
        MEASURES.find(name)
    work = Work() if work is None else work
    opened = [network_of(source, "compare") for source in sources]
    laid_out = all_laid_out(
        opened,
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
    assessments = assess(
        subjects, objective=minimize, seconds=seconds, repeats=repeats, store=store, jobs=jobs, work=work
    )
    if measures:
        extended = [
            replace(assessed, figures=(*assessed.figures, *measure_figures(assessed.network, measures)))
            for assessed in assessments.networks
        ]
        assessments = replace(assessments, networks=tuple(ranked(extended, minimize)))
    named = distinct_assessments([replace(assessed, name=_name(assessed)) for assessed in assessments.networks])
    reference_name = None
    if reference is not None:
        compared = subjects[reference].topology
        same = (assessed.name for assessed in named if assessed.network.topology == compared)
        reference_name = next(same, compared.name)
    return _explained(replace(assessments, networks=named), minimize, hosts, reference_name)


def _name(assessed: Assessment) -> str:
    """The name of a network for people; of a network without a spec its own."""
    network: Network = assessed.network
    if assessed.spec is None:
        return assessed.name
    topology, terms = network.topology, network.terms
    return name_of_network(assessed.spec, topology, terms.catalogue, terms.rate_on(topology), topology.radix)


def _explained(assessments: Assessments, minimize: str, hosts: int | None, reference: str | None) -> Assessments:
    """Add the reasons for their ranks to the networks of a comparison."""
    keys = figure_keys(assessments.networks)
    if minimize not in keys and assessments.ended == "done":
        raise InputError(f"minimize='{minimize}': no network has a figure with this key ({hint(minimize, keys)})")
    figure = next(
        (network.figure(minimize) for network in assessments.networks if network.figure(minimize) is not None), None
    )
    label, unit = (minimize, "") if figure is None else (figure.label, figure.unit)
    scores = tuple(network.value(minimize) for network in assessments.networks)
    more = figure is not None and figure.better == "more"
    sentences = reasons(assessments.networks, Ranking(minimize, label, unit, scores, hosts, more_is_better=more))
    networks: list[Assessment] = [
        replace(network, why=why) for network, why in zip(assessments.networks, sentences, strict=True)
    ]
    return replace(assessments, networks=tuple(networks), reference=reference)
