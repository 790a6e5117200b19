"""Simulated runs as CSV: one row per run, one row per rank, one row per link."""

from collections.abc import Sequence
from typing import Any

from topoloom.core.csv_files import csv_text
from topoloom.model.topology import Topology
from topoloom.simulation.applications.app_run import AppRun
from topoloom.simulation.applications.app_runs import AppRuns
from topoloom.simulation.applications.placement import switch_of_hosts
from topoloom.simulation.applications.sweep import Case

#: The columns that identify a run, in every file.
_RUN = ("program", "network", "engine", "host_tables", "routing_seed", "placement", "seed")


def runs_csv(runs: AppRuns) -> str:
    """Return one row per run, with all its inputs."""
    rows = runs.rows()
    return csv_text(list(rows[0]), [list(row.values()) for row in rows])


def ranks_csv(runs: AppRuns, cases: Sequence[Case]) -> str:
    """Return one row per rank of each run: its host and switch, and the share of time in which it does not compute."""
    topologies = _topologies(cases)
    rows: list[list[Any]] = []
    for run in runs.runs:
        switch = switch_of_hosts(topologies[run.network])[run.homes].tolist()
        shares = run.communication.round(6).tolist()
        rows += [
            [*_run_columns(run), rank, host, at, share]
            for rank, (host, at, share) in enumerate(zip(run.homes.tolist(), switch, shares, strict=True))
        ]
    return csv_text([*_RUN, "rank", "host", "switch", "communication"], rows)


def links_csv(runs: AppRuns, cases: Sequence[Case]) -> str:
    """Return one row per link of each run: the bytes from its first switch to its second and back, and its use."""
    topologies = _topologies(cases)
    rows: list[list[Any]] = []
    for run in runs.runs:
        links = topologies[run.network].links.tolist()
        carried, use = run.link_bytes.round().astype(int).tolist(), run.link_use.round(6).tolist()
        run_columns = _run_columns(run)
        for link, (ends, (forward, back), (use_forward, use_back)) in enumerate(zip(links, carried, use, strict=True)):
            rows.append([*run_columns, link, *ends, forward, back, use_forward, use_back])
    return csv_text([*_RUN, "link", "from", "to", "bytes", "bytes_back", "use", "use_back"], rows)


def _topologies(cases: Sequence[Case]) -> dict[str, Topology]:
    return {case.name: case.topology for case in cases}


def _run_columns(run: AppRun) -> list[Any]:
    return [run.program, run.network, run.engine, run.host_tables, run.routing_seed, run.placement, run.seed]
