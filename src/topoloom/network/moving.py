"""A network whose racks change their places."""

from collections.abc import Sequence

from topoloom.core.errors import InputError
from topoloom.network.network import Network
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.moving import moved_layout


def moved_network(network: Network, moves: Sequence[Sequence[str]]) -> Network:
    """The network with racks in other slots; its cable list, which is that of the former places, is omitted.

    Parameters
    ----------
    network : Network
        With a layout.
    moves : sequence of (str, str)
        The names of slots, from and to, one move after another; a rack in the second slot takes the place of the first.

    Returns
    -------
    Network

    Raises
    ------
    InputError
        As `topoloom.placement.layout.moving.moved_layout`; or the network stands in the racks of a machine.
    """
    before = network.part(Layout)
    if moves and before.housing is not None and before.housing.shared:
        raise InputError(
            f"moved: {network.source} stands in the racks of a machine; move those of the machine's folder"
        )
    after = moved_layout(before, moves)
    if after is before:
        return network
    # `standing` would state again the lengths that the source gives for the former places.
    return network.standing(after)._with((), layout=after)
