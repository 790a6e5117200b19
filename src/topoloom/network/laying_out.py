"""Several networks on their floors: those that have no layout are placed, and all are bought by the terms that are given."""

from collections.abc import Mapping, Sequence
from typing import Any

from topoloom.core.work import Work
from topoloom.network.network import Network


def all_laid_out(
    networks: Sequence[Network],
    room: Any = None,
    *,
    terms: Mapping[str, Any] | None = None,
    work: Work | None = None,
    **placing: Any,
) -> list[Network]:
    """Networks with a layout each, and with terms in place of what they remember.

    Parameters
    ----------
    networks : sequence of Network
    room : Floor, str or path, optional
        For those that have no layout.
    terms : mapping, optional
        As `Network.priced` takes them; None, and what is None in it: as each network remembers it.
    work : Work, optional
        May stop the placing; every network is a step of it.
    **placing
        What `Network.placed` takes besides, for the same.

    Returns
    -------
    list of Network

    Raises
    ------
    InputError
        All have a layout, and something is given that only placing can honour; or as `Network.placed` and `priced`.
    """
    given = {name: value for name, value in (terms or {}).items() if value is not None}
    priced = [network.priced(**given) if given or network.layout is None else network for network in networks]
    if all(network.layout is not None for network in priced):
        # Refused there, where there is something to refuse.
        return [network.with_layout(room, **placing) for network in priced]
    work = Work() if work is None else work
    return [
        network.placed(room, **placing, work=work.step()) if network.layout is None else network for network in priced
    ]
