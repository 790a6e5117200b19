"""The ways to plan panels, and how many racks of their own they need."""

from typing import Literal, get_args

#: shuffle: shuffle panels in racks of their own, for networks of the family `shuffled`; racks: trunks between racks; rows:
#: trunks between rows; field: trunks from every rack to a central patch field.
Panels = Literal["shuffle", "racks", "rows", "field"]
METHODS: tuple[str, ...] = get_args(Panels)
#: Units of a rack of panels, where no rack of the room is described.
RACK_U = 42.0
