"""Adaptive functions for the kernels: their arrays, and their compiled form."""

from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.distances import distances_from
from topoloom.routing.choices import Adaptive
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.own_choice import At, OwnArrays

#: Of each function, its compiled form.
_COMPILED: dict[Any, Any] = {}


def own_arrays(routing: Routing, choice: Adaptive, packets: int, pace: np.ndarray | None) -> OwnArrays:
    """Return the arrays of a run.

    Parameters
    ----------
    routing : Routing
    choice : Adaptive
        The choice of `routing`.
    packets : int
        Records of packets.
    pace : int64[...] or None

    Raises
    ------
    InputError
        A declared move has the wrong shape, or leads a packet to where it has none.
    """
    topology = routing.topology
    turns = np.zeros(0, np.uint64) if choice.moves is None else routing.declared.turns
    distance = distances_from(topology, np.arange(topology.switches), 1)
    return OwnArrays(
        degrees=topology.degrees.astype(np.int64),
        distance=np.minimum(distance, 255).astype(np.uint8).reshape(-1),
        memory=np.zeros(packets * choice.memory, np.int64),
        words=choice.memory,
        classes=choice.classes,
        data=np.array(choice.data, np.int64),
        learned=np.array(choice.learned, np.float64),
        turns=turns.copy(),
        turn_first=routing.channels.turn_first.copy(),
        pace=np.zeros(0, np.int64) if pace is None else pace,
        escape=int(choice.escape),
        again=int(choice.again or choice.escape),
    )


def compiled_function(choice: Adaptive) -> Any:
    """Return the function, compiled for the kernels; each function is compiled once per process.

    Raises
    ------
    InputError
        Numba cannot compile it, or it does not return two whole numbers.
    """
    function = choice.call
    if function not in _COMPILED:
        from numba import cfunc, njit, types
        from numba.core.errors import NumbaError

        pair: Any = types.UniTuple
        inner = njit(nogil=True)(getattr(function, "py_func", function))

        def call(at: At) -> Any:
            port, vc_class = inner(at)
            return np.int64(port), np.int64(vc_class)

        try:
            _COMPILED[function] = cfunc(pair(types.int64, 2)(_at_type()))(call)
        except NumbaError as error:
            reason = next((line for line in reversed(str(error).splitlines()) if line.strip()), "")
            raise InputError(
                f"the adaptive function '{choice.name}' cannot be compiled ({reason.strip()[:160]}); it must return a port and"
                " a class, and use only what Numba supports"
            ) from error
    return _COMPILED[function]


def _at_type() -> Any:
    """Numba's type of `At`."""
    import numba

    values: dict[str, Any] = dict.fromkeys(At._fields, 0)
    values |= dict.fromkeys(("memory", "data", "degrees", "sent", "unowned", "state", "pace"), np.zeros(1, np.int64))
    values |= dict.fromkeys(("ports", "vcs"), np.zeros(1, np.int32))
    values |= {"learned": np.zeros(1), "distance": np.zeros(1, np.uint8), "outputs": np.zeros(1, np.uint16)}
    typeof: Any = numba.typeof
    return typeof(At(**values))
