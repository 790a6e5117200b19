"""Checked, immutable arrays: the parts of which networks are made."""

from typing import Any

import numpy as np

from topoloom.core.errors import InputError


def integers(values: Any, what: str, shape: tuple[int, ...]) -> np.ndarray:
    """`values` as an array of integers.

    Parameters
    ----------
    values : array-like
        An empty one gets the shape with no rows.
    what : str
        The part of the network, for messages: "links".
    shape : tuple of int
        The wanted shape; -1 first, for any number of rows.

    Returns
    -------
    int[..., *shape[1:]]

    Raises
    ------
    InputError
        They have another type or shape.
    """
    array = np.asarray(values)
    if array.size == 0:
        return np.empty((0, *shape[1:]), np.int64)
    if array.ndim != len(shape) or array.shape[1:] != shape[1:]:
        wanted = " x ".join(["any"] + [str(s) for s in shape[1:]])
        raise InputError(f"{what} has shape {array.shape}; it must be {wanted}")
    if array.dtype.kind not in "iu":
        raise InputError(f"{what} holds {array.dtype}; it must hold integers")
    return array


def within(values: np.ndarray, n: int, what: str, name: str) -> None:
    """Refuse numbers of switches outside 0 .. n - 1.

    Parameters
    ----------
    values : int[...]
    n : int
    what, name : str
        The part, "link", and the network, for messages.

    Raises
    ------
    InputError
        One is outside.
    """
    if values.size and (values.min() < 0 or values.max() >= n):
        wrong = int(values.min() if values.min() < 0 else values.max())
        raise InputError(f"{name}: {what} at switch {wrong}, but switches are numbered 0 to {n - 1}")


def label_values(key: str, values: Any, n: int, name: str) -> np.ndarray:
    """The values of a label, checked.

    Parameters
    ----------
    key : str
        The label.
    values : array-like
    n : int
        Number of switches.
    name : str
        The network, for messages.

    Returns
    -------
    int64, float64 or text[n]
        Not writeable.

    Raises
    ------
    InputError
        They are not n numbers or texts.
    """
    array = np.asarray(values)
    if array.shape != (n,):
        raise InputError(
            f"{name}: label '{key}' has shape {array.shape}; it must have one value for each of {n} switches"
        )
    if array.dtype.kind in "iub":
        array = array.astype(np.int64)
    elif array.dtype.kind not in "fU":
        raise InputError(f"{name}: label '{key}' holds {array.dtype}; a label holds numbers or text")
    return frozen(array.copy() if array.flags.writeable else array)


def frozen(array: np.ndarray) -> np.ndarray:
    """The array, contiguous and not writeable."""
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array
