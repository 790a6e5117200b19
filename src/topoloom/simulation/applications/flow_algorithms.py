"""The algorithm of a collective in the simulator flows: the one that SMPI would choose by the same settings."""

from topoloom.core.errors import InputError, hint
from topoloom.simulation.applications.settings import AppSettings

#: By MPI operation and SMPI's name of the algorithm: its parts, algorithms of `topoloom.simulation.flows.collectives`.
_ALGORITHMS: dict[str, dict[str, tuple[str, ...]]] = {
    "alltoall": {"ring": ("shift",), "pair": ("xor",)},
    "alltoallv": {"ring": ("shift",)},
    "allreduce": {"rdb": ("doubling",), "lr": ("ring", "ring"), "rab_rdb": ("halving",)},
    "reduce": {"binomial": ("reduce",)},
    "bcast": {"binomial_tree": ("tree",)},
}
#: The choice of SMPI's default selector without settings, where flows have that algorithm.
_DEFAULT = {"bcast": "binomial_tree"}


def algorithms_of(operation: str, settings: AppSettings, program: str) -> tuple[str, ...]:
    """Return the algorithms of an MPI operation, to run one after the other.

    Parameters
    ----------
    operation : str
        The operation, such as ``allreduce``.
    settings : AppSettings
        The settings, of which `algorithms` chooses.
    program : str
        The program with this operation, for the message.

    Returns
    -------
    tuple of str
        Names of `topoloom.simulation.flows.collectives.ALGORITHMS`.

    Raises
    ------
    InputError
        A selector or an algorithm that flows do not support.
    """
    if settings.collectives != "default":
        raise InputError(
            f"{program}: flows do not support the selector {settings.collectives}; set collectives=default, and"
            " choose algorithms"
            " (algorithms=alltoall:pair)"
        )
    chosen = dict(
        part.strip().partition(":")[::2] for part in settings.algorithms.split(",") if part.strip()
    )  # fmt: skip
    name, supported = chosen.get(operation, _DEFAULT.get(operation, "")), _ALGORITHMS.get(operation, {})
    if name not in supported:
        what = f"{operation}:{name}" if name else f"SMPI's default {operation}"
        remedy = f"; set algorithms={operation}:NAME ({hint(name, supported)})" if supported else ""
        raise InputError(f"{program}: flows do not support {what}{remedy}, or use `simulator` simgrid")
    return supported[name]
