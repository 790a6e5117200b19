"""The long runs of claims as calls, which an executor carries out on any machine."""

import threading
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

from topoloom.core.calls import Call, CallExecutor, anywhere
from topoloom.core.work import Work
from topoloom_papers.long_runs import LONG_RUNS, Run, commit_of_runs
from topoloom_papers.registry import CLAIMS, Claim, run

#: Claims of one process are computed one after the other, because they note the runs that they use.
_ALONE = threading.Lock()


@anywhere
def runs_anywhere(
    *, claim: str, full: bool, missing: bool, commit: str, work: Work, jobs: int | None
) -> dict[str, Run]:
    """Make the long runs of a claim on any machine.

    Parameters
    ----------
    claim : str
        Its id.
    full, missing : bool
        As in `reproduce`.
    commit : str
        Of the client: another one has other runs.
    work : Work
        Long runs do not ask it.
    jobs : int or None
        Long runs use all cores, whatever this is.

    Returns
    -------
    dict of str to Run
        The runs that were made, by their commands.
    """
    with _ALONE:
        return LONG_RUNS.made(run(CLAIMS.find(claim), again=full, missing=missing).runs)


def submitted(executor: CallExecutor, claims: Iterable[Claim], full: bool, missing: bool) -> dict[str, Future[Any]]:
    """Send the claims that have long runs to an executor.

    Parameters
    ----------
    executor : CallExecutor
    claims : iterable of Claim
    full, missing : bool
        As in `reproduce`.

    Returns
    -------
    dict of str to Future
        The runs of each claim, by its id. Claims that use the same run may both make it; the first one counts.

    Raises
    ------
    InputError
        The executor cannot carry out calls.
    """
    common = {"full": full, "missing": missing, "commit": commit_of_runs()}
    with_runs = [claim for claim in claims if claim.costs is None or claim.costs.long_seconds]
    return {
        claim.id: executor.submit(Call(runs_anywhere, claim.id, {"claim": claim.id} | common)) for claim in with_runs
    }
