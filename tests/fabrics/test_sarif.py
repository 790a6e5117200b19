"""SARIF 2.1.0: what the standard demands of a log, checked by code that shares none with the writer."""

import json
import re
from dataclasses import replace
from urllib.parse import urlsplit

import numpy as np
import pytest
from mutations import mutated

import tiers
import topoloom as t
from topoloom.fabric.diagnosis.diagnose import diagnose
from topoloom.fabric.diagnosis.sarif import sarif_of, write_sarif
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.fabric import planned_fabric
from topoloom.topologies.spec import build

#: Of the published schema (oasis-tcs/sarif-spec, sarif-schema-2.1.0.json): for each object its properties (with the type of
#: each) and those that it must have. No object but a property bag may have others.
TEXT, WHOLE, FLAG = "text", "whole", "flag"
OBJECTS = {
    "log": ({"$schema": "uri", "version": {"2.1.0"}, "runs": ["run"]}, {"version", "runs"}),
    "run": (
        {
            "tool": "tool",
            "invocations": ["invocation"],
            "artifacts": ["artifact"],
            "results": ["result"],
            "columnKind": {"utf16CodeUnits", "unicodeCodePoints"},
            "properties": "bag",
        },
        {"tool"},
    ),
    "tool": ({"driver": "component"}, {"driver"}),
    "component": ({"name": TEXT, "version": TEXT, "rules": ["rule"]}, {"name"}),
    "rule": (
        {
            "id": TEXT,
            "name": TEXT,
            "shortDescription": "message with text",
            "fullDescription": "message with text",
            "help": "message with text",
            "defaultConfiguration": "configuration",
            "properties": "bag",
        },
        {"id"},
    ),
    "message with text": ({"text": TEXT}, {"text"}),
    "configuration": ({"level": {"none", "note", "warning", "error"}}, set()),
    "invocation": ({"executionSuccessful": FLAG, "exitCode": WHOLE}, {"executionSuccessful"}),
    "artifact": ({"location": "artifact location"}, set()),
    "artifact location": ({"uri": "uri-reference", "index": WHOLE}, set()),
    "result": (
        {
            "ruleId": TEXT,
            "ruleIndex": WHOLE,
            "level": {"none", "note", "warning", "error"},
            "message": "message with text",
            "locations": ["location"],
            "partialFingerprints": "texts",
            "properties": "bag",
        },
        {"message"},
    ),
    "location": ({"physicalLocation": "physical", "logicalLocations": ["logical"]}, set()),
    "physical": ({"artifactLocation": "artifact location", "region": "region"}, {"artifactLocation"}),
    "region": ({"startLine": WHOLE}, set()),
    "logical": ({"name": TEXT, "fullyQualifiedName": TEXT, "kind": TEXT}, set()),
}


def complaints(value, kind="log", place="$"):
    """What the standard forbids in a value."""
    if isinstance(kind, list):
        if not isinstance(value, list):
            return [f"{place} is no list"]
        return [one for i, item in enumerate(value) for one in complaints(item, kind[0], f"{place}[{i}]")]
    if isinstance(kind, set):
        return [] if value in kind else [f"{place} is {value!r}, not one of {sorted(kind)}"]
    if kind in OBJECTS:
        if not isinstance(value, dict):
            return [f"{place} is no object"]
        properties, needed = OBJECTS[kind]
        found = [f"{place} lacks {key}" for key in sorted(needed - value.keys())]
        for key, item in value.items():
            found += (
                complaints(item, properties[key], f"{place}.{key}") if key in properties else [f"{place}.{key} is new"]
            )
        return found
    right = {
        TEXT: isinstance(value, str),
        WHOLE: isinstance(value, int) and not isinstance(value, bool),
        FLAG: isinstance(value, bool),
        "bag": isinstance(value, dict),
        "texts": isinstance(value, dict) and all(isinstance(item, str) for item in value.values()),
        "uri": isinstance(value, str) and bool(urlsplit(value).scheme) and bool(urlsplit(value).netloc),
        # RFC 3986: only these characters, and a colon before the first slash only after a scheme.
        "uri-reference": isinstance(value, str)
        and re.fullmatch(r"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=])*", value) is not None
        and (":" not in value.split("/")[0] or urlsplit(value).scheme in {"file", "http", "https"}),
    }[kind]
    return [] if right else [f"{place} is {value!r}, no {kind}"]


def consistent(log):
    """What no schema can say: indices that lead to their rules and artifacts, lines from 1."""
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({one["id"] for one in rules}) == len(rules)
    for one in run["results"]:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
        assert one["message"]["text"].strip()
        for location in one.get("locations", []):
            if "physicalLocation" in location:
                at = location["physicalLocation"]["artifactLocation"]
                assert run["artifacts"][at["index"]]["location"]["uri"] == at["uri"]
            assert location.get("physicalLocation", {}).get("region", {"startLine": 1})["startLine"] >= 1


@pytest.mark.sweep(1)
@pytest.mark.parametrize("artifact", [None, "found.net", "a b/c:d#ä.net", "c:d.net", "/tmp/x.net"])
@pytest.mark.parametrize("spec", ["slimfly:q=5,hosts=2", "fat-tree:hosts=64,k=16+rails:nics=4+planes:count=2"])
def test_logs_of_broken_fabrics_are_sarif(spec, artifact):
    """Ten fabrics (the first tier: three) with several mistakes: nothing that the standard forbids; a result a diagnostic."""
    plan = planned_fabric(build(spec))
    for seed in range(10 if tiers.EVERYTHING else 3):
        text, _ = mutated(plan, np.random.default_rng(seed), 6)
        found = diagnose(plan, read_fabric(text, "found.net", lenient=True))
        log = sarif_of(found, artifact)
        assert complaints(json.loads(json.dumps(log))) == []
        consistent(log)
        results = log["runs"][0]["results"]
        assert [(one["ruleId"], one["level"], one["message"]["text"]) for one in results] == [
            (one.code, one.severity, one.text) for one in found.diagnostics
        ]


def test_the_checker_finds_what_is_wrong():
    """A checker that passes everything checks nothing."""
    log = sarif_of(diagnose(build("petersen"), build("petersen").replace(links=[(0, 1)]), ports=False), "a.net")
    run = log["runs"][0]
    for broken, word in (
        ({**log, "version": "2.0"}, "version"),
        ({**log, "extra": 1}, "extra is new"),
        ({**log, "runs": [{**run, "tool": {}}]}, "lacks driver"),
        ({**log, "runs": [{**run, "results": [{"ruleId": "TL101"}]}]}, "lacks message"),
        ({**log, "runs": [{**run, "results": [{**run["results"][0], "level": "fatal"}]}]}, "fatal"),
        ({**log, "runs": [{**run, "artifacts": [{"location": {"uri": "a b"}}]}]}, "uri-reference"),
    ):
        assert any(word in one for one in complaints(broken)), word


def test_an_empty_log_and_the_exit_code(tmp_path):
    """Nothing wrong: no results, all rules, exit code 0; with errors 3."""
    plan = build("petersen")
    write_sarif(diagnose(plan, plan), tmp_path / "x.sarif")
    log = json.loads((tmp_path / "x.sarif").read_text())
    assert complaints(log) == []
    (run,) = log["runs"]
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]
    assert [one["id"] for one in run["tool"]["driver"]["rules"]] == list(t.RULES)
    wrong = sarif_of(diagnose(plan, plan.replace(links=plan.links[1:]), ports=False))
    assert wrong["runs"][0]["invocations"][0]["exitCode"] == 3


def test_a_fault_keeps_its_fingerprint():
    """Beside other faults, and at another number in the list; another fault has another one."""
    plan = planned_fabric(build("slimfly:q=5,hosts=2"))

    def prints(*gone):
        left = [i for i in range(len(plan.topology.links)) if i not in gone]
        topology = plan.topology.replace(links=plan.topology.links[left])
        there = replace(plan, topology=topology, link_ports=plan.link_ports[left], made="x")
        return {one["partialFingerprints"]["fault/v1"] for one in sarif_of(diagnose(plan, there))["runs"][0]["results"]}

    assert prints(40) < prints(3, 40)
    assert not prints(40) & prints(3)
