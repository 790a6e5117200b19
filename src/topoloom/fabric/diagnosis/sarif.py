"""Diagnostics as SARIF, which pipelines and editors read (OASIS, Static Analysis Results Interchange Format 2.1.0, 2020)."""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import msgspec

from topoloom._version import __version__
from topoloom.core.files import write_atomically
from topoloom.fabric.diagnosis.diagnostics import Diagnostic, Diagnostics
from topoloom.fabric.diagnosis.rule import RULES

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif_of(found: Diagnostics, artifact: str | None = None, exit_code: int | None = None) -> dict[str, Any]:
    """The diagnostics as a SARIF log with one run.

    Parameters
    ----------
    found : Diagnostics
    artifact : str, optional
        The file that was looked at: a path. Results are located in it, and by the names of switches and hosts.
    exit_code : int, optional
        Of the command; by what was found when omitted.

    Returns
    -------
    dict
        JSON types only. `level` is the severity; what a diagnostic knows beyond SARIF is among its properties.
    """
    place = {code: i for i, code in enumerate(found.rules)}
    code = (0 if found.clean else 3) if exit_code is None else exit_code
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "topoloom", "version": __version__, "rules": [_rule(one) for one in found.rules]}},
        "invocations": [{"executionSuccessful": True, "exitCode": code}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, place[one.code], artifact) for one in found.diagnostics],
        "properties": {"plan": found.plan, "actual": found.actual, "tables": found.tables},
    }
    if artifact is not None:
        run["artifacts"] = [{"location": {"uri": _uri(artifact)}}]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def write_sarif(
    found: Diagnostics, path: str | os.PathLike[str], artifact: str | None = None, exit_code: int | None = None
) -> None:
    """Write `sarif_of` into a file, all of it or nothing.

    Parameters
    ----------
    found : Diagnostics
    path : path
    artifact : str, optional
    exit_code : int, optional
        As `sarif_of` has them.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    text = msgspec.json.format(msgspec.json.encode(sarif_of(found, artifact, exit_code)), indent=1)
    write_atomically(path, text + b"\n")


def _rule(code: str) -> Mapping[str, Any]:
    rule = RULES.get(code)
    if rule is None:  # of a package that is not installed here
        return {"id": code}
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.meaning},
        "fullDescription": {"text": rule.explanation},
        "help": {"text": f"{rule.fix} See {rule.page}."},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"page": rule.page},
    }


def _result(one: Diagnostic, index: int, artifact: str | None) -> Mapping[str, Any]:
    location: dict[str, Any] = {}
    if artifact is not None:
        where: dict[str, Any] = {"artifactLocation": {"uri": _uri(artifact), "index": 0}}
        if one.line is not None:
            where["region"] = {"startLine": one.line}
        location["physicalLocation"] = where
    named = [(node, node, "member") for node in one.nodes]
    named += [(f"port {plug.port}", f"{plug.node}/port {plug.port}", "resource") for plug in one.ports if plug.port]
    if named:
        location["logicalLocations"] = [
            {"name": name, "fullyQualifiedName": whole, "kind": kind} for name, whole, kind in named
        ]
    properties: dict[str, Any] = {"number": one.number, "page": one.page, "fix": one.fix}
    ends = {"planned": one.planned, "found": one.found}
    for key, cables in ends.items():
        if cables:
            properties[key] = [[f"{end.node} port {end.port}" for end in cable] for cable in cables]
    for key, words in (("cables", one.cables), ("racks", one.racks), ("becauseOf", one.because_of)):
        if words:
            properties[key] = list(words)
    return {
        "ruleId": one.code,
        "ruleIndex": index,
        "level": one.severity,
        "message": {"text": one.text},
        **({"locations": [location]} if location else {}),
        "partialFingerprints": {"fault/v1": _fingerprint(one)},
        "properties": properties,
    }


def _fingerprint(one: Diagnostic) -> str:
    """The same for the same fault in the next run, whatever else is wrong then."""
    ends = [sorted((end.node, end.port) for end in cable) for cable in (*one.planned, *one.found)]
    said = repr((one.code, sorted(one.nodes), ends, [(plug.node, plug.port) for plug in one.ports]))
    return sha256(said.encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _uri(path: str) -> str:
    """A path as the relative reference that SARIF wants; an absolute one as a file's."""
    pure = PurePath(path)
    text = quote(pure.as_posix(), errors="surrogateescape")
    if pure.is_absolute():
        return f"file://{text}"
    # A colon in the first part would make a scheme of it.
    return f"./{text}" if ":" in text.split("/")[0] else text
