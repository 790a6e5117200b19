"""Several networks with layouts: those without one are placed, and the given terms apply to all."""

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
    """Networks with a layout each, and with the given terms in place of those they were saved with.

    Parameters
    ----------
    networks : sequence of Network
    room : Floor, str or path, optional
        For the networks without a layout.
    terms : mapping, optional
        As `Network.priced` takes them; a term that is None, or all when None, is as each network was saved with.
    work : Work, optional
        May stop the placing; each network is one step.
    **placing
        Further parameters of `Network.placed`, for the networks without a layout.

    Returns
    -------
    list of Network

    Raises
    ------
    InputError
        All have a layout, and a parameter applies to placing only; or as `Network.placed` and `priced`.
    """
    changes = {name: value for name, value in (terms or {}).items() if value is not None}
    priced = [network.priced(**changes) if changes or network.layout is None else network for network in networks]
    if all(network.layout is not None for network in priced):
        # `with_layout` refuses parameters that apply to placing only.
        return [network.with_layout(room, **placing) for network in priced]
    work = Work() if work is None else work
    return [
        network.placed(room, **placing, work=work.step()) if network.layout is None else network for network in priced
    ]
