"""Names and labels that Kubernetes accepts: objects by RFC 1123, values of labels of at most 63 characters."""

import re
from collections.abc import Sequence

from topoloom.core.errors import InputError

_OBJECT = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
#: Longest value of a label.
_LONGEST_VALUE = 63


def object_names(names: Sequence[str]) -> dict[str, str]:
    """The name of an object for each name: small letters, digits, ``-`` and ``.``, at most 63 characters.

    Raises
    ------
    InputError
        Two names become the same.

    Examples
    --------
    >>> object_names(["Leaf_01", "core/L6/U2"])
    {'Leaf_01': 'leaf-01', 'core/L6/U2': 'core-l6-u2'}
    """
    made: dict[str, str] = {}
    owners: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^a-z0-9.-]+", "-", name.lower()).strip("-.")
        if not _OBJECT.fullmatch(plain) or len(plain) > _LONGEST_VALUE:
            raise InputError(
                f"switch {name[:80]!a}: Kubernetes accepts names of 1 to {_LONGEST_VALUE} letters, digits, - and ."
            )
        if owners.setdefault(plain, name) != name:
            raise InputError(f"switches {owners[plain]!a} and {name!a} have one name in Kubernetes, {plain}")
        made[name] = plain
    return made


def node_name(name: str) -> str:
    """The name of a Kubernetes node, which is the host's in small letters.

    Raises
    ------
    InputError
        Kubernetes accepts no such name.
    """
    if not _OBJECT.fullmatch(name.lower()):
        raise InputError(f"node {name[:80]!a}: a node of Kubernetes has a name of small letters, digits, - and .")
    return name.lower()
