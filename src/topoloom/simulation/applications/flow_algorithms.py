"""Which algorithm a collective has among flows: what SMPI would take by the same settings."""

from topoloom.core.errors import InputError, hint
from topoloom.simulation.applications.settings import AppSettings

#: By MPI's operation and SMPI's name of the algorithm: those of `topoloom.simulation.flows.collectives`, one after the other.
_KNOWN: dict[str, dict[str, tuple[str, ...]]] = {
    "alltoall": {"ring": ("shift",), "pair": ("xor",)},
    "alltoallv": {"ring": ("shift",)},
    "allreduce": {"rdb": ("doubling",), "lr": ("ring", "ring"), "rab_rdb": ("halving",)},
    "reduce": {"binomial": ("reduce",)},
    "bcast": {"binomial_tree": ("tree",)},
}
#: What SMPI's default selector takes where nothing is said, as far as it is one that flows know.
_DEFAULT = {"bcast": "binomial_tree"}


def algorithms_of(operation: str, settings: AppSettings, program: str) -> tuple[str, ...]:
    """The algorithms of an operation of MPI, one after the other.

    Parameters
    ----------
    operation : str
        As ``allreduce``.
    settings : AppSettings
        Whose `algorithms` choose.
    program : str
        Whose operation it is, for the message.

    Returns
    -------
    tuple of str
        Names of `topoloom.simulation.flows.collectives.ALGORITHMS`.

    Raises
    ------
    InputError
        A selector or an algorithm that flows do not know.
    """
    if settings.collectives != "default":
        raise InputError(
            f"{program}: flows know no selector {settings.collectives}; set collectives=default, and algorithms one by one"
            " (algorithms=alltoall:pair)"
        )
    chosen = dict(
        part.strip().partition(":")[::2] for part in settings.algorithms.split(",") if part.strip()
    )  # fmt: skip
    name, known = chosen.get(operation, _DEFAULT.get(operation, "")), _KNOWN.get(operation, {})
    if name not in known:
        what = f"{operation}:{name}" if name else f"SMPI's default {operation}"
        asked = f"; set algorithms={operation}:NAME ({hint(name, known)})" if known else ""
        raise InputError(f"{program}: flows do not know {what}{asked}, or take `simulator` simgrid")
    return known[name]
