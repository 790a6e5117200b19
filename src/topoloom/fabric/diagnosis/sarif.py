"""Diagnostics as SARIF for pipelines and editors (OASIS, Static Analysis Results Interchange Format 2.1.0, 2020)."""

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


def sarif_of(
    found: Diagnostics | Mapping[str, Diagnostics], artifact: str | None = None, exit_code: int | None = None
) -> dict[str, Any]:
    """The diagnostics as a SARIF log with one run, or with one per network.

    Parameters
    ----------
    found : Diagnostics or mapping of str to Diagnostics
        Those of several networks by name: each run has the name as its id, and the file of its own discovery.
    artifact : str, optional
        The path of the examined file. Results are located in it, and by the names of switches and hosts.
    exit_code : int, optional
        Of the command; derived from the diagnostics when omitted.

    Returns
    -------
    dict
        JSON types only. `level` is the severity; fields of a diagnostic that SARIF lacks are among its properties.
    """
    if isinstance(found, Diagnostics):
        runs = [_run(found, artifact, exit_code)]
    else:
        runs = [
            {**_run(result, result.discovery_file, exit_code), "automationDetails": {"id": f"{name}/"}}
            for name, result in found.items()
        ]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": runs}


def _run(found: Diagnostics, artifact: str | None, exit_code: int | None) -> dict[str, Any]:
    place = {code: i for i, code in enumerate(found.rules)}
    code = (0 if found.clean else 3) if exit_code is None else exit_code
    run: dict[str, Any] = {
        "tool": {
            "driver": {"name": "topoloom", "version": __version__, "rules": [_rule(code) for code in found.rules]}
        },
        "invocations": [{"executionSuccessful": True, "exitCode": code}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic, place[diagnostic.code], artifact) for diagnostic in found.diagnostics],
        "properties": {"plan": found.plan, "actual": found.actual, "tables": found.tables},
    }
    if artifact is not None:
        run["artifacts"] = [{"location": {"uri": _uri(artifact)}}]
    return run


def write_sarif(
    found: Diagnostics | Mapping[str, Diagnostics],
    path: str | os.PathLike[str],
    artifact: str | None = None,
    exit_code: int | None = None,
) -> None:
    """Write `sarif_of` into a file, all of it or nothing.

    Parameters
    ----------
    found : Diagnostics or mapping of str to Diagnostics
    path : path
    artifact : str, optional
    exit_code : int, optional
        As in `sarif_of`.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    text = msgspec.json.format(msgspec.json.encode(sarif_of(found, artifact, exit_code)), indent=1)
    write_atomically(path, text + b"\n")


def _rule(code: str) -> Mapping[str, Any]:
    rule = RULES.get(code)
    if rule is None:  # the rule of a package that is not installed
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


def _result(diagnostic: Diagnostic, index: int, artifact: str | None) -> Mapping[str, Any]:
    location: dict[str, Any] = {}
    if artifact is not None:
        where: dict[str, Any] = {"artifactLocation": {"uri": _uri(artifact), "index": 0}}
        if diagnostic.line is not None:
            where["region"] = {"startLine": diagnostic.line}
        location["physicalLocation"] = where
    named = [(node, node, "member") for node in diagnostic.nodes]
    named += [
        (f"port {plug.port_text}", f"{plug.node}/port {plug.port_text}", "resource")
        for plug in diagnostic.ports
        if plug.port
    ]
    if named:
        location["logicalLocations"] = [
            {"name": name, "fullyQualifiedName": whole, "kind": kind} for name, whole, kind in named
        ]
    properties: dict[str, Any] = {"number": diagnostic.number, "page": diagnostic.page, "fix": diagnostic.fix}
    ends = {"planned": diagnostic.planned, "found": diagnostic.found}
    for key, cables in ends.items():
        if cables:
            properties[key] = [[f"{end.node} port {end.port_text}" for end in cable] for cable in cables]
    for key, words in (
        ("cables", diagnostic.cables),
        ("racks", diagnostic.racks),
        ("places", diagnostic.places),
        ("becauseOf", diagnostic.because_of),
    ):
        if words:
            properties[key] = list(words)
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": diagnostic.severity,
        "message": {"text": diagnostic.text},
        **({"locations": [location]} if location else {}),
        "partialFingerprints": {"fault/v1": _fingerprint(diagnostic)},
        "properties": properties,
    }


def _fingerprint(diagnostic: Diagnostic) -> str:
    """A hash that is the same for the same fault in another run, whatever other faults there are."""
    cables = [sorted(cable, key=lambda end: (end.node, end.port)) for cable in (*diagnostic.planned, *diagnostic.found)]
    ends = [[(end.node, end.key) for end in cable] for cable in cables]
    identity = repr(
        (diagnostic.code, sorted(diagnostic.nodes), ends, [(plug.node, plug.key) for plug in diagnostic.ports])
    )
    return sha256(identity.encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _uri(path: str) -> str:
    """A path as a URI: a relative reference, or a file URI for an absolute path."""
    pure = PurePath(path)
    text = quote(pure.as_posix(), errors="surrogateescape")
    if pure.is_absolute():
        return f"file://{text}"
    # A colon in the first part would be read as a scheme.
    return f"./{text}" if ":" in text.split("/")[0] else text
