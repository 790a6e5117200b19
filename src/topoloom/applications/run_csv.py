"""Simulated runs as CSV: a row a run, a row a rank, a row a link."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any

from topoloom.applications.placement import switch_of_hosts
from topoloom.applications.run import AppRun
from topoloom.applications.sweep import Case

#: What tells a run from the others, in every file.
_RUN = ("program", "topology", "engine", "host_tables", "routing_seed", "placement", "seed")


def runs_csv(runs: Sequence[tuple[Case, AppRun]]) -> str:
    """A row a run, with all that decides it."""
    settings = list(runs[0][1].settings.words) if runs else []
    head = [
        *_RUN,
        "ranks",
        "seconds",
        "measure",
        "value",
        "unit",
        "mops",
        "communication_mean",
        "communication_most",
        "link_bytes_total",
        "link_bytes_most",
        "link_use_most",
        "exit_code",
        "cpu_s",
        "simgrid",
        *settings,
    ]
    rows = []
    for case, run in runs:
        value, unit = run.measured
        rows.append(
            [
                *_which(case, run),
                run.ranks,
                f"{run.seconds:.9g}",
                run.measure,
                f"{value:.9g}",
                unit,
                "" if math.isnan(run.mops) else f"{run.mops:.6g}",
                f"{run.communication.mean():.6f}",
                f"{run.communication.max():.6f}",
                f"{run.link_bytes.sum():.0f}",
                f"{run.link_bytes.max(initial=0.0):.0f}",
                f"{run.link_use.max(initial=0.0):.6f}",
                run.code,
                f"{run.cpu_s:.2f}",
                run.simgrid,
                *run.settings.words.values(),
            ]
        )
    return _text(head, rows)


def ranks_csv(runs: Sequence[tuple[Case, AppRun]]) -> str:
    """A row a rank of each run: the host and the switch where it is, and the share of the time that it does not compute."""
    rows = []
    for case, run in runs:
        switch = switch_of_hosts(case.topology)[run.homes]
        rows += [
            [*_which(case, run), rank, host, at, f"{share:.6f}"]
            for rank, (host, at, share) in enumerate(zip(run.homes, switch, run.communication, strict=True))
        ]
    return _text([*_RUN, "rank", "host", "switch", "communication"], rows)


def links_csv(runs: Sequence[tuple[Case, AppRun]]) -> str:
    """A row a link of each run: the bytes that it carried from its first switch to its second and back, and its use."""
    rows = []
    for case, run in runs:
        which, links = _which(case, run), case.topology.links
        for link, (ends, carried, use) in enumerate(zip(links, run.link_bytes, run.link_use, strict=True)):
            rows.append(
                [*which, link, *ends, f"{carried[0]:.0f}", f"{carried[1]:.0f}", f"{use[0]:.6f}", f"{use[1]:.6f}"]
            )
    return _text([*_RUN, "link", "from", "to", "bytes", "bytes_back", "use", "use_back"], rows)


def _which(case: Case, run: AppRun) -> list[Any]:
    return [run.program, case.name, run.engine, run.host_tables, case.routing_seed, run.placement, run.seed]


def _text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
