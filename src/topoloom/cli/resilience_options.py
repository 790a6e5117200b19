"""The options of `topoloom resilience` as numbers, and what does not go together."""

import math
from pathlib import Path

from topoloom.errors import InputError


def check_shares(shares: tuple[str, ...], asked: bool) -> None:
    """Refuse --share where nothing asks for it."""
    if shares and not asked:
        raise InputError("--share: nothing asks for it; add --throughput, --reroute ENGINE or --damaged FILE")


def check_damaged(damaged: str | None, topologies: tuple[str, ...], shares: list[float]) -> None:
    """Refuse a --damaged that cannot be written, before any work.

    Parameters
    ----------
    damaged : str or None
        The file for a damaged network; None: none is written.
    topologies : tuple of str
        The networks that the command was given.
    shares : list of float
        The shares of failures that it was given.

    Raises
    ------
    InputError
        Several networks or shares, standard output, or a folder that is not there.
    """
    if damaged is None:
        return
    if len(topologies) > 1:
        raise InputError(f"--damaged {damaged}: holds one network; name one TOPOLOGY")
    if damaged == "-":
        raise InputError("--damaged -: standard output is for the survival curve; name a file")
    if not Path(damaged).parent.is_dir():
        raise InputError(f"--damaged {damaged}: there is no folder {Path(damaged).parent}; make it first")
    if len(shares) > 1:
        raise InputError(f"--share names {len(shares)} shares, but --damaged writes one network; give one share")


def fit_of(what: str, fit: float | None, mtbf: float | None) -> float | None:
    """Failures in 1e9 hours of what ("link", "switch") fails, from either option; None where neither is given.

    Parameters
    ----------
    what : "link" or "switch"
        What fails, for messages.
    fit : float or None
        Failures in 1e9 hours.
    mtbf : float or None
        Hours between failures.

    Returns
    -------
    float or None
        FIT: failures in 1e9 hours.

    Raises
    ------
    InputError
        Both are given, or the number is infinite.
    """
    from topoloom.failures.lifetime import FIT_HOURS

    if fit is not None and mtbf is not None:
        raise InputError(f"--{what}-fit and --{what}-mtbf say the same thing; give one of them")
    rate = FIT_HOURS / mtbf if mtbf is not None else fit
    if rate is not None and not math.isfinite(rate):
        raise InputError(f"--{what}-{'fit' if mtbf is None else 'mtbf'}: give a number that is not infinite")
    return rate


def refuse_never(rates: dict[str, float]) -> None:
    """Refuse rates at which nothing ever fails."""
    if rates and not any(rates.values()):
        raise InputError("--link-fit and --switch-fit: nothing ever fails at 0; give a rate above it")


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
