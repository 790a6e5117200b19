"""The registers of router parts: allocators, which match requests, and arbiters, which rank requests for one port."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.register import Register


class Requests(NamedTuple):
    """The requests of one router in one step, and the grants: what an allocator is called with.

    For the allocation of VCs, inputs and outputs are VCs: port * VCs per port + VC. For the switch they are ports.

    Attributes
    ----------
    inputs, outputs, requests : int
        The number of inputs, of outputs and of requests; no pair of an input and an output requests twice.
    rounds : int
        `RouterConfig.allocator_rounds`.
    turn : int
        How often this allocator of this router has been called.
    input, output : int64[requests or more]
        The input and the output of each request.
    input_rank, output_rank : int64[requests or more]
        The arbiters' ranks: among the requests of its input, and among those for its output. The lowest is next.
    late : int64[requests or more]
        1 for a speculative request, which gives way to all others; its ranks are above all others, too.
    granted : int64[requests or more]
        The result, 0 at first. 1: granted, and both arbiters move on. 2: granted, and the arbiters stay.
    at_input, at_output : int64[inputs or more], int64[outputs or more]
        For the allocator's own use; -1 at first.
    scratch : int64[requests + 2 * (inputs + outputs) + 2 or more]
        For the allocator's own use; of any content.
    memory : int64[words]
        This router's own numbers, as many as the allocator asks for, 0 at first.
    """

    inputs: int
    outputs: int
    requests: int
    rounds: int
    turn: int
    input: np.ndarray
    output: np.ndarray
    input_rank: np.ndarray
    output_rank: np.ndarray
    late: np.ndarray
    granted: np.ndarray
    at_input: np.ndarray
    at_output: np.ndarray
    scratch: np.ndarray
    memory: np.ndarray


class Allocator(msgspec.Struct, frozen=True):
    """An allocator of VCs or of the switch.

    Attributes
    ----------
    name, text : str
        As users write it, and a line that describes it.
    allocate : callable (Requests) -> None
        Sets `granted` such that no input and no output has two grants. Numba compiles it.
    memory : int
        Words of memory per router.
    """

    name: str
    text: str
    allocate: Callable[[Requests], None]
    memory: int = 0


class Arbiter(msgspec.Struct, frozen=True):
    """An arbiter.

    Attributes
    ----------
    name, text : str
    rank : callable (requester, size, last, served, born) -> int
        The rank of a requester below `size`: the lowest wins. `last` won last, -1 at first; `served` grows with the time at
        which the requester won last, and is -requester at first (always 0 without `remembers`); `born` is the cycle in which
        its packet was created. The absolute value of a rank must be below 2^60. Numba compiles it.
    remembers : bool
        Whether `served` is kept, which takes a number per pair of requester and port.
    """

    name: str
    text: str
    rank: Callable[[int, int, int, int, int], int]
    remembers: bool = False


ALLOCATORS: Register[Allocator] = Register(
    "allocator", package="topoloom.simulation.flits.allocators", group="topoloom.allocators"
)
ARBITERS: Register[Arbiter] = Register(
    "arbiter", package="topoloom.simulation.flits.arbiters", group="topoloom.arbiters"
)

#: The largest absolute value of a rank.
_MOST_RANK = 1 << 60
#: Of each function, its compiled form.
_COMPILED: dict[Any, Any] = {}


def router_allocator(name: str, text: str, *, memory: int = 0) -> Callable[[Callable], Callable]:
    """Register a function of `Requests` as an allocator.

    Parameters
    ----------
    name, text : str
        As users write it, and a line that describes it.
    memory : int
        Words of `Requests.memory` per router.

    Returns
    -------
    callable (function) -> function
        The decorator, which returns the function as it is.
    """

    def register(function: Callable) -> Callable:
        ALLOCATORS.add(name, Allocator(name, text, function, memory))
        return function

    return register


def router_arbiter(name: str, text: str, *, remembers: bool = False) -> Callable[[Callable], Callable]:
    """Register a function (requester, size, last, served, born) -> rank as an arbiter.

    Parameters
    ----------
    name, text : str
    remembers : bool
        Whether it uses `served`.

    Returns
    -------
    callable (function) -> function
        The decorator, which returns the function as it is.
    """

    def register(function: Callable) -> Callable:
        ARBITERS.add(name, Arbiter(name, text, function, remembers))
        return function

    return register


def empty_requests(size: int, memory: int = 1) -> Requests:
    """Return requests of up to `size` inputs, outputs and pairs; all arrays are 0."""
    sizes = dict.fromkeys(Requests._fields[5:], size) | {"scratch": 5 * size + 2, "memory": memory}
    arrays: dict[str, Any] = {name: np.zeros(length, np.int64) for name, length in sizes.items()}
    return Requests(inputs=0, outputs=0, requests=0, rounds=1, turn=0, **arrays)


def compiled_allocator(name: str) -> Any:
    """Return a registered allocator, compiled for the kernels; once per process.

    Raises
    ------
    InputError
        The name is unknown; Numba cannot compile the function; it granted two requests of one input or output, or none of all
        when it was tried.
    """
    from numba import types

    allocator = ALLOCATORS.find(name)
    _kind(allocator, Allocator, "allocator", name)
    if allocator.allocate not in _COMPILED:
        compiled = _compile(allocator.allocate, f"the allocator '{name}'", types.void, (_type_of(empty_requests(1)),))
        _try_allocator(name, allocator)
        _COMPILED[allocator.allocate] = compiled
    return _COMPILED[allocator.allocate]


def compiled_arbiter(name: str) -> Any:
    """Return the compiled function of a registered arbiter; once per process.

    Raises
    ------
    InputError
        The name is unknown; Numba cannot compile the function; it ranks requesters by other values than whole numbers of less
        than 2^60, or gave two the same rank when it was tried.
    """
    from numba import types

    arbiter = ARBITERS.find(name)
    _kind(arbiter, Arbiter, "arbiter", name)
    if arbiter.rank not in _COMPILED:
        compiled = _compile(arbiter.rank, f"the arbiter '{name}'", types.int64, (types.int64,) * 5)
        ranks = [int(_plain(arbiter.rank)(k, 4, 2, -k, 10)) for k in range(4)]
        if len(set(ranks)) < 4 or max(map(abs, ranks)) >= _MOST_RANK:
            raise InputError(
                f"the arbiter '{name}' ranks four requesters of the same age {ranks}; ranks must differ, and be between -2^60"
                " and 2^60"
            )
        _COMPILED[arbiter.rank] = compiled
    return _COMPILED[arbiter.rank]


def _kind(record: Any, kind: type, word: str, name: str) -> None:
    function = getattr(record, "allocate" if kind is Allocator else "rank", None)
    if not isinstance(record, kind) or not callable(function):
        raise InputError(f"the {word} '{name}' is no {kind.__name__} with a function; register it with @router_{word}")


def _plain(function: Any) -> Any:
    return getattr(function, "py_func", function)


def _type_of(value: Any) -> Any:
    import numba

    typeof: Any = numba.typeof
    return typeof(value)


def _compile(function: Any, what: str, returns: Any, arguments: tuple[Any, ...]) -> Any:
    from numba import cfunc, njit
    from numba.core.errors import NumbaError

    inner = njit(nogil=True)(_plain(function))
    if len(arguments) == 1:

        def call(at: Any) -> None:
            inner(at)
    else:

        def call(requester: int, size: int, last: int, served: int, born: int) -> Any:  # type: ignore[misc]
            return np.int64(inner(requester, size, last, served, born))

    try:
        return cfunc(returns(*arguments))(call)
    except (NumbaError, TypeError) as error:
        reason = next((line for line in reversed(str(error).splitlines()) if line.strip()), "")
        raise InputError(
            f"{what} cannot be compiled ({reason.strip()[:160]}); it may use only what Numba supports, with the arguments that"
            " topoloom.simulation.flits.router_parts describes"
        ) from error


def _try_allocator(name: str, allocator: Allocator) -> None:
    """Refuse an allocator whose grants for all nine requests of three inputs and outputs are no matching, or empty."""
    from numba import njit

    at = empty_requests(16, max(1, allocator.memory))
    at = at._replace(inputs=3, outputs=3, requests=9)
    for e in range(9):
        at.input[e], at.output[e], at.input_rank[e], at.output_rank[e] = e // 3, e % 3, e % 3, e // 3
    at.at_input[:], at.at_output[:] = -1, -1
    njit(nogil=True)(_plain(allocator.allocate))(at)
    chosen = np.flatnonzero(at.granted[:9])
    if at.granted[9:].any() or not chosen.size or not set(at.granted[:9].tolist()) <= {0, 1, 2}:
        raise InputError(
            f"the allocator '{name}' granted none of nine requests, or set `granted` to other values than 0, 1, 2"
        )
    if len(set(at.input[chosen].tolist())) < chosen.size or len(set(at.output[chosen].tolist())) < chosen.size:
        raise InputError(
            f"the allocator '{name}' granted two requests of one input or output; grants must be a matching"
        )
