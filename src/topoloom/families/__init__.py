"""The catalogue: one file a family; `topoloom.spec` finds and imports every one that lies here.

The room and the public function `topoloom.families()` share a name, and Python binds an imported room to it. So the room
can be called, and is the function.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topoloom.spec import Family


class _Room(ModuleType):
    def __call__(self) -> "dict[str, Family]":
        """The catalogue: every family by its name."""
        from topoloom.spec import families

        return families()


sys.modules[__name__].__class__ = _Room
