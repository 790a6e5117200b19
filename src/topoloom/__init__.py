"""topoloom: design the networks of supercomputers and data centres, from a requirement to cables and routes.

The public names stand in `__init__.pyi`; each is imported when it is first used, so that `import topoloom` is quick.
"""

from topoloom._version import __version__ as __version__


def _attach() -> None:
    """Read the stub. Only the first use of a name does: `ast` takes time to import, in which Ctrl-C would be a traceback.

    The command line uses no public name, so it never reads the stub.
    """
    from lazy_loader import attach_stub

    names = globals()
    names["__getattr__"], names["__dir__"], names["__all__"] = attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    _attach()
    return globals()["__all__"] if name == "__all__" else __getattr__(name)  # the ones attached now


def __dir__() -> list[str]:
    _attach()
    return __dir__()
