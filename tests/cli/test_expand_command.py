"""`topoloom expand`: what it prints, what its folder holds, and what it refuses."""

import json

import pytest
from click.testing import CliRunner

from topoloom import InputError, load_expansion, load_layout
from topoloom.cli.commands import cost, expand, methods


def run(*arguments, command=expand.command):
    """What the command prints; its errors are raised."""
    result = CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_the_document_has_what_is_promised(tmp_path):
    """Keys of the plan and of each step; totals are those of the steps."""
    plan = json.loads(
        run("dsn-f:n=1024", "--to", "1100", "--method", "dsn-f", "--floor", "koibuchi-2013", "--map", "rows", "--json")
    )
    assert {"steps", "removed", "added", "kept", "longest_new_m", "racks_touched", "cost_usd"} <= plan.keys()
    assert {"switches", "diameter", "aspl", "connected", "unplug", "move", "add"} <= plan["steps"][0].keys()
    assert plan["steps"][-1]["switches"] == plan["switches"] == 1100
    assert plan["kept"] + plan["added"] == plan["links"]
    assert sum(step["add"] for step in plan["steps"]) == plan["tasks"]["add"]
    assert all(step["connected"] for step in plan["steps"])


@pytest.mark.exhaustive
def test_a_folder_is_checked_grown_on_and_priced(tmp_path):
    """A plan into a folder with --check; its folder after is a layout that grows on, and that cost takes."""
    first, second = tmp_path / "first", tmp_path / "second"
    told = run("jellyfish:n=30,degree=4", "--to", "36", "--floor", "koibuchi-2013", "-o", str(first), "--check")
    assert f"wrote {first}" in told
    assert "connected    all the time" in told
    assert "give the 72 cables of after/cables.csv, exactly" in run(str(first), "--check")
    assert json.loads(run(str(first), "--check", "--json"))["exact"] is True
    assert json.loads(run("jellyfish:n=30,degree=4", "--to", "36", "--floor", "koibuchi-2013", "--json")) == (
        load_expansion(first).record()
    )
    assert (first / "plan.html").exists()
    assert len(list((first / "steps").glob("*.svg"))) == 6
    with pytest.raises(InputError, match=r"--floor: .* is laid out already, and its layout stays as it is; omit it"):
        run(str(first / "after"), "--to", "40", "--floor", "koibuchi-2013")
    for own in (first, first / "after"):
        with pytest.raises(InputError, match="which the plan starts from; take another folder"):
            run(str(first / "after"), "--to", "40", "--rows", "3", "-o", str(own))
    run(str(first / "after"), "--to", "40", "--rows", "3", "-o", str(second), "--check")
    assert load_layout(second / "after").topology.switches == 40
    assert "40" in run(str(second / "after"), command=cost.command)


def test_into_another_network():
    """--into names the network itself."""
    plan = json.loads(run("torus:dims=4x4", "--into", "torus:dims=4x6", "--json"))
    assert plan["method"] == "into"
    assert plan["into"] == "torus:dims=4x6"
    assert (plan["removed"], plan["kept"]) == (4, 28)


def test_methods_are_listed():
    """Every method with what --to counts."""
    known = {one["name"]: one for one in json.loads(run("--json", command=methods.command))["methods"]}
    assert {"dsn-f", "splice", "splice-near", "hosts", "channels", "slab", "group", "pod", "copies"} <= known.keys()
    assert known["hosts"]["counts"] == "hosts"
    assert "slab" in run(command=methods.command)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("ring:n=5", "--to", "7", "--degree", "0"), "--degree is 0: a new switch has one link at least"),
        (("torus:dims=4x4",), "to how many switches"),
        (("torus:dims=4x4", "--to", "20", "--check"), "give -o as well"),
        (("torus:dims=4x4", "--check"), "there is no such file; 'topoloom expand -o' writes"),
        (("torus:dims=4x4", "--to", "20", "--into", "ring:n=20"), "omit the size and the method"),
        (("torus:dims=4x4", "--to", "20", "--method", "splce"), "did you mean 'splice'"),
        (("torus:dims=4x4", "--to", "20", "--floor", "hall"), "hall"),
        (("ring:n=5", "--into", "ring:n=4"), "at least its size"),
    ],
)
def test_refused(arguments, reason):
    """One sentence each."""
    with pytest.raises(InputError, match=reason):
        run(*arguments)
