"""Machines compared with discoveries of all their networks: planted faults are found in their networks, none is invented."""

import json

import pytest
from discovered_machines import plugs, write_lldp, write_net, write_sheet

from in_process import run
from topoloom.core.errors import InputError
from topoloom.machine.folder import save_machine
from topoloom.machine.opening import open_machine
from topoloom.machine.verifying import MachineDiagnostics, verify_machine

ETHERNET = ("storage", "service", "oob")


@pytest.fixture(scope="module")
def folder(small, tmp_path_factory):
    """The folder of the small machine."""
    place = tmp_path_factory.mktemp("verified") / "small"
    save_machine(small, place)
    return place


def _written(machine, cables, place):
    """The discoveries: fabric.net, one folder per Ethernet network, and all of these in one folder."""
    switches = {name: network.fabric.switch_names for name, network in machine.networks.items()}
    ethernet = [cable for name in ETHERNET for cable in cables[name]]
    place.mkdir(exist_ok=True)
    write_net(cables["fabric"], switches["fabric"], place / "fabric.net")
    write_lldp(ethernet, [switch for name in ETHERNET for switch in switches[name]], place / "all")
    for name in ETHERNET:
        write_lldp(ethernet, switches[name], place / name)
    return place


def _by_name(place):
    return {"fabric": str(place / "fabric.net"), **{name: str(place / name) for name in ETHERNET}}


def _cables_of(cables, device):
    return [cable for cable in cables if any(name == device for name, _ in cable)]


@pytest.fixture(scope="module")
def right(small, tmp_path_factory):
    return _written(small, plugs(small), tmp_path_factory.mktemp("right"))


@pytest.fixture(scope="module")
def wrong(small, tmp_path_factory):
    """One fault in each network, one host that is off, and one cable in the wrong network."""
    cables = plugs(small)
    for own in cables.values():
        for cable in _cables_of(own, "node-017"):
            own.remove(cable)
    first, second = (_cables_of(cables["fabric"], name)[0] for name in ("login-001", "login-002"))
    cables["fabric"] = [cable for cable in cables["fabric"] if cable not in (first, second)]
    cables["fabric"] += [(first[0], second[1]), (second[0], first[1])]
    cables["storage"].remove(_cables_of(cables["storage"], "storage-004")[1])
    moved = _cables_of(cables["service"], "login-002")[0]
    cables["service"].remove(moved)
    cables["service"].append(((moved[0][0], "swp40"), moved[1]))
    managed = _cables_of(cables["oob"], "storage-leaf02")[0]
    cables["oob"].remove(managed)
    other = {"oob-leaf01": "oob-leaf02", "oob-leaf02": "oob-leaf01"}[managed[0][0]]
    cables["oob"].append(((other, "swp45"), managed[1]))
    strayed = _cables_of(cables["service"], "gateway-001")[0]
    cables["service"].remove(strayed)
    cables["storage"].append((("storage-leaf03", "swp30"), strayed[1]))
    return _written(small, cables, tmp_path_factory.mktemp("wrong"))


def _found(result):
    return sorted(
        (name, diagnostic.code, diagnostic.nodes[0] if diagnostic.code in ("TL203", "TL204", "TL209") else "")
        for name, of_network in zip(result.networks, result.results, strict=True)
        for diagnostic in of_network.diagnostics
    )


PLANTED = sorted(
    [
        ("fabric", "TL203", "node-017"),
        ("fabric", "TL104", ""),
        ("storage", "TL209", "node-017"),
        ("storage", "TL101", ""),
        ("storage", "TL204", "gateway-001"),
        ("service", "TL209", "node-017"),
        ("service", "TL105", ""),
        ("service", "TL101", ""),
        ("oob", "TL209", "node-017"),
        ("oob", "TL103", ""),
    ]
)


def test_no_fault_is_invented(small, right):
    """Discoveries by network, two networks in one folder, a sheet, and a folder whose networks are clear by its devices."""
    write_sheet(plugs(small)["oob"], right / "oob.csv")
    everything = str(right / "all")
    for discoveries in (
        _by_name(right),
        {"service": everything, "oob": everything, "storage": everything},
        {"oob": str(right / "oob.csv")},
        everything,
        str(right / "fabric.net"),
    ):
        result = verify_machine(small, discoveries)
        assert _found(result) == []
        assert not result.causes
        planned = [of_network.comparison for of_network in result.results]
        assert all(record["right_cables"] == record["planned_cables"] for record in planned)
    assert verify_machine(small, everything).networks == ETHERNET
    assert verify_machine(small, everything).unverified == ("fabric",)


def test_plans_alone_have_no_faults(small):
    """Networks of switches that are joined by another network, and cables of several rates, are as they are planned."""
    result = verify_machine(small)
    assert (result.clean, result.networks) == (True, tuple(small.networks))


@pytest.mark.parametrize("ethernet", ["by network", "in one folder"])
def test_every_planted_fault_is_found_in_its_network_and_once_for_all(small, wrong, ethernet):
    by_name = _by_name(wrong)
    if ethernet == "in one folder":
        by_name |= dict.fromkeys(ETHERNET, str(wrong / "all"))
    result = verify_machine(small, by_name)
    assert _found(result) == PLANTED
    device, cable = result.causes
    assert device.text == "node-017 is missing in fabric, storage, service and oob"
    assert {finding.network for finding in device.findings} == set(small.networks)
    assert cable.text.startswith(
        "gateway-001 is cabled to storage-leaf03 port swp30 of storage, should be service-leaf"
    )
    for cause in result.causes:
        for finding in cause.findings:
            of_network = result.results[result.networks.index(finding.network)]
            assert cause.devices[0] in of_network.diagnostics[finding.number - 1].text


def test_a_host_that_only_one_network_sees_is_named_with_it(small, tmp_path):
    cables = plugs(small)
    for name in ("fabric", "storage", "service"):
        for cable in _cables_of(cables[name], "node-003"):
            cables[name].remove(cable)
    result = verify_machine(small, _by_name(_written(small, cables, tmp_path / "d")))
    assert [cause.text for cause in result.causes] == [
        "node-003 is missing in fabric, storage and service, but it is there in oob"
    ]


def test_a_rack_without_power_is_one_cause(small, tmp_path):
    """All its devices are missing in all networks: the rack is named once, and none of its devices."""
    rack = "C02"
    devices = {
        device
        for network in small.networks.values()
        for device, at in zip(
            (*network.fabric.switch_names, *network.fabric.host_names),
            (*network.fabric.switch_rack, *network.fabric.host_rack),
            strict=True,
        )
        if at == rack
    }
    cables = {
        name: [cable for cable in own if not {device for device, _ in cable} & devices]
        for name, own in plugs(small).items()
    }
    result = verify_machine(small, _by_name(_written(small, cables, tmp_path / "d")))
    assert [(cause.kind, set(cause.devices)) for cause in result.causes] == [("rack", devices)]
    assert (
        result.causes[0].text == f"rack {rack}: all its {len(devices)} devices are missing, in storage, service and oob"
    )


def test_python_command_and_record_have_the_same_result(folder, wrong):
    by_name = _by_name(wrong)
    printed = run("verify", folder, *(f"{name}={path}" for name, path in by_name.items()), "--json").record
    result = verify_machine(open_machine(folder), by_name)
    records = [printed, result.record(), MachineDiagnostics.from_record(printed).record()]
    for record in records:
        del record["provenance"]
        for of_network in record["results"]:
            del of_network["comparison"]["provenance"]
    assert records[0] == records[1] == records[2]
    assert {row["network"] for row in result.rows()} == set(by_name)


def test_text_sarif_metrics_and_nagios(folder, wrong, tmp_path):
    given = [f"{name}={path}" for name, path in _by_name(wrong).items() if name != "oob"]
    done = run("verify", folder, *given, "--sarif", tmp_path / "x.sarif", "--prom", tmp_path / "x.prom")
    assert "networks without discovery  oob" in done.out
    assert "one cause: node-017 is missing in fabric, storage and service (findings " in done.out
    runs = json.loads((tmp_path / "x.sarif").read_text())["runs"]
    assert [each["automationDetails"]["id"] for each in runs] == ["fabric/", "storage/", "service/"]
    assert [len(each["results"]) for each in runs] == [2, 3, 3]
    metrics = (tmp_path / "x.prom").read_text()
    assert all(f'topoloom_fabric_ok{{check="verify",fabric="{name}"}} 0' in metrics for name in ("fabric", "service"))
    line = run("verify", folder, *given, "--nagios")
    assert line.code == 2
    assert line.out.startswith("FABRIC CRITICAL - 5 errors, 3 warnings, ")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["storage={right}/service"], "is a discovery of service, not of storage"),
        (["compute={right}/service"], "the machine has no network 'compute' (it has fabric, storage, service, oob)"),
        (["petersen"], "no two of its devices are joined by a network of the machine"),
        (["oob={right}/oob", "--guids", "g.csv"], "--guids is for one network"),
        (["oob={right}/nothing"], "nothing"),
    ],
)
def test_bad_input_ends_with_one_sentence(folder, right, given, reason):
    done = run("verify", folder, *(word.replace("{right}", str(right)) for word in given))
    assert done.code == 2
    assert reason in done.err
    assert "Traceback" not in done.err


def test_one_network_has_one_discovery(right):
    done = run("verify", "petersen", right / "service", right / "oob")
    assert "2 discoveries of petersen, which is one network" in done.err


def test_an_unknown_network_is_refused_in_python(small, right):
    with pytest.raises(InputError, match="the machine has no network 'compute'"):
        verify_machine(small, {"compute": str(right / "service")})
