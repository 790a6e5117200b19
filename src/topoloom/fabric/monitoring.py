"""What a monitoring system reads of a fabric: metrics for Prometheus' textfile collector, and the line of a Nagios plug-in.

The metrics follow the text format of Prometheus: HELP and TYPE once per name, base units, no timestamps, a final newline. The
line of a plug-in follows the guidelines of the Monitoring Plugins project:
``FABRIC OK - text | label=value;warn;crit;min;max``.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from topoloom.core.files import write_atomically
from topoloom.fabric.diagnosis.diagnostics import Diagnostics
from topoloom.fabric.diagnosis.rule import RULES
from topoloom.fabric.progress import Progress

#: Exit codes of a Nagios plug-in.
OK, WARNING, CRITICAL, UNKNOWN = range(4)
_STATES = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
#: The name of the service in the line of the plug-in, and the longest text in it.
_SERVICE, _LONGEST = "FABRIC", 300

#: The text of every metric: monitoring systems refuse one name with two texts, also in different files.
HELP = {
    "topoloom_fabric_ok": "1 if the check found neither errors nor warnings, otherwise 0",
    "topoloom_fabric_diagnostics": "Findings of a rule",
    "topoloom_fabric_findings": "Findings of a severity",
    "topoloom_fabric_cables_planned": "Cables of the plan",
    "topoloom_fabric_cables": "Cables of a state, compared with the plan",
    "topoloom_fabric_cables_below_rate": "Cables that run below their rate",
    "topoloom_fabric_new_faults": "Faults since the discovery before the last",
    "topoloom_fabric_repaired_faults": "Faults of the discovery before the last that are gone",
    "topoloom_fabric_open_tasks": "Differences from the plan that remain, missing cables included",
    "topoloom_fabric_input_timestamp_seconds": "Time of the last change of an input file, since 1970",
    "topoloom_fabric_table_pairs": "Pairs whose paths were followed",
    "topoloom_fabric_table_pairs_reached": "Pairs whose path leads to its end",
    "topoloom_fabric_tables_deadlock_free": "1 if packets cannot block each other in a cycle, otherwise 0",
    "topoloom_fabric_table_hops_max": "Links of the longest path",
    "topoloom_fabric_table_channel_load_max": "Pairs whose paths share the channel with most of them",
}
_OF_TABLES = {
    "topoloom_fabric_table_pairs": "pairs",
    "topoloom_fabric_table_pairs_reached": "reached_pairs",
    "topoloom_fabric_tables_deadlock_free": "deadlock_free",
    "topoloom_fabric_table_hops_max": "max_hops",
    "topoloom_fabric_table_channel_load_max": "max_channel_load",
}
_CABLES = ("right", "wrong", "missing", "extra", "swapped", "slow", "one_sided")


@dataclass(frozen=True)
class Sample:
    """A value of a metric.

    Attributes
    ----------
    name : str
        A key of `HELP`.
    value : float
    labels : dict of str to str
    """

    name: str
    value: float
    labels: Mapping[str, str]


#: The result of `diagnose`, those of several networks by name, or that of `progress`.
Checked = Diagnostics | Mapping[str, Diagnostics] | Progress


def samples_of(result: Checked, files: Iterable[str] = ()) -> list[Sample]:
    """The metrics of a check.

    Parameters
    ----------
    result : Diagnostics, mapping of str to Diagnostics, or Progress
        Of `diagnose`, of `diagnose` for several networks by name, or of `progress`.
    files : iterable of path
        The inputs, whose times become metrics; what is not a file is skipped.

    Returns
    -------
    list of Sample
        With the labels check (verify, tables or watch) and fabric: of several networks, the name of each.
    """
    if isinstance(result, Mapping):
        return [
            Sample(sample.name, sample.value, {**sample.labels, "fabric": name})
            for name, of_network in result.items()
            for sample in samples_of(of_network, [of_network.discovery_file or ""])
        ]
    if isinstance(result, Progress):
        check, fabric, values = "watch", result.plan, _of_progress(result)
    else:
        check = "verify" if result.tables is None else "tables"
        fabric, values = result.actual or result.plan, _of_diagnostics(result)
    for path in dict.fromkeys(files):
        if os.path.isfile(path):
            values.append(("topoloom_fabric_input_timestamp_seconds", Path(path).stat().st_mtime, {"file": path}))
    return [Sample(name, value, {"check": check, "fabric": fabric} | labels) for name, value, labels in values]


def prometheus_text(samples: Iterable[Sample]) -> str:
    """Samples in the text format of Prometheus.

    Examples
    --------
    >>> print(prometheus_text([Sample("topoloom_fabric_ok", 1, {"fabric": "leaf row"})]), end="")
    # HELP topoloom_fabric_ok 1 if the check found neither errors nor warnings, otherwise 0
    # TYPE topoloom_fabric_ok gauge
    topoloom_fabric_ok{fabric="leaf row"} 1
    """
    by_name: dict[str, list[Sample]] = {}
    for sample in samples:
        by_name.setdefault(sample.name, []).append(sample)
    lines = []
    for name, several in by_name.items():
        lines += [f"# HELP {name} {HELP[name]}", f"# TYPE {name} gauge"]
        for sample in several:
            labels = ",".join(f'{key}="{_escaped(value)}"' for key, value in sample.labels.items())
            lines.append(f"{name}{{{labels}}} {sample.value:.17g}")
    return "\n".join(lines) + "\n"


def write_metrics(result: Checked, path: str | os.PathLike[str], files: Iterable[str] = ()) -> None:
    """Write the metrics of a check for the textfile collector: the file is replaced at once, never half written.

    Parameters
    ----------
    result : Diagnostics, mapping of str to Diagnostics, or Progress
    path : path
        Must end in ``.prom`` for the collector to read it.
    files : iterable of path
        As in `samples_of`.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    write_atomically(path, prometheus_text(samples_of(result, files)))


def nagios(result: Checked) -> tuple[int, str]:
    """The exit code and the line of a Nagios plug-in.

    Errors, and faults or lost cables of a watched cabling, are CRITICAL. Warnings, and cables still to be installed, are
    WARNING.

    Returns
    -------
    code : int
        0 OK, 1 WARNING, 2 CRITICAL.
    line : str
    """
    if isinstance(result, Progress):
        last = result.seen[-1]
        broken = last.faults + sum(task.kind == "lost" for task in result.open)
        code = CRITICAL if broken or result.nodes else WARNING if result.open else OK
        first = [*result.causes, *result.nodes, *(task.text for task in result.open)]
        text = f"{last.right_cables} of {result.planned_cables} cables right"
        counts = [
            ("right", last.right_cables, "", "", result.planned_cables),
            ("missing", last.missing_cables, "0", "", result.planned_cables),
            ("lost", last.lost, "", "0", ""),
            ("faults", last.faults, "", "0", ""),
        ]
    else:
        networks = result if isinstance(result, Mapping) else {"": result}
        errors, warnings = (sum(getattr(each, key) for each in networks.values()) for key in ("errors", "warnings"))
        code = CRITICAL if errors else WARNING if warnings else OK
        first = [
            f"{name}: {diagnostic}" if name else str(diagnostic)
            for name, each in networks.items()
            for diagnostic in each.diagnostics
            if diagnostic.severity != "note"
        ]
        records = [each.comparison for each in networks.values() if each.comparison]
        compared = {key: sum(record[f"{key}_cables"] for record in records) for key in ("planned", *_CABLES)}
        right = f", {compared['right']} cables right" if records else ""
        text = f"{_counted(errors, 'error')}, {_counted(warnings, 'warning')}{right}"
        counts = [("errors", errors, "", "0", ""), ("warnings", warnings, "0", "", "")]
        counts += [
            (key, compared[key], "", "", compared["planned"] if key == "right" else "") for key in _CABLES if records
        ]
    if first:
        text += f"; {first[0]}"
    data = " ".join(f"{label}={value};{warn};{crit};0;{most}" for label, value, warn, crit, most in counts)
    return code, f"{nagios_line(code, text)} | {data}"


def nagios_line(code: int, text: str) -> str:
    """The line of a plug-in without its data: one line, and no ``|``, which begins the data.

    Examples
    --------
    >>> nagios_line(3, "x.net cannot be read")
    'FABRIC UNKNOWN - x.net cannot be read'
    """
    short = " ".join(text.replace("|", "/").split())
    return f"{_SERVICE} {_STATES[code]} - {short if len(short) <= _LONGEST else short[:_LONGEST] + ' ...'}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


_Value = tuple[str, float, dict[str, str]]


def _of_progress(result: Progress) -> list[_Value]:
    last = result.seen[-1]
    lost = sum(task.kind == "lost" for task in result.open)
    states = {"right": last.right_cables, "missing": last.missing_cables, "lost": lost}
    return [
        ("topoloom_fabric_ok", int(result.done), {}),
        ("topoloom_fabric_cables_planned", result.planned_cables, {}),
        *(("topoloom_fabric_cables", count, {"state": state}) for state, count in states.items()),
        ("topoloom_fabric_findings", last.faults, {"severity": "error"}),
        ("topoloom_fabric_new_faults", last.new_faults, {}),
        ("topoloom_fabric_repaired_faults", last.gone_faults, {}),
        ("topoloom_fabric_open_tasks", len(result.open) + len(result.nodes), {}),
        ("topoloom_fabric_cables_below_rate", sum(task.kind == "slow" for task in result.open), {}),
    ]


def _of_diagnostics(result: Diagnostics) -> list[_Value]:
    severities = {"error": result.errors, "warning": result.warnings, "note": result.notes}
    values: list[_Value] = [("topoloom_fabric_ok", int(result.clean), {})]
    values += [("topoloom_fabric_findings", count, {"severity": key}) for key, count in severities.items()]
    # Rules without findings are zeros, so that an alert ends.
    counts = {(code, RULES.find(code).severity): 0 for code in result.rules}
    for diagnostic in result.diagnostics:
        key = diagnostic.code, diagnostic.severity
        counts[key] = counts.get(key, 0) + 1
    for (code, severity), count in counts.items():
        labels = {"rule": code, "name": RULES.find(code).name, "severity": severity}
        values.append(("topoloom_fabric_diagnostics", count, labels))
    if result.comparison is not None:
        compared = result.comparison
        values.append(("topoloom_fabric_cables_planned", compared["planned_cables"], {}))
        values += [("topoloom_fabric_cables", compared[f"{state}_cables"], {"state": state}) for state in _CABLES]
        values.append(("topoloom_fabric_cables_below_rate", compared["slow_cables"], {}))
    if result.table_verification is not None:
        tables = result.table_verification
        # Tables whose service levels are not known are neither free of deadlock nor not.
        values += [(name, float(tables[key]), {}) for name, key in _OF_TABLES.items() if tables.get(key) is not None]
    return values


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
