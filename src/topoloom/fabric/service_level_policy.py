"""Service levels of pairs of host ports as a QoS policy of OpenSM."""

from collections.abc import Iterable, Sequence

import numpy as np

from topoloom.fabric.fabric import Fabric


def policy_text(levels: np.ndarray, fabric: Fabric) -> str:
    """A policy that gives each pair of host ports its service level; level 0 needs no rule.

    Host ports of one switch to which all others send on the same levels share their rules.

    Parameters
    ----------
    levels : uint8[k, k]
        levels[to, from].
    fabric : Fabric
    """
    guids = [f"0x{guid:x}" for guid in fabric.port_guids.tolist()]
    ends = fabric.topology.endpoints
    outside = np.where(ends[:, None] == ends, 0, levels).astype(np.uint8)
    groups, rules, used = [], [], set()
    for switch in np.unique(ends).tolist():
        targets: dict[bytes, list[int]] = {}
        for e in np.flatnonzero(ends == switch).tolist():
            if outside[e].any():
                targets.setdefault(outside[e].tobytes(), []).append(e)
        for number, members in enumerate(targets.values()):
            own = f"{switch}" if len(targets) == 1 else f"{switch}t{number}"
            groups.append((f"D{own}", ", ".join(guids[e] for e in members)))
            row = outside[members[0]]
            for level in np.unique(row[row > 0]).tolist():
                senders = np.flatnonzero(row == level).tolist()
                groups.append((f"L{level}to{own}", ", ".join(guids[e] for e in senders)))
                rules.append((f"L{level}to{own}", f"D{own}", f"L{level}"))
                used.add(level)
    return written_policy(groups, rules, used)


def written_policy(
    groups: Sequence[tuple[str, str]], rules: Sequence[tuple[str, str, str]], levels: Iterable[int]
) -> str:
    """The text of a policy as OpenSM reads it; pairs without a rule have level 0.

    Parameters
    ----------
    groups : sequence of (str, str)
        The name of each port group, and its port GUIDs with commas between.
    rules : sequence of (str, str, str)
        The source group, the destination group, and the level's name: ``L3``.
    levels : iterable of int
        The levels above 0 in use.

    Returns
    -------
    str
        Port groups, levels and match rules, in this order.
    """
    lines = ["port-groups"]
    for name, ports in groups:
        lines += ["  port-group", f"    name: {name}", f"    port-guid: {ports}", "  end-port-group"]
    lines += ["end-port-groups", "qos-levels", "  qos-level", "    name: DEFAULT", "    sl: 0", "  end-qos-level"]
    for level in sorted(levels):
        lines += ["  qos-level", f"    name: L{level}", f"    sl: {level}", "  end-qos-level"]
    lines += ["end-qos-levels", "qos-match-rules"]
    for source, target, level_name in rules:
        lines += ["  qos-match-rule", f"    source: {source}", f"    destination: {target}"]
        lines += [f"    qos-level-name: {level_name}", "  end-qos-match-rule"]
    return "\n".join([*lines, "end-qos-match-rules"]) + "\n"
