"""Loading every module of a room, so that what it defines registers itself: a new file is found without being named."""

import importlib
import pkgutil
from functools import cache


@cache
def load_modules(room: str, prefix: str = "") -> None:
    """Import the modules of `room` (``topoloom.families``) whose names begin with `prefix`; underscored ones are left out."""
    package = importlib.import_module(room)
    for name in sorted(module.name for module in pkgutil.iter_modules(package.__path__)):
        if name.startswith(prefix) and not name.startswith("_"):
            importlib.import_module(f"{room}.{name}")
