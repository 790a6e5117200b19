"""The finalists of a design: the best of the ranking, placed as `topoloom layout` does, and ranked by what that gives."""

from collections.abc import Iterable
from contextlib import suppress

from topoloom.cost.parts import Parts
from topoloom.designer.measure import Candidate, measured_by_default_placement, numbers, passed_limit
from topoloom.designer.need import Need
from topoloom.designer.store import Store
from topoloom.errors import InputError, Stopped
from topoloom.layout.layout import Layout
from topoloom.layout.place import DEFAULT_MAP
from topoloom.work import Work

#: So many of the first of the ranking are placed anew. Each takes seconds: one adds a fifth to the time of a design whose
#: candidates are small (examples/room-1k.toml), two nearly half.
FINALISTS = 1


def in_order(candidates: Iterable[Candidate], need: Need) -> list[Candidate]:
    """Candidates, best first."""
    return sorted(candidates, key=lambda c: (getattr(c, need.minimize), c.cost_per_host_usd, c.spec))


def place_finalists(
    ranked: list[Candidate], need: Need, parts: Parts, kept: Store | None, work: Work, jobs: int, *, fresh: bool
) -> tuple[list[Candidate], dict[str, Layout], bool]:
    """Place the first of the ranking by the default placement, and rank all again.

    Parameters
    ----------
    ranked : list of Candidate
        Best first, measured row by row.
    need : Need
    parts : Parts
        The need's catalogue.
    kept : Store or None
        Where candidates that were placed anew are found and kept.
    work : Work
        May stop it.
    jobs : int
        Threads.
    fresh : bool
        Do not look what the store has.

    Returns
    -------
    (list of Candidate, dict of str to Layout, bool)
        The new ranking; the layouts that were made, by spec; whether it was stopped before its end.
    """
    found = {one.spec: one for one in ranked}
    layouts: dict[str, Layout] = {}
    finalists, done = ranked[:FINALISTS], 0
    if finalists:
        work.begin(len(finalists), "finalists placed")
    with work.interruptible():
        for one in finalists:
            if work.stopped:
                break
            old = kept.get(one.spec, DEFAULT_MAP) if kept is not None and not fresh else None
            if isinstance(old, Candidate) and passed_limit(numbers(old), need.limits) is None:
                found[one.spec] = old
            else:
                inner = Work()
                inner.flag = work.flag
                anew = None
                with suppress(InputError, Stopped):  # a cable beyond all products: then the rows, which have none, stay
                    anew = measured_by_default_placement(one, need, parts, jobs, inner)
                if inner.stopped:
                    break
                if anew is not None:
                    found[one.spec], layouts[one.spec] = anew
                    if kept is not None:
                        kept.put(found[one.spec])
            done += 1
            work.advance()
    return in_order(found.values(), need), layouts, done < len(finalists)
