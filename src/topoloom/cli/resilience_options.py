"""The options of `topoloom resilience` as numbers, and what does not go together."""

import math
from pathlib import Path
from typing import Any

from topoloom.errors import InputError


def check(topologies: tuple[str, ...], given: dict[str, Any]) -> None:
    """Refuse options that do not go together, before any work."""
    if given["metric"] == "disconnection":
        for option, value in (("--tolerate", given["tolerate"] is not None), ("--values", given["values"])):
            if value:
                raise InputError(
                    f"{option}: disconnection has no hops; ask for --metric diameter or aspl, or leave it out"
                )
    asked = given["throughput"] or given["reroute"] is not None
    if given["shares"] and not asked and given["damaged"] is None:
        raise InputError("--share: nothing asks for it; add --throughput, --reroute ENGINE or --damaged FILE")
    if given["damaged"] is not None:
        if len(topologies) > 1:
            raise InputError(f"--damaged {given['damaged']}: holds one network; name one TOPOLOGY")
        if given["damaged"] == "-":
            raise InputError("--damaged -: standard output is for the survival curve; name a file")
        if not Path(given["damaged"]).parent.is_dir():
            raise InputError(
                f"--damaged {given['damaged']}: there is no folder {Path(given['damaged']).parent}; make it first"
            )


def rates_of(given: dict[str, Any]) -> dict[str, float]:
    """Failures of links and switches in 1e9 hours, as far as they are given."""
    from topoloom.failures.lifetime import FIT_HOURS

    rates = {}
    for what in ("link", "switch"):
        fit, mtbf = given[f"{what}_fit"], given[f"{what}_mtbf"]
        if fit is not None and mtbf is not None:
            raise InputError(f"--{what}-fit and --{what}-mtbf say the same thing; give one of them")
        if fit is not None or mtbf is not None:
            rates[f"{what}_fit"] = fit if mtbf is None else FIT_HOURS / mtbf
            if not math.isfinite(rates[f"{what}_fit"]):
                raise InputError(f"--{what}-{'fit' if mtbf is None else 'mtbf'}: give a number that is not infinite")
    if rates and not any(rates.values()):
        raise InputError("--link-fit and --switch-fit: nothing ever fails at 0; give a rate above it")
    return rates


def shares_of(option: str, text: str) -> list[float]:
    """Shares of a list, or from a first to a last by steps; a number with % is so many hundredths."""
    try:
        if ":" not in text:
            found = [_share(part) for part in text.split(",")]
        else:
            first, last, step = (_share(part) for part in text.split(":"))
            count = int((last - first) / step + 1e-9) + 1
            if step <= 0 or not 1 <= count <= 10_000:
                raise ValueError
            found = [round(first + number * step, 12) for number in range(count)]
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InputError(f"{option} '{text}': write first:last:step, as in 0.05:0.95:0.05, or a list 5%,10%") from None
    for share in found:
        if not 0 <= share <= 1:
            raise InputError(
                f"{option} '{text}': {share:g} is not a share of what fails, which is between 0 and 1 (100 %)"
            )
    return found


def _share(text: str) -> float:
    word = text.strip()
    return round(float(word[:-1]) / 100, 12) if word.endswith("%") else float(word)
