"""Service levels of other tools: an OpenSM QoS policy, or lines of source, destination and level."""

import re
from collections.abc import Iterator, Mapping

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError, at
from topoloom.fabric._lines import lines_of
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables

_PAIR = re.compile(r"0x([0-9a-fA-F]{1,16})\s+([0-9]{1,5})\s+([0-9]{1,2})")
#: A path record as saquery prints it: a heading, then one line per field.
_RECORD, _FIELD = "PathRecord dump:", re.compile(r"([a-z0-9_]+)\.{2,}(\S+)")
_MOST = 15
#: Blocks of a policy; those of qos-setup do not affect levels.
_BLOCKS = (
    *("port-groups", "port-group", "qos-setup", "qos-levels", "qos-level", "qos-match-rules", "qos-match-rule"),
    *("vlarb-tables", "vlarb-scope", "sl2vl-tables", "sl2vl-scope"),
)


def read_levels(
    text: str, source: str, fabric: Fabric, tables: Tables | Mapping[int, int], skipped: list[str] | None = None
) -> np.ndarray:
    """Parse the service level of the data from each endpoint to each, uint8[endpoints, endpoints]: levels[to, from].

    Parameters
    ----------
    text, source : str
        A QoS policy with port groups by port GUID, levels and match rules (the first rule that matches a pair applies; without
        one, the level named DEFAULT, else 0); the list of an engine's levels as ibdmchk reads it: ``0x<node guid of the
        source> <lid> <level>``; or path records as ``saquery PR`` prints them.
    fabric : Fabric
    tables : Tables, or mapping of int to int
        The tables whose addresses the list names, or the owner of each LID.
    skipped : list of str, optional
        Receives a sentence if lines name ports that the fabric does not have.

    Returns
    -------
    uint8[endpoints, endpoints], uint8[paths, endpoints, endpoints] or uint8[paths * paths, endpoints, endpoints]
        levels[to, from]; levels[path, to, from] if the addresses of a destination have different levels; and if those of a
        source have, too, levels[n * paths + path, to, from] for its n-th address.

    Raises
    ------
    InputError
        The text is neither of them, or most of its ports are not in the fabric.
    """
    lines = [(number, line.split("#")[0].strip()) for number, line in lines_of(text, source)]
    lines = [(number, line) for number, line in lines if line]
    if not lines:
        raise at(source, None, "holds no service levels")
    k = fabric.topology.endpoints.size
    paths = tables.paths if isinstance(tables, Tables) else 1
    Allowance(source, len(text)).take(float(paths * paths * k * k), f"service levels from {k:,} addresses to each")
    strangers = _Strangers(source, fabric.made)
    if _PAIR.fullmatch(lines[0][1]) or lines[0][1] == _RECORD:
        rows = _path_records(lines, source) if lines[0][1] == _RECORD else _list_rows(lines, source)
        levels = _Pairs(fabric, tables, strangers).read(rows, skipped)
    else:
        levels = _Policy(source, fabric, strangers).read(lines)
    strangers.report(skipped)
    return levels


class _Strangers:
    """Counts the ports that a file names and the fabric does not have: some may be switched off, most must not be."""

    def __init__(self, source: str, made: str) -> None:
        self._source, self._made = source, made
        self._known: set[str] = set()
        self._unknown: dict[str, int] = {}

    def refusal(self, reason: str) -> InputError:
        """The error for a file without levels of this fabric."""
        return at(self._source, None, reason)

    def known(self, name: str) -> None:
        """Count a port of the fabric."""
        self._known.add(name)

    def unknown(self, name: str, line: int) -> None:
        """Count a port that the fabric does not have."""
        self._unknown.setdefault(name, line)

    def report(self, skipped: list[str] | None) -> None:
        """Refuse the file if most ports are unknown; else report these.

        Raises
        ------
        InputError
        """
        if not self._unknown:
            return
        first, line = next(iter(self._unknown.items()))
        count = len(self._unknown)
        if count >= len(self._known):
            more = f", nor {count - 1} others" if count > 1 else ""
            raise at(self._source, line, f"{self._made} has no {first}{more}; does the file belong to another fabric?")
        if skipped is not None:
            skipped.append(
                f"service levels of {count:,} ports that are not in {self._made} are skipped: {first} and others"
            )


#: A line of levels: its number, the node GUID or the LID of the source, the LID of the destination, and the level.
_Row = tuple[int, int | None, int, int, int]


def _list_rows(lines: list[tuple[int, str]], source: str) -> Iterator[_Row]:
    """The rows of a list as ibdmchk reads it."""
    for number, line in lines:
        match = _PAIR.fullmatch(line)
        if not match:
            raise at(
                source, number, "not a line like 0x0002c90000000001 7 0: node GUID of the source, LID, service level"
            )
        yield number, int(match[1], 16), 0, int(match[2]), _level(int(match[3]), source, number)


def _path_records(lines: list[tuple[int, str]], source: str) -> Iterator[_Row]:
    """The rows of path records; those without LIDs are skipped."""
    record: dict[str, int] = {}
    begun = lines[0][0]
    for number, line in [*lines[1:], (lines[-1][0] + 1, _RECORD)]:
        if line == _RECORD:
            missing = {"slid", "dlid", "sl"} - record.keys()
            if missing:
                raise at(source, begun, f"this path record has no {sorted(missing)[0]}; the file is damaged or cut off")
            if record["slid"] and record["dlid"]:
                yield begun, None, record["slid"], record["dlid"], _level(record["sl"], source, begun)
            record, begun = {}, number
            continue
        field = _FIELD.fullmatch(line)
        if not field:
            raise at(source, number, f"{line[:60]!a} is not a line of a path record")
        if field[1] in {"slid", "dlid", "sl"}:
            try:
                record[field[1]] = int(field[2], 0)
            except ValueError:
                raise at(source, number, f"{field[1]} {field[2][:20]!a} is not a number") from None


def _level(level: int, source: str, line: int) -> int:
    if not 0 <= level <= _MOST:
        raise at(source, line, f"service level {level}; levels are 0 to {_MOST}")
    return level


class _Pairs:
    """Collects levels that are stated pair by pair."""

    def __init__(self, fabric: Fabric, tables: Tables | Mapping[int, int], strangers: _Strangers) -> None:
        self._fabric, self._strangers = fabric, strangers
        self._lid_of = tables.lid_of if isinstance(tables, Tables) else tables
        self._tables = tables if isinstance(tables, Tables) else None
        self._ports_of: dict[int, list[int]] = {guid: [] for guid in fabric.switch_guids.tolist()}
        for e, host in enumerate(fabric.topology.host.tolist()):
            self._ports_of.setdefault(int(fabric.host_guids[host]), []).append(e)

    def read(self, rows: Iterator[_Row], skipped: list[str] | None) -> np.ndarray:
        """The levels of all pairs, as `read_levels` returns them."""
        k = self._fabric.topology.endpoints.size
        paths = 1 if self._tables is None else self._tables.paths
        levels = np.zeros((paths, paths, k, k), np.uint8)
        stated = np.zeros((paths, k, k), bool)
        for number, guid, slid, dlid, level in rows:
            target = self._target(dlid, number)
            if guid is None:
                source = self._target(slid, number)
                sources = [] if source is None or source >= k else [source]
            else:
                sources = self._of_node(guid, number)
            if not sources or target is None or target >= k:
                continue
            at_source = self._addresses(slid, sources[0]) if guid is None else slice(None)
            at_target = self._addresses(dlid, target)
            for source in sources:
                levels[at_source, at_target, target, source] = level
                stated[at_target, target, source] = True
        stated[:, np.arange(k), np.arange(k)] = True
        silent = int((~stated).any(axis=0).sum())
        if silent and silent == k * (k - 1):
            # A file of another fabric is named as such.
            self._strangers.report(None)
            raise self._strangers.refusal(
                "has the service level of no pair of hosts; give the path records of all pairs"
            )
        if silent and skipped is not None:
            skipped.append(
                f"{silent:,} pairs of host ports have no service level in the file; level 0 is assumed for them"
            )
        if (levels != levels[:1]).any():
            return levels.reshape(paths * paths, k, k)
        by_path: np.ndarray = levels[0]
        return by_path if (by_path != by_path[0]).any() else np.asarray(by_path[0])

    def _addresses(self, lid: int, target: int) -> slice:
        """The paths that use an address of a target."""
        if self._tables is None:
            return slice(None)
        count = int(self._tables.path_counts[target])
        return slice((lid - int(self._tables.base_lids[target])) % count, None, count)

    def _of_node(self, guid: int, line: int) -> list[int]:
        """The endpoints of a node; none of a switch and of an unknown node."""
        if guid not in self._ports_of:
            self._strangers.unknown(f"host with node GUID 0x{guid:x}", line)
            return []
        self._strangers.known(f"0x{guid:x}")
        return self._ports_of[guid]

    def _target(self, lid: int, line: int) -> int | None:
        if lid not in self._lid_of:
            self._strangers.unknown(f"port with LID {lid}", line)
            return None
        self._strangers.known(f"LID {lid}")
        return self._lid_of[lid]


class _Policy:
    """Reads a QoS policy: blocks that begin with their name and end with ``end-`` and the name, and ``key: value`` lines."""

    def __init__(self, source: str, fabric: Fabric, strangers: _Strangers) -> None:
        self._source = source
        self._strangers = strangers
        self._number = {guid: e for e, guid in enumerate(fabric.port_guids.tolist())}
        self._known = {*self._number, *fabric.switch_guids.tolist()}
        self._groups: dict[str, np.ndarray] = {}
        self._levels: dict[str, int] = {}
        self._rules: list[tuple[np.ndarray, np.ndarray, int]] = []

    def read(self, lines: list[tuple[int, str]]) -> np.ndarray:
        """The level of every pair."""
        inside: list[str] = []
        keys: dict[str, str] = {}
        for number, line in lines:
            word = line.lower()
            if word.startswith("end-"):
                if not inside or word != f"end-{inside[-1]}":
                    raise at(self._source, number, f"'{line[:60]}' ends nothing that is open here")
                self._close(inside.pop(), keys, number)
                keys = {}
            elif ":" in line:
                key, value = line.split(":", 1)
                # A list may continue on further lines with the same key.
                key = key.strip().lower()
                keys[key] = f"{keys[key]}, {value.strip()}" if key in keys else value.strip()
            elif word in _BLOCKS:
                inside.append(word)
            elif re.fullmatch(r"[a-z-]+", word):
                raise at(
                    self._source, number, f"unknown block '{line[:60]}'; the supported blocks are {', '.join(_BLOCKS)}"
                )
            else:
                raise at(self._source, number, f"{line[:60]!a} is not a line of a QoS policy")
        if inside:
            raise at(self._source, lines[-1][0], f"the file ends inside '{inside[-1]}'; it was cut off")
        k = len(self._number)
        levels = np.full((k, k), self._levels.get("DEFAULT", 0), np.uint8)
        # The first matching rule applies, so rules are written in reverse order.
        for sources, targets, level in reversed(self._rules):
            levels[np.ix_(targets, sources)] = level
        return levels

    def _close(self, block: str, keys: dict[str, str], line: int) -> None:
        if block == "port-group":
            if "port-guid" not in keys or "name" not in keys or keys.keys() - {"name", "use", "port-guid"}:
                raise at(
                    self._source,
                    line,
                    "this port group has no name or has other keys than port-guid; only GUID lists are supported",
                )
            self._groups[keys["name"]] = self._members(keys["port-guid"], line)
        elif block == "qos-level":
            level = keys.get("sl", "")
            if not re.fullmatch("[0-9]{1,2}", level) or int(level) > _MOST or "name" not in keys:
                raise at(self._source, line, f"a level has a name, and an sl of 0 to {_MOST}")
            self._levels[keys["name"]] = int(level)
        elif block == "qos-match-rule":
            if (
                not {"source", "destination", "qos-level-name"}
                <= keys.keys()
                <= {"use", "source", "destination", "qos-level-name"}
            ):
                raise at(self._source, line, "a rule needs source, destination and qos-level-name, and no other keys")
            name = keys["qos-level-name"]
            if name not in self._levels:
                raise at(self._source, line, f"no level is named {name[:60]!a}")
            self._rules.append(
                (self._group(keys["source"], line), self._group(keys["destination"], line), self._levels[name])
            )

    def _members(self, text: str, line: int) -> np.ndarray:
        """The endpoints in a list of GUIDs and ranges (0x10-0x1f); GUIDs of switches, which send no data, are skipped."""
        endpoints = []
        for part in text.split(","):
            bounds = re.fullmatch(r"0x([0-9a-fA-F]{1,16})(?:\s*+-\s*+0x([0-9a-fA-F]{1,16}))?", part.strip())
            if not bounds:
                raise at(self._source, line, f"{part.strip()[:60]!a} is not a port GUID")
            low, high = int(bounds[1], 16), int(bounds[2] or bounds[1], 16)
            if bounds[2] is None:
                name = f"port with GUID 0x{low:x}"
                (self._strangers.known(name) if low in self._known else self._strangers.unknown(name, line))
            if low == high:
                endpoints += [self._number[low]] if low in self._number else []
            else:
                endpoints += [e for guid, e in self._number.items() if low <= guid <= high]
        return np.array(endpoints, np.int64)

    def _group(self, names: str, line: int) -> np.ndarray:
        try:
            return np.unique(np.concatenate([self._groups[name.strip()] for name in names.split(",")]))
        except KeyError as missing:
            raise at(self._source, line, f"no port group is named {str(missing.args[0])[:60]!a}") from None
