"""What `verify` and `verify-tables` print and write of what is wrong."""

import os
from typing import Annotated, Any

from topoloom.cli.output import plain, print_facts, print_record, say
from topoloom.cli.presentation import Json
from topoloom.core.settings import setting
from topoloom.fabric.diagnosis.diagnostics import Diagnostics

#: What is shown of a comparison, and of tables, in this order.
_COMPARED = (
    *("same", "switches_known_by", "switches_known_by_neighbours", "links_that_agree", "ports", "planned_cables"),
    *("right_cables", "right_but_for_ports", "wrong_cables", "missing_cables", "extra_cables", "swapped_cables"),
    *("slow_cables", "one_sided_cables"),
)
_JUDGED = (
    *("tables", "switches", "pairs_between", "virtual_channel_pairs", "virtual_channels_used"),
    *("deadlock_free", "pairs", "reached_pairs", "minimal", "minimal_share", "mean_hops", "max_hops", "stretch"),
    *("edge_forwarding_index", "load_over_mean"),
)
#: Everything was done, and there are differences: neither the user's mistake nor ours.
DIFFERENT = 3


class Diagnosed(Json, frozen=True, kw_only=True):
    """Where what is wrong goes."""

    sarif: Annotated[str, setting("also write SARIF 2.1.0 into this file, for pipelines", metavar="FILE")] | None = None


def report(result: Diagnostics, to: Diagnosed, *sources: str | None) -> int:
    """Print what is wrong, and write it as SARIF where that is asked for.

    Parameters
    ----------
    result : Diagnostics
    to : Diagnosed
    *sources : str or None
        The names of the networks; the first that is a file is what SARIF points at.

    Returns
    -------
    int
        The exit code.
    """
    code = 0 if result.clean else DIFFERENT
    if to.json:
        print_record(result)
    else:
        _show(result)
    if to.sarif is not None:
        from topoloom.fabric.diagnosis.sarif import write_sarif

        write_sarif(result, to.sarif, next((one for one in sources if one and os.path.isfile(one)), None), code)
        say(f"wrote {to.sarif}", err=True)
    return code


def _show(found: Diagnostics) -> None:
    title = found.plan if found.actual is None else f"{found.plan} (plan) and {found.actual}"
    rows: list[tuple[str, str]] = []
    if found.comparison is not None:
        rows += _facts(found.comparison, _COMPARED)
    if found.table_verification is not None:
        rows += _facts(found.table_verification, _JUDGED)
    rows += [("rules_asked", str(len(found.rules)))] if not rows else []
    rows += [(key, str(getattr(found, key))) for key in ("errors", "warnings", "notes")]
    print_facts(title, rows)
    follows = any(one.because_of for one in found.diagnostics)
    for one in found.diagnostics:
        say(f"{one.number}. {one}" if follows else one)


def _facts(record: dict[str, Any], keys: tuple[str, ...]) -> list[tuple[str, str]]:
    return [
        ("pairs_in_each_lane", " ".join(map(str, record[key])))
        if key == "virtual_channel_pairs"
        else (key, plain(record[key]))
        for key in keys
    ]
