"""The text and the SARIF file in which `verify` and `verify-tables` report what is wrong."""

import os
from typing import TYPE_CHECKING, Annotated, Any

from topoloom.cli.monitored import monitored
from topoloom.cli.output import plain, print_facts, print_record, say
from topoloom.cli.presentation import Monitored
from topoloom.cli.routing_text import with_lost
from topoloom.core.settings import setting
from topoloom.fabric.diagnosis.diagnostics import Diagnostics

if TYPE_CHECKING:
    from topoloom.machine.verifying import MachineDiagnostics

#: Keys that are printed of a comparison and of verified tables, in this order.
_COMPARED = (
    *("same", "switches_known_by", "switches_known_by_neighbours", "links_that_agree", "ports", "planned_cables"),
    *("right_cables", "right_but_for_ports", "wrong_cables", "missing_cables", "extra_cables", "swapped_cables"),
    *("slow_cables", "one_sided_cables"),
)
_JUDGED = (
    *("tables", "switches", "paths", "virtual_channel_pairs", "virtual_channels_used"),
    *("deadlock_free", "pairs", "reached_pairs", "minimal", "minimal_share", "mean_hops", "max_hops", "stretch"),
    *("max_channel_load", "load_over_mean"),
)
#: Labels of keys whose name alone does not say that they are shares.
_LABELS = {
    "links_that_agree": "share_of_links_that_agree",
    "max_channel_load": "maximum_channel_load",
    "paths": "paths_per_pair",
}
_UNITS = {"pairs": " pairs of hosts", "max_channel_load": " pairs of hosts"}
#: Exit code: the command succeeded and found differences.
DIFFERENT = 3


class Diagnosed(Monitored, frozen=True, kw_only=True):
    """The output options of a diagnosis."""

    sarif: (
        Annotated[
            str, setting("also write SARIF 2.1.0 into this file, for pipelines", metavar="FILE", names="new file")
        ]
        | None
    ) = None


def report(result: "Diagnostics | MachineDiagnostics", to: Diagnosed, *sources: str | None) -> int:
    """Print what is wrong, and write it as SARIF if that is asked for.

    Parameters
    ----------
    result : Diagnostics or MachineDiagnostics
    to : Diagnosed
    *sources : str or None
        The inputs; SARIF points at the first one that is a file.

    Returns
    -------
    int
        The exit code.
    """
    code = 0 if result.clean else DIFFERENT
    checked = result if isinstance(result, Diagnostics) else dict(zip(result.networks, result.results, strict=True))
    if to.json:
        print_record(result)
    elif to.nagios:
        pass  # prints its line
    elif isinstance(result, Diagnostics):
        _show(result)
    else:
        _show_machine(result)
    if to.sarif is not None:
        from topoloom.fabric.diagnosis.sarif import write_sarif

        artifact = next((source for source in sources if source and os.path.isfile(source)), None)
        write_sarif(checked, to.sarif, artifact, code)
        say(f"wrote {to.sarif}", err=True)
    return monitored(checked, to, code, [source for source in sources if source])


def _show_machine(result: "MachineDiagnostics") -> None:
    for name, of_network in zip(result.networks, result.results, strict=True):
        _show(of_network, f"{name}: ")
        say()
    rows = [("networks_verified", ", ".join(result.networks))]
    rows += [("networks_without_discovery", ", ".join(result.unverified))] * bool(result.unverified)
    rows += [(key, str(getattr(result, key))) for key in ("errors", "warnings", "notes")]
    print_facts(result.title, rows)
    for cause in result.causes:
        numbers = ", ".join(f"{finding.network} {finding.number}" for finding in cause.findings)
        say(f"one cause: {cause.text} (findings {numbers})")


def _show(result: Diagnostics, network: str = "") -> None:
    title = network + (result.plan if result.actual is None else f"{result.plan} (plan) and {result.actual}")
    rows: list[tuple[str, str]] = []
    if result.comparison is not None:
        rows += _facts(result.comparison, _COMPARED)
    if result.passive is not None:
        rows += [("cords", str(result.passive.cords)), ("trunks", str(result.passive.trunks))]
    if result.table_verification is not None:
        rows += _facts(result.table_verification, _JUDGED)
    rows += [("rules_checked", str(len(result.rules)))] if not rows else []
    rows += [(key, str(getattr(result, key))) for key in ("errors", "warnings", "notes")]
    print_facts(title, rows)
    follows = any(diagnostic.because_of for diagnostic in result.diagnostics)
    for diagnostic in result.diagnostics:
        say(f"{diagnostic.number}. {diagnostic}" if follows else diagnostic)


def _facts(record: dict[str, Any], keys: tuple[str, ...]) -> list[tuple[str, str]]:
    return [
        ("pairs_in_each_virtual_channel", " ".join(map(str, record[key])))
        if key == "virtual_channel_pairs"
        else (_LABELS.get(key, key), _value(key, record))
        for key in keys
    ]


def _value(key: str, record: dict[str, Any]) -> str:
    """A value as text."""
    if record[key] is None:
        return "not known without service levels"
    return with_lost(key, plain(record[key]) + _UNITS.get(key, ""), record.get("lost_pairs", 0))
